/** Replays recordings without MSW: as a fetch, as the global fetch of a test, and as a route of Playwright. */

import { type Replayed, scriptOf, type Steps } from './steps.ts';

type FetchFunction = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** A fetch that answers from recordings and remembers its requests. */
export interface ReplayFetch extends Replayed {
  (input: string | URL | Request, init?: RequestInit): Promise<Response>;
}

/**
 * Creates a fetch that answers each request with the next step; the last step repeats.
 *
 * ```ts
 * const fetch = createRetryFetch({ fetch: replayFetch('openai-429-tpm-6ms', completions.openai('Hello')) });
 * ```
 *
 * @throws {RangeError} if no recording has the name of a step
 * @throws {TypeError} if there is no step, or a pace is invalid
 */
export function replayFetch(...steps: Steps): ReplayFetch {
  const { answer, requests, rewind } = scriptOf(steps);
  const fetch: FetchFunction = async (input, init) => {
    const request = new Request(input, init);
    const { signal } = request;
    signal.throwIfAborted();
    const call = { input, request };
    calls.add(call);
    const forget = (): void => void calls.delete(call);
    try {
      const response = await untilAborted(answer(request), signal);
      if (response.type === 'error') throw new TypeError('fetch failed', { cause: new Error('a step of the replay') });
      const { body } = response;
      if (body === null) {
        forget();
        return response;
      }
      const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
      void body.pipeTo(writable, { signal }).then(forget, forget);
      return new Response(readable, response);
    } catch (error) {
      forget();
      throw error;
    }
  };
  return Object.assign(fetch, { requests, rewind });
}

/**
 * The calls that are being answered. The signal of a `Request` that is garbage-collected no longer follows that of its
 * caller.
 */
const calls = new Set<{ readonly input: string | URL | Request; readonly request: Request }>();

/** The hooks of a test runner: those of vitest, `@jest/globals` and `node:test` fit. */
export interface TestHooks {
  readonly beforeEach: (hook: () => void) => unknown;
  readonly afterEach: (hook: () => void) => unknown;
}

/**
 * Replaces `globalThis.fetch` during each test of the file or `describe` block, for requests to `url`; every test
 * starts at the first step. Other requests go to the fetch that was there before, so several calls of `stubFetch` work
 * together.
 *
 * ```ts
 * import { afterEach, beforeEach } from 'vitest'; // or from '@jest/globals'
 *
 * const messages = stubFetch({ beforeEach, afterEach }, 'https://api.anthropic.com/v1/messages', 'nginx-502-html');
 * ```
 *
 * @param url a whole URL, whose query is ignored, or a pattern
 * @throws {RangeError} if no recording has the name of a step
 * @throws {TypeError} if there is no step, or a pace is invalid
 */
export function stubFetch({ beforeEach, afterEach }: TestHooks, url: string | RegExp, ...steps: Steps): Replayed {
  const replayed = replayFetch(...steps);
  let before: FetchFunction | undefined;
  beforeEach(() => {
    const original = globalThis.fetch;
    before = original;
    replayed.rewind();
    globalThis.fetch = (input, init) => {
      const address = typeof input === 'object' && 'url' in input ? input.url : String(input);
      return matches(url, address) ? replayed(input, init) : original(input, init);
    };
  });
  afterEach(() => {
    if (before !== undefined) globalThis.fetch = before;
  });
  return replayed;
}

/** The members of Playwright's `Route` that are needed here. */
export interface PlaywrightRoute {
  request(): {
    method(): string;
    url(): string;
    headers(): Readonly<Record<string, string>>;
    postData(): string | null;
  };
  fulfill(response: { status: number; headers: Record<string, string>; body: string }): Promise<void>;
  abort(errorCode?: string): Promise<void>;
}

/** A handler for `page.route()` that remembers its requests. */
export interface ReplayRoute extends Replayed {
  (route: PlaywrightRoute): Promise<void>;
}

/**
 * Creates a handler for Playwright's `page.route()`. Playwright sends a body in one piece, after all delays of its
 * pieces; a body that breaks off aborts the request.
 *
 * ```ts
 * await page.route('https://api.anthropic.com/v1/messages', replayRoute('anthropic-429-overloaded-bare', answer));
 * ```
 *
 * @throws {RangeError} if no recording has the name of a step
 * @throws {TypeError} if there is no step, or a pace is invalid; at a request, if the body of its step is not text
 */
export function replayRoute(...steps: Steps): ReplayRoute {
  const { answer, requests, rewind } = scriptOf(steps);
  const handle = async (route: PlaywrightRoute): Promise<void> => {
    const asked = route.request();
    const [method, body] = [asked.method(), asked.postData()];
    const headers = Object.entries(asked.headers()).filter(([name]) => !name.startsWith(':'));
    const response = await answer(new Request(asked.url(), { method, headers, body }));
    if (response.type === 'error') return route.abort('connectionfailed');
    const bytes = await response.arrayBuffer().catch(() => null);
    if (bytes === null) return route.abort('connectionreset');
    // Both describe the transfer, which Playwright does in its own way.
    for (const name of ['transfer-encoding', 'content-length']) response.headers.delete(name);
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return route.fulfill({ status: response.status, headers: Object.fromEntries(response.headers), body: text });
  };
  return Object.assign(handle, { requests, rewind });
}

const withoutQuery = (url: string): string => url.replace(/[?#].*$/, '');

function matches(url: string | RegExp, address: string): boolean {
  return typeof url === 'string' ? withoutQuery(url) === withoutQuery(address) : address.search(url) !== -1;
}

async function untilAborted(answer: Promise<Response>, signal: AbortSignal): Promise<Response> {
  const listening = new AbortController();
  const aborted = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { signal: listening.signal });
  });
  try {
    return await Promise.race([answer, aborted]);
  } finally {
    listening.abort();
  }
}
