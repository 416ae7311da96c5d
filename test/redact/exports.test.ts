import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import manifest from '../../package.json' with { type: 'json' };
import * as mocks from '../../mocks/index.ts';
import * as msw from '../../mocks/msw.ts';
import * as diagnostics from '../../src/diagnostics.ts';
import * as redis from '../../src/gate/redis.ts';
import * as hints from '../../src/hints/index.ts';
import * as core from '../../src/index.ts';
import * as adapters from '../../src/event-adapters.ts';
import * as llm from '../../src/llm/index.ts';
import * as otel from '../../src/otel.ts';
import * as react from '../../src/react.ts';
import * as report from '../../src/report/index.ts';
import * as undici from '../../src/undici.ts';
import { fakeRuntime, respond, script } from '../script.ts';

const KEY = 'kd93-very-secret-value-7716';
const QUERY = 'q8w7e6r5-query-secret';
const PASSWORD = 'p4ssw0rd-in-url';
/** Known by its shape, where nothing else is known. */
const SHAPED = 'sk-proj-9f8e7d6c5b4a3210';
const SECRETS = [KEY, QUERY, PASSWORD, SHAPED];
const url = `https://user-name:${PASSWORD}@api.example.com/v1/messages?key=${QUERY}`;
const headers = { authorization: `Bearer ${KEY}`, 'x-api-key': KEY };

const echo = JSON.stringify({
  error: { type: 'rate_limit_error', message: `Slow down ${KEY} ${QUERY} ${PASSWORD} ${SHAPED}` },
});
/** A response whose own URL and headers hold the secrets, as those of every server that echoes. */
const refused = (): Response =>
  Object.defineProperty(respond(429, { 'retry-after': '1', 'x-echo': KEY }, echo), 'url', { value: url });
const FIRST_EVENT = `data: {"object":"chat.completion.chunk ${KEY}","choices":[{"delta":{"content":"Hi"},"finish_reason":null}]}\n\n`;
const STREAM: ResponseInit = { headers: { 'content-type': 'text/event-stream', 'x-echo': KEY } };
const cut = (): Response => new Response(FIRST_EVENT, STREAM);
const page = (): Response =>
  new Response(`<html><title>Blocked: ${url}?key=${KEY}</title></html>`, { headers: { 'content-type': 'text/html' } });

const runtime = fakeRuntime();
const controller = new core.RetryController();
const folder = mkdtempSync(join(tmpdir(), 'exports-'));
const events: core.RetryEvent[] = [];
const heard: Error[] = [];
let exhausted: unknown;
let truncated: unknown;
let notAnAnswer: unknown;
let unsent: unknown;
let llmError: unknown;

const config = (): core.RetryConfig => ({
  runtime,
  maxRetries: 1,
  controller,
  onEvent: (event) => events.push(event),
  onRetry: (_attempt, error) => heard.push(error),
});
const init = (): RequestInit => ({ method: 'POST', headers, body: '{"model":"m","messages":[]}' });
const named = core.createFallback({ targets: [{ name: 'other' }] });
const chain = core.createFallback({ targets: [{ name: 'backup', url, headers }] });
const rotation = core.createKeyRotation({ keys: [KEY, `${KEY}-2`] });
const gate = core.createGate();
const inner = script(runtime, refused);
const journal = new report.RunJournal(join(folder, 'run.jsonl'));
const registry = new report.ErrorRegistry(join(folder, 'errors.jsonl'));
const transport = new core.FetchTransport({ fetch: inner, headers });
const provider = llm.createLLM('openai', { apiKey: KEY, headers, baseURL: url, fetch: inner, retry: config() });
const caught = (error: unknown): unknown => error;

