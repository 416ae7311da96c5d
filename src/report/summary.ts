/** Summarises a call in one line: how it ended, its failures, its waits and its fallback. */

import { type AttemptRecord, formatDelay, type RetryEvent } from '../index.ts';
import { plainText } from './plain-text.ts';

/** The event that ends a call. */
export type FinalEvent = Extract<RetryEvent, { readonly type: 'recovered' | 'failed' | 'cancelled' }>;

/**
 * `succeeded after 4 attempts (2 × overloaded, 1 × rate_limit, waited 21.5s, fell back to claude-haiku)`, or `failed
 * after …`, `cancelled after …`. Takes the result of `retryHistory`, or the last event of a call. The wait is the
 * scheduled one, but never longer than the call.
 */
export function summary(source: readonly AttemptRecord[] | FinalEvent): string {
  if (!('type' in source)) {
    const last = source.at(-1);
    return last === undefined
      ? 'no attempts'
      : sentence(last.failure === null ? 'succeeded' : 'failed', source.length, source);
  }
  const outcome = source.type === 'recovered' ? 'succeeded' : source.type;
  return sentence(outcome, source.attempts, source.history, source.elapsedMs);
}

function sentence(
  outcome: string,
  attempts: number,
  history: readonly AttemptRecord[],
  elapsedMs = Number.POSITIVE_INFINITY,
): string {
  const scheduledMs = history.reduce((sum, { delayMs }) => sum + (delayMs ?? 0), 0);
  const waitedMs = Math.min(scheduledMs, elapsedMs);
  const details = [
    ...failureCounts(history),
    ...(waitedMs > 0 ? [`waited ${formatDelay(waitedMs)}`] : []),
    ...fallbacks(history),
  ];
  const noun = attempts === 1 ? 'attempt' : 'attempts';
  return `${outcome} after ${attempts} ${noun}${details.length === 0 ? '' : ` (${details.join(', ')})`}`;
}

/** The most frequent first, then in order of appearance. */
function failureCounts(history: readonly AttemptRecord[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { failure } of history)
    if (failure !== null) counts.set(failure.type, (counts.get(failure.type) ?? 0) + 1);
  return [...counts].toSorted(([, one], [, other]) => other - one).map(([type, count]) => `${count} × ${type}`);
}

function fallbacks(history: readonly AttemptRecord[]): readonly string[] {
  const targets = new Set(history.flatMap(({ target }) => (target === undefined ? [] : [plainText(target)])));
  const first = history[0]?.target;
  if (first !== undefined) targets.delete(plainText(first));
  return targets.size === 0 ? [] : [`fell back to ${[...targets].join(', then ')}`];
}
