/**
 * Describes a failed call for a person who looks at it later: what went wrong, what the program was doing, what was
 * tried and what to do now. Plain data with a version, without secrets, small enough to keep.
 */

import { randomUUID } from 'node:crypto';
import { firstBytes } from '../runtime/first-bytes.ts';
import {
  type AttemptRecord,
  describeFailure,
  failureBody,
  type Failure,
  type RetryEvent,
  type StopReason,
} from '../index.ts';
import * as read from './stored-values.ts';
import { type Read, scrub, type StepContext } from './stored-values.ts';
import { summary } from './summary.ts';

/** What was tried, and what a person can do. */
export interface RecoveryAction {
  /** Why the call was given up. */
  readonly because: StopReason;
  /** The attempts in one line. */
  readonly tried: string;
  /** The most useful first. */
  readonly actions: readonly string[];
  /** When the server would accept the request again, if it said so. Milliseconds since the epoch. */
  readonly possibleAt?: number;
}

/** A call that failed. */
export interface ErrorReport {
  readonly version: 1;
  readonly id: string;
  /** When the call failed, in milliseconds since the epoch. */
  readonly at: number;
  readonly callId: string;
  readonly method: string;
  /** Without query, fragment and credentials. */
  readonly url: string;
  /** The failure of the last attempt. */
  readonly rootCause: Failure;
  readonly headline: string;
  readonly explanation: string;
  readonly context: StepContext;
  readonly recovery: RecoveryAction;
  readonly attempts: number;
  readonly elapsedMs: number;
  /** The newest 100 attempts. */
  readonly history: readonly AttemptRecord[];
  /** The beginning of the response body, scrubbed, at most 2 KiB of UTF-8. */
  readonly body?: string;
  /** When it was marked as resolved, in milliseconds since the epoch. */
  readonly resolvedAt?: number;
}

/** A `failed` event. Its `body`, if set, replaces the body that the library remembers for the failure. */
export type FailedEvent = Extract<RetryEvent, { readonly type: 'failed' }> & { readonly body?: string | undefined };

const MOST_ATTEMPTS = 100;
const MOST_ACTIONS = 10;
const MOST_BODY_BYTES = 2_048;
const MOST_PROSE = 4_096;
const SEND_LATER = 'Send the request again later.';
const FIND_CAUSE = 'Find the cause in the description above, then send the request again.';

/**
 * Makes a report of a `failed` event. Keys of known shapes are removed from every string, also from the context.
 *
 * @throws TypeError if it is another event
 */
export function createErrorReport(event: FailedEvent, step: StepContext = {}): ErrorReport {
  if (event.type !== 'failed') throw notFailed();
  const { failure: rootCause, because, possibleAt, body = failureBody(event.failure) } = event;
  const { headline, explanation, actions } = describeFailure(rootCause);
  const report: ErrorReport = {
    version: 1,
    id: randomUUID(),
    at: event.at,
    callId: event.callId,
    method: event.method,
    url: event.url,
    rootCause,
    headline,
    explanation,
    context: step,
    recovery: {
      because,
      tried: summary(event),
      actions: actions.length === 0 ? [rootCause.retryable ? SEND_LATER : FIND_CAUSE] : actions.slice(0, MOST_ACTIONS),
      ...(possibleAt !== undefined && { possibleAt }),
    },
    attempts: event.attempts,
    elapsedMs: event.elapsedMs,
    history: event.history.slice(-MOST_ATTEMPTS),
    ...(body !== undefined && { body }),
  };
  const stored = storedReport(report, scrub);
  if (stored === undefined) throw notFailed();
  return stored;
}

const notFailed = (): TypeError => new TypeError('Expected a `failed` event as `onEvent` gets it.');

export const storedReport: Read<ErrorReport> = read.object<ErrorReport>(
  {
    version: read.oneOf(1),
    id: read.text(64),
    at: read.instant,
    callId: read.text(),
    method: read.text(32),
    url: read.url,
    rootCause: read.failure,
    headline: read.text(MOST_PROSE),
    explanation: read.text(MOST_PROSE),
    context: read.context,
    recovery: read.object<RecoveryAction>(
      {
        because: read.stopReason,
        tried: read.text(MOST_PROSE),
        actions: read.list(read.text(512), MOST_ACTIONS),
      },
      { possibleAt: read.instant },
    ),
    attempts: read.count,
    elapsedMs: read.amount,
    history: read.list(read.attempt, MOST_ATTEMPTS),
  },
  {
    body: (value, rule) => {
      const body = read.text(MOST_BODY_BYTES)(value, rule);
      return body && firstBytes(body, MOST_BODY_BYTES);
    },
    resolvedAt: read.instant,
  },
);
