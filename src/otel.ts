/**
 * `retry-transport/otel`: OpenTelemetry spans and metrics of calls and their gate. Uses only the API package, whose
 * functions do nothing without an SDK in the program.
 */

import {
  type Attributes,
  type Context,
  context,
  type Counter,
  type Meter,
  metrics,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api';
import {
  createRetryFetch,
  type Fetch,
  type Gate,
  type GateReading,
  type RetryEvent,
  type RetryFetch,
  type RetryFetchConfig,
} from './index.ts';
import { publicUrl, secretsOf } from './redact/redact.ts';
import { isSignal, reasonOf } from './runtime/abort.ts';
import { wrapOver } from './http/global-fetch.ts';
import { changeInit, entriesOf, isReplayable, isRequest } from './http/request-parts.ts';
import { modelOf } from './gate/key.ts';

const NAME = 'retry-transport';

/** The options of `instrument`, beside those of the retries. */
export interface InstrumentOptions {
  /** @default the global provider's, named retry-transport */
  readonly tracer?: Tracer | undefined;
  /** @default the global provider's, named retry-transport */
  readonly meter?: Meter | undefined;
}

type Instruments = ReturnType<typeof createInstruments>;

/**
 * `createRetryFetch` with telemetry: a span per call, below it one per attempt with `http.request.resend_count` from
 * the second on, an event on the call's span for each wait and each fallback; and metrics.
 *
 * - `retry_transport.attempts`: attempts sent, by `http.response.status_code` or `error.type`
 * - `retry_transport.retries`: retries planned, by failure, `error.type` and what set the wait
 * - `retry_transport.failures`: calls given up, by failure, `error.type` and reason
 * - `retry_transport.breaks`: streams that broke after they were handed over, by failure, `error.type` and how
 * - `retry_transport.wait`: seconds of each wait
 *
 * Spans and these metrics have `server.address` and `server.port`, and where the request goes to a model
 * `gen_ai.provider.name`, `gen_ai.operation.name` and `gen_ai.request.model`, as OpenTelemetry's conventions name them.
 * `error.type` is a code if there is one, such as `ECONNRESET` or `insufficient_quota`.
 *
 * - of the gate, if there is one, per key: `retry_transport.gate.waiting`, `.tokens`, `.cooldown` (seconds) and
 *   `.circuit` (0 closed, 1 half-open, 2 open)
 */
export function instrument(config: RetryFetchConfig = {}, options: InstrumentOptions = {}): RetryFetch {
  return instrumentOver(createRetryFetch(config), config, options);
}

/** `base` has all options; `fetch` and `gate` are those of `config`. */
function instrumentOver(
  base: RetryFetch,
  config: Pick<RetryFetchConfig, 'fetch' | 'gate'>,
  options: InstrumentOptions,
): RetryFetch {
  const tracer = options.tracer ?? trace.getTracer(NAME);
  const meter = options.meter ?? metrics.getMeter(NAME);
  const instruments = createInstruments(meter);
  if (config.gate !== undefined) observeGate(config.gate, meter);

  const instrumented = wrapOver(config.fetch)(async (inner, input, init) => {
    const span = tracer.startSpan('retry');
    const asked = describe(urlOf(input), init?.body);
    span.setAttributes(asked);
    // Spans below that of the call are its children.
    const ofCall = trace.setSpan(context.active(), span);
    // A fetch of its own for each call, because its events and attempts belong to its span.
    const retryFetch = base.with({
      fetch: traceAttempts(inner, span, ofCall, tracer, instruments.attempts),
      onEvent: (event) => recordEvent(event, span, asked, instruments),
    });
    try {
      const response = await context.with(ofCall, () => retryFetch(input, init));
      span.setAttribute('http.response.status_code', response.status);
      if (response.status >= 400) span.setStatus({ code: SpanStatusCode.ERROR });
      return response;
    } catch (error) {
      fail(span, typeOf(error));
      throw error;
    } finally {
      span.end();
    }
  });
  return Object.assign(instrumented, {
    with: (overrides: RetryFetchConfig) => instrumentOver(base.with(overrides), { ...config, ...overrides }, options),
  });
}

/** The inner fetch of one call, with a span around each attempt. */
function traceAttempts(inner: Fetch, ofCall: Span, parent: Context, tracer: Tracer, attempts: Counter): Fetch {
  let sent = 0;
  // Without an SDK nothing is recorded; computing the URL would take half of the time.
  const isTraced = trace.isSpanContextValid(ofCall.spanContext());
  return async (input, givenInit) => {
    const init = givenInit && isTraced ? withReadableHeaders(givenInit) : givenInit;
    const request = isRequest(input) ? input : undefined;
    const givenMethod: unknown = init?.method ?? request?.method ?? 'GET';
    const method = String(givenMethod).toUpperCase();
    const url = urlOf(input);
    const asked = describe(url, init?.body);
    const attributes: Attributes = { 'http.request.method': method, ...asked };
    if (isTraced) attributes['url.full'] = shownUrl(url, init?.headers ?? request?.headers);
    if (sent > 0) attributes['http.request.resend_count'] = sent;
    else ofCall.updateName(`retry ${method}`);
    sent += 1;
    const span = tracer.startSpan(method, { kind: SpanKind.CLIENT, attributes }, parent);
    const aborting = init?.signal ?? request?.signal;
    const signal = isSignal(aborting) ? aborting : undefined;
    let isOpen = true;
    const end = (attribute: Attributes, errorType: string | undefined): void => {
      if (!isOpen) return;
      isOpen = false;
      signal?.removeEventListener('abort', onAbort);
      span.setAttributes(attribute);
      if (errorType !== undefined) fail(span, errorType);
      attempts.add(1, { ...asked, ...attribute });
      span.end();
    };
    // Only the type: the message may contain parts of the request.
    const endWith = (error: unknown): void => end({ 'error.type': typeOf(error) }, typeOf(error));
    // An inner fetch that ignores the abort may never answer, so its span ends with the abort.
    const onAbort = (): void => endWith(signal && reasonOf(signal));
    signal?.addEventListener('abort', onAbort);
    try {
      const response = await context.with(trace.setSpan(parent, span), () => inner(input, init));
      const { status } = response;
      end({ 'http.response.status_code': status }, status >= 400 ? String(status) : undefined);
      return response;
    } catch (error) {
      endWith(error);
      throw error;
    }
  };
}

/** An iterator of headers can be read only once, so the headers that are read here are sent. */
function withReadableHeaders(init: RequestInit): RequestInit {
  const { headers } = init;
  if (isReplayable(headers) || headers === undefined || !(Symbol.iterator in headers)) return init;
  return changeInit(init, { headers: entriesOf(headers) });
}

/** `asked`: the attributes of the call's request. */
function recordEvent(
  event: RetryEvent,
  span: Span,
  asked: Attributes,
  { retries, failures, waits, breaks }: Instruments,
): void {
  if (event.type === 'fallback')
    span.addEvent('fallback', { 'retry_transport.from': event.from, 'retry_transport.to': event.to });
  if (event.type === 'broken') {
    // The span of the call has ended with its headers.
    breaks.add(1, {
      ...asked,
      'retry_transport.because': event.because,
      'retry_transport.failure': event.failure.type,
    });
  }
  if (event.type !== 'retry' && event.type !== 'delayed' && event.type !== 'failed') return;
  const reason: Attributes = { 'retry_transport.because': event.because };
  // Each request has another, so no metric may have it.
  const id: Attributes = {};
  // The wait of a first attempt has no failure before it.
  if (event.type !== 'delayed') {
    const { type, code, status, requestId } = event.failure;
    if (requestId !== undefined) id['retry_transport.request_id'] = requestId;
    reason['retry_transport.failure'] = type;
    reason['error.type'] = code ?? String(status ?? type);
  }
  if (event.type === 'failed') {
    span.setAttributes({ ...reason, ...id });
    failures.add(1, { ...asked, ...reason });
    return;
  }
  span.addEvent('wait', { ...reason, ...id, 'retry_transport.delay_ms': event.delayMs });
  waits.record(event.delayMs / 1_000, { ...asked, ...reason });
  if (event.type === 'retry') retries.add(1, { ...asked, ...reason });
}

function fail(span: Span, type: string): void {
  span.setAttribute('error.type', type);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

function createInstruments(meter: Meter) {
  return {
    attempts: meter.createCounter('retry_transport.attempts', { unit: '{attempt}', description: 'Attempts sent.' }),
    retries: meter.createCounter('retry_transport.retries', { unit: '{retry}', description: 'Retries planned.' }),
    failures: meter.createCounter('retry_transport.failures', { unit: '{call}', description: 'Calls given up.' }),
    breaks: meter.createCounter('retry_transport.breaks', {
      unit: '{stream}',
      description: 'Streams that broke after they were handed over.',
    }),
    waits: meter.createHistogram('retry_transport.wait', { unit: 's', description: 'Waits before attempts.' }),
  };
}

const observed = /* @__PURE__ */ new WeakMap<Meter, WeakSet<Gate>>();

/** Registers the gauges of a gate, once per gate and meter. */
function observeGate(gate: Gate, meter: Meter): void {
  const gates = observed.get(meter) ?? new WeakSet();
  if (gates.has(gate)) return;
  observed.set(meter, gates.add(gate));
  for (const [name, unit, read] of GAUGES)
    meter.createObservableGauge(`retry_transport.gate.${name}`, { unit }).addCallback((result) => {
      for (const reading of gate.readings()) {
        const value = read(reading);
        if (value !== null) result.observe(value, { 'retry_transport.key': reading.key });
      }
    });
}

const GAUGES: readonly (readonly [name: string, unit: string, read: (reading: GateReading) => number | null])[] = [
  ['waiting', '{call}', ({ waiting }) => waiting],
  ['tokens', '{token}', ({ tokens }) => tokens],
  ['cooldown', 's', ({ cooldownMs }) => cooldownMs / 1_000],
  ['circuit', '1', ({ circuit }) => ['closed', 'half-open', 'open'].indexOf(circuit)],
];

function shownUrl(url: string, headers: RequestInit['headers'] | undefined): string {
  try {
    return publicUrl(url, secretsOf({ url, headers }));
  } catch {
    // The inner fetch refuses invalid headers.
    return publicUrl(url);
  }
}

/** The code of the error or of a cause of it, such as ECONNRESET: fetch reports every failed connection as a TypeError. */
function typeOf(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    // The code of a DOMException is a number without a meaning.
    if ('code' in cause && typeof cause.code === 'string' && /^\w{1,64}$/.test(cause.code)) return cause.code;
  }
  return error instanceof Error ? error.name : typeof error;
}

const urlOf = (input: Parameters<Fetch>[0]): string => (isRequest(input) ? input.url : String(input));

const ADDRESS = /^(https?):\/\/(?:[^/?#@]*@)?(\[[^\]]*\]|[^:/?#]+)(?::(\d+))?([^?#]*)/i;

/** The server and, where the path is that of a model, what is asked of which one. */
function describe(url: string, body: unknown): Attributes {
  const [, protocol = '', host = '', port, path = ''] = ADDRESS.exec(url) ?? [];
  if (host === '') return {};
  const attributes: Attributes = {
    'server.address': host.toLowerCase(),
    'server.port': Number(port ?? (protocol.toLowerCase() === 'http' ? 80 : 443)),
  };
  const operation = OPERATIONS.find(([ending]) => ending.test(path))?.[1];
  if (operation === undefined) return attributes;
  attributes['gen_ai.operation.name'] = operation;
  const provider = PROVIDERS.find(([ending]) => ending.test(host))?.[1];
  if (provider !== undefined) attributes['gen_ai.provider.name'] = provider;
  const model = modelOf({ url, body });
  if (model !== undefined) attributes['gen_ai.request.model'] = model;
  return attributes;
}

/** The operations that OpenTelemetry's conventions name, by the end of the path. */
const OPERATIONS: readonly (readonly [ending: RegExp, operation: string])[] = [
  [/:(?:streamG|g)enerateContent$/, 'generate_content'],
  [/\/embed(?:dings)?$|:(?:embedContent|batchEmbedContents)$/, 'embeddings'],
  [/\/(?:chat\/completions|responses|messages|converse|converse-stream|chat)$/, 'chat'],
  [/\/(?:completions|complete|generate)$/, 'text_completion'],
];

/** The providers that these conventions name, by host. */
const PROVIDERS: readonly (readonly [ending: RegExp, provider: string])[] = [
  [/\.openai\.azure\.com$/i, 'azure.ai.openai'],
  [/\.services\.ai\.azure\.com$|\.inference\.ai\.azure\.com$/i, 'azure.ai.inference'],
  [/(?:^|\.)openai\.com$/i, 'openai'],
  [/(?:^|\.)anthropic\.com$/i, 'anthropic'],
  [/^generativelanguage\.googleapis\.com$/i, 'gcp.gemini'],
  [/aiplatform\.googleapis\.com$/i, 'gcp.vertex_ai'],
  [/^bedrock-runtime[\w.-]*\.amazonaws\.com$/i, 'aws.bedrock'],
  [/(?:^|\.)mistral\.ai$/i, 'mistral_ai'],
  [/(?:^|\.)cohere\.(?:com|ai)$/i, 'cohere'],
  [/(?:^|\.)groq\.com$/i, 'groq'],
  [/(?:^|\.)deepseek\.com$/i, 'deepseek'],
  [/(?:^|\.)perplexity\.ai$/i, 'perplexity'],
  [/(?:^|\.)x\.ai$/i, 'x_ai'],
  [/(?:^|\.)ml\.cloud\.ibm\.com$/i, 'ibm.watsonx.ai'],
];
