import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { classify } from '../../src/index.ts';
import type { ProxyOptions } from '../../src/proxy/index.ts';
import { errorEvent, streamProtocolOf, type StreamProtocol } from '../../src/proxy/keep-alive.ts';
import type { Answer } from '../serve.ts';
import { oneIn } from '../thorough.ts';
import { failOnUnhandled } from '../unhandled.ts';
import { endEach, type Setting, startBoth, until } from './talk.ts';

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

const ask = (proxy: Setting['proxy'], path: string, body = '{"stream":true}'): Promise<Response> =>
  fetch(proxy.url + path, { method: 'POST', headers: { 'content-type': 'application/json' }, body });

/** Fails `failures` times with a wait of 60 ms, then streams. */
const start = (failures: number, options: Partial<ProxyOptions> = {}): Promise<Setting> => {
  let requests = 0;
  const answer: Answer = (request, response) => {
    requests += 1;
    if (requests <= failures) {
      response.writeHead(503, { 'retry-after-ms': '60', 'content-type': 'application/json' });
      response.end('{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}');
    } else if (request.url === '/api/chat') {
      response.writeHead(200, { 'content-type': 'application/x-ndjson' }).end('{"message":{"content":"x"}}\n');
    } else {
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      response.end('event: content_block_delta\ndata: {"delta":{"text":"x"}}\n\n');
    }
  };
  return startBoth(answer, { keepAliveAfterMs: 20, ...options });
};

