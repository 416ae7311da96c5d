import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { RetryEvent } from '../../src/index.ts';
import type { Answer } from '../serve.ts';
import { freePort } from '../serve.ts';
import { failOnUnhandled } from '../unhandled.ts';
import { answerTo, ask, endEach, KEY, reply, startBoth, startFor, talk, TROUBLED, until } from './talk.ts';

endEach();
failOnUnhandled();

const LONG = { baseDelayMs: 60_000, jitter: 'none' } as const;
const JSON_TYPE = { 'content-type': 'application/json' };

const reset: Answer = (request) => void request.socket.resetAndDestroy();
/** Ends the connection after these words have arrived. */
const cutAfter =
  (words: string, headers: Record<string, string | number>, end: (socket: Socket) => void): Answer =>
  (request, response) => {
    response.writeHead(200, headers).write(words, () => setTimeout(() => end(request.socket), 20));
  };
const BREAKS = [
  ['is reset', (socket: Socket) => void socket.resetAndDestroy()],
  ['ends', (socket: Socket) => socket.destroySoon()],
] as const;

it('through failures of each kind a client gets its streamed answer and does not see the waits', async () => {
  const setting = await startBoth(TROUBLED, { retry: { maxRetries: 4 } });
  const response = await ask(setting);
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  expect(await response.text()).toMatch(
    /^event: message_start\n[^]*"text":"The "[^]*event: message_stop\ndata: .*\n\n$/,
  );
  expect(setting.target.counts.requests).toBe(5);
  expect(setting.events.flatMap((event) => (event.type === 'retry' ? event.failure.type : []))).toEqual([
    'overloaded',
    'overloaded',
    'connection_error',
    'overloaded',
  ]);
  expect(setting.events.at(-1)).toMatchObject({ type: 'recovered', attempts: 5 });
});

describe('a JSON body', () => {
  const whole = JSON.stringify({ choices: [{ message: { role: 'assistant', content: 'The whole answer.' } }] });
  const head = { ...JSON_TYPE, 'content-length': String(whole.length) };
  const error = JSON.stringify({ error: { type: 'overloaded_error', message: 'Overloaded' } });

  it.each([
    ...BREAKS.map(([title, end]) => [`${title} in its middle`, cutAfter(whole.slice(0, 40), head, end)] as const),
    ['holds an error', reply(200, error, JSON_TYPE)] as const,
  ])('that %s is asked for again', async (_title, step) => {
    const setting = await startBoth([step, reply(200, whole, head)]);
    expect(await (await ask(setting, {}, '/v1/chat/completions')).text()).toBe(whole);
    expect(setting.target.counts.requests).toBe(2);
  });

  it('is passed on as it comes if holdJson is off', async () => {
    const setting = await startBoth(
      cutAfter(whole.slice(0, 40), head, (socket) => socket.destroy()),
      {
        retry: { answers: { holdJson: false } },
      },
    );
    const reading = ask(setting, {}, '/v1/chat/completions').then((answer) => answer.text());
    await expect(reading).rejects.toThrow(TypeError);
    expect(setting.target.counts.requests).toBe(1);
  });
});

describe('a stream', () => {
  const sse = { 'content-type': 'text/event-stream' };
  const question = { body: JSON.stringify({ model: 'm', stream: true, messages: [] }) };
  const event = (type: string, more: object = {}): string =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
  const begun = [
    event('message_start', {
      message: { id: 'm', type: 'message', role: 'assistant', content: [], model: 'm', usage: {} },
    }),
    event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
    event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'Hel' } }),
  ].join('');
  const rest = [
    event('content_block_stop', { index: 0 }),
    event('message_delta', { delta: { stop_reason: 'end_turn' } }),
    event('message_stop'),
  ].join('');

  it('that goes silent after its first words ends with an error event of its protocol', async () => {
    const setting = await startBoth((_request, response) => response.writeHead(200, sse).write(begun), {
      retry: { answers: { idleTimeoutMs: 60, checkEnd: true, outputTimeoutMs: 300_000 } },
    });
    const text = await (await ask(setting, question)).text();
    expect(text.startsWith(begun)).toBe(true);
    expect(text).toMatch(
      /\n\nevent: error\ndata: \{"type":"error","error":\{"type":"timeout_error","message":".+"\}\}\n\n$/,
    );
  });

  it('breaks off for the client of Cohere, which does not report an error event of its protocol', async () => {
    const data = '{"type":"content-delta","index":0,"delta":{"message":{"content":{"text":"Hello"}}}}';
    const setting = await startBoth((_request, response) =>
      response.writeHead(200, sse).end(`event: content-delta\ndata: ${data}\n\n`),
    );
    await expect((await ask(setting, question, '/v2/chat')).text()).rejects.toThrow('terminated');
  });

  it('that ends without its last event does too, and one that is whole is unchanged', async () => {
    const setting = await startBoth([
      (_request, response) => response.writeHead(200, sse).end(begun),
      (_request, response) => response.writeHead(200, sse).end(begun + rest),
    ]);
    const text = await (await ask(setting, question)).text();
    expect(text).toMatch(/\n\nevent: error\ndata: .*"api_error".*\n\n$/);
    expect(setting.events.at(-1)).toMatchObject({ type: 'broken', because: 'truncated' });
    expect(await (await ask(setting, question)).text()).toBe(begun + rest);
  });

  it.each([
    ['is empty', '', '/v1/messages'],
    ['has ended early', begun, '/v1/messages'],
    ['is empty, for Cohere', '', '/v2/chat'],
  ])('that %s does not look complete, although the target gave its length', async (_title, sent, path) => {
    const setting = await startBoth(reply(200, sent, { ...sse, 'content-length': String(Buffer.byteLength(sent)) }));
    const text = await (await ask(setting, question, path)).text().catch(() => 'broken off');
    expect(text).toMatch(/^broken off$|\n\nevent: error\ndata: .*\n\n$/);
  });

  it.each(BREAKS)(
    'that %s after its first words is asked for again, if it is held until its end',
    async (_title, end) => {
      const setting = await startBoth([cutAfter(begun, sse, end), reply(200, begun + rest, sse)], {
        retry: { answers: { holdUntil: 'end' } },
      });
      expect(await (await ask(setting, question)).text()).toBe(begun + rest);
      expect(setting.target.counts.requests).toBe(2);
    },
  );

  it('that is held until its end is filled with comments meanwhile', async () => {
    const setting = await startBoth(
      (_request, response) => {
        response.writeHead(200, sse).write(begun);
        setTimeout(() => response.end(rest), 150);
      },
      { retry: { answers: { holdUntil: 'end' } }, keepAliveAfterMs: 20 },
    );
    expect(await (await ask(setting, question)).text()).toBe(`: waiting for the answer\n\n${begun}${rest}`);
  });
});

