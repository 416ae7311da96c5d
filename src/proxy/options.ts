/** The options of a proxy: their defaults, and the checks that refuse an invalid one. */

import {
  type Backoff,
  createRetryFetch,
  DEFAULT_RETRY_CONFIG,
  exponential,
  FAILURES,
  type FailureType,
  type Fetch,
  type RetryConfig,
  type RetryEvent,
} from '../index.ts';

export interface ProxyOptions {
  /** The API: an origin such as `https://api.example.com`, or an origin with a path, which is put before each path. */
  readonly target: string | URL;
  /** The address to listen on. @default '127.0.0.1' */
  readonly host?: string | undefined;
  /** 0 takes a free port. @default 0 */
  readonly port?: number | undefined;
  /** How to retry. `markFinalResponse` is `'permanent'` by default; `throwOnExhausted` and `requestId` are not used. */
  readonly retry?: RetryConfig | undefined;
  /** The status in place of 429 if no wait can help, such as 402 for a client that retries every 429. @default 429 */
  readonly permanentStatus?: number | undefined;
  /** The longest request body; it is kept in memory, so that it can be sent again. @default 67108864 (64 MiB) */
  readonly maxBodyBytes?: number | undefined;
  /**
   * The most bytes of request bodies in memory, all calls together. @default 268435456 (256 MiB), or `maxBodyBytes` if
   * more
   */
  readonly maxBufferedBytes?: number | undefined;
  /**
   * How many calls may run at once, waiting ones included; further requests get a 503 with `Retry-After`. @default 1024
   */
  readonly maxCalls?: number | undefined;
  /**
   * Whether `cookie` and `set-cookie` are passed on. Off, because a browser sends every cookie of localhost. @default
   * false
   */
  readonly cookies?: boolean | undefined;
  /** Whether requests for an address typed into a browser (`Sec-Fetch-Site: none`) are forwarded. @default false */
  readonly navigation?: boolean | undefined;
  /**
   * Once a call has taken this long and has to wait, a client that asked for a stream gets the response headers, and
   * comments until the stream begins. @default never
   */
  readonly keepAliveAfterMs?: number | undefined;
  /**
   * How long clients wait for the response headers. A wait that would end later is not started, and the client gets the
   * failure itself. The `x-stainless-timeout` of a request has the same effect. @default no limit
   */
  readonly clientTimeoutMs?: number | undefined;
  /** The path at which the proxy itself answers a GET; this path of the target is hidden. @default '/healthz' */
  readonly healthPath?: string | undefined;
  /** Called with the events of every call; they hold no secret. @default the listener in `retry` */
  readonly onEvent?: ((event: RetryEvent) => void) | undefined;
  /** @default `globalThis.fetch`, read at each attempt */
  readonly fetch?: Fetch | undefined;
}

/** The options with the defaults filled in. */
export interface ProxySettings {
  readonly target: Target;
  readonly host: string;
  readonly port: number;
  readonly retry: RetryConfig;
  readonly maxRetries: number;
  /** The longest hint that is obeyed. */
  readonly maxWaitMs: number;
  readonly permanentStatus: number;
  readonly maxBodyBytes: number;
  readonly maxBufferedBytes: number;
  readonly maxCalls: number;
  readonly cookies: boolean;
  readonly navigation: boolean;
  readonly keepAliveAfterMs: number | undefined;
  readonly clientTimeoutMs: number | undefined;
  readonly healthPath: string;
  readonly onEvent: ((event: RetryEvent) => void) | undefined;
  readonly fetch: Fetch | undefined;
}

export interface Target {
  readonly origin: string;
  /** The path before each path: empty, or with a slash at its start and none at its end. */
  readonly basePath: string;
}

const DEFAULT_MAX_BODY_BYTES: number = 64 * 1024 * 1024;
const DEFAULT_MAX_BUFFERED_BYTES: number = 256 * 1024 * 1024;
const DEFAULT_MAX_CALLS = 1_024;