describe('keep-alive lines', () => {
  it('are comments in a stream of events, and the answer follows', async () => {
    const { proxy } = await start(1);
    const response = await ask(proxy, '/v1/messages');
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    expect(await response.text()).toMatch(
      /^: overloaded \(HTTP 503\): retry 1 of \d+ (?:in 1s|now)(?:, as the server asked)?\n\nevent: content_block_delta\ndata: \{"delta":\{"text":"x"\}\}\n\n$/,
    );
  });

  it('are blank lines in NDJSON', async () => {
    const { proxy } = await start(1);
    expect(await (await ask(proxy, '/api/chat', '{}')).text()).toBe('\n{"message":{"content":"x"}}\n');
  });

  it('are followed by an error event of the protocol if the call is given up', async () => {
    const { proxy } = await start(9, { retry: { maxRetries: 1 } });
    const response = await ask(proxy, '/v1/messages');
    expect(response.status).toBe(200);
    expect(await response.text()).toMatch(
      /^: .*\n\nevent: error\ndata: \{"type":"error","error":\{"type":"overloaded_error","message":"Overloaded"\}\}\n\n$/,
    );
  });

  it('are followed by the failure if the target stops answering', async () => {
    let requests = 0;
    const { proxy } = await startBoth(
      (request, response) =>
        (requests += 1) === 1
          ? response.writeHead(503, { 'retry-after-ms': '60' }).end()
          : request.socket.resetAndDestroy(),
      { keepAliveAfterMs: 20, retry: { maxRetries: 1 } },
    );
    const text = await (await ask(proxy, '/v1/chat/completions')).text();
    expect(text).toMatch(/\n\ndata: \{"error":\{"message":"The target gave no answer in 2 attempts/);
  });

  it('are followed by no regular end if the answer breaks off', async () => {
    let requests = 0;
    const { proxy } = await startBoth(
      (request, response) => {
        requests += 1;
        if (requests === 1) response.writeHead(503, { 'retry-after-ms': '60' }).end();
        else {
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          response.write('data: {"choices":[{"delta":{"content":"x"}}]}\n\n', () =>
            setTimeout(() => request.socket.resetAndDestroy(), 20),
          );
        }
      },
      { keepAliveAfterMs: 20 },
    );
    await expect((await ask(proxy, '/v1/chat/completions')).text()).rejects.toThrow('terminated');
  });

  it.each([
    ['by default', '/v1/messages', '{"stream":true}', { keepAliveAfterMs: undefined }],
    ['for a client that asked for no stream', '/v1/messages', '{}', {}],
    ['before the time has come', '/v1/messages', '{"stream":true}', { keepAliveAfterMs: 60_000 }],
  ])('are not sent %s: the client gets the status of the failure', async (_title, path, body, options) => {
    const { proxy } = await start(9, { retry: { maxRetries: 1 }, ...options });
    expect((await ask(proxy, path, body)).status).toBe(503);
  });

  it('are not sent before the first failure, which may be the client’s own', async () => {
    const { proxy } = await startBoth(
      (_request, response) => setTimeout(() => response.writeHead(400).end('no such model'), 60),
      { keepAliveAfterMs: 20 },
    );
    expect((await ask(proxy, '/v1/messages')).status).toBe(400);
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
  /** A first failure with a wait of 60 ms, then this. */
  const startWith = (answer: Answer): Promise<Setting> => {
    let requests = 0;
    return startBoth(
      (request, response, sent) =>
        (requests += 1) === 1
          ? response.writeHead(503, { 'retry-after-ms': '60' }).end()
          : answer(request, response, sent),
      { keepAliveAfterMs: 20, retry: { maxRetries: 1 } },
    );
  };
  /** Everything that the client gets after the keep-alive lines. */
  const heard = async (answer: Answer): Promise<string> => {
    const response = await ask((await startWith(answer)).proxy, path, body);
    expect(response.status).toBe(200);
    return (await response.text()).replace(/^(?:: .*\n\n|\n)+/, '');
  };
  const errorAlone = new RegExp(`^${error.source}[^\\n]*\\n\\n?$`);

  it('an answer in JSON becomes an error event that names its media type', async () => {
    const text = await heard((_request, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"id":"x","content":"an answer"}'),
    );
    expect(text).toMatch(errorAlone);
    expect(text).toContain('application/json');
  });

  it('a redirect becomes an error event', async () => {
    const text = await heard((_request, response) => response.writeHead(307, { location: '/elsewhere' }).end());
    expect(text).toMatch(errorAlone);
  });

  it('a stream is passed on in any spelling of its media type', async () => {
    const line = path === '/api/chat' ? '{"message":{"content":"x"}}\n' : 'data: {"delta":{"text":"x"}}\n\n';
    expect(await heard((_request, response) => response.writeHead(200, { 'content-type': EVENTS }).end(line))).toBe(
      line,
    );
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
    const { proxy, target } = await startBoth(
      (_request, response) => response.writeHead(503, { 'retry-after-ms': '60000' }).end(),
      { keepAliveAfterMs: 20 },
    );
    const leaving = new AbortController();
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(proxy.url + path, { method: 'POST', headers, body, signal: leaving.signal });
    await response.body?.getReader().read();
    leaving.abort();
    await until(() => proxy.running === 0);
    expect([proxy.waiting, target.counts.requests]).toEqual([0, 1]);
  });
});

it('a stream that breaks off before its first byte, long after its headers, becomes an error event too', async () => {
  let requests = 0;
  const { proxy } = await startBoth(
    (request, response) => {
      requests += 1;
      if (requests === 1) response.writeHead(503, { 'retry-after-ms': '60' }).end();
      else {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
        setTimeout(() => request.socket.resetAndDestroy(), 60);
      }
    },
    { keepAliveAfterMs: 20, retry: { answers: { maxHoldMs: 10 } } },
  );
  const text = await (await ask(proxy, '/v1/messages')).text();
  expect(text).toMatch(/\n\nevent: error\ndata: \{"type":"error","error":\{"type":"api_error","message":".+"\}\}\n\n$/);
});

it('a stream that ends after its preamble is told as an interrupted stream', async () => {
  let requests = 0;
  const { proxy } = await startBoth(
    (_request, response) => {
      requests += 1;
      if (requests === 1) response.writeHead(503, { 'retry-after-ms': '60' }).end();
      else {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end('event: message_start\ndata: {"type":"message_start","message":{}}\n\n');
      }
    },
    { keepAliveAfterMs: 20, retry: { maxRetries: 1 } },
  );
  const text = await (await ask(proxy, '/v1/messages')).text();
  expect(text).toContain('{"type":"api_error","message":"The stream ended before its first content');
});

it('a client with a time limit before the first keep-alive line gets the failure itself', async () => {
  const { proxy, target } = await startBoth(
    (_request, response) => response.writeHead(529, { 'retry-after': '30' }).end('overloaded'),
    { keepAliveAfterMs: 20_000 },
  );
  const response = await fetch(`${proxy.url}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-stainless-timeout': '10' },
    body: '{"stream":true}',
  });
  expect([response.status, response.headers.get('retry-after'), target.counts.requests]).toEqual([529, '30', 1]);
});
