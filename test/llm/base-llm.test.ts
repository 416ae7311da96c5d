import { describe, expect, test, vi } from 'vitest';
import {
  type Fetch,
  type HttpTransport,
  type RetryConfig,
  type RetryEvent,
  RetryTransport,
  type StopReason,
} from '../../src/index.ts';
import {
  AnthropicLLM,
  type CompletionEvent,
  createLLM,
  LLMError,
  type LLMOptions,
  OpenAILLM,
} from '../../src/llm/index.ts';
import { fakeRuntime, respond, respondError, script, scriptTransport, settle, type Step, thrownBy } from '../script.ts';
import {
  anthropicMessage,
  anthropicHello,
  anthropicHelloParts,
  anthropicOverloaded,
  anthropicText,
  ask,
  collect,
  jsonOf,
  openAIHello,
  piecewise,
  scripted,
  sse,
  streamed,
} from './answers.ts';

const COMPLETION = { choices: [{ index: 0, message: { content: 'Hello' }, finish_reason: 'stop' }] };
/** As far as the first content. */
const begun = [...anthropicHello.slice(0, 2), anthropicText('Hel')];
const hello = (): Response => streamed(...anthropicHello);
const overloaded = (): Response => streamed(anthropicOverloaded);

describe('without `retry`', () => {
  test.each([
    ['a failed status', 503],
    ['a network error', new TypeError('fetch failed')],
    ['an error as the first event', overloaded],
  ])('%s is thrown after one request', async (_, step) => {
    const { llm, fetch } = scripted(undefined, step);
    expect(await thrownBy(collect(llm.streamCompletion(ask)))).toMatchObject({ name: 'LLMError', history: [] });
    expect(fetch.calls).toHaveLength(1);
  });

  test('a response that the transport of the caller gave up keeps its attempts', async () => {
    const transport = new RetryTransport(scriptTransport(503), { maxRetries: 2, runtime: fakeRuntime() });
    const llm = createLLM('openai', { transport });
    expect(await thrownBy(llm.generateCompletion(ask))).toMatchObject({ history: { length: 3 } });
  });
});

test.each([
  [{ messages: 'Hello' }, 'Expected `messages` to be a list of messages, got "Hello".'],
  [{ messages: undefined }, 'Expected `messages` to be a list of messages, got undefined.'],
  [{ model: undefined }, 'Expected `model` to be a text, got undefined.'],
  [{ max_tokens: 5 }, 'Unknown option `max_tokens`. Did you mean `maxTokens`?'],
])('a request with %j is a TypeError that names the fix, and is not sent', async (part, message) => {
  const { llm, fetch } = scripted({}, hello);
  const request = { ...ask, ...part } as unknown as typeof ask;
  expect(await thrownBy(llm.generateCompletion(request))).toEqual(new TypeError(message));
  expect(await thrownBy(collect(llm.streamCompletion(request)))).toEqual(new TypeError(message));
  expect(fetch.calls).toHaveLength(0);
});

