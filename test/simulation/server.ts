/**
 * What a scripted server answers, and what the contract says of that answer: a success, or a failure of this type,
 * which may be retried or not, with this hint. Written from the taxonomy and the rules of the pages, not from the
 * sources.
 */

import type { FailureType } from '../../src/index.ts';
import type { Chunk, Face, Hint, KnownOptions as Options, StatusKind, Step } from './case.ts';
import type { World } from './world.ts';

const STATUSES: Readonly<
  Record<
    StatusKind,
    {
      readonly status: number;
      readonly type: FailureType;
      readonly retryable: boolean;
      readonly error: Readonly<Record<string, unknown>>;
    }
  >
> = {
  rate_limit: { status: 429, type: 'rate_limit', retryable: true, error: { type: 'rate_limit_error' } },
  quota: {
    status: 429,
    type: 'quota_exhausted',
    retryable: false,
    error: { code: 'insufficient_quota', type: 'insufficient_quota' },
  },
  server_error: { status: 500, type: 'server_error', retryable: true, error: {} },
  bad_gateway: { status: 502, type: 'provider_unavailable', retryable: true, error: {} },
  unavailable: { status: 503, type: 'overloaded', retryable: true, error: {} },
  overloaded: { status: 529, type: 'overloaded', retryable: true, error: { type: 'overloaded_error' } },
  gateway_timeout: { status: 504, type: 'timeout', retryable: true, error: {} },
  bad_request: { status: 400, type: 'invalid_request', retryable: false, error: {} },
  unauthorized: { status: 401, type: 'auth_invalid', retryable: false, error: {} },
  billing: { status: 402, type: 'billing_error', retryable: false, error: {} },
  too_long: { status: 413, type: 'context_too_long', retryable: false, error: {} },
  conflict: { status: 409, type: 'invalid_request', retryable: false, error: {} },
};

/** What comes of an attempt by the contract. `atMs` counts from the request. */
export type Expected =
  | { readonly kind: 'success'; readonly atMs: number }
  | { readonly kind: 'never' }
  | { readonly kind: 'aborted'; readonly atMs: number }
  | {
      readonly kind: 'failure';
      readonly type: FailureType | null;
      /** `either`: the contract does not say. */
      readonly retryable: boolean | 'either';
      readonly serverSaysNo: boolean;
      readonly status: number | null;
      readonly hint: Hint | null;
      /** When the failure is known. */
      readonly atMs: number;
      /** When the response head came, which waits and hints count from; else when the error came. */
      readonly headMs: number;
      /** Its own time limit, which the inner transport cannot see. */
      readonly ownLimit: boolean;
      /** Nothing was sent, so any operation may be repeated. */
      readonly nothingSent: boolean;
      /** `x-should-retry: true`, which counts as listing the status. */
      readonly isListed: boolean;
    }
  /** Two things at the same instant, or a request that is not repeated anyway: any of them may be what comes. */
  | { readonly kind: 'open' };

const BODY_HINTS: readonly Hint['form'][] = ['retry-info', 'in-seconds', 'message'];

/** The hint as it is really given: words in a body need one, and a reset header says nothing with 0. */
function hintOf(step: Step, face: Face): Hint | null {
  if ((step.kind !== 'status' && step.kind !== 'stream') || step.hint === undefined || face === 'operation')
    return null;
  const { hint } = step;
  if (step.kind === 'stream') return hint.form === 'retry-after' || hint.form === 'retry-after-ms' ? hint : null;
  const inBody = BODY_HINTS.includes(hint.form);
  if (inBody && (step.body !== 'whole' || step.status !== 'rate_limit')) return null;
  if (hint.form === 'reset-header' && (step.status !== 'rate_limit' || hint.ms === 0)) return null;
  if (inBody && 'ms' in hint && hint.ms === 0) return null;
  return hint;
}

/** How long the library holds a stream by default. */
const HOLD_MS = 30_000;
/** How long the library reads a failed body to classify it. */
const PEEK_MS = 250;

export interface Circumstances {
  readonly face: Face;
  readonly options: Options;
  /** Whether streams are held. `either`: the call cannot be repeated, so the contract does not say. */
  readonly holds: boolean | 'either';
}

