/** One sentence for each event of a call. Whatever shows a wait shows this sentence. */

import { failureLabel, oneLine } from '../failure/failure-label.ts';
import { formatDelay } from '../failure/format-delay.ts';
import type { AttemptRecord } from '../failure/history.ts';
import { STOP_REASONS, type StopReason, WAIT_REASONS } from '../failure/reasons.ts';
import { expectObject, mismatch } from '../runtime/expect.ts';
import type { RetryEvent } from './events.ts';
import type { PendingRetry } from './retry-state.ts';

type EventOf<T extends RetryEvent['type']> = Extract<RetryEvent, { readonly type: T }>;

const MOST_CHARACTERS = 500;
const MOST_OF_A_NAME = 80;

/**
 * One line for a log, a terminal or a page, in English: `overloaded (HTTP 529): retry 1 of 3 in 5s`, `rate limit (HTTP
 * 429): retry 2 in 20s, as the server asked`, `succeeded after 3 attempts in 26s (overloaded, rate limit, waited 25s)`.
 * At most 500 characters, without control characters. Pure.
 *
 * @throws TypeError for anything that is not an event
 */
export function describeEvent(event: RetryEvent): string {
  expectObject('event', event, 'an event, such as the argument of `onEvent`');
  return oneLine(sentenceFor(event), MOST_CHARACTERS);
}

function sentenceFor(event: RetryEvent): string {
  switch (event.type) {
    case 'retry':
      return describeWait(event);
    case 'delayed':
      return describeWait({ ...event, retry: event.attempt - 1, maxRetries: null, failure: undefined });
    case 'attempt':
      return `${attemptName(event.attempt - 1)} is sent${event.target === undefined ? '' : ` to ${nameOf(event.target)}`}`;
    case 'fallback':
      return `${failureLabel(event.failure)}: falls back from ${nameOf(event.from)} to ${nameOf(event.to)}`;
    case 'recovered':
      return describeAttempts('succeeded', event);
    case 'failed': {
      const { failure, because, attempts, possibleAt = 0, at } = event;
      // The only failure is named before.
      const made = describeAttempts('failed', event, attempts > 1 ? undefined : []);
      const possible = possibleAt > at ? `, possible again in ${formatDelay(possibleAt - at)}` : '';
      return `${failureLabel(failure)}: ${made}, ${stopReason(because)}${possible}`;
    }
    case 'cancelled':
      return describeAttempts('cancelled', event);
    case 'broken':
      return `${failureLabel(event.failure)}: the stream ${BREAKS[event.because]} ${formatDelay(event.afterMs)} after it was handed over`;
    default:
      throw new TypeError(mismatch('event.type', 'the type of an event', (event satisfies never as RetryEvent).type));
  }
}

const BREAKS = {
  stalled: 'went silent',
  truncated: 'ended too early',
  cut: 'was cut',
  'error-event': 'ended with an error',
} as const;

/** `overloaded (HTTP 529): retry 1 of 3 in 5s`; without a failure `retry 1 in 5s, to keep to the limit`. */
export function describeWait({
  retry,
  maxRetries,
  delayMs,
  because,
  failure,
}: Pick<PendingRetry, 'retry' | 'maxRetries' | 'delayMs' | 'because' | 'failure'>): string {
  const cause = failure === undefined ? '' : `${failureLabel(failure)}: `;
  const limit = maxRetries === null || maxRetries === Infinity ? '' : ` of ${maxRetries}`;
  const when = delayMs > 0 ? `in ${formatDelay(delayMs)}` : 'now';
  const reason = WAIT_REASONS[because];
  return `${cause}${attemptName(retry)}${limit} ${when}${reason === '' ? '' : `, ${reason}`}`;
}

/** The n-th retry follows the n-th failed attempt. */
function attemptName(retry: number): string {
  return retry < 1 ? 'first attempt' : `retry ${retry}`;
}

/** Why a call was given up, for the middle of a sentence. */
function stopReason(because: StopReason): string {
  const sentence = STOP_REASONS[because];
  return sentence.charAt(0).toLowerCase() + sentence.slice(1, -1);
}

/**
 * `succeeded after 4 attempts in 22s (2 × overloaded, rate limit, waited 21.5s, fell back to claude-haiku)`. The wait is
 * the scheduled one, but never longer than the call.
 */
function describeAttempts(
  outcome: string,
  { attempts, elapsedMs, history }: EventOf<'recovered' | 'failed' | 'cancelled'>,
  failures: readonly string[] = failureCounts(history),
): string {
  const scheduledMs = history.reduce((sum, { delayMs }) => sum + (delayMs ?? 0), 0);
  const waitedMs = Math.min(scheduledMs, elapsedMs);
  const details = [...failures, ...(waitedMs > 0 ? [`waited ${formatDelay(waitedMs)}`] : []), ...fallbacks(history)];
  const count = `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}`;
  const list = details.length === 0 ? '' : ` (${details.join(', ')})`;
  return `${outcome} after ${count} in ${formatDelay(elapsedMs)}${list}`;
}

/** In order of appearance: `2 × overloaded`, `rate limit`. */
function failureCounts(history: readonly AttemptRecord[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { failure } of history) {
    if (failure === null) continue;
    const words = failure.type.replaceAll('_', ' ');
    counts.set(words, (counts.get(words) ?? 0) + 1);
  }
  return [...counts].map(([words, count]) => (count === 1 ? words : `${count} × ${words}`));
}

function fallbacks(history: readonly AttemptRecord[]): readonly string[] {
  const targets = new Set(history.flatMap(({ target }) => target ?? []));
  const first = history[0]?.target;
  if (first !== undefined) targets.delete(first);
  return targets.size === 0 ? [] : [`fell back to ${[...targets].map(nameOf).join(', then ')}`];
}

const nameOf = (target: string): string => oneLine(target, MOST_OF_A_NAME);
