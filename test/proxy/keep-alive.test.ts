import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { classify } from '../../src/index.ts';
import type { ProxyOptions } from '../../src/proxy/index.ts';
import { errorEvent, streamProtocolOf, type StreamProtocol } from '../../src/proxy/keep-alive.ts';
import type { Answer, SocketStep, SocketSteps } from '../serve.ts';
import { oneIn } from '../thorough.ts';
import { failOnUnhandled } from '../unhandled.ts';
import { ask, endEach, reply, type Setting, startBoth, until } from './talk.ts';

endEach();
failOnUnhandled();

const ORIGIN = 'https://api.example.com';

it.each([
  ['/v1/messages', '{"stream":true}', 'anthropic'],
  ['/v1/chat/completions', '{"stream":true}', 'openai'],
  ['/v1/completions', '{"stream":true}', 'openai'],
  ['/v1/responses', '{"stream":true}', 'openai-responses'],
  ['/v2/chat', '{"stream":true}', 'cohere'],
  ['/v1beta/models/gemini:streamGenerateContent?alt=sse', '{}', 'gemini'],
  ['/api/chat', '{}', 'ollama'],
  ['/api/generate', '{"stream":true}', 'ollama'],
  // An array of JSON, a single answer, an unknown API, no JSON: nothing can be put before these.
  ['/v1beta/models/gemini:streamGenerateContent', '{}', undefined],
  ['/api/chat', '{"stream":false}', undefined],
  ['/v1/messages', '{}', undefined],
  ['/v1/messages', '{"messages":[{"stream":true}]}', undefined],
  ['/v1/messages', 'no JSON "stream": true', undefined],
  ['/v1/embeddings', '{"stream":true}', undefined],
])('the stream of %s with %s is one of %s', (path, body, protocol) => {
  expect(streamProtocolOf(ORIGIN + path, body)).toBe(protocol);
});

describe('a failure inside a stream', () => {
  const ANTHROPIC = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
  const OPENAI = { error: { message: 'Slow down', type: 'requests', param: null, code: 'rate_limit_exceeded' } };
  const GEMINI = { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } };

  it.each([
    ['anthropic', ANTHROPIC, 529, 'Overloaded'],
    ['openai', OPENAI, 429, 'Slow down'],
    ['openai-responses', OPENAI, 429, 'Slow down'],
    ['gemini', [GEMINI], 503, 'overloaded'],
    ['ollama', { error: 'model requires more system memory' }, 500, 'memory'],
    ['cohere', { message: 'Please wait' }, 429, 'Please wait'],
  ] as const)('of %s is the error of the target, in the form of the protocol', (protocol, answer, status, words) => {
    const body = JSON.stringify(answer);
    const text = errorEvent(protocol, { status, type: 'x', message: 'fallback', body });
    expect(text).toContain(words);
    expect(text).not.toContain('fallback');
    expect(text).toMatch(protocol === 'ollama' ? /^\{.*\}\n$/ : /^(?:event: [\w-]+\n)?data: \{.*\}\n\n$/);
  });

  const PROTOCOLS: readonly StreamProtocol[] = ['anthropic', 'gemini', 'openai', 'openai-responses'];
  it.each(PROTOCOLS)('of %s is read as the original failure if the target sent no JSON', (protocol) => {
    const body = errorEvent(protocol, {
      status: 429,
      type: 'rate_limit',
      message: 'Too many requests',
      body: '<html>',
    });
    const headers = { 'content-type': 'text/event-stream' };
    expect(classify({ status: 200, headers, body })).toMatchObject({ type: 'rate_limit', retryable: true });
  });
});

const stream = (body = '{"stream":true}') => ({ body });
const SSE = { 'content-type': 'text/event-stream' };
/** A failure after which the proxy waits 60 ms. */
const overloaded = reply(503, '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}', {
  'content-type': 'application/json',
  'retry-after-ms': '60',
});
const said = reply(200, 'event: content_block_delta\ndata: {"delta":{"text":"x"}}\n\n', SSE);
const begin = (steps: SocketSteps, options: Partial<ProxyOptions> = {}): Promise<Setting> =>
  startBoth(steps, { keepAliveAfterMs: 20, ...options });

