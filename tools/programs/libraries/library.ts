/** What the matrix needs to know of a library: how a small program asks through it, and how its own retries are turned off. */

import type { Fetch, RetryConfig } from '../../../src/index.ts';
import type { Api } from '../protocols.ts';

export interface Question {
  /** The origin of the API, or of the proxy. */
  readonly baseUrl: string;
  /** Undefined: the library's own. */
  readonly fetch: Fetch | undefined;
  /** `on`: as the library is by default. */
  readonly ownRetries: 'on' | 'off';
}

export interface Library {
  /** The package, and what of it is called. */
  readonly name: string;
  readonly api: Api;
  readonly isStreamed: boolean;
  /** What the pages recommend to pass to `createRetryFetch`. Null where the library takes no fetch. */
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
