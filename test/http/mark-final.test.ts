import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Response as UndiciResponse } from 'undici';
import { describe, expect, test } from 'vitest';
import { markFinal } from '../../src/http/mark-final.ts';
import { serve } from '../serve.ts';

function refuse(): never {
  throw new TypeError('immutable');
}

/** As fetch gives it: with headers that cannot be changed, and a url. */
function fetched(status: number, body: string): Response {
  const response = new Response(body, { status, statusText: 'Slow Down', headers: { 'retry-after': '7' } });
  Object.defineProperty(response.headers, 'set', { value: refuse });
  Object.defineProperties(response, { url: { value: 'https://api.example.com/v1' }, redirected: { value: true } });
  return response;
}

describe('the mark on a final response', () => {
  test('is set on the response itself if its headers can be changed', () => {
    const response = new Response('body', { status: 429 });
    expect(markFinal(response)).toBe(response);
    expect(response.headers.get('x-should-retry')).toBe('false');
  });

  test('overrides a true of the server', () => {
    const response = new Response(null, { status: 503, headers: { 'x-should-retry': 'true' } });
    expect(markFinal(response).headers.get('x-should-retry')).toBe('false');
  });

  test('is set on a new response around the same body, status, url and headers if they cannot be changed', async () => {
    const marked = markFinal(fetched(429, '{"error":{}}'));
    expect(marked.headers.get('x-should-retry')).toBe('false');
    expect(marked.headers.get('retry-after')).toBe('7');
    expect([marked.status, marked.statusText, marked.url, marked.redirected]).toEqual([
      429,
      'Slow Down',
      'https://api.example.com/v1',
      true,
    ]);
    expect(await marked.text()).toBe('{"error":{}}');
  });

  test.each([200, 302])('is not set on a %i', (status) => {
    const response = new Response(null, { status });
    expect(markFinal(response)).toBe(response);
    expect(response.headers.has('x-should-retry')).toBe(false);
  });

  test('is set on a response of another realm too', () => {
    const response = new UndiciResponse('body', { status: 429 });
    expect(markFinal(response).headers.get('x-should-retry')).toBe('false');
  });

  test.each([[{ ok: false, status: 429 }], [undefined], [{ status: 429, headers: { get: () => null } }]])(
    'leaves what is no response alone: %j',
    (answer) => {
      expect(markFinal(answer)).toBe(answer);
    },
  );

  test('leaves a response unchanged whose body was read, instead of failing', async () => {
    const response = fetched(429, 'body');
    await response.text();
    expect(markFinal(response)).toBe(response);
  });

  test.each([999, 600])('is not set on a %i, which no new response can have', (status) => {
    const response = Object.defineProperty(fetched(503, 'body'), 'status', { value: status });
    expect(markFinal(response)).toBe(response);
  });
});

test('a marked response keeps its body when the original response is collected', async () => {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  let finish: (() => void) | undefined;
  const server = await serve((_request, response) => {
    response.writeHead(503).write('first ');
    finish = () => response.end('last');
  });
  const marked = markFinal(await fetch(server.url));
  expect(marked.headers.get('x-should-retry')).toBe('false');
  for (let round = 0; round < 2; round += 1) {
    if (typeof collect === 'function') collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  finish?.();
  expect(await marked.text()).toBe('first last');
  await server.close();
});
