/** How the call ended behind a response or an error, also if an SDK has wrapped it. */

import { get } from '../runtime/values.ts';
import type { AnswerBroken, CallOutcome } from './events.ts';

/** The end of a call. */
export interface Ended {
  /** The same object for all ends of one call: a stream may break after the call has recovered. */
  readonly call: object;
  /** Makes the event, which most calls are never asked for. */
  readonly event: () => CallOutcome | AnswerBroken;
}

/** null: several calls ended in this object, so it says nothing about one of them. */
const ends = /* @__PURE__ */ new WeakMap<object, Ended | null>();

/** Whether a value has been stored that a later call may return as a first success. */
let hasSuccesses = false;

/** Stores the end of a call by what the caller gets, and by what SDKs keep of that on their errors. */
export function rememberEnd(result: unknown, ended: Ended): void {
  remember(result, ended);
  for (const name of KEPT) remember(get(result, name), ended);
}

function remember(key: unknown, ended: Ended): void {
  if (!isKey(key)) return;
  const known = ends.get(key);
  ends.set(key, known === undefined || known?.call === ended.call ? ended : null);
}

/** The same for a success after retries. */
export function rememberRecovery(value: unknown, ended: Ended): void {
  hasSuccesses = true;
  rememberEnd(value, ended);
}

/** A first attempt has succeeded with a value, which is then no more the end of an earlier call. */
export function forgetEnd(value: unknown): void {
  if (hasSuccesses && isKey(value) && ends.has(value)) ends.set(value, null);
}

/** `error` belongs to the end that `result` has, such as the error of the body of a response. */
export function rememberEndOf(result: unknown, error: unknown): void {
  const ended = endOf(result);
  if (ended) rememberEnd(error, ended);
}

/** Whether the call that returned this very object was given up. */
export function hasFailed(result: unknown): boolean {
  return endOf(result)?.event().type === 'failed';
}

const endOf = (key: unknown): Ended | null | undefined => (isKey(key) ? ends.get(key) : undefined);

/**
 * How the call ended that returned this response or threw this error, also if an SDK has wrapped it: along `cause` and
 * `error`, and by the identity of `error.headers`. `broken` for the error of a stream that broke after it was handed
 * over. undefined for what is not ours, for a first attempt that succeeded, for the value of an operation, for an object
 * that several calls share, and where an SDK keeps neither cause nor headers: the aborts of openai and Anthropic, and
 * statuses of ai and Google's SDK, where `exhausted: 'throw'` comes through.
 */
export function outcomeOf(result: unknown): CallOutcome | AnswerBroken | undefined {
  const seen = new Set<unknown>();
  const open: unknown[] = [result];
  // A chain of causes may be a circle, and a getter may return a new object each time.
  for (let at = open.shift(); open.length < MOST_LINKS && seen.size < MOST_LINKS; at = open.shift()) {
    if (isKey(at) && !seen.has(at)) {
      seen.add(at);
      const ended = endOf(at) ?? endOf(get(at, 'headers'));
      if (ended) return ended.event();
      for (const name of LINKS) open.push(get(at, name));
    }
    if (open.length === 0) return undefined;
  }
  return undefined;
}

/** Some SDKs keep only the cause of what was thrown, or the headers of a response. */
const KEPT = ['headers', 'cause', 'response'];
const LINKS = ['cause', 'error', 'lastError', 'response'];
const MOST_LINKS = 1_000;

const isKey = (value: unknown): value is object =>
  (typeof value === 'object' && value !== null) || typeof value === 'function';
