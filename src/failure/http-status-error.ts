/**
 * The errors that this library creates: one for a status, and one for callers who prefer an exception to a response.
 */

import type { Failure } from './failure.ts';
import type { AttemptRecord } from './history.ts';
import type { StopReason } from './reasons.ts';

/**
 * The error that `onRetry` and `onExhausted` get for a response: `HTTP 429: {…the body…}`. Plain data: the error refers
 * to no request, response or headers, and its stack has no frames.
 */
export class HttpStatusError extends Error {
  override readonly name = 'HttpStatusError';
  /** 0 if the response has none. */
  readonly status: number;
  /** What the response says. */
  readonly failure: Failure;

  /** `body`: at most 2 KiB, with secrets masked. */
  constructor(status: number, body: string, failure: Failure) {
    // Until the stack is read, the engine keeps the objects of its frames in memory: the request and the response.
    const { stackTraceLimit } = Error;
    Reflect.set(Error, 'stackTraceLimit', 0);
    super(body === '' ? `HTTP ${status}` : `HTTP ${status}: ${body}`);
    Reflect.set(Error, 'stackTraceLimit', stackTraceLimit);
    this.status = status;
    this.failure = failure;
  }
}

/** Why a call ended, as in its last event. */
export interface GivenUp {
  /** Why no retry followed. */
  readonly because?: StopReason | undefined;
  /** When a retry would have been possible, in milliseconds since the epoch. */
  readonly possibleAt?: number | undefined;
}

/**
 * Thrown with `exhausted: 'throw'` if a retryable response was given up. The response is still readable. A printed or
 * serialised error does not contain the response, because the URL and the headers may hold secrets.
 */
export class RetryExhaustedError<R = Response> extends Error {
  override readonly name = 'RetryExhaustedError';
  /** How many were made. */
  readonly attempts: number;
  /** The attempts, from the first. */
  readonly history: readonly AttemptRecord[];
  /** Why the call ended. */
  readonly because: StopReason;
  /** When a retry would have been possible, in milliseconds since the epoch; undefined if it is unknown. */
  readonly possibleAt: number | undefined;
  readonly #response: R;

  /** `because`: @default 'retries-exhausted' */
  constructor(
    status: number,
    response: R,
    history: readonly AttemptRecord[],
    { because = 'retries-exhausted', possibleAt }: GivenUp = {},
  ) {
    const { type = 'unknown', message = '' } = history.at(-1)?.failure ?? {};
    const attempts = history.length;
    super(
      `HTTP ${status} after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}, last: ${type}` +
        `${message === '' ? '' : ` (${message})`}. The response is in \`response\`, the attempts are in \`history\`.`,
    );
    this.attempts = attempts;
    this.history = history;
    this.because = because;
    this.possibleAt = possibleAt;
    this.#response = response;
  }

  /** The last response, still readable. */
  get response(): R {
    return this.#response;
  }
}
