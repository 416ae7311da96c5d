import { createRetryFetch, type Fetch, presets } from 'retry-transport';

// A SDK asks its key function once for a call, and its retries are those of our fetch. The inner fetch is called for each
// attempt, so it adds a key that is valid then, also after a wait of minutes.
const withKey: Fetch = async (input, init) => {
  const request = new Request(input, init);
  request.headers.set('authorization', `Bearer ${await currentKey()}`);
  return globalThis.fetch(request);
};

// `new OpenAI({ fetch, apiKey: 'set for each attempt', maxRetries: 0 })`, and so for other SDKs.
export const fetch = createRetryFetch({ ...presets.recommended, fetch: withKey });

let key = { text: '', expiresAt: 0 };

/** A key that is valid for another half minute, or a new one. */
async function currentKey(): Promise<string> {
  if (key.expiresAt < Date.now() + 30_000) {
    const answer = await globalThis.fetch('https://auth.example.com/token', { method: 'POST' });
    const { access_token, expires_in } = (await answer.json()) as { access_token: string; expires_in: number };
    key = { text: access_token, expiresAt: Date.now() + expires_in * 1_000 };
  }
  return key.text;
}
