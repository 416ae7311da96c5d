/** The options of a proxy: their defaults, and the checks that refuse an invalid one. */

import { createRetryFetch, type Fetch, type RetryConfig, type RetryEvent } from '../index.ts';
import {
  type Check,
  checkOptions,
  expectFunction,
  expectNumber,
  expectObject,
  is,
  isText,
  number,
} from '../runtime/expect.ts';

export interface ProxyOptions {
  /** The API: an origin such as `https://api.example.com`, or an origin with a path, which is put before each path. */
  readonly target: string | URL;
  /** The address to listen on. @default '127.0.0.1' */
  readonly host?: string | undefined;
  /** 0 takes a free port. @default 0 */
  readonly port?: number | undefined;
  /**
   * How to retry. By default `exhausted` is `'mark-permanent'`, and `answers` has both limits on
   * silence; `exhausted: 'throw'` is refused, and `callId` is not used.
   */
  readonly retry?: RetryConfig | undefined;
  /** The longest request body; it is kept in memory, so that it can be sent again. @default 67108864 (64 MiB) */
  readonly maxBodyBytes?: number | undefined;
  /**
   * The most bytes of request bodies and held answers in memory, all calls together; an answer that finds half of them
   * taken is passed on as it comes. @default 268435456 (256 MiB), or `maxBodyBytes` if more
   */
  readonly maxBufferedBytes?: number | undefined;
  /**
   * How many calls may run at once, waiting ones included; further requests get a 503 with `Retry-After`. @default 1024
   */
  readonly maxCalls?: number | undefined;
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
  /** Called with the events of every call; they hold no secret. @default the listener in `retry` */
  readonly onEvent?: ((event: RetryEvent) => void) | undefined;
  /** @default `globalThis.fetch`, read at each attempt */
  readonly fetch?: Fetch | undefined;
}

/** The options with their defaults. */
export interface ProxySettings extends Pick<ProxyOptions, 'keepAliveAfterMs' | 'clientTimeoutMs' | 'fetch'> {
  /** The origin and a path, without a slash at its end. */
  readonly target: string;
  readonly host: string;
  readonly port: number;
  readonly retry: RetryConfig;
  readonly maxBodyBytes: number;
  readonly maxBufferedBytes: number;
  readonly maxCalls: number;
  readonly onEvent: RetryConfig['onEvent'];
}

const MIB = 1024 * 1024;

/** @throws TypeError that names the option and the fix */
export function readOptions(options: ProxyOptions): ProxySettings {
  const example = "an object such as { target: 'https://api.example.com' }";
  const given = checkOptions('', expectObject('options', options, example), CHECKS);
  const { maxBodyBytes = 64 * MIB, keepAliveAfterMs, clientTimeoutMs } = given;
  const { maxBufferedBytes = Math.max(256 * MIB, maxBodyBytes) } = given;
  if (keepAliveAfterMs !== undefined && clientTimeoutMs !== undefined && keepAliveAfterMs >= clientTimeoutMs) {
    throw new TypeError(
      'Expected `keepAliveAfterMs` to be shorter than `clientTimeoutMs`, after which the client closes its connection.',
    );
  }
  const watched = { idleTimeoutMs: 180_000, outputTimeoutMs: 300_000 };
  const { exhausted = 'mark-permanent', answers, ...others } = given.retry ?? {};
  if (exhausted === 'throw')
    throw new TypeError("Expected `retry.exhausted` to be 'return', 'mark' or 'mark-permanent'.");
  const retry: RetryConfig = { ...others, exhausted, answers: answers === false ? false : { ...watched, ...answers } };
  // Reports an invalid option now instead of at the first request.
  createRetryFetch(retry);
  return {
    target: readTarget(given.target),
    host: given.host ?? '127.0.0.1',
    port: given.port ?? 0,
    retry,
    maxBodyBytes,
    maxBufferedBytes: expectNumber('maxBufferedBytes', maxBufferedBytes, { min: maxBodyBytes, integer: true }),
    maxCalls: given.maxCalls ?? 1_024,
    keepAliveAfterMs,
    clientTimeoutMs,
    onEvent: given.onEvent ?? retry.onEvent,
    fetch: given.fetch,
  };
}

const bytes = number({ integer: true });
const duration = is(
  'a number of milliseconds above 0',
  (value) => typeof value === 'number' && Number.isFinite(value) && value > 0,
);

const CHECKS: { readonly [K in keyof ProxyOptions]-?: Check } = {
  // `readTarget` does not repeat a URL that may hold a password.
  target: () => {},
  // Node would listen on all addresses for an empty one.
  host: is('an address such as 127.0.0.1', (value) => isText(value) && value !== ''),
  port: number({ integer: true, max: 65_535 }),
  retry: (name, value) => expectObject(name, value, 'an object such as { maxRetries: 3 }'),
  maxBodyBytes: bytes,
  maxBufferedBytes: bytes,
  maxCalls: number({ integer: true, min: 1 }),
  keepAliveAfterMs: duration,
  clientTimeoutMs: duration,
  onEvent: expectFunction,
  fetch: expectFunction,
};

function readTarget(value: string | URL): string {
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
  return url.origin + url.pathname.replace(/\/+$/, '');
}