describe('keep-alive lines', () => {
  it('are comments in a stream of events, and the answer follows', async () => {
    const response = await ask(await begin([overloaded, said]), stream());
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    expect(await response.text()).toMatch(
      /^: overloaded \(HTTP 503\): retry 1 of \d+ (?:in 1s|now)(?:, as the server asked)?\n\nevent: content_block_delta\ndata: \{"delta":\{"text":"x"\}\}\n\n$/,
    );
  });

  it('are blank lines in NDJSON', async () => {
    const lines = reply(200, '{"message":{"content":"x"}}\n', { 'content-type': 'application/x-ndjson' });
    const response = await ask(await begin([overloaded, lines]), stream('{}'), '/api/chat');
    expect(await response.text()).toBe('\n{"message":{"content":"x"}}\n');
  });

  it.each([
    [
      'the call is given up',
      overloaded,
      /"type":"error","error":\{"type":"overloaded_error","message":"Overloaded"\}\}/,
    ],
    ['the target stops answering', 'network-error', /"message":"The target gave no answer in 2 attempts/],
    [
      'the stream ends after its preamble',
      reply(200, 'event: message_start\ndata: {"type":"message_start","message":{}}\n\n', SSE),
      /\{"type":"api_error","message":"The stream ended before its first content/,
    ],
  ] as const)('are followed by an error event of the protocol if %s', async (_what, step, error) => {
    const response = await ask(await begin([overloaded, step], { retry: { maxRetries: 1 } }), stream());
    expect(response.status).toBe(200);
    expect(await response.text()).toMatch(new RegExp(`^: .*\n\nevent: error\ndata: .*${error.source}.*\n\n$`));
  });

  const resetAfter =
    (words: string): Answer =>
    (request, response) => {
      response.writeHead(200, SSE).flushHeaders();
      if (words !== '') response.write(words);
      setTimeout(() => request.socket.resetAndDestroy(), 60);
    };

  it('are followed by no regular end if the answer breaks off', async () => {
    const setting = await begin([overloaded, resetAfter('data: {"choices":[{"delta":{"content":"x"}}]}\n\n')]);
    await expect((await ask(setting, stream(), '/v1/chat/completions')).text()).rejects.toThrow('terminated');
  });

  it('are followed by an error event if a stream breaks off before its first byte, long after its headers', async () => {
    const setting = await begin([overloaded, resetAfter('')], { retry: { answers: { maxHoldMs: 10 } } });
    expect(await (await ask(setting, stream())).text()).toMatch(
      /\n\nevent: error\ndata: \{"type":"error","error":\{"type":"api_error","message":".+"\}\}\n\n$/,
    );
  });

  it.each([
    ['by default', {}, { keepAliveAfterMs: undefined }, 503],
    ['for a client that asked for no stream', { body: '{}' }, {}, 503],
    ['before the time has come', {}, { keepAliveAfterMs: 60_000 }, 503],
    ['to a client with a shorter time limit', { headers: { 'x-stainless-timeout': '0.01' } }, {}, 503],
  ])('are not sent %s: the client gets the status of the failure', async (_title, init, options, status) => {
    const setting = await begin([overloaded], { retry: { maxRetries: 1 }, ...options });
    expect((await ask(setting, { ...stream(), ...init })).status).toBe(status);
  });

  it('are not sent before the first failure, which may be the client’s own', async () => {
    const setting = await begin([
      (_request, response) => setTimeout(() => response.writeHead(400).end('no such model'), 60),
    ]);
    expect((await ask(setting, stream())).status).toBe(400);
  });
});

/** One request of each protocol, and how its errors begin. */
const APIS = [
  ['Anthropic', '/v1/messages', '{"stream":true}', /event: error\ndata: \{"type":"error","error":\{"type":"api_error"/],
  ['OpenAI Chat', '/v1/chat/completions', '{"stream":true}', /data: \{"error":\{"message":"/],
  ['OpenAI Responses', '/v1/responses', '{"stream":true}', /event: error\ndata: \{"type":"error","code":"/],
  ['Gemini', '/v1beta/models/g:streamGenerateContent?alt=sse', '{}', /data: \{"error":\{"code":502,"message":"/],
  ['Ollama', '/api/chat', '{}', /\{"error":"/],
] as const;

describe.each(oneIn(2, APIS))('once keep-alive lines were sent to a client of %s', (_api, path, body, error) => {
  const EVENTS = path === '/api/chat' ? 'Application/X-NDJSON' : 'Text/Event-Stream; charset=utf-8';
  /** Everything that the client gets after the keep-alive lines. */
  const heard = async (step: SocketStep): Promise<string> => {
    const response = await ask(await begin([overloaded, step], { retry: { maxRetries: 1 } }), { body }, path);
    expect(response.status).toBe(200);
    return (await response.text()).replace(/^(?:: .*\n\n|\n)+/, '');
  };
  const errorAlone = new RegExp(`^${error.source}[^\\n]*\\n\\n?$`);

  it('an answer in JSON becomes an error event that names its media type', async () => {
    const text = await heard(reply(200, '{"id":"x","content":"an answer"}', { 'content-type': 'application/json' }));
    expect(text).toMatch(errorAlone);
    expect(text).toContain('application/json');
  });

  it('a redirect becomes an error event', async () => {
    expect(await heard(reply(307, '', { location: '/elsewhere' }))).toMatch(errorAlone);
  });

  it('a stream is passed on in any spelling of its media type', async () => {
    const line = path === '/api/chat' ? '{"message":{"content":"x"}}\n' : 'data: {"delta":{"text":"x"}}\n\n';
    expect(await heard(reply(200, line, { 'content-type': EVENTS }))).toBe(line);
  });

  it.each([
    ['is reset', (response: ServerResponse) => void response.req.socket.resetAndDestroy()],
    ['ends', (response: ServerResponse) => void response.end()],
  ])('a stream that %s before its content becomes an error event', async (_title, end) => {
    const preamble = path === '/api/chat' ? '' : ': hello\n\n';
    const unfinished = path === '/api/chat' ? '{"message":' : 'data: {"type":"message_sta';
    const text = await heard((_request, response) => {
      response.writeHead(200, { 'content-type': EVENTS });
      response.write(preamble + unfinished, () => setTimeout(() => end(response), 10));
    });
    expect(text).toMatch(errorAlone);
  });

  it('an error inside the stream is passed on as the target sent it', async () => {
    const own =
      path === '/api/chat' ? '{"error":"its own words"}\n' : 'data: {"error":{"message":"its own words"}}\n\n';
    const text = await heard((_request, response) => {
      response.writeHead(200, { 'content-type': EVENTS }).write(own);
    });
    expect(text.trimEnd()).toBe(own.trimEnd());
    expect(text.endsWith(path === '/api/chat' ? '\n' : '\n\n')).toBe(true);
  });

  it('a client that leaves ends its call, and nothing more is sent for it', async () => {
    const setting = await begin([reply(503, '', { 'retry-after-ms': '60000' })]);
    const leaving = new AbortController();
    const response = await ask(setting, { body, signal: leaving.signal }, path);
    await response.body?.getReader().read();
    leaving.abort();
    await until(() => setting.proxy.running === 0);
    expect([setting.proxy.waiting, setting.target.counts.requests]).toEqual([0, 1]);
  });
});
