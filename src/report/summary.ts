/** Summarises a call in one line: how it ended, its failures, its waits and its fallback. */

import { type AttemptRecord, describeEvent, type RetryEvent } from '../index.ts';

/** The event that ends a call. */
export type FinalEvent = Extract<RetryEvent, { readonly type: 'recovered' | 'failed' | 'cancelled' }>;

/**
 * The sentence of `describeEvent` for the last event of a call: `succeeded after 4 attempts in 22s (2 × overloaded, rate
 * limit, waited 21.5s, fell back to claude-haiku)`. Also takes a `history`, which does not say why a
 * failed call was given up: `failed after 4 attempts in 22s (…)`.
 */
export function summary(source: readonly AttemptRecord[] | FinalEvent): string {
  if ('type' in source) return describeEvent(source);
  const [first, last] = [source[0], source.at(-1)];
  if (first === undefined || last === undefined) return 'no attempts';
  const elapsedMs = last.startedAt + last.durationMs - first.startedAt;
  const ended = { callId: '', method: '', url: '', at: 0, attempts: source.length, elapsedMs, history: source };
  return last.failure === null
    ? describeEvent({ ...ended, type: 'recovered' })
    : describeEvent({ ...ended, type: 'cancelled' }).replace('cancelled', 'failed');
}
