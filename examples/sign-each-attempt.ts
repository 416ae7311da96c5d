import { createRetryFetch, type Fetch } from 'retry-transport';

// A signature contains the time, and a server refuses one that is minutes old. The inner fetch is called for each
// attempt, so what it adds is always fresh. Do SigV4 and short-lived tokens here.
const signed: Fetch = async (input, init) => {
  const request = new Request(input, init);
  const date = new Date().toISOString();
  request.headers.set('x-date', date);
  request.headers.set('authorization', `Signature ${await sign(`${date}\n${await request.clone().text()}`)}`);
  return globalThis.fetch(request);
};

const fetch = createRetryFetch({ fetch: signed });
const response = await fetch('https://bedrock-runtime.us-east-1.amazonaws.com/model/claude/converse', {
  method: 'POST',
  body: JSON.stringify({ messages: [{ role: 'user', content: [{ text: 'Hello' }] }] }),
});
console.log(response.status);

async function sign(text: string): Promise<string> {
  const key = await crypto.subtle.importKey(
    'raw',
    new TextEncoder().encode('your-secret'),
    { name: 'HMAC', hash: 'SHA-256' },
    false,
    ['sign'],
  );
  const signature = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(text));
  return btoa(String.fromCharCode(...new Uint8Array(signature)));
}