describe('with `retry`', () => {
  test.each<[string, Step]>([
    ['a failed status', 503],
    ['a network error', new TypeError('fetch failed')],
    ['an error as the first event', overloaded],
    ['a stream that ends before its first content', () => streamed(...anthropicHello.slice(0, 3))],
    [
      'a stream that breaks before its first content',
      () => piecewise([sse(anthropicHello[0])], new Error('reset')).response(),
    ],
  ])('%s is retried in the transport, and the answer arrives completely', async (_, step) => {
    const { llm, fetch, runtime } = scripted({}, step, step, hello);
    expect(await collect(llm.streamCompletion(ask))).toEqual(anthropicHelloParts);
    expect(fetch.calls).toHaveLength(3);
    expect(runtime.slept).toHaveLength(2);
  });

  test.each<[string, Step]>([
    ['a failed status', 529],
    ['an error inside a 200', () => jsonOf(anthropicOverloaded)],
  ])('%s is retried for a whole answer too', async (_, step) => {
    const { llm, fetch } = scripted({}, step, () => jsonOf(anthropicMessage));
    expect(await llm.generateCompletion(ask)).toMatchObject({ text: 'Hello' });
    expect(fetch.calls).toHaveLength(2);
  });

  test.each<[string, Step, number, object]>([
    [
      'a failed status',
      respondError(503, { message: 'Busy' }),
      3,
      { type: 'overloaded', status: 503, message: 'Busy' },
    ],
    ['a stream', overloaded, 3, { type: 'overloaded', status: 200 }],
    ['a network error', new TypeError('fetch failed'), 3, { type: 'connection_error' }],
    ['what is not retried', respondError(400, { message: 'No.' }), 1, { type: 'invalid_request', message: 'No.' }],
  ])('given up, %s is one error with its attempts', async (_, step, attempts, failure) => {
    const { llm, fetch } = scripted({ maxRetries: 2 }, step);
    const thrown = await thrownBy(collect(llm.streamCompletion(ask)));
    expect(thrown).toBeInstanceOf(LLMError);
    expect(thrown).toMatchObject({ failure, isPartial: false, history: { length: attempts } });
    expect(fetch.calls).toHaveLength(attempts);
  });

  test('an error that the transport creates becomes an LLMError', async () => {
    const { llm } = scripted({ maxRetries: 1, exhausted: 'throw' }, 503);
    expect(await thrownBy(llm.generateCompletion(ask))).toMatchObject({
      name: 'LLMError',
      failure: { type: 'overloaded' },
      history: { length: 2 },
      cause: { name: 'RetryExhaustedError' },
    });
  });

  test('a failure after the first content is the last event, and nothing is retried', async () => {
    const events: RetryEvent[] = [];
    const broken = streamed(...begun, anthropicOverloaded);
    const { llm, fetch } = scripted({ onEvent: (event) => void events.push(event) }, broken, hello);
    const parts = await collect(llm.streamCompletion(ask));
    expect(parts).toMatchObject([
      { type: 'text', text: 'Hel' },
      { type: 'error', error: { isPartial: true, failure: { retryable: false } } },
    ]);
    expect(fetch.calls).toHaveLength(1);
    expect(events).toMatchObject([{ type: 'broken', because: 'error-event' }]);
  });

  test('the history of an answer that breaks off has the attempts before it, and its own as a failed one', async () => {
    const { llm } = scripted({}, 503, streamed(...begun));
    const last = (await collect(llm.streamCompletion(ask))).at(-1);
    expect(last).toMatchObject({
      error: { history: [{ failure: { status: 503 } }, { failure: { type: 'stream_interrupted' } }] },
    });
  });

  test('an error has the reason for stopping, and the time at which the server would accept the request', async () => {
    const heard: RetryEvent[] = [];
    const onEvent = (event: RetryEvent): void => void heard.push(event);
    const tooLong = respondError(429, { message: 'Slow down' }, { 'retry-after': '3600' });
    const { llm, runtime } = scripted({ onEvent }, tooLong);
    const error = await thrownBy(llm.generateCompletion(ask));
    expect(error).toMatchObject({
      because: 'retry-after-too-long',
      possibleAt: runtime.now() + 3_600_000,
      message: expect.stringContaining('The server asks for a longer wait than is allowed. Possible again at '),
    });
    expect(heard.map(({ type }) => type)).toEqual(['failed']);
  });

  test.each<[string, RetryConfig, Step, StopReason]>([
    ['responses', { maxRetries: 1 }, 503, 'retries-exhausted'],
    ['thrown errors', { maxRetries: 1 }, new TypeError('fetch failed'), 'retries-exhausted'],
    ['an error of the retries', { maxRetries: 1, exhausted: 'throw' }, 503, 'retries-exhausted'],
    ['what is not retried', {}, respondError(401, { message: 'No' }), 'not-retryable'],
    [
      'errors inside a 200',
      { maxRetries: 1 },
      () => jsonOf({ error: { type: 'overloaded_error' } }),
      'retries-exhausted',
    ],
  ])('the same holds for %s', async (_, retry, step, because) => {
    expect(await thrownBy(scripted(retry, step).llm.generateCompletion(ask))).toMatchObject({ because });
  });

  test('without retries, and after they have ended, there is no reason', async () => {
    expect(await thrownBy(scripted(undefined, 503).llm.generateCompletion(ask))).toHaveProperty('because', undefined);
    const parts = await collect(scripted({}, 503, streamed(...begun)).llm.streamCompletion(ask));
    expect(parts.at(-1)).toHaveProperty('error.because', undefined);
  });

  test('applies to a transport of the caller', async () => {
    const transport = scriptTransport(503, () => jsonOf(COMPLETION));
    const llm = new OpenAILLM({ transport, retry: { runtime: fakeRuntime() } });
    expect(await llm.generateCompletion(ask)).toMatchObject({ text: 'Hello' });
    expect(transport.calls).toHaveLength(2);
  });

  test('invalid options are refused at once', () => {
    expect(() => createLLM('anthropic', { retry: { maxRetries: -1 } })).toThrow('`maxRetries`');
    // @ts-expect-error -- callers in JavaScript
    expect(() => createLLM('anthropic', { fetch: 'fetch' })).toThrow('fetch');
    // @ts-expect-error -- callers in JavaScript
    expect(() => createLLM('anthropic', { apiKey: 1 })).toThrow('Expected `apiKey` to be a string, got number.');
  });

  test.each([
    [{ apikey: 'k' }, 'Unknown option `apikey`. Did you mean `apiKey`?'],
    [{ maxRetries: 3 }, 'Unknown option `maxRetries`. Use `retry: { maxRetries, attemptTimeoutMs }`.'],
    [{ transport: {} }, 'Expected `transport` to be a transport with get() and post(), got an object.'],
    [{ baseURL: 5 }, 'Expected `baseURL` to be a text, got 5.'],
    [{ headers: 'x-api-key: k' }, "Expected `headers` to be an object such as { 'x-api-key': key }, got string."],
    [{ retry: 3 }, 'Expected `retry` to be an object such as { maxRetries: 3 }, got 3.'],
    [{ retry: { maxRetrys: 3 } }, 'Unknown option `maxRetrys`. Did you mean `maxRetries`?'],
    [{ retry: { onEvent: 5 } }, 'Expected `onEvent` to be a function, or a list of functions, got 5.'],
    [{ retry: { retryUnknownErrors: true, classify: 5 } }, 'Expected `classify` to be a function, got 5.'],
    [null, 'Expected `options` to be an object such as { apiKey }, got null.'],
  ])('options that are wrong or misspelt are refused at once: %j', (options, message) => {
    // @ts-expect-error -- callers in JavaScript
    expect(() => createLLM('openai', options)).toThrow(new TypeError(message));
  });
});