export function expectedOf(step: Step, { face, options, holds }: Circumstances): Expected {
  const limit = options.attemptTimeoutMs;
  const failure = (
    type: FailureType | null,
    retryable: boolean | 'either',
    atMs: number,
    more: Partial<Extract<Expected, { kind: 'failure' }>> = {},
  ): Expected => ({
    kind: 'failure',
    type,
    retryable,
    atMs,
    headMs: atMs,
    serverSaysNo: false,
    status: null,
    hint: null,
    ownLimit: false,
    nothingSent: false,
    isListed: false,
    ...more,
  });
  const timedOut = (): Expected => failure('timeout', true, limit ?? 0, { ownLimit: true });
  if (step.kind === 'hang') return limit === undefined ? { kind: 'never' } : timedOut();
  if (limit !== undefined && step.afterMs === limit) return { kind: 'open' };
  if (limit !== undefined && step.afterMs > limit) return timedOut();
  switch (step.kind) {
    case 'success':
      return { kind: 'success', atMs: step.afterMs };
    case 'json-error':
      if (face === 'operation' || options.holdJson !== true) return { kind: 'success', atMs: step.afterMs };
      if (holds !== true || face === 'get') return { kind: 'open' };
      return failure('overloaded', true, step.afterMs, { status: 200 });
    case 'throw':
      if (step.what === 'abort') return { kind: 'aborted', atMs: step.afterMs };
      if (step.what === 'timeout') return failure('timeout', true, step.afterMs);
      if (step.what === 'reset' || step.what === 'refused') {
        return failure('connection_error', true, step.afterMs, { nothingSent: step.what === 'refused' });
      }
      const isRetried = step.what === 'bug' && face === 'operation' && options.retryUnknownErrors === true;
      return failure(null, isRetried, step.afterMs);
    case 'status': {
      const { status, type, retryable: isRetryable } = STATUSES[step.status];
      // A request whose body names a model waits for the lock of another one.
      const isSent = face !== 'operation' && face !== 'get';
      const isLock = step.status === 'conflict' && isSent && options.retryableStatusCodes === undefined;
      const retryable = isLock && step.shouldRetry !== 'false' ? 'either' : isRetryable;
      const needsBody = step.status === 'quota';
      const body = bodyKindOf(step);
      const forced = face !== 'operation' && step.shouldRetry === 'true' && !retryable;
      return failure(
        type,
        forced ? (step.status === 'bad_request' || step.status === 'conflict' ? true : 'either') : retryable,
        step.afterMs + (body === 'hang' && !needsBody ? PEEK_MS : 0),
        {
          headMs: step.afterMs,
          status,
          hint: hintOf(step, face),
          isListed: face !== 'operation' && step.shouldRetry === 'true',
          serverSaysNo: face !== 'operation' && step.shouldRetry === 'false',
        },
      );
    }
    case 'stream': {
      if (holds === 'either') return { kind: 'open' };
      if (!holds || face === 'get') return { kind: 'success', atMs: step.afterMs };
      const holdMs = typeof options.hold === 'object' ? options.hold.maxHoldMs : HOLD_MS;
      const fate = fateOf(step.chunks, step.ending);
      const knownMs = step.afterMs + (fate.what === 'hold' ? holdMs : Math.min(fate.ms, holdMs));
      if (fate.what !== 'hold' && fate.ms === holdMs) return { kind: 'open' };
      if (limit !== undefined && knownMs === limit) return { kind: 'open' };
      if (limit !== undefined && knownMs > limit) return timedOut();
      if (fate.what === 'hold' || fate.what === 'content' || fate.ms > holdMs)
        return { kind: 'success', atMs: knownMs };
      return failure(fate.what, true, knownMs, {
        headMs: step.afterMs,
        status: 200,
        hint: fate.what === 'overloaded' ? hintOf(step, face) : null,
      });
    }
  }
}

/** A reset comes after what was sent before it: a stream that breaks drops what was not read yet. */
const RESET_MS = 1;

/** What a held stream says first, and how long after its head. */
function fateOf(
  chunks: readonly Chunk[],
  ending: 'end' | 'reset' | 'hang',
): { readonly what: 'content' | 'overloaded' | 'stream_interrupted' | 'hold'; readonly ms: number } {
  let ms = 0;
  for (const { afterMs, what } of chunks) {
    ms += afterMs;
    if (what === 'content' || what === 'overloaded') return { what, ms };
  }
  if (ending === 'hang') return { what: 'hold', ms: 0 };
  // An empty stream of an unknown protocol is released.
  if (chunks.length === 0 && ending === 'end') return { what: 'content', ms };
  return { what: 'stream_interrupted', ms: ending === 'reset' ? ms + RESET_MS : ms };
}

