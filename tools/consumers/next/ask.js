// Starts what `next build` made, asks the route of each runtime, and the chat over a model that refuses first.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { startModelServer } from './model-server.js';

// A wait, a tool, a wait, and the answer; then a refusal that the route has no time for.
const SHORT = { 'retry-after-ms': '20' };
const model = await startModelServer([SHORT, 'tool', SHORT, null, { 'retry-after': '300' }]);
const server = spawn('next', ['start', '--port', '0', '--hostname', '127.0.0.1'], {
  stdio: ['ignore', 'pipe', 'inherit'],
  env: { ...process.env, OPENAI_API_KEY: 'none-is-needed', OPENAI_BASE_URL: model.url },
});
try {
  let output = '';
  let origin;
  while (origin === undefined) {
    const [chunk] = await once(server.stdout, 'data');
    output += chunk;
    origin = /http:\/\/127\.0\.0\.1:[1-9]\d*/.exec(output)?.[0];
  }
  for (const route of ['node', 'edge']) {
    const response = await fetch(`${origin}/${route}`);
    const text = await response.text();
    if (text !== 'Hello') throw new Error(`${route}: ${response.status} ${text.slice(0, 300)}`);
    console.log(`answered: ${route}`);
  }
  const parts = [{ type: 'text', text: 'Hello?' }];
  const ask = async () => {
    const chat = await fetch(`${origin}/api/chat`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ messages: [{ id: '1', role: 'user', parts }] }),
    });
    return chat.text();
  };
  const events = await ask();
  const steps = [
    /"type":"data-retry".*"headline":"Rate limit reached \(HTTP 429\)"/,
    /"type":"data-retry","data":null/,
    /"output":"It rains in Oslo."/,
    /"type":"data-retry".*"headline":"Rate limit reached \(HTTP 429\)"/,
    /"type":"data-retry","data":null/,
    /"delta":"Hel"/,
  ];
  let step = 0;
  for (const line of events.split('\n')) if (steps[step]?.test(line)) step += 1;
  if (step < steps.length) throw new Error(`The chat has no ${steps[step]} where it should have one: ${events}`);
  const refused = await ask();
  if (!refused.includes('"errorText":"Rate limit reached (HTTP 429)"')) throw new Error(`The refused chat: ${refused}`);
  console.log('answered: the chat, after two waits that the browser saw, and a refusal that it could read');
} finally {
  server.kill();
  model.close();
}
