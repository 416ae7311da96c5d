import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { type RetryEvent } from '../../src/index.ts';
import type { Proxy } from '../../src/proxy/index.ts';
import { serve } from '../serve.ts';
import { failOnUnhandled } from '../unhandled.ts';
import { endEach, startBoth, startFor, talk, until, troubled } from './talk.ts';
import { decisionsOf } from '../script.ts';

endEach();
failOnUnhandled();

const KEY = 'a-key-of-no-known-shape';
const LONG = { baseDelayMs: 60_000, jitter: 'none' } as const;

const post = (url: string, init: RequestInit = {}): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    body: '{}',
    headers: { 'content-type': 'application/json', 'x-api-key': KEY },
    ...init,
  });

/** Notes the events, as a client of the proxy never sees them. */
function noting(): { readonly events: RetryEvent[]; readonly onEvent: (event: RetryEvent) => void } {
  const events: RetryEvent[] = [];
  return { events, onEvent: (event) => void events.push(...decisionsOf([event])) };
}

describe('through failures of each kind', () => {
  it('a client gets its streamed answer and does not see the waits', async () => {
    const { events, onEvent } = noting();
    const { proxy, target } = await startBoth(troubled(), { retry: { maxRetries: 4 }, onEvent });
    const response = await post(`${proxy.url}/v1/messages`);
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
    const text = await response.text();
    expect(text).toMatch(/^event: message_start\n[^]*"text":"The "[^]*event: message_stop\ndata: .*\n\n$/);
    expect(target.counts.requests).toBe(5);
    expect(events.flatMap((event) => (event.type === 'retry' ? event.failure.type : []))).toEqual([
      'overloaded',
      'overloaded',
      'connection_error',
      'overloaded',
    ]);
    expect(events.at(-1)).toMatchObject({ type: 'recovered', attempts: 5 });
  });
});