/** @throws TypeError that names the option and the fix */
export function readOptions(options: ProxyOptions): ProxySettings {
  const { host = '127.0.0.1', healthPath = '/healthz' } = options;
  const maxBodyBytes = readInteger('maxBodyBytes', options.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES, 0);
  const maxBufferedBytes = options.maxBufferedBytes ?? Math.max(DEFAULT_MAX_BUFFERED_BYTES, maxBodyBytes);
  // Node would listen on all addresses.
  if (host === '') throw new TypeError('Expected `host` to be an address such as 127.0.0.1, got "".');
  if (!/^\/[^?#\s]*$/.test(healthPath)) {
    throw new TypeError(`Expected \`healthPath\` to be a path such as /healthz, got ${JSON.stringify(healthPath)}.`);
  }
  const keepAliveAfterMs = readDuration('keepAliveAfterMs', options.keepAliveAfterMs);
  const clientTimeoutMs = readDuration('clientTimeoutMs', options.clientTimeoutMs);
  if (keepAliveAfterMs !== undefined && clientTimeoutMs !== undefined && keepAliveAfterMs >= clientTimeoutMs) {
    throw new TypeError(
      'Expected `keepAliveAfterMs` to be shorter than `clientTimeoutMs`, after which the client closes its connection.',
    );
  }
  const retry: RetryConfig = {
    ...options.retry,
    markFinalResponse: options.retry?.markFinalResponse ?? 'permanent',
    throwOnExhausted: false,
  };
  // Reports an invalid option now instead of at the first request.
  createRetryFetch(undefined, retry);
  const { maxRetries = retry.backoff === undefined ? DEFAULT_RETRY_CONFIG.maxRetries : Infinity } = retry;
  return {
    target: readTarget(options.target),
    host,
    port: readInteger('port', options.port ?? 0, 0, 65_535),
    retry,
    maxRetries,
    maxWaitMs: retry.maxRetryAfterMs ?? retry.maxDelayMs ?? DEFAULT_RETRY_CONFIG.maxDelayMs,
    permanentStatus: readInteger('permanentStatus', options.permanentStatus ?? 429, 400, 499),
    maxBodyBytes,
    maxBufferedBytes: readInteger('maxBufferedBytes', maxBufferedBytes, maxBodyBytes),
    maxCalls: readInteger('maxCalls', options.maxCalls ?? DEFAULT_MAX_CALLS, 1),
    cookies: options.cookies ?? false,
    navigation: options.navigation ?? false,
    keepAliveAfterMs,
    clientTimeoutMs,
    healthPath,
    onEvent: options.onEvent ?? retry.onEvent,
    fetch: options.fetch,
  };
}

/** The schedule of waits after a failure of this type. */
export function backoffAfter(type: FailureType, retry: RetryConfig): Backoff {
  const { baseDelayMs, maxDelayMs, backoffMultiplier: multiplier, jitter, jitterFactor } = retry;
  const strategy = retry.strategies?.[type];
  if (strategy === undefined) {
    return retry.backoff ?? exponential({ baseDelayMs, maxDelayMs, multiplier, jitter, jitterFactor });
  }
  const { initialDelayMs, ...rest } = { ...FAILURES[type].strategy, ...strategy };
  const longestMs = Math.min(rest.maxDelayMs ?? Infinity, maxDelayMs ?? Infinity);
  return exponential({ ...rest, jitterFactor, baseDelayMs: initialDelayMs, maxDelayMs: longestMs });
}

function readInteger(name: string, value: number, min: number, max: number = Number.MAX_SAFE_INTEGER): number {
  if (Number.isInteger(value) && value >= min && value <= max) return value;
  const range = max === Number.MAX_SAFE_INTEGER ? `≥ ${min}` : `from ${min} to ${max}`;
  throw new TypeError(`Expected \`${name}\` to be an integer ${range}, got ${value}.`);
}

function readDuration(name: string, value: number | undefined): number | undefined {
  if (value === undefined || (Number.isFinite(value) && value > 0)) return value;
  throw new TypeError(`Expected \`${name}\` to be a number of milliseconds above 0, got ${value}.`);
}

function readTarget(value: string | URL): Target {
  const example = 'such as https://api.example.com';
  const text = String(value);
  if (!URL.canParse(text)) throw new TypeError(`Expected \`target\` to be a whole URL, ${example}.`);
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new TypeError(`Expected \`target\` to begin with http:// or https://, ${example}.`);
  }
  // The message does not repeat the URL, which may hold a password.
  if (url.username !== '' || url.password !== '') {
    throw new TypeError('Expected `target` without a user and password; the client sends them, as a header.');
  }
  if (url.search !== '' || url.hash !== '') {
    throw new TypeError(`Expected \`target\` without a query and fragment, ${example}.`);
  }
  return { origin: url.origin, basePath: url.pathname.replace(/\/+$/, '') };
}
