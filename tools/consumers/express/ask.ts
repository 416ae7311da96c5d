/** Asks the server as a browser does, over a model that refuses first. */

import assert from 'node:assert';
import type { AddressInfo } from 'node:net';
import { startModelServer } from './model-server.js';

const model = await startModelServer([{ 'retry-after-ms': '20' }, null, { 'retry-after': '300' }]);
process.env['OPENAI_API_KEY'] = 'none-is-needed';
process.env['OPENAI_BASE_URL'] = model.url;
const { app } = await import('./app.js');
const server = app.listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
const ask = (path: string): Promise<Response> =>
  fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"question":"Hello?"}',
  });

const chat = await (await ask('/chat')).text();
assert.match(
  chat,
  /^event: waiting\ndata: {"headline":"Rate limit reached \(HTTP 429\)","nextAttemptAt":\d+\.?\d*}\n\n/,
);
assert.match(chat, /event: text\ndata: "Hel"\n\nevent: text\ndata: "lo"/);
const refused = await ask('/answer');
assert.equal(refused.status, 503);
assert.ok(Number(refused.headers.get('retry-after')) > 290, 'Retry-After says when');
assert.deepEqual(await refused.json(), { error: 'Rate limit reached (HTTP 429)' });
assert.deepEqual(await (await ask('/answer')).json(), { answer: 'Hello' });
console.log(`answered: after a wait that the browser saw, ${model.requests()} requests`);
server.close();
model.close();