/** A body that carries the evidence is always there. */
function bodyKindOf(step: Extract<Step, { kind: 'status' }>): 'whole' | 'hang' | 'none' {
  return step.status === 'quota' ? 'whole' : step.body;
}

/** A body that the test can watch. */
export interface Watched {
  /** Everything that was given to it. */
  sent: string;
  fate: 'open' | 'ended' | 'cancelled' | 'broken';
}

/** What servers hang on the signals that they are given, for a test that counts what the library leaves there. */
export const SERVER_LISTENERS = new WeakSet<object>();

function onAbort(signal: AbortSignal | undefined, run: () => void): void {
  if (signal === undefined) return;
  SERVER_LISTENERS.add(run);
  signal.addEventListener('abort', run, { once: true });
}

export interface Answer {
  readonly response: Response;
  readonly body: Watched;
  /** The wait in the hint, by the clock at the time of the response. */
  readonly askedMs: number | null;
}

const encoder = new TextEncoder();
const headerOf = (ms: number): string => String(ms / 1_000);

function bodyHint(hint: Hint | null): { readonly error: object; readonly words: string } {
  if (hint?.form === 'retry-info') {
    const retryDelay = `${headerOf(hint.ms)}s`;
    return {
      words: '',
      error: {
        status: 'RESOURCE_EXHAUSTED',
        details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay }],
      },
    };
  }
  if (hint?.form === 'in-seconds') return { words: '', error: { retry_after: hint.ms / 1_000 } };
  return { words: hint?.form === 'message' ? ` Please try again in ${headerOf(hint.ms)}s.` : '', error: {} };
}

/** The headers of a hint, and the wait that they ask for. */
function hintHeaders(
  hint: Hint | null,
  nowMs: number,
): { readonly headers: Record<string, string>; readonly askedMs: number | null } {
  if (hint === null) return { headers: {}, askedMs: null };
  switch (hint.form) {
    case 'invalid':
      return { headers: { 'retry-after': hint.value }, askedMs: null };
    case 'two-values':
      return { headers: { 'retry-after': `${headerOf(hint.shorterMs)}, ${headerOf(hint.ms)}` }, askedMs: hint.ms };
    case 'date': {
      const date = Math.floor((nowMs + hint.ms) / 1_000 + 1) * 1_000;
      return { headers: { 'retry-after': new Date(date).toUTCString() }, askedMs: date - nowMs };
    }
    case 'retry-after':
      return { headers: { 'retry-after': headerOf(hint.ms) }, askedMs: hint.ms };
    case 'retry-after-ms':
      return { headers: { 'retry-after-ms': String(hint.ms) }, askedMs: hint.ms };
    case 'reset-header':
      return {
        headers: { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': `${headerOf(hint.ms)}s` },
        askedMs: hint.ms,
      };
    case 'retry-info':
    case 'in-seconds':
    case 'message':
      return { headers: {}, askedMs: hint.ms };
  }
}

const CHUNKS: Readonly<Record<Chunk['what'], (mark: string) => string>> = {
  start: () =>
    'event: message_start\ndata: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","content":[],"model":"m","usage":{"input_tokens":1,"output_tokens":1}}}\n\n',
  ping: () => 'event: ping\ndata: {"type":"ping"}\n\n',
  content: (mark) =>
    `event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"${mark}"}}\n\n`,
  overloaded: () =>
    'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n',
  stop: () => 'event: message_stop\ndata: {"type":"message_stop"}\n\n',
};

const THROWN = {
  reset: () =>
    Object.assign(new TypeError('fetch failed'), {
      cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET', syscall: 'read' }),
    }),
  refused: () =>
    Object.assign(new TypeError('fetch failed'), {
      cause: Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED', syscall: 'connect' }),
    }),
  certificate: () =>
    Object.assign(new TypeError('fetch failed'), {
      cause: Object.assign(new Error('certificate has expired'), { code: 'CERT_HAS_EXPIRED' }),
    }),
  bug: () => new Error('the teapot is empty'),
  program: () => new TypeError("Cannot read properties of undefined (reading 'x')"),
  abort: () => new DOMException('not ours', 'AbortError'),
  timeout: () => new DOMException('The operation was aborted due to timeout', 'TimeoutError'),
} as const;

interface Request {
  readonly world: World;
  readonly now: () => number;
  readonly face: Face;
  readonly signal: AbortSignal | undefined;
  readonly mark: string;
  /** Gets the response as it leaves the server. */
  readonly heard: (answer: Answer | { readonly thrown: unknown }) => void;
}

/** The result of the inner transport. */
export function answerTo(step: Step, { world, now, face, signal, mark, heard }: Request): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const listening = step.deaf === true ? undefined : signal;
    const refuse = (error: unknown): void => {
      heard({ thrown: error });
      reject(error);
    };
    if (listening?.aborted) {
      refuse(listening.reason);
      return;
    }
    let answered = false;
    const give = (): void => {
      answered = true;
      if (step.kind === 'throw') return refuse(THROWN[step.what]());
      if (step.kind === 'hang') return;
      if (face === 'operation') {
        if (step.kind !== 'status') return resolve({ mark });
        const { status, error } = STATUSES[step.status];
        return refuse(Object.assign(new Error(`HTTP ${status}`), { status, ...error }));
      }
      const answer = responseTo(step, hintOf(step, face), { world, now, mark, signal: listening });
      heard(answer);
      resolve(answer.response);
    };
    const moment = step.kind === 'hang' ? {} : world.in(step.afterMs, give);
    onAbort(listening, () => {
      if (answered) return;
      world.cancel(moment);
      refuse(listening?.reason);
    });
  });
}

