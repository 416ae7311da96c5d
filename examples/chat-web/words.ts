/** What the page says, to the eye and to a screen reader: waits, counts, and what became of a call. */

import { type AttemptRecord, describeFailure, formatDelay, type StopReason } from 'retry-transport';
import type { RetryState } from '../retry-store.ts';

/** `1 attempt`, `3 attempts`. */
export function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}

/** Whole seconds that are left, never fewer: `5s`, `1m 30s`. */
export function secondsLeft(untilMs: number, nowMs: number): string {
  return formatDelay(Math.ceil(Math.max(0, untilMs - nowMs) / 1_000) * 1_000);
}

/** A wait as it is read out: `5 seconds`, `1 minute 30 seconds`. */
export function spokenDelay(ms: number): string {
  const seconds = Math.ceil(ms / 1_000);
  const parts = [
    [Math.floor(seconds / 3_600), 'hour'],
    [Math.floor(seconds / 60) % 60, 'minute'],
    [seconds % 60, 'second'],
  ] as const;
  const words = parts.filter(([count]) => count > 0).map(([count, unit]) => counted(count, unit));
  return words.join(' ') || 'no time';
}

/** What a screen reader is told of a state, once; the seconds of a countdown are not states. */
export function announcementOf(state: RetryState): string {
  switch (state.status) {
    case 'idle':
      return '';
    case 'waiting': {
      const { failure, delayMs, attempt, maxRetries } = state;
      const { headline } = describeFailure(failure);
      const way = attempt === 1 ? ' Escape cancels.' : '';
      return `${headline}. Retrying in ${spokenDelay(delayMs)}, attempt ${attempt} of ${maxRetries}.${way}`;
    }
    case 'asking':
      return 'Trying again now.';
    case 'ended':
      break;
  }
  if (state.type === 'recovered') return 'The answer is arriving.';
  if (state.type === 'cancelled') return `Cancelled after ${counted(state.attempts, 'attempt')}.`;
  const { headline, actions } = describeFailure(state.failure);
  return [`${headline}.`, stopSentence(state.because, state.attempts), ...actions].join(' ');
}

/** Why a call ended without an answer, in a sentence. */
export function stopSentence(because: StopReason, attempts: number): string {
  if (because === 'not-retryable') return 'Asking again cannot help, so nothing is waited for.';
  if (because === 'retries-exhausted') return `Given up after ${counted(attempts, 'attempt')}.`;
  return `Given up after ${counted(attempts, 'attempt')}: ${because.replaceAll('-', ' ')}.`;
}

/** How long each attempt was really waited after: somebody may have been in a hurry. `null` after the last. */
export function waitsOf(history: readonly AttemptRecord[]): readonly (number | null)[] {
  return history.map(({ startedAt, durationMs }, index) => {
    const next = history[index + 1];
    return next === undefined ? null : Math.max(0, next.startedAt - startedAt - durationMs);
  });
}