describe('a call that is given up', () => {
  const QUOTA = JSON.stringify({ error: { type: 'insufficient_quota', code: 'insufficient_quota', message: 'No.' } });

  it.each([
    ['mark-permanent', reply(401, 'no'), 1, 'false'],
    ['mark-permanent', reply(503, `Not for ${KEY}`, { 'request-id': 'r1' }), 3, null],
    ['mark-permanent', reply(429, 'later', { 'retry-after': '90' }), 1, null],
    ['mark', reply(503, 'no'), 3, 'false'],
    ['return', reply(401, 'no'), 1, null],
  ] as const)('with the mark %j returns %o unchanged', async (exhausted, step, requests, mark) => {
    const setting = await startBoth(step, { retry: { exhausted, maxRetries: 2 } });
    const response = await ask(setting);
    const headers = Object.fromEntries(response.headers);
    expect([response.status, await response.text()]).toEqual([step.status, step.body]);
    expect([headers, headers['x-should-retry'] ?? null]).toEqual([expect.objectContaining(step.headers), mark]);
    expect(setting.target.counts.requests).toBe(requests);
  });

  it('costs a client that sends it again and again one request', async () => {
    const setting = await startBoth(reply(429, QUOTA, JSON_TYPE));
    for (const _ of [1, 2, 3]) {
      const answer = await ask(setting);
      expect([answer.status, answer.headers.get('x-should-retry'), await answer.text()]).toEqual([429, 'false', QUOTA]);
    }
    expect(setting.target.counts.requests).toBe(1);
    const remembered = { type: 'failed', attempts: 0, because: 'not-retryable', failure: { type: 'quota_exhausted' } };
    expect(setting.events).toMatchObject([{ type: 'failed', attempts: 1 }, remembered, remembered]);
    // Another question and another key are sent.
    await ask(setting, { body: '{"other":1}' });
    await ask(setting, { headers: { 'x-api-key': 'other' } });
    expect(setting.target.counts.requests).toBe(3);
  });

  it('is a 502 if no server listens', async () => {
    const proxy = await startFor({ target: `http://127.0.0.1:${await freePort()}`, retry: { maxRetries: 1 } });
    const response = await ask({ proxy }, {}, `/v1?key=${KEY}`);
    expect([response.status, response.headers.get('x-should-retry')]).toEqual([502, null]);
    const text = await response.text();
    const error = { type: 'connection_error', code: 'ECONNREFUSED' };
    expect(JSON.parse(text)).toMatchObject({ type: 'error', error, attempts: 2 });
    expect(text).not.toContain(KEY);
  });

  it('is reset if every connection of the target is reset, and the next call works', async () => {
    const setting = await startBoth([reset, reset, reset, reset, reply(200, 'well again')]);
    const request = `POST / HTTP/1.1\r\nhost: ${setting.host}\r\ncontent-length: 2\r\n\r\n{}`;
    expect(await talk(setting.proxy.url, request).over).toEqual({ text: '', failed: true });
    expect(setting.target.counts.requests).toBe(4);
    expect(setting.events.at(-1)).toMatchObject({ type: 'failed', failure: { code: 'ECONNRESET' } });
    expect(await (await ask(setting)).text()).toBe('well again');
  });

  it('ends without an answer if every connection of the target does', async () => {
    const { proxy, target, host } = await startBoth((request) => request.socket.destroySoon());
    const { over } = talk(proxy.url, `POST / HTTP/1.1\r\nhost: ${host}\r\ncontent-length: 2\r\n\r\n{}`);
    expect(await over).toEqual({ text: '', failed: false });
    expect(target.counts.requests).toBe(4);
  });

  it('is a 502 after a reset if each last response has to carry a mark', async () => {
    const response = await ask(await startBoth(reset, { retry: { maxRetries: 0, exhausted: 'mark' } }));
    expect([response.status, response.headers.get('x-should-retry')]).toEqual([502, 'false']);
  });

  const TOOL_CALL = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"send_mail"}}';

  it.each([
    ['a reset', 502, reset],
    ['a 503', 503, 503],
  ])('tells the SDKs not to repeat a tool call that may have run: after %s, a %i', async (_, status, step) => {
    const setting = await startBoth(step);
    const response = await ask(setting, { body: TOOL_CALL });
    expect([response.status, response.headers.get('x-should-retry')]).toEqual([status, 'false']);
    expect(setting.target.counts.requests).toBe(1);
  });

  it.each([
    ['text', TOOL_CALL],
    ['text with a byte order mark', `\uFEFF${TOOL_CALL}`],
    ['text after white space', `${' '.repeat(2_000)}\r\n\t${TOOL_CALL}`],
    ['a batch', `[{"jsonrpc":"2.0","id":2,"method":"tools/list"},${TOOL_CALL}]`],
  ])('comes after one request for a tool call, whatever its type says: %s', async (_, body) => {
    const setting = await startBoth(reset);
    const types = ['application/json', 'application/json; charset=utf-8', 'text/plain', 'application/octet-stream', ''];
    for (const type of types) {
      const lines = [`Content-Length: ${Buffer.byteLength(body)}`, ...(type === '' ? [] : [`Content-Type: ${type}`])];
      await answerTo(setting, 'POST /mcp HTTP/1.1', lines, Buffer.from(body).toString('latin1'));
    }
    expect(setting.target.counts.requests).toBe(types.length);
  });

  it('is a 504 if no answer comes in time', async () => {
    const response = await ask(await startBoth(() => {}, { retry: { attemptTimeoutMs: 30, maxRetries: 1 } }));
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
    const echo: Answer = ({ headers, url }, response) => {
      const message = `slow down, ${String(headers['x-api-key'])} ${url}`;
      response.writeHead(429, JSON_TYPE).end(JSON.stringify({ error: { message } }));
    };
    const setting = await startBoth(echo, { retry: { maxRetries: 1 } });
    await ask(setting, {}, `/v1/messages?key=${KEY}`);
    expect(setting.events.map(({ type }) => type)).toEqual(['retry', 'failed']);
    expect(JSON.stringify(setting.events)).not.toContain(KEY);
    expect(setting.events[0]).toMatchObject({ method: 'POST', url: expect.stringMatching(/\/v1\/messages$/) });
  });

  it('change no answer if their listener throws', async () => {
    const onEvent: (event: RetryEvent) => unknown = () => Promise.reject(new Error('listener'));
    expect((await ask(await startBoth([503, 200], { onEvent }))).status).toBe(200);
  });
});

