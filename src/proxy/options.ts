/** The options of a proxy: what can be said, what holds when nothing is said, and what cannot be. */

import { createRetryFetch, type Fetch, type RetryConfig, type RetryEvent } from '../index.ts';

export interface ProxyOptions {
  /** Where everything goes: an origin, such as `https://api.example.com`, or a path on one to be put before each path. */
  readonly target: string | URL;
  /** Whom to listen to. @default '127.0.0.1' */
  readonly host?: string | undefined;
  /** 0: a free one. @default 0 */
  readonly port?: number | undefined;
  /** How to retry; `markFinalResponse` is on unless it says otherwise, `throwOnExhausted` means nothing here. */
  readonly retry?: RetryConfig | undefined;
  /** The longest request body; it is kept in memory, so that it can be sent again. @default 67108864 */
  readonly maxBodyBytes?: number | undefined;
  /** Where the proxy itself answers a GET; this one path of the target is hidden. @default '/healthz' */
  readonly healthPath?: string | undefined;
  /** Hears the events of every call, which carry no secret. @default the one in `retry` */
  readonly onEvent?: ((event: RetryEvent) => void) | undefined;
  /** @default `globalThis.fetch`, looked up at each attempt */
  readonly fetch?: Fetch | undefined;
}

/** The options with everything decided. */
export interface ProxySettings {
  readonly target: Target;
  readonly host: string;
  readonly port: number;
  readonly retry: RetryConfig;
  readonly maxBodyBytes: number;
  readonly healthPath: string;
  readonly onEvent: ((event: RetryEvent) => void) | undefined;
  readonly fetch: Fetch | undefined;
}

export interface Target {
  readonly origin: string;
  /** Put before each path; empty, or it begins with a slash and does not end with one. */
  readonly basePath: string;
}

const DEFAULT_MAX_BODY_BYTES: number = 64 * 1024 * 1024;

/** @throws TypeError that names the option and the fix */
export function readOptions(options: ProxyOptions): ProxySettings {
  const { host = '127.0.0.1', port = 0, maxBodyBytes = DEFAULT_MAX_BODY_BYTES, healthPath = '/healthz' } = options;
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw new TypeError(`Expected \`port\` to be an integer from 0 to 65535, got ${port}.`);
  }
  if (!Number.isSafeInteger(maxBodyBytes) || maxBodyBytes < 0) {
    throw new TypeError(`Expected \`maxBodyBytes\` to be an integer ≥ 0, got ${maxBodyBytes}.`);
  }
  if (!/^\/[^?#\s]*$/.test(healthPath)) {
    throw new TypeError(`Expected \`healthPath\` to be a path such as /healthz, got ${JSON.stringify(healthPath)}.`);
  }
  const retry: RetryConfig = {
    ...options.retry,
    // Whoever is behind the proxy may retry as well, and cannot know that it has been done.
    markFinalResponse: options.retry?.markFinalResponse ?? true,
    throwOnExhausted: false,
  };
  // Refuses what cannot be, before the first request needs it.
  createRetryFetch(undefined, retry);
  const { onEvent = retry.onEvent, fetch } = options;
  return { target: readTarget(options.target), host, port, retry, maxBodyBytes, healthPath, onEvent, fetch };
}

function readTarget(value: string | URL): Target {
  const example = 'such as https://api.example.com';
  const text = String(value);
  if (!URL.canParse(text)) throw new TypeError(`Expected \`target\` to be a whole URL, ${example}.`);
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new TypeError(`Expected \`target\` to begin with http:// or https://, ${example}.`);
  }
  // Not repeated in the message: it may hold the password.
  if (url.username !== '' || url.password !== '') {
    throw new TypeError('Expected `target` without a user and password; the client sends them, as a header.');
  }
  if (url.search !== '' || url.hash !== '') {
    throw new TypeError(`Expected \`target\` without a query and fragment, ${example}.`);
  }
  return { origin: url.origin, basePath: url.pathname.replace(/\/+$/, '') };
}
