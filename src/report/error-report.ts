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
import {
  amountOf,
  attemptOf,
  contextOf,
  countOf,
  failureOf,
  fieldsOf,
  instantOf,
  listOf,
  scrub,
  type StepContext,
  stopReasonOf,
  textOf,
  type TextRule,
  urlOf,
} from './stored-values.ts';
import { jsonLine } from './json-line.ts';
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
  readonly requestId: string;
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
/** Leaves room in a line of the file for the rest of the report. */
const MOST_HISTORY_BYTES = 131_072;

/**
 * Makes a report of a `failed` event. Keys of known shapes are removed from every string, also from the context.
 *
 * @throws TypeError if it is another event
 */
export function createErrorReport(event: FailedEvent, context: StepContext = {}): ErrorReport {
  if (event.type !== 'failed') throw notFailed();
  const { failure, because, possibleAt, body = failureBody(event.failure) } = event;
  const { headline, explanation, actions } = describeFailure(failure);
  const report: ErrorReport = {
    version: 1,
    id: randomUUID(),
    at: event.at,
    requestId: event.requestId,
    method: event.method,
    url: event.url,
    rootCause: failure,
    headline,
    explanation,
    context,
    recovery: {
      because,
      tried: summary(event),
      actions: actions.length === 0 ? [failure.retryable ? SEND_LATER : FIND_CAUSE] : actions.slice(0, MOST_ACTIONS),
      ...(possibleAt !== undefined && { possibleAt }),
    },
    attempts: event.attempts,
    elapsedMs: event.elapsedMs,
    history: event.history.slice(-MOST_ATTEMPTS),
    ...(body !== undefined && { body }),
  };
  const stored = copyReport(report, scrub);
  if (stored === undefined) throw notFailed();
  return Object.freeze({ ...stored, history: fitting(stored.history) });
}

const notFailed = (): TypeError => new TypeError('Expected a `failed` event as `onEvent` gets it.');

/** A frozen copy of a report; undefined for any other value. */
export function copyReport(value: unknown, rule: TextRule): ErrorReport | undefined {
  const fields = fieldsOf(value);
  if (fields === undefined || fields.version !== 1) return undefined;
  const id = textOf(fields.id, rule, 64);
  const at = instantOf(fields.at);
  const requestId = textOf(fields.requestId, rule);
  const method = textOf(fields.method, rule, 32);
  const url = urlOf(fields.url, rule);
  const rootCause = failureOf(fields.rootCause, rule);
  const headline = textOf(fields.headline, rule, MOST_PROSE);
  const explanation = textOf(fields.explanation, rule, MOST_PROSE);
  const context = contextOf(fields.context, rule);
  const recovery = recoveryOf(fields.recovery, rule);
  const attempts = countOf(fields.attempts);
  const elapsedMs = amountOf(fields.elapsedMs);
  const history = listOf(fields.history, MOST_ATTEMPTS, (item) => attemptOf(item, rule));
  const body = textOf(fields.body, rule, MOST_BODY_BYTES);
  const resolvedAt = instantOf(fields.resolvedAt);
  if (id === undefined || at === undefined || requestId === undefined || method === undefined || url === undefined)
    return undefined;
  if (rootCause === undefined || headline === undefined || explanation === undefined || context === undefined)
    return undefined;
  if (recovery === undefined || attempts === undefined || elapsedMs === undefined || history === undefined)
    return undefined;
  return Object.freeze({
    version: 1,
    id,
    at,
    requestId,
    method,
    url,
    rootCause,
    headline,
    explanation,
    context,
    recovery,
    attempts,
    elapsedMs,
    history,
    ...(body !== undefined && { body: firstBytes(body, MOST_BODY_BYTES) }),
    ...(resolvedAt !== undefined && { resolvedAt }),
  });
}

function recoveryOf(value: unknown, rule: TextRule): RecoveryAction | undefined {
  const fields = fieldsOf(value);
  const because = stopReasonOf(fields?.because);
  const tried = textOf(fields?.tried, rule, MOST_PROSE);
  const actions = listOf(fields?.actions, MOST_ACTIONS, (item) => textOf(item, rule, 512));
  const possibleAt = instantOf(fields?.possibleAt);
  if (because === undefined || tried === undefined || actions === undefined) return undefined;
  return Object.freeze({ because, tried, actions, ...(possibleAt !== undefined && { possibleAt }) });
}

/** Drops the older half until the rest fits into a line of the file. */
function fitting(history: readonly AttemptRecord[]): readonly AttemptRecord[] {
  if (history.length < 2 || Buffer.byteLength(jsonLine(history)) <= MOST_HISTORY_BYTES) return history;
  return fitting(Object.freeze(history.slice(Math.ceil(history.length / 2))));
}