function responseTo(
  step: Extract<Step, { kind: 'success' | 'json-error' | 'status' | 'stream' }>,
  hint: Hint | null,
  { world, now, mark, signal }: Pick<Request, 'world' | 'now' | 'mark' | 'signal'>,
): Answer {
  const { headers, askedMs } = hintHeaders(hint, now());
  if (step.kind === 'success' || step.kind === 'json-error') {
    const error = { type: 'error', error: { type: 'overloaded_error', message: `Overloaded at ${mark}` } };
    const sent = JSON.stringify(
      step.kind === 'json-error' ? error : { id: mark, choices: [{ message: { content: mark } }] },
    );
    return {
      response: new Response(sent, { headers: { 'content-type': 'application/json' } }),
      body: { sent, fate: 'ended' },
      askedMs,
    };
  }
  if (step.kind === 'status') {
    const { status, error } = STATUSES[step.status];
    const { words, error: extra } = bodyHint(hint);
    if (step.shouldRetry !== undefined) headers['x-should-retry'] = step.shouldRetry;
    const kind = bodyKindOf(step);
    if (kind === 'hang') {
      const body: Watched = { sent: '', fate: 'open' };
      const stream = new ReadableStream<Uint8Array>({ cancel: () => void (body.fate = 'cancelled') });
      return { response: new Response(stream, { status, headers }), body, askedMs };
    }
    const sent =
      kind === 'none' ? '' : JSON.stringify({ error: { message: `Failure of ${mark}.${words}`, ...error, ...extra } });
    headers['content-type'] = 'application/json';
    return {
      response: new Response(kind === 'none' ? null : sent, { status, headers }),
      body: { sent, fate: 'ended' },
      askedMs,
    };
  }
  const body: Watched = { sent: '', fate: 'open' };
  const stream = new ReadableStream<Uint8Array>({
    start: (controller) => {
      const { chunks, ending } = step;
      const stop = (fate: Watched['fate']): void => {
        if (body.fate !== 'open') return;
        body.fate = fate;
        if (fate === 'ended') controller.close();
        if (fate === 'broken')
          controller.error(
            signal?.aborted
              ? signal.reason
              : Object.assign(new TypeError('terminated'), {
                  cause: Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }),
                }),
          );
      };
      const next = (index: number): void => {
        const chunk = chunks[index];
        if (chunk === undefined) {
          if (ending === 'end') stop('ended');
          if (ending === 'reset') world.in(RESET_MS, () => stop('broken'));
          return;
        }
        // What comes without a pause comes with what was before it.
        const write = (): void => {
          if (body.fate !== 'open') return;
          const text = CHUNKS[chunk.what](`${mark} ${index}`);
          body.sent += text;
          controller.enqueue(encoder.encode(text));
          next(index + 1);
        };
        if (chunk.afterMs === 0) write();
        else world.in(chunk.afterMs, write);
      };
      onAbort(signal, () => stop('broken'));
      next(0);
    },
    cancel: () => void (body.fate = 'cancelled'),
  });
  headers['content-type'] = 'text/event-stream';
  return { response: new Response(stream, { headers }), body, askedMs };
}