describe('the transport', () => {
  class Counting extends AnthropicLLM {
    made = 0;
    protected override createTransport(): HttpTransport {
      this.made += 1;
      return scriptTransport(() => jsonOf(anthropicMessage));
    }
  }

  test('may be replaced, and is created once', async () => {
    const llm = new Counting();
    await llm.generateCompletion(ask);
    await llm.generateCompletion(ask);
    expect(llm.made).toBe(1);
  });

  test('is the global fetch by default', async () => {
    const fetch = vi.fn<Fetch>(async () => jsonOf(anthropicMessage));
    const llm = createLLM('anthropic', {});
    vi.stubGlobal('fetch', fetch);
    expect(await llm.generateCompletion(ask)).toMatchObject({ text: 'Hello' });
    expect(fetch).toHaveBeenCalledOnce();
  });

  test('without a stream is read by its text', async () => {
    const headers = new Headers({ 'content-type': 'text/event-stream' });
    const answer = { ok: true, status: 200, headers, text: async () => sse(...anthropicHello) };
    // @ts-expect-error -- less than a Response, as callers in JavaScript may give
    const transport: HttpTransport = { get: async () => answer, post: async () => answer };
    expect(await collect(new AnthropicLLM({ transport }).streamCompletion(ask))).toEqual(anthropicHelloParts);
  });
});

test('a header of the caller overrides ours, in any spelling', async () => {
  const transport = scriptTransport(() => jsonOf(anthropicMessage));
  await new AnthropicLLM({
    apiKey: 'my-key',
    transport,
    headers: { 'X-Api-Key': 'other', 'x-team': 'a' },
  }).generateCompletion(ask);
  expect(transport.calls[0]?.[2]).toEqual({ 'X-Api-Key': 'other', 'x-team': 'a', 'anthropic-version': '2023-06-01' });
});

test('a JSON answer to a streamed request is read', async () => {
  const fetch = script(fakeRuntime(), jsonOf(COMPLETION), jsonOf({ error: { message: 'Busy', code: 503 } }));
  const llm = new OpenAILLM({ fetch });
  expect(await collect(llm.streamCompletion(ask))).toEqual([
    { type: 'text', text: 'Hello' },
    { type: 'end', finishReason: 'stop' },
  ]);
  expect(await thrownBy(collect(llm.streamCompletion(ask)))).toMatchObject({ name: 'LLMError', isPartial: false });
});

async function firstOf(parts: AsyncIterable<CompletionEvent>): Promise<CompletionEvent | undefined> {
  for await (const part of parts) return part;
  return undefined;
}