describe('a JSON body', () => {
  const whole = JSON.stringify({ choices: [{ message: { role: 'assistant', content: 'The whole answer.' } }] });
  const head = { 'content-type': 'application/json', 'content-length': String(whole.length) };

  it.each([
    ['is reset in its middle', (socket: Socket) => void socket.resetAndDestroy()],
    ['ends in its middle', (socket: Socket) => socket.destroySoon()],
  ])('that %s is asked for again', async (_title, end) => {
    const { proxy, target } = await startBoth((request, response) => {
      response.writeHead(200, head);
      if (target.counts.requests > 1) response.end(whole);
      else response.write(whole.slice(0, 40), () => setTimeout(() => end(request.socket), 20));
    });
    const answer = await post(`${proxy.url}/v1/chat/completions`);
    expect([answer.status, await answer.text(), target.counts.requests]).toEqual([200, whole, 2]);
  });

  it('that holds an error is asked for again', async () => {
    const error = JSON.stringify({ error: { type: 'overloaded_error', message: 'Overloaded' } });
    const { proxy, target } = await startBoth((_request, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(target.counts.requests > 1 ? whole : error),
    );
    expect(await (await post(`${proxy.url}/v1/chat/completions`)).text()).toBe(whole);
  });

  it('is passed on as it comes if holdJson is off', async () => {
    const { proxy, target } = await startBoth(
      (request, response) => {
        response.writeHead(200, head).write(whole.slice(0, 40), () => setTimeout(() => request.socket.destroy(), 20));
      },
      { retry: { answers: { holdJson: false } } },
    );
    await expect(post(`${proxy.url}/v1/chat/completions`).then((answer) => answer.text())).rejects.toThrow(TypeError);
    expect(target.counts.requests).toBe(1);
  });
});

describe('a stream', () => {
  const sse = { 'content-type': 'text/event-stream' };
  const body = JSON.stringify({ model: 'm', stream: true, messages: [] });
  const message = { id: 'm', type: 'message', role: 'assistant', content: [], model: 'm', usage: {} };
  const event = (type: string, more: object = {}): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
  const begun = [
    event('message_start', { message }),
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'Hel' } }),
  ].join('');
  const rest = [
    event('content_block_stop', { index: 0 }),
    event('message_delta', { delta: { stop_reason: 'end_turn' } }),
    event('message_stop'),
  ].join('');

  it('that goes silent after its first words ends with an error event of its protocol', async () => {
    const { proxy } = await startBoth((_request, response) => response.writeHead(200, sse).write(begun), {
      retry: { answers: { idleTimeoutMs: 60, checkEnd: true, outputTimeoutMs: 300_000 } },
    });
    const text = await (await post(`${proxy.url}/v1/messages`, { body })).text();
    expect(text.startsWith(begun)).toBe(true);
    expect(text).toMatch(
      /\n\nevent: error\ndata: \{"type":"error","error":\{"type":"timeout_error","message":".+"\}\}\n\n$/,
    );
  });

  it('breaks off for the client of Cohere, which does not report an error event of its protocol', async () => {
    const data = '{"type":"content-delta","index":0,"delta":{"message":{"content":{"text":"Hello"}}}}';
    const { proxy } = await startBoth((_request, response) =>
      response.writeHead(200, sse).end(`event: content-delta\ndata: ${data}\n\n`),
    );
    await expect((await post(`${proxy.url}/v2/chat`, { body })).text()).rejects.toThrow('terminated');
  });

  it('that ends without its last event does too, and one that is whole is unchanged', async () => {
    const events: RetryEvent[] = [];
    const { proxy, target } = await startBoth(
      (_request, response) => response.writeHead(200, sse).end(target.counts.requests > 1 ? begun + rest : begun),
      { onEvent: (each) => void events.push(each) },
    );
    const text = await (await post(`${proxy.url}/v1/messages`, { body })).text();
    expect(text).toMatch(/\n\nevent: error\ndata: .*"api_error".*\n\n$/);
    expect(events.at(-1)).toMatchObject({ type: 'broken', because: 'truncated' });
    expect(await (await post(`${proxy.url}/v1/messages`, { body })).text()).toBe(begun + rest);
  });

  it.each([
    ['is empty', '', '/v1/messages'],
    ['has ended early', begun, '/v1/messages'],
    ['is empty, for Cohere', '', '/v2/chat'],
  ])('that %s does not look complete, although the target gave its length', async (_title, sent, path) => {
    const { proxy } = await startBoth((_request, response) =>
      response.writeHead(200, { ...sse, 'content-length': Buffer.byteLength(sent) }).end(sent),
    );
    const text = await (await post(`${proxy.url}${path}`, { body })).text().catch(() => 'broken off');
    expect(text).toMatch(/^broken off$|\n\nevent: error\ndata: .*\n\n$/);
  });

  it.each([
    ['is reset', (request: IncomingMessage) => request.socket.resetAndDestroy()],
    ['ends', (_request: IncomingMessage, response: ServerResponse) => response.end()],
  ])('that %s after its first words is asked for again, if it is held until its end', async (_title, end) => {
    const { proxy, target } = await startBoth(
      (request, response) => {
        response.writeHead(200, sse);
        if (target.counts.requests > 1) response.end(begun + rest);
        else response.write(begun, () => setTimeout(() => end(request, response), 20));
      },
      { retry: { answers: { holdUntil: 'end' } } },
    );
    expect(await (await post(`${proxy.url}/v1/messages`, { body })).text()).toBe(begun + rest);
    expect(target.counts.requests).toBe(2);
  });

  it('that is held until its end is filled with comments meanwhile', async () => {
    const { proxy } = await startBoth(
      (_request, response) => {
        response.writeHead(200, sse).write(begun);
        setTimeout(() => response.end(rest), 150);
      },
      { retry: { answers: { holdUntil: 'end' } }, keepAliveAfterMs: 20 },
    );
    const text = await (await post(`${proxy.url}/v1/messages`, { body })).text();
    expect(text).toBe(`: waiting for the answer\n\n${begun}${rest}`);
  });
});

