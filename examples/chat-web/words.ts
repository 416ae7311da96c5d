/** The words of the page, to read and for a screen reader: waits, counts, and how a call ended. */

import {
  type AttemptRecord,
  type CallOutcome,
  describeFailure,
  formatDelay,
  type RetryState,
  STOP_REASONS,
  type StopReason,
} from 'retry-transport';

type Pending = Extract<RetryState, { readonly status: 'waiting' | 'sending' }>;

/** `1 attempt`, `3 attempts`. */
export function counted(count: number, thing: string): string {
  return `${count} ${thing}${count === 1 ? '' : 's'}`;
}

/** `retry 2 of 4`, or `retry 2` without a limit; `first attempt` while the call waits in line. */
export function attemptName({ retry, maxRetries }: Pick<Pending, 'retry' | 'maxRetries'>): string {
  if (retry === 0) return 'first attempt';
  return maxRetries === null ? `retry ${retry}` : `retry ${retry} of ${maxRetries}`;
}

/** Why the call waits: the last failure, or its place in line. */
export function waitHeadline({ failure }: Pick<Pending, 'failure'>): string {
  return failure === undefined ? 'Waiting in line' : describeFailure(failure).headline;
}

/** The whole seconds that are left, at least one: `5s`, `1m 30s`. */
export function secondsLeft(untilMs: number, nowMs: number): string {
  return formatDelay(Math.max(1, Math.ceil((untilMs - nowMs) / 1_000)) * 1_000);
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

/** What a screen reader says about a state, once. The seconds of a countdown are not states. */
export function announcementOf(state: RetryState): string {
  switch (state.status) {
    case 'idle':
      return '';
    case 'waiting': {
      const stop = state.retry <= 1 ? ' Escape stops.' : '';
      return `${waitHeadline(state)}: ${attemptName(state)} in ${spokenDelay(state.delayMs)}.${stop}`;
    }
    case 'sending':
      return 'Retrying now.';
    case 'ended':
      return endOf(state.outcome);
  }
}

function endOf(outcome: CallOutcome): string {
  switch (outcome.type) {
    case 'recovered':
      return 'The answer is arriving.';
    case 'cancelled':
      return `Stopped after ${counted(outcome.attempts, 'attempt')}.`;
    case 'failed': {
      const { headline, actions } = describeFailure(outcome.failure);
      return [`${headline}.`, stopSentence(outcome.because, outcome.attempts), ...actions].join(' ');
    }
  }
}

/** Why a call was given up, and after how many attempts if there was more than one. */
export function stopSentence(because: StopReason, attempts: number): string {
  return attempts > 1 ? `${STOP_REASONS[because]} ${attempts} attempts were made.` : STOP_REASONS[because];
}

/** How long the call really waited after each attempt, a stopped wait included; null where it did not wait. */
export function waitsOf(history: readonly AttemptRecord[], endOfLastWait: number): readonly (number | null)[] {
  return history.map(({ startedAt, durationMs, delayMs }, index) => {
    const next = history[index + 1]?.startedAt ?? (delayMs === null ? null : endOfLastWait);
    return next === null ? null : Math.max(0, next - startedAt - durationMs);
  });
}
