/** A retrying fetch over a script and a fake clock, without jitter, for the tests of a call. */

import { createRetryFetch, type RetryConfig, type RetryFetch } from '../src/index.ts';
import { fakeRuntime, respond, script, type ScriptedFetch, type Step, URL_OF_TEST } from './script.ts';

interface Scripted {
  readonly inner: ScriptedFetch;
  readonly retrying: RetryFetch;
  readonly call: (init?: RequestInit) => Promise<Response>;
  readonly slept: readonly number[];
}

export function scripted(config: RetryConfig, ...steps: readonly [Step, ...Step[]]): Scripted {
  const runtime = fakeRuntime();
  const inner = script(runtime, ...steps);
  const retrying = createRetryFetch({ fetch: inner, jitter: 'none', runtime, ...config });
  return { inner, retrying, call: (init) => retrying(URL_OF_TEST, init), slept: runtime.slept };
}

/** A connection that was reset, as fetch throws it. */
export const reset = (): Error =>
  Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) });

/** As fetch gives a response: with a url, and headers that cannot be changed. */
export function fetched(status: number, body: BodyInit | null, headers: Record<string, string> = {}): Response {
  const response = respond(status, headers, body);
  const refuse = (): never => {
    throw new TypeError('immutable');
  };
  Object.defineProperty(response, 'url', { value: URL_OF_TEST });
  Object.defineProperty(response.headers, 'set', { value: refuse });
  return response;
}