describe('a call that is given up', () => {
  it('returns the last response unchanged, unmarked if a later retry may help', async () => {
    const body = JSON.stringify({ type: 'error', error: { type: 'overloaded_error', message: `Not for ${KEY}` } });
    const { proxy, target } = await startBoth(
      (_request, response) =>
        response.writeHead(529, { 'content-type': 'application/json', 'request-id': 'r1' }).end(body),
      { retry: { maxRetries: 2 } },
    );
    const response = await post(proxy.url);
    expect([response.status, response.headers.get('request-id'), response.headers.get('x-should-retry')]).toEqual([
      529,
      'r1',
      null,
    ]);
    expect(await response.text()).toBe(body);
    expect(target.counts.requests).toBe(3);
  });

  it.each([
    ['mark-permanent', 401, 'false'],
    ['mark-permanent', 503, null],
    ['mark', 503, 'false'],
    ['return', 401, null],
  ] as const)('with the mark %j has for a %i x-should-retry: %s', async (exhausted, status, mark) => {
    const { proxy } = await startBoth((_request, response) => response.writeHead(status).end('no'), {
      retry: { exhausted },
    });
    const response = await post(proxy.url);
    expect([response.status, response.headers.get('x-should-retry'), await response.text()]).toEqual([
      status,
      mark,
      'no',
    ]);
  });

  it('keeps the Retry-After of a hint that is too long, unmarked, because the client may wait', async () => {
    const { proxy, target } = await startBoth((_request, response) =>
      response.writeHead(429, { 'retry-after': '90' }).end('later'),
    );
    const response = await post(proxy.url);
    expect([response.headers.get('retry-after'), response.headers.get('x-should-retry')]).toEqual(['90', null]);
    expect(target.counts.requests).toBe(1);
  });

  const QUOTA = JSON.stringify({ error: { type: 'insufficient_quota', code: 'insufficient_quota', message: 'No.' } });
  const json = { 'content-type': 'application/json' };

  it('stays a 429 if no wait can help', async () => {
    const { proxy, target } = await startBoth((_request, response) => response.writeHead(429, json).end(QUOTA));
    expect((await post(proxy.url)).status).toBe(429);
    expect(target.counts.requests).toBe(1);
  });

  it('costs a client that sends it again and again one request', async () => {
    const { events, onEvent } = noting();
    const { proxy, target } = await startBoth((_request, response) => response.writeHead(429, json).end(QUOTA), {
      onEvent,
    });
    for (const _ of [1, 2, 3]) {
      const answer = await post(proxy.url, { headers: json });
      expect([answer.status, answer.headers.get('x-should-retry'), await answer.text()]).toEqual([429, 'false', QUOTA]);
    }
    expect(target.counts.requests).toBe(1);
    const [first, second, third] = events;
    expect(first).toMatchObject({ type: 'failed', attempts: 1, because: 'not-retryable' });
    const remembered = { type: 'failed', attempts: 0, because: 'not-retryable', failure: { type: 'quota_exhausted' } };
    expect([second, third]).toMatchObject([remembered, remembered]);
    // Another question and another key are sent.
    await post(proxy.url, { headers: json, body: '{"other":1}' });
    await post(proxy.url, { headers: { ...json, 'x-api-key': 'other' } });
    expect(target.counts.requests).toBe(3);
  });

  it('is a 502 if no server listens', async () => {
    const target = await serve((_request, response) => response.end());
    await target.close();
    const proxy = await startFor({ target: new URL(target.url).origin, retry: { maxRetries: 1 } });
    const response = await post(`${proxy.url}/v1?key=${KEY}`);
    expect([response.status, response.headers.get('x-should-retry')]).toEqual([502, null]);
    const text = await response.text();
    expect(JSON.parse(text)).toMatchObject({
      type: 'error',
      error: { type: 'connection_error', code: 'ECONNREFUSED' },
      attempts: 2,
    });
    expect(text).not.toContain(KEY);
  });

  it('is reset if every connection of the target is reset, and the next call works', async () => {
    const { events, onEvent } = noting();
    const { proxy, target } = await startBoth(
      (request, response) =>
        target.counts.requests <= 4 ? request.socket.resetAndDestroy() : response.end('well again'),
      { onEvent },
    );
    const request = 'POST / HTTP/1.1\r\nhost: HOST\r\ncontent-length: 2\r\n\r\n{}';
    const { over } = talk(proxy.url, request.replace('HOST', new URL(proxy.url).host));
    expect(await over).toEqual({ text: '', failed: true });
    expect(target.counts.requests).toBe(4);
    expect(events.at(-1)).toMatchObject({ type: 'failed', failure: { code: 'ECONNRESET' } });
    expect(await (await post(proxy.url)).text()).toBe('well again');
  });

  it('ends without an answer if every connection of the target does', async () => {
    const { proxy, target, host } = await startBoth((request) => request.socket.destroySoon());
    const { over } = talk(proxy.url, `POST / HTTP/1.1\r\nhost: ${host}\r\ncontent-length: 2\r\n\r\n{}`);
    expect(await over).toEqual({ text: '', failed: false });
    expect(target.counts.requests).toBe(4);
  });

  it('is a 502 after a reset if each last response has to carry a mark', async () => {
    const { proxy } = await startBoth((request) => request.socket.resetAndDestroy(), {
      retry: { maxRetries: 0, exhausted: 'mark' },
    });
    const response = await post(proxy.url);
    expect([response.status, response.headers.get('x-should-retry')]).toEqual([502, 'false']);
  });

  it.each([
    ['a reset', 502, (request: IncomingMessage) => void request.socket.resetAndDestroy()],
    ['a 503', 503, (_: IncomingMessage, response: ServerResponse) => void response.writeHead(503).end('busy')],
  ])('tells the SDKs not to repeat a tool call that may have run: after %s, a %i', async (_, status, answer) => {
    const { proxy, target } = await startBoth(answer);
    const body = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"send_mail"}}';
    const response = await fetch(proxy.url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    expect([response.status, response.headers.get('x-should-retry')]).toEqual([status, 'false']);
    expect(target.counts.requests).toBe(1);
  });

  const TOOL_CALL = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"send_mail"}}';
  const BODIES = {
    text: TOOL_CALL,
    'text with a byte order mark': `\uFEFF${TOOL_CALL}`,
    'text after white space': `${' '.repeat(2_000)}\r\n\t${TOOL_CALL}`,
    'a batch': `[{"jsonrpc":"2.0","id":2,"method":"tools/list"},${TOOL_CALL}]`,
  };
  const TYPES = ['application/json', 'application/json; charset=utf-8', 'text/plain', 'application/octet-stream', ''];

  it.each(Object.entries(BODIES))(
    'comes after one request for a tool call, whatever its type says: %s',
    async (_, body) => {
      const { proxy, target } = await startBoth((request) => request.socket.resetAndDestroy());
      for (const type of TYPES) {
        const { host } = new URL(proxy.url);
        const length = Buffer.byteLength(body);
        const typeLine = type === '' ? '' : `content-type: ${type}\r\n`;
        const bytes = Buffer.from(body).toString('latin1');
        await talk(
          proxy.url,
          `POST /mcp HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n${typeLine}content-length: ${length}\r\n\r\n${bytes}`,
        ).over;
      }
      expect(target.counts.requests).toBe(TYPES.length);
    },
  );

  it('is a 504 if no answer comes in time', async () => {
    const { proxy } = await startBoth(() => {}, { retry: { attemptTimeoutMs: 30, maxRetries: 1 } });
    const response = await post(proxy.url);
    expect([response.status, await response.json()]).toEqual([
      504,
      { type: 'error', error: expect.objectContaining({ type: 'timeout' }), attempts: 2 },
    ]);
  });

  it('is a 502 if the target answers with headers that cannot be sent', async () => {
    // `Headers` takes this control character, and Node's server does not.
    const proxy = await startFor({
      target: 'https://api.example.com',
      fetch: async () => new Response('x', { headers: { 'a-good': '1', 'x-bad': 'a\u0001b' } }),
    });
    const response = await fetch(proxy.url);
    expect([response.status, response.headers.get('a-good')]).toEqual([502, null]);
  });
});