describe('leaving the iteration', () => {
  test.each([
    ['plain', undefined],
    ['retried', {}],
  ])('cancels the body: %s', async (_, retry) => {
    const source = piecewise([sse(...begun)], 'hang');
    const { llm } = scripted(retry, () => source.response());
    expect(await firstOf(llm.streamCompletion(ask))).toEqual({ type: 'text', text: 'Hel' });
    await settle();
    expect(source.isCancelled()).toBe(true);
  });

  test('after the end keeps the connection for the next request', async () => {
    const source = piecewise([sse(...openAIHello)]);
    const llm = new OpenAILLM({ fetch: script(fakeRuntime(), () => source.response()) });
    for await (const part of llm.streamCompletion(ask)) if (part.type === 'end') break;
    await settle();
    expect([source.isCancelled(), source.pulls()]).toEqual([false, 2]);
  });

  test('an answer that is not iterated is not requested', async () => {
    const { llm, fetch } = scripted({}, hello);
    const parts = llm.streamCompletion(ask);
    await parts.return();
    expect(fetch.calls).toEqual([]);
  });
});

describe('no key is in an error', () => {
  const secrets = ['key-of-no-known-shape', 'gateway-token', 'my-user', 'word-of-the-day'];
  const options: LLMOptions = {
    apiKey: 'key-of-no-known-shape',
    headers: { 'x-gateway': 'Token gateway-token', 'anthropic-beta': 'tools-2026' },
    baseURL: 'https://my-user:my-word@api.example.com/?pass=word-of-the-day&api-version=2026-11',
  };
  const echo = `No access for key-of-no-known-shape, gateway-token and https://my-user:my-word@api.example.com with tools-2026 of 2026-11, word-of-the-day.`;

  test.each<[string, RetryConfig | undefined, Step]>([
    ['a failed status', undefined, respondError(403, { message: echo })],
    ['a failed status that was retried', { maxRetries: 1 }, respondError(503, { message: echo })],
    ['an error inside a 200', undefined, jsonOf({ error: { message: echo } })],
    ['an error as the first event', undefined, streamed({ type: 'error', error: { message: echo } })],
    ['an error after content', undefined, streamed(anthropicText('Hel'), { type: 'error', error: { message: echo } })],
    ['what was thrown', undefined, new Error(echo)],
  ])('when the call ends in %s', async (_, retry, step) => {
    const runtime = fakeRuntime();
    const fetch = script(runtime, step);
    const llm = new AnthropicLLM({ ...options, fetch, retry: retry && { ...retry, runtime } });
    const error = await collect(llm.streamCompletion(ask)).then(
      (parts) => parts.at(-1),
      (thrown: unknown) => thrown,
    );
    // Also what a log would write of it.
    const printed = `${JSON.stringify(error)} ${error instanceof LLMError ? error.message : ''}`;
    expect(printed).toContain('with tools-2026 of 2026-11');
    for (const secret of secrets) expect(printed).not.toContain(secret);
  });

  test.each([
    ['a line break, which fetch refuses and quotes', '\nrest-of-it', 'fetch'],
    ['characters that keys of its kind do not have', '.rest-of-it', 'thrown'],
  ])('not even the rest of one with %s', async (_, rest, where) => {
    const apiKey = `sk-beginning-of-it-${rest}`;
    const fetch: Fetch = async (_url, init) => {
      if (where === 'thrown') throw new Error(`Not sent with ${apiKey}`);
      return Response.json([...new Headers(init?.headers).keys()]);
    };
    const error = await thrownBy(new OpenAILLM({ apiKey, fetch }).generateCompletion(ask));
    expect(error).toMatchObject({ name: 'LLMError', message: expect.not.stringMatching(/-of-it/) });
  });
});

test('no part of a composite credential is in an error', async () => {
  const headers = { authorization: `Basic ${btoa('tenant:half-of-it')}`, cookie: 'a=b; session=cookie-of-it' };
  const fetch = script(fakeRuntime(), respondError(403, { message: 'No access for half-of-it, cookie-of-it.' }));
  const error = await thrownBy(new OpenAILLM({ headers, fetch }).generateCompletion(ask));
  expect(error).toMatchObject({ failure: { message: 'No access for [redacted], [redacted].' } });
});

test('a body that cannot be sent is an error of the caller, and not retried', async () => {
  const { llm, fetch } = scripted({}, hello);
  const thrown = await thrownBy(llm.generateCompletion({ ...ask, extra: { count: 1n } }));
  expect(thrown).toMatchObject({
    name: 'LLMError',
    failure: { type: 'unknown', retryable: false },
    cause: { name: 'TypeError' },
  });
  expect(fetch.calls).toEqual([]);
});

test('a status below 400 with an empty body is not a completion', async () => {
  const { llm } = scripted({}, respond(204));
  expect(await thrownBy(llm.generateCompletion(ask))).toMatchObject({ failure: { type: 'unknown', status: 204 } });
});
