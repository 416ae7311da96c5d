/**
 * Describes a library for the matrix: how a small program makes a request with it, and how to turn its own retries off.
 */

import type { Fetch, RetryConfig } from '../../../src/index.ts';
import type { Api } from '../protocols.ts';

export interface Question {
  /** The origin of the API, or of the proxy. */
  readonly baseUrl: string;
  /** undefined: the library's own. */
  readonly fetch: Fetch | undefined;
  /** `on`: the library's default. */
  readonly ownRetries: 'on' | 'off';
}

export interface Library {
  /** The package and the function that is called. */
  readonly name: string;
  readonly api: Api;
  readonly isStreamed: boolean;
  /** The options that the pages recommend for `createRetryFetch`. null if the library takes no fetch. */
  readonly retry: RetryConfig | null;
  /** The text of the answer. Rejects with the library's own error. */
  run(question: Question): Promise<string>;
}

export const PROMPT = 'Say hello.';
export const API_KEY = 'sk-loopback';

/** `{ fetch }`, or nothing for the library's own. */
export function fetchOf({ fetch }: Question): { fetch?: Fetch } {
  return fetch === undefined ? {} : { fetch };
}

/** `{ maxRetries: 0 }`, or nothing for the library's default. */
export function maxRetriesOf({ ownRetries }: Question): { maxRetries?: 0 } {
  return ownRetries === 'off' ? { maxRetries: 0 } : {};
}

/** The parts of a stream as one text. */
export async function joined<T>(
  parts: AsyncIterable<T>,
  textOf: (part: T) => string | null | undefined,
): Promise<string> {
  let text = '';
  for await (const part of parts) text += textOf(part) ?? '';
  return text;
}
