import { getEventListeners } from 'node:events';
import { context, metrics, ProxyTracerProvider, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { InMemorySpanExporter, type ReadableSpan, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { createFallback, createGate, createKeyRotation, type RetryEvent } from '../src/index.ts';
import { instrument } from '../src/otel.ts';
import { decisionsOf, fakeRuntime, respond, respondError, script } from './script.ts';

const URL_OF_CALL = 'https://user:password@api.example.com/v1/messages?key=secret#part';

describe('telemetry', () => {
  const spans = new InMemorySpanExporter();
  const tracers = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] });
  const measured = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const reader = new PeriodicExportingMetricReader({ exporter: measured, exportIntervalMillis: 2 ** 31 - 1 });
  const meters = new MeterProvider({ readers: [reader] });

  beforeAll(() => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
    trace.setGlobalTracerProvider(tracers);
    metrics.setGlobalMeterProvider(meters);
  });
  afterEach(() => {
    spans.reset();
    measured.reset();
  });
  afterAll(async () => {
    context.disable();
    trace.disable();
    metrics.disable();
    await meters.shutdown();
  });

  const finished = async (): Promise<{
    readonly call: ReadableSpan | undefined;
    readonly attempts: ReadableSpan[];
  }> => {
    await tracers.forceFlush();
    const all = spans.getFinishedSpans();
    const attempts = all.filter(({ kind }) => kind === SpanKind.CLIENT);
    return { call: all.find(({ name }) => name.startsWith('retry ')), attempts };
  };

  /** The points of a metric of one meter. */
  const values = async (
    meter: string,
    name: string,
  ): Promise<readonly (readonly [attributes: unknown, value: unknown])[]> => {
    await reader.forceFlush();
    const scopes = measured.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics);
    const all = scopes.filter(({ scope }) => scope.name === meter).flatMap((scope) => scope.metrics);
    const points =
      all.filter(({ descriptor }) => descriptor.name === `retry_transport.${name}`).at(-1)?.dataPoints ?? [];
    return points.map(({ attributes, value }) => [attributes, value]);
  };

  test('has one span per call and one per attempt, with a number on the retries', async () => {
    const runtime = fakeRuntime();
    const fetch = instrument({ fetch: script(runtime, 429, 503, 200), runtime });
    const response = await fetch(URL_OF_CALL, { method: 'post' });
    expect(response.status).toBe(200);
    const { call, attempts } = await finished();
    expect(call).toMatchObject({ name: 'retry POST', attributes: { 'http.response.status_code': 200 } });
    expect(attempts.map(({ attributes }) => attributes['http.request.resend_count'])).toEqual([undefined, 1, 2]);
    expect(attempts.map(({ attributes }) => attributes['http.response.status_code'])).toEqual([429, 503, 200]);
    expect(attempts.map(({ status }) => status.code)).toEqual([
      SpanStatusCode.ERROR,
      SpanStatusCode.ERROR,
      SpanStatusCode.UNSET,
    ]);
    for (const attempt of attempts) expect(attempt.parentSpanContext?.spanId).toBe(call?.spanContext().spanId);
  });

  test('shows no query and no credentials', async () => {
    const runtime = fakeRuntime();
    await instrument({ fetch: script(runtime, 200), runtime })(URL_OF_CALL);
    const { attempts } = await finished();
    expect(attempts[0]?.attributes['url.full']).toBe('https://api.example.com/v1/messages');
    expect(JSON.stringify(attempts.map(({ attributes, events }) => [attributes, events]))).not.toMatch(
      /secret|password/,
    );
  });

  test('shows no key in a path, recognised by its shape or from the headers', async () => {
    const headers = { 'x-api-key': 'tenant-key-0001' };
    const inner = script(fakeRuntime(), 200);
    await instrument({ fetch: inner })('https://h/v1/sk-Ab12Cd34Ef56/tenant-key-0001', { headers });
    const { attempts } = await finished();
    expect(attempts[0]?.attributes['url.full']).toBe('https://h/v1/[redacted]/[redacted]');
  });

  test('leaves headers that can be read only once for the inner fetch', async () => {
    const inner = script(fakeRuntime(), 200);
    const headers = new Map([['x-api-key', 'tenant-key-0001']]).entries();
    // @ts-expect-error -- fetch takes any iterable
    await instrument({ fetch: inner, maxRetries: 0 })('https://h/tenant-key-0001', { headers });
    expect(new Headers(inner.calls.at(-1)?.init?.headers).get('x-api-key')).toBe('tenant-key-0001');
    const { attempts } = await finished();
    expect(attempts.at(-1)?.attributes['url.full']).toBe('https://h/[redacted]');
  });

  test('reads no headers where there is no SDK', async () => {
    const inner = script(fakeRuntime(), 200);
    const headers = new Map([['x-api-key', 'tenant-key-0001']]).entries();
    const tracer = new ProxyTracerProvider().getTracer('none');
    // @ts-expect-error -- fetch takes any iterable
    await instrument({ fetch: inner, maxRetries: 0 }, { tracer })(URL_OF_CALL, { headers });
    expect(inner.calls[0]?.init?.headers).toBe(headers);
  });

  test('ends the span of an attempt at the abort, even if the inner fetch never answers', async () => {
    const abort = new AbortController();
    const call = instrument({ fetch: () => new Promise<Response>(() => {}) })(URL_OF_CALL, { signal: abort.signal });
    abort.abort(new DOMException('enough', 'AbortError'));
    await expect(call).rejects.toThrow('enough');
    const { attempts } = await finished();
    expect(attempts.map(({ attributes, ended }) => [attributes['error.type'], ended])).toEqual([['AbortError', true]]);
    expect(getEventListeners(abort.signal, 'abort')).toEqual([]);
  });

  test('nests in the span of the caller, and the spans of the inner fetch nest in the attempt', async () => {
    const runtime = fakeRuntime();
    const seen: (string | undefined)[] = [];
    const fetch = instrument({
      fetch: async () => {
        seen.push(trace.getActiveSpan()?.spanContext().spanId);
        return respond(200);
      },
      runtime,
    });
    const caller = trace.getTracer('test').startSpan('caller');
    await context.with(trace.setSpan(context.active(), caller), () =>
      fetch(new Request(URL_OF_CALL.replace(/\/\/.*@/, '//'))),
    );
    caller.end();
    const { call, attempts } = await finished();
    expect(call?.parentSpanContext?.spanId).toBe(caller.spanContext().spanId);
    expect(seen).toEqual([attempts[0]?.spanContext().spanId]);
  });

  test('has an event for every wait and every fallback', async () => {
    const runtime = fakeRuntime();
    const overloaded = respondError(529, { type: 'overloaded_error', message: 'Overloaded' });
    const fallback = createFallback({
      targets: [{ name: 'other', url: 'https://other.example' }],
      maxRetriesBeforeFallback: 1,
    });
    const inner = script(runtime, respond(429, { 'retry-after': '2' }), overloaded, 200);
    await instrument({ fetch: inner, runtime, fallback })(URL_OF_CALL);
    const { call } = await finished();
    expect(call?.events.map(({ name }) => name)).toContain('fallback');
    expect(call?.events.find(({ name }) => name === 'wait')?.attributes).toEqual({
      'retry_transport.failure': 'rate_limit',
      'error.type': '429',
      'retry_transport.because': 'hint',
      'retry_transport.delay_ms': expect.any(Number),
    });
  });

  test('has an event and a measurement for the wait of a first attempt, which follows no failure', async () => {
    const runtime = fakeRuntime();
    const meter = meters.getMeter('first waits');
    const fallback = createKeyRotation({ keys: ['the-only-key'] });
    const inner = script(runtime, respond(429, { 'retry-after': '30' }), 200);
    const fetch = instrument({ fetch: inner, runtime, fallback, maxTotalDelayMs: 0 }, { meter });
    await fetch(URL_OF_CALL);
    spans.reset();
    await fetch.with({ maxTotalDelayMs: Infinity })(URL_OF_CALL);
    const { call } = await finished();
    const reason = { 'retry_transport.because': 'cooldown' };
    expect(call?.events.map(({ name, attributes }) => [name, attributes])).toEqual([
      ['wait', { ...reason, 'retry_transport.delay_ms': 30_000 }],
    ]);
    expect(await values('first waits', 'wait')).toMatchObject([[reason, { count: 1, sum: 30 }]]);
    expect(await values('first waits', 'retries')).toEqual([]);
  });

  test('marks a call that was given up, with the reason, and returns its response', async () => {
    const runtime = fakeRuntime();
    const response = await instrument({ fetch: script(runtime, 503), runtime, maxRetries: 1 })(URL_OF_CALL);
    expect(response.status).toBe(503);
    const { call } = await finished();
    expect(call).toMatchObject({
      status: { code: SpanStatusCode.ERROR },
      attributes: { 'retry_transport.failure': 'overloaded', 'retry_transport.because': 'retries-exhausted' },
    });
  });

  test('marks an attempt that threw with the type of the error, and rethrows the error', async () => {
    const runtime = fakeRuntime();
    const error = new RangeError('sk-0123456789abcdef0123456789');
    await expect(instrument({ fetch: script(runtime, error), runtime })(URL_OF_CALL)).rejects.toBe(error);
    const { call, attempts } = await finished();
    expect([call?.attributes['error.type'], attempts[0]?.attributes['error.type']]).toEqual([
      'RangeError',
      'RangeError',
    ]);
    const thrower = (): Promise<Response> => Promise.reject('no error at all');
    await expect(instrument({ fetch: thrower, runtime })(URL_OF_CALL)).rejects.toBe('no error at all');
    expect((await finished()).attempts.at(-1)?.attributes['error.type']).toBe('string');
  });

  test('counts attempts, retries by reason, waits and calls given up', async () => {
    const runtime = fakeRuntime();
    const meter = meters.getMeter('counts');
    const fetch = instrument({ fetch: script(runtime, 503, 503, 200, 400), runtime, jitter: 'none' }, { meter });
    await fetch(URL_OF_CALL);
    await fetch(URL_OF_CALL);
    const asked = { 'server.address': 'api.example.com', 'server.port': 443, 'gen_ai.operation.name': 'chat' };
    const failure = { 'retry_transport.failure': 'overloaded', 'error.type': '503' };
    const reason = { ...asked, ...failure, 'retry_transport.because': 'backoff' };
    expect(await values('counts', 'retries')).toEqual([[reason, 2]]);
    expect(await values('counts', 'attempts')).toEqual([
      [{ ...asked, 'http.response.status_code': 503 }, 2],
      [{ ...asked, 'http.response.status_code': 200 }, 1],
      [{ ...asked, 'http.response.status_code': 400 }, 1],
    ]);
    expect(await values('counts', 'wait')).toMatchObject([[reason, { count: 2, sum: 3 }]]);
    expect(await values('counts', 'failures')).toEqual([
      [
        {
          ...asked,
          'retry_transport.failure': 'invalid_request',
          'error.type': '400',
          'retry_transport.because': 'not-retryable',
        },
        1,
      ],
    ]);
  });

  test('tells two providers apart, in spans and in metrics', async () => {
    const runtime = fakeRuntime();
    const meter = meters.getMeter('providers');
    const fetch = instrument({ fetch: script(runtime, 200), runtime }, { meter });
    const ask = (url: string, body: object): Promise<Response> =>
      fetch(url, { method: 'POST', body: JSON.stringify(body) });
    await ask('https://api.openai.com/v1/chat/completions', { model: 'gpt-5', messages: [] });
    await ask('https://eu.api.anthropic.com/v1/messages', { model: 'claude', messages: [] });
    await ask('https://generativelanguage.googleapis.com/v1beta/models/gemini-3:streamGenerateContent?key=k', {});
    await ask('http://127.0.0.1:11434/api/generate', { model: 'local' });
    await ask('https://payments.example.com:8443/charges', { model: 'none of these' });
    const expected = [
      ['api.openai.com', 443, 'openai', 'chat', 'gpt-5'],
      ['eu.api.anthropic.com', 443, 'anthropic', 'chat', 'claude'],
      ['generativelanguage.googleapis.com', 443, 'gcp.gemini', 'generate_content', 'gemini-3'],
      ['127.0.0.1', 11_434, undefined, 'text_completion', 'local'],
      ['payments.example.com', 8_443, undefined, undefined, undefined],
    ];
    const shown = (attributes: Record<string, unknown>): unknown[] =>
      ['server.address', 'server.port', 'gen_ai.provider.name', 'gen_ai.operation.name', 'gen_ai.request.model'].map(
        (name) => attributes[name],
      );
    const { attempts } = await finished();
    expect(attempts.map(({ attributes }) => shown(attributes))).toEqual(expected);
    const calls = spans.getFinishedSpans().filter(({ name }) => name.startsWith('retry '));
    expect(calls.map(({ attributes }) => shown(attributes))).toEqual(expected);
    const points = await values('providers', 'attempts');
    expect(points.map(([attributes]) => shown(Object(attributes)))).toEqual(expected);
  });

  test('names an error by its code, and not by the class that fetch gives all of them', async () => {
    const runtime = fakeRuntime();
    const meter = meters.getMeter('codes');
    const reset = new TypeError('fetch failed', { cause: Object.assign(new Error('read'), { code: 'ECONNRESET' }) });
    const quota = respondError(429, { type: 'insufficient_quota', code: 'insufficient_quota', message: 'Used up.' });
    const fetch = instrument({ fetch: script(runtime, reset, quota), runtime, maxRetries: 1 }, { meter });
    await fetch(URL_OF_CALL);
    const { attempts } = await finished();
    expect(attempts.map(({ attributes }) => attributes['error.type'])).toEqual(['ECONNRESET', '429']);
    expect(await values('codes', 'retries')).toMatchObject([[{ 'error.type': 'ECONNRESET' }, 1]]);
    expect(await values('codes', 'failures')).toMatchObject([[{ 'error.type': 'insufficient_quota' }, 1]]);
  });

  test('reports the state of each key of the gate once, even if many calls share it', async () => {
    const runtime = fakeRuntime();
    const meter = meters.getMeter('gate');
    const gate = createGate({ circuitBreaker: {} });
    const fetch = instrument({ fetch: script(runtime, 200), runtime, gate }, { meter });
    await fetch.with({ maxRetries: 1 })('https://api.example.com/');
    const key = { 'retry_transport.key': 'https://api.example.com' };
    expect(await values('gate', 'gate.tokens')).toEqual([[key, 20]]);
    expect(await values('gate', 'gate.waiting')).toEqual([[key, 0]]);
    expect(await values('gate', 'gate.cooldown')).toEqual([[key, 0]]);
    expect(await values('gate', 'gate.circuit')).toEqual([[key, 0]]);
  });

  test('reports no tokens if there is no budget', async () => {
    const gate = createGate({ retryBudget: false });
    const meter = meters.getMeter('no budget');
    await instrument({ fetch: script(fakeRuntime(), 200), gate }, { meter })('https://api.example.com/');
    expect(await values('no budget', 'gate.tokens')).toEqual([]);
    expect(await values('no budget', 'gate.waiting')).toHaveLength(1);
  });

  test('returns the promise of a listener, so that its rejection is caught', async () => {
    const runtime = fakeRuntime();
    const rejected = Promise.reject(new Error('rejected'));
    const caught = vi.spyOn(rejected, 'catch');
    const onEvent = (): unknown => rejected;
    await instrument({ fetch: script(runtime, 400), runtime, onEvent })(URL_OF_CALL);
    expect(caught).toHaveBeenCalledOnce();
  });

  test('keeps the listener of the caller, and options that were not overridden', async () => {
    const runtime = fakeRuntime();
    const events: RetryEvent[] = [];
    const fetch = instrument({
      fetch: script(runtime, 503, 200),
      runtime,
      onEvent: (event) => void events.push(...decisionsOf([event])),
    });
    await fetch.with({ maxRetries: 2 })(URL_OF_CALL);
    expect(events.map(({ type }) => type)).toEqual(['retry', 'recovered']);
    expect(events[0]).toMatchObject({ maxRetries: 2 });
  });

  test('may become the global fetch, and so may a copy with other options', async () => {
    const native = globalThis.fetch;
    const runtime = fakeRuntime();
    const inner = script(runtime, 503);
    try {
      globalThis.fetch = inner;
      globalThis.fetch = instrument({ runtime, maxRetries: 2 });
      expect((await fetch(URL_OF_CALL)).status).toBe(503);
      expect(inner.calls).toHaveLength(3);
      globalThis.fetch = instrument({ runtime, maxRetries: 1 }).with({ maxRetries: 0 });
      expect((await fetch(URL_OF_CALL)).status).toBe(503);
    } finally {
      globalThis.fetch = native;
    }
  });

  test('is not changed by a later change of its options', async () => {
    const runtime = fakeRuntime();
    const inner = script(runtime, 503);
    const config = { runtime, maxRetries: 1 };
    const fetch = instrument({ fetch: inner, ...config });
    config.maxRetries = 2;
    await fetch(URL_OF_CALL);
    expect(inner.calls).toHaveLength(2);
  });

  test('refuses what is no fetch, at creation', () => {
    // @ts-expect-error -- callers in JavaScript
    expect(() => instrument({ fetch: { maxRetries: 2 } })).toThrow(
      'Expected `fetch` to be a function with the shape of the global fetch, got an object.',
    );
  });

  test('refuses invalid options at creation', () => {
    expect(() => instrument({ maxRetries: -1 })).toThrow(TypeError);
  });
});
