/** Asks the server as a browser does, over a model that refuses first. */

import assert from 'node:assert';
import { NestFactory } from '@nestjs/core';
import { startModelServer } from './model-server.js';

const model = await startModelServer([{ 'retry-after-ms': '20' }, null, { 'retry-after': '300' }]);
process.env['OPENAI_API_KEY'] = 'none-is-needed';
process.env['OPENAI_BASE_URL'] = model.url;
const { ChatModule } = await import('./chat.module.js');
const app = await NestFactory.create(ChatModule, { logger: ['error'] });
await app.listen(0, '127.0.0.1');
const url = await app.getUrl();
const ask = (): Promise<Response> =>
  fetch(`${url}/answer`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"question":"Hello?"}',
  });

const chat = await (await fetch(`${url}/chat?question=Hello`)).text();
assert.match(chat, /event: waiting\nid: \d+\ndata: {"headline":"Rate limit reached \(HTTP 429\)","nextAttemptAt":\d+/);
assert.match(chat, /data: {"text":"Hel"}[\s\S]*data: {"text":"lo"}[\s\S]*event: end/);
const refused = await ask();
assert.equal(refused.status, 503);
assert.ok(Number(refused.headers.get('retry-after')) > 290, 'Retry-After says when');
assert.deepEqual(await (await ask()).json(), { answer: 'Hello' });
console.log(`answered: after a wait that the browser saw, ${model.requests()} requests`);
await app.close();
model.close();
