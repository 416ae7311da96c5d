/**
 * Describes an SDK for the measurements: how to ask it for an answer, whole or streamed, with its own retries on or
 * off, and how to read the error that it throws. One file per SDK, with the code that its users would write.
 */

import type { Fetch } from '../../../src/index.ts';
import type { Api } from '../../../bench/apis.ts';

/** How one call is made. */
export interface Question {
  /** The address of the played API, without a slash at the end. */
  readonly baseUrl: string;
  /** undefined: the SDK finds its own. */
  readonly fetch: Fetch | undefined;
  /** `on`: the SDK's default. */
  readonly ownRetries: 'on' | 'off';
  readonly signal?: AbortSignal | undefined;
  /** A time limit of the SDK. @default the SDK's own, or none for ky */
  readonly timeoutMs?: number;
}

/** The contents of an SDK's error. */
export interface SdkError {
  readonly status: number | undefined;
  /** The error's message and the parts of the body that it has. */
  readonly text: string;
}

export interface Client {
  readonly name: string;
  /** The package that makes the calls. */
  readonly package: string;
  readonly api: Api;
  /** The text of an answer. */
  ask(question: Question): Promise<string>;
  /** The text of a streamed answer. Rejects if the stream breaks or reports a failure. */
  stream(question: Question): Promise<string>;
  /** Reads an error of the SDK's own type for failed requests; undefined for any other. */
  readError(error: unknown): SdkError | undefined;
  /** Whether it is the error of a call that its user aborted. */
  isAbort(error: unknown): boolean;
}

/** The prompt of every call. */
export const PROMPT = 'Say hello.';

/** The text of every answer. */
export const REPLY = 'Hello, world.';

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