describe('events', () => {
  it('carry no secret, even if the target echoes one', async () => {
    const { events, onEvent } = noting();
    const { proxy } = await startBoth(
      (request, response) =>
        response
          .writeHead(429, { 'content-type': 'application/json' })
          .end(
            JSON.stringify({ error: { message: `slow down, ${String(request.headers['x-api-key'])} ${request.url}` } }),
          ),
      { onEvent, retry: { maxRetries: 1 } },
    );
    await post(`${proxy.url}/v1/messages?key=${KEY}`);
    expect(events.map(({ type }) => type)).toEqual(['retry', 'failed']);
    expect(JSON.stringify(events)).not.toContain(KEY);
    expect(events[0]).toMatchObject({ method: 'POST', url: expect.stringMatching(/\/v1\/messages$/) });
  });

  it('change no answer if their listener throws', async () => {
    const onEvent: (event: RetryEvent) => unknown = () => Promise.reject(new Error('listener'));
    const { proxy, target } = await startBoth(
      (_request, response) => response.writeHead(target.counts.requests === 1 ? 503 : 200).end(),
      { onEvent },
    );
    expect((await post(proxy.url)).status).toBe(200);
  });
});

describe('a client that goes away', () => {
  const leaveWhen = async (proxy: Proxy, isTime: () => boolean): Promise<void> => {
    const leaving = new AbortController();
    const call = post(proxy.url, { signal: leaving.signal }).then((response) => response.text());
    await until(isTime);
    leaving.abort();
    await expect(call).rejects.toThrow(/abort/i);
    await until(() => proxy.running === 0);
  };

  it('during a wait ends the call, and no further request is sent', async () => {
    const { events, onEvent } = noting();
    const { proxy, target } = await startBoth((_request, response) => response.writeHead(503).end(), {
      retry: LONG,
      onEvent,
    });
    await leaveWhen(proxy, () => proxy.waiting === 1);
    expect(events.map(({ type }) => type)).toEqual(['retry', 'cancelled']);
    expect([target.counts.requests, proxy.waiting]).toEqual([1, 0]);
  });

  it('in its own direction only ends its call too', async () => {
    const { proxy, target, host } = await startBoth((_request, response) => response.writeHead(503).end(), {
      retry: LONG,
    });
    const { socket, over } = talk(proxy.url, `POST / HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 2\r\n\r\n{}`);
    await until(() => proxy.waiting === 1);
    socket.end();
    expect((await over).text).toBe('');
    await until(() => proxy.running === 0);
    expect(target.counts.requests).toBe(1);
  });

  it('during an attempt ends the call at the target', async () => {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const { proxy, target } = await startBoth((_request, response) => response.on('close', resolve));
    await leaveWhen(proxy, () => target.counts.requests === 1);
    await closed;
    expect(target.counts.requests).toBe(1);
  });

  it('during the answer ends the call at the target', async () => {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    let begun = false;
    const { proxy, target } = await startBoth((_request, response) => {
      response.on('close', resolve);
      response.write('x', () => (begun = true));
    });
    await leaveWhen(proxy, () => begun);
    await closed;
    expect(target.counts.requests).toBe(1);
  });

  it('while it does not read ends the call at the target', async () => {
    const { promise: closed, resolve } = Promise.withResolvers<void>();
    const { proxy, target } = await startBoth((_request, response) => {
      response.on('close', resolve);
      for (let index = 0; index < 1_024; index += 1) response.write(Buffer.alloc(65_536));
    });
    const leaving = new AbortController();
    await post(proxy.url, { signal: leaving.signal });
    await new Promise((proceed) => setTimeout(proceed, 100));
    leaving.abort();
    await closed;
    await until(() => proxy.running === 0);
    expect(target.counts.requests).toBe(1);
  });
});
