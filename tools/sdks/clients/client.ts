/**
 * What the measurements need to know of an SDK: how to ask it for an answer, whole or streamed, with its own retries on or
 * off, and how to read the error that it throws. One file per SDK, with the code that its users would write.
 */

import type { Fetch } from '../../../src/index.ts';
import type { Api } from '../apis.ts';

/** How one call is made. */
export interface Question {
  /** Where the API is played, without a slash at the end. */
  readonly baseUrl: string;
  /** undefined: the SDK finds its own. */
  readonly fetch: Fetch | undefined;
  /** `on`: as many as the SDK makes by default. */
  readonly ownRetries: 'on' | 'off';
  readonly signal?: AbortSignal | undefined;
}

/** What the error of an SDK says of the failed request. */
export interface SdkError {
  readonly status: number | undefined;
  /** The error's message and what it holds of the body. */
  readonly text: string;
}

export interface Client {
  readonly name: string;
  /** The package that makes the calls. */
  readonly package: string;
  readonly api: Api;
  /** The text of an answer. */
  ask(question: Question): Promise<string>;
  /** The text of a streamed answer. Rejects when the stream breaks or says that it failed. */
  stream(question: Question): Promise<string>;
  /** Reads an error of the SDK's own type for failed requests; undefined for any other. */
  readError(error: unknown): SdkError | undefined;
  /** Is it what the SDK throws for a call that its user aborted? */
  isAbort(error: unknown): boolean;
}

/** The prompt of every call. */
export const PROMPT = 'Say hello.';

/** The API keys of the loopback server. */
export const API_KEY = 'sk-loopback';

/** The parts of a stream as one text. */
export async function joined<T>(
  parts: AsyncIterable<T>,
  textOf: (part: T) => string | null | undefined,
): Promise<string> {
  let text = '';
  for await (const part of parts) text += textOf(part) ?? '';
  return text;
}