describe('a client that goes away', () => {
  it('during a wait ends the call, and no further request is sent', async () => {
    const setting = await startBoth(503, { retry: LONG });
    const leaving = new AbortController();
    const call = ask(setting, { signal: leaving.signal });
    await until(() => setting.proxy.waiting === 1);
    leaving.abort();
    await expect(call).rejects.toThrow(/abort/i);
    await until(() => setting.proxy.running === 0);
    expect(setting.events.map(({ type }) => type)).toEqual(['retry', 'cancelled']);
    expect([setting.target.counts.requests, setting.proxy.waiting]).toEqual([1, 0]);
  });

  it('in its own direction only ends its call too', async () => {
    const { proxy, target, host } = await startBoth(503, { retry: LONG });
    const { socket, over } = talk(proxy.url, `POST / HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 2\r\n\r\n{}`);
    await until(() => proxy.waiting === 1);
    socket.end();
    expect((await over).text).toBe('');
    await until(() => proxy.running === 0);
    expect(target.counts.requests).toBe(1);
  });

  it.each<readonly [string, (response: ServerResponse) => unknown]>([
    ['during an attempt', () => {}],
    ['during the answer', (response) => response.write('x')],
    [
      'while it does not read',
      (response) => {
        for (let index = 0; index < 1_024; index += 1) response.write(Buffer.alloc(65_536));
      },
    ],
  ])('%s ends the call at the target', async (_when, begin) => {
    const closed = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<IncomingMessage>();
    const { proxy, target } = await startBoth((request, response) => {
      response.on('close', closed.resolve);
      begin(response);
      asked.resolve(request);
    });
    const leaving = new AbortController();
    void ask({ proxy }, { signal: leaving.signal }).catch(() => {});
    await asked.promise;
    await new Promise((proceed) => setTimeout(proceed, 100));
    leaving.abort();
    await closed.promise;
    await until(() => proxy.running === 0);
    expect(target.counts.requests).toBe(1);
  });
});