beforeAll(async () => {
  for (const fallback of [undefined, chain, rotation])
    exhausted = await core
      .createRetryFetch({ fetch: inner, ...config(), fallback, gate, exhausted: 'throw' })(url, init())
      .catch(caught);
  const watched = core.createRetryFetch({ fetch: async () => cut(), ...config(), answers: { checkEnd: true } });
  truncated = await watched(`${url}&x=1`.replace('/messages', '/chat/completions'), init())
    .then((response) => response.text())
    .catch(caught);
  const blocked = core.createRetryFetch({ fetch: async () => page(), ...config() });
  notAnAnswer = await blocked(`${url}&x=1`.replace('/messages', '/chat/completions'), init())
    .then((response) => response.text())
    .catch(caught);
  unsent = new core.GateRefusedError(gate.keyOf({ url, headers }), 'circuit-open', 5, 1, 'Wait.');
  const request = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] } as const;
  llmError = await provider.generateCompletion(request).catch(caught);
  for (const event of events) {
    journal.listener(event);
    registry.listener(event);
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

const failed = (): Extract<core.RetryEvent, { type: 'failed' }> => {
  const found = events.find((event) => event.type === 'failed');
  if (found === undefined) throw new Error('Expected a call that failed.');
  return found;
};
const client = {
  eval: async () => KEY,
  evalSha: async () => KEY,
  evalsha: async () => KEY,
  options: { password: KEY },
};
const shaped = JSON.stringify({ error: { message: `Slow down ${SHAPED}` } });
const error = (): Error => Object.assign(new Error(`429 ${shaped}`), { status: 429, headers, url });

/** What an adapter of events makes of them. */
function adapted(adapter: (emit: (event: unknown) => void) => (event: core.RetryEvent) => void): readonly unknown[] {
  const emitted: unknown[] = [];
  const listener = adapter((event) => emitted.push(event));
  for (const event of events) listener(event);
  return [listener, ...emitted];
}

function used(hook: (given: core.RetryController) => unknown): unknown {
  let value: unknown;
  renderToString(
    createElement(() => {
      value = hook(controller);
      return null;
    }),
  );
  return value;
}

/** For each export, what it is or makes where it had the secrets; a list of all that it makes. */
const MADE: Readonly<Record<string, Readonly<Record<string, () => readonly unknown[]>>>> = {
  '.': {
    DEFAULT_RETRY_CONFIG: () => [core.DEFAULT_RETRY_CONFIG],
    FAILURES: () => [core.FAILURES],
    FetchTransport: () => [transport],
    GateRefusedError: () => [unsent],
    HttpStatusError: () => heard,
    NotAnAnswerError: () => [notAnAnswer],
    RETRYABLE_STATUS_CODES: () => [core.RETRYABLE_STATUS_CODES],
    RetryController: () => [controller, controller.state],
    RetryExhaustedError: () => [exhausted],
    RetrySession: () => [new core.RetrySession({ controller, fallback: named })],
    RetryTransport: () => [new core.RetryTransport(transport, { ...config(), fallback: rotation, gate })],
    STOP_REASONS: () => [core.STOP_REASONS],
    StalledStreamError: () => [
      truncated instanceof core.TruncatedStreamError && new core.StalledStreamError('bytes', 20, truncated),
    ],
    TruncatedStreamError: () => [truncated],
    calculateBackoff: () => [core.calculateBackoff],
    classify: () => [core.classify({ status: 429, body: shaped }), core.classify({ error: error() })],
    classifyOperation: () => [core.classifyOperation(KEY) === 'safe'],
    createFallback: () => [chain],
    createGate: () => [gate, gate.readings(), gate.keyOf({ url, headers })],
    createKeyRotation: () => [rotation],
    createRetryFetch: () => [core.createRetryFetch({ fetch: inner, ...config(), fallback: chain })],
    describeEvent: () => events.map(core.describeEvent),
    describeFailure: () => [core.describeFailure(failed().failure)],
    failureBody: () => [core.failureBody(failed().failure)],
    formatDelay: () => [core.formatDelay(1)],
    isRetryableError: () => [core.isRetryableError(error())],
    isRetryableStatusCode: () => [core.isRetryableStatusCode(429)],
    parseRetryAfterHeader: () => [core.parseRetryAfterHeader('1')],
    outcomeOf: () => [core.outcomeOf(exhausted), core.outcomeOf(truncated)],
    presets: () => [core.presets],
    redact: () => [core.redact(`${KEY} ${QUERY} ${PASSWORD}`, SECRETS)],
    retryConfigFromEnv: () => [core.retryConfigFromEnv({ OPENAI_API_KEY: KEY, RETRY_MAX_RETRIES: '1' })],
    retryStream: () => [core.retryStream(async () => new ReadableStream<string>(), { controller, fallback: named })],
    watchRetry: () => [core.watchRetry(controller, () => {})],
    withRetry: () => [failed(), events],
  },
  './events': {
    autoRetryEvents: () => adapted((emit) => adapters.autoRetryEvents(emit)),
    providerRetryEvents: () =>
      adapted((emit) => adapters.providerRetryEvents({ conversationId: 'c', turnId: 't' }, emit)),
  },
  './retry-after': {
    parseRetryAfterHeader: () => [hints.parseRetryAfterHeader('1')],
    retryHint: () => [hints.retryHint({ headers: { ...headers, 'retry-after': '1' }, body: echo })],
  },
  './mocks': Object.fromEntries(Object.entries(mocks).map(([name, value]) => [name, () => [value]])),
  './mocks/msw': Object.fromEntries(Object.entries(msw).map(([name, value]) => [name, () => [value]])),
  './llm': {
    AnthropicLLM: () => [
      new llm.AnthropicLLM({ apiKey: KEY, headers, baseURL: url, retry: { ...config(), fallback: rotation } }),
    ],
    BaseLLM: () => [provider],
    LLMError: () => [llmError],
    OpenAILLM: () => [
      new llm.OpenAILLM({ apiKey: KEY, headers, baseURL: url }),
      new llm.OpenAILLM({ apiKey: KEY, transport }),
    ],
    StreamTranslator: () => [llm.StreamTranslator],
    ToolCallPieces: () => [new llm.ToolCallPieces()],
    createLLM: () => [llm.createLLM('anthropic', { apiKey: KEY, headers, baseURL: url, fetch: inner })],
  },
  './report': {
    ErrorRegistry: () => [registry, registry.list()],
    RunJournal: () => [journal],
    createErrorReport: () => [report.createErrorReport(failed())],
    readJournal: () => [report.readJournal(join(folder, 'run.jsonl'))],
    renderReport: () => [report.renderReport(report.createErrorReport(failed()))],
    summary: () => [report.summary(failed())],
  },
  './otel': { instrument: () => [otel.instrument({ fetch: inner, ...config(), fallback: chain })] },
  './diagnostics': {
    GATE_CHANNEL: () => [diagnostics.GATE_CHANNEL],
    RETRY_CHANNEL: () => [diagnostics.RETRY_CHANNEL],
    publishGateEvents: () => [diagnostics.publishGateEvents()],
    publishRetryEvents: () => [diagnostics.publishRetryEvents()],
  },
  './redis': {
    fromIoredis: () => [redis.fromIoredis(client)],
    fromNodeRedis: () => [redis.fromNodeRedis(client)],
    memoryStore: () => [redis.memoryStore()],
    redisStore: () => [
      redis.redisStore(redis.fromNodeRedis(client)),
      core.createGate({ store: redis.redisStore(redis.fromNodeRedis(client)) }),
    ],
  },
  './undici': { createUndiciFetch: () => [undici.createUndiciFetch({ proxy: 'environment' })] },
  './react': {
    useRetryCountdown: () => [used(react.useRetryCountdown)],
    useRetryState: () => [used(react.useRetryState)],
  },
  // Exports nothing; its lines have tests of their own.
  './debug': {},
};

const ENTRIES: Readonly<Record<string, object>> = {
  '.': core,
  './events': adapters,
  './retry-after': hints,
  './mocks': mocks,
  './mocks/msw': msw,
  './llm': llm,
  './report': report,
  './otel': otel,
  './diagnostics': diagnostics,
  './redis': redis,
  './undici': undici,
  './react': react,
  './debug': {},
};

test('every export of every entry point is in the table', () => {
  const entries = Object.keys(manifest.exports).filter((entry) => entry !== './package.json');
  expect(Object.keys(MADE).toSorted()).toEqual(entries.toSorted());
  for (const [entry, exported] of Object.entries(ENTRIES))
    expect(Object.keys(MADE[entry] ?? {}).toSorted()).toEqual(Object.keys(exported).toSorted());
});

/** All that a program shows of a value by accident. */
function shown(value: unknown): string {
  const texts = [
    inspect(value),
    inspect(value, { depth: Infinity, showHidden: true }),
    JSON.stringify(value) ?? '',
    String(value),
    value instanceof Error ? (value.stack ?? '') : '',
    ...(typeof value === 'object' && value !== null ? [inspect({ ...value }, { depth: Infinity })] : []),
  ];
  try {
    texts.push(inspect(structuredClone(value), { depth: Infinity, showHidden: true }));
  } catch {
    // Functions cannot be cloned.
  }
  return texts.join('\n');
}

const all = Object.entries(MADE).flatMap(([entry, made]) =>
  Object.entries(made).map(([name, make]) => [entry, name, make] as const),
);

test.each(all)('%s: %s shows no key, printed, inspected, cloned or serialised', (_entry, _name, make) => {
  const values = make();
  expect(values.length).toBeGreaterThan(0);
  for (const value of values) {
    expect(value).not.toBeUndefined();
    const text = shown(value);
    expect(SECRETS.filter((secret) => text.includes(secret))).toEqual([]);
  }
});

test('a provider shows no key to a print that calls getters', () => {
  const text = inspect(provider, { depth: Infinity, showHidden: true, getters: true });
  expect(text).toContain('OpenAILLM');
  expect(SECRETS.filter((secret) => text.includes(secret))).toEqual([]);
});

test('what the table made had the secrets', () => {
  expect(inner.calls.some(({ init: sent }) => new Headers(sent?.headers).get('x-api-key') === KEY)).toBe(true);
  expect(exhausted).toBeInstanceOf(core.RetryExhaustedError);
  expect(truncated).toBeInstanceOf(core.TruncatedStreamError);
  expect(notAnAnswer).toBeInstanceOf(core.NotAnAnswerError);
  expect(unsent).toBeInstanceOf(core.GateRefusedError);
  expect(llmError).toBeInstanceOf(llm.LLMError);
  expect(heard[0]).toBeInstanceOf(core.HttpStatusError);
  expect(shown(headers)).toContain(KEY);
});
