// @ts-check
// A server that speaks the chat API of OpenAI: it first does what its script says, and then it answers "Hello".
import { createServer } from 'node:http';

const HELLO = [
  [{ role: 'assistant', content: 'Hel' }, null],
  [{ content: 'lo' }, null],
  [{}, 'stop'],
];

const CALL = { index: 0, id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } };
const TOOL_CALL = [
  [{ role: 'assistant', tool_calls: [CALL] }, null],
  [{}, 'tool_calls'],
];

/**
 * @param {readonly (Record<string, string> | 'tool' | null)[]} script the headers of a 429, `tool` for a call of the tool
 *   `weather` in a stream, or null for an answer
 * @returns {Promise<{ url: string, requests: () => number, close: () => void }>}
 */
export async function startModelServer(script) {
  let requests = 0;
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => (text += chunk));
    request.on('end', () => {
      const step = script[requests];
      requests += 1;
      if (typeof step === 'object' && step !== null) {
        response.writeHead(429, { 'content-type': 'application/json', ...step });
        response.end('{"error":{"type":"rate_limit_error","message":"Slow down."}}');
      } else if (JSON.parse(text).stream === true) {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        for (const [delta, reason] of step === 'tool' ? TOOL_CALL : HELLO) {
          const choices = [{ index: 0, delta, finish_reason: reason }];
          response.write(
            `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 0, model: 'm', choices })}\n\n`,
          );
        }
        response.end('data: [DONE]\n\n');
      } else {
        const choices = [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }];
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ id: 'c', object: 'chat.completion', created: 0, model: 'm', choices }));
      }
    });
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}/v1`, requests: () => requests, close: () => void server.close() };
}
