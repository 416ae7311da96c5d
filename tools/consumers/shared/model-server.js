// @ts-check
// A server that speaks the chat API of OpenAI: it refuses first, and then it answers "Hello".
import { createServer } from 'node:http';

/**
 * @param {readonly (Record<string, string> | null)[]} refusals the headers of each 429, or null for an answer; then it answers
 * @returns {Promise<{ url: string, requests: () => number, close: () => void }>}
 */
export async function startModelServer(refusals) {
  let requests = 0;
  const server = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk) => (text += chunk));
    request.on('end', () => {
      const refusal = refusals[requests];
      requests += 1;
      if (refusal !== undefined && refusal !== null) {
        response.writeHead(429, { 'content-type': 'application/json', ...refusal });
        response.end('{"error":{"type":"rate_limit_error","message":"Slow down."}}');
      } else if (JSON.parse(text).stream === true) {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        for (const [content, reason] of [
          ['Hel', null],
          ['lo', null],
          ['', 'stop'],
        ]) {
          const choices = [{ index: 0, delta: { role: 'assistant', content }, finish_reason: reason }];
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
