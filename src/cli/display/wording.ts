/** Failures, waits and reasons in the fewest words that still tell them apart. */

import { type AttemptRecord, type Failure, type StopReason } from '../../index.ts';

const STOPPED: Readonly<Record<StopReason, string>> = {
  'not-retryable': 'asking again cannot help',
  'retries-exhausted': 'no retries left',
  'retry-after-too-long': 'the server asks for a longer wait than is accepted',
  'sleep-budget-exhausted': 'the time for waiting is used up',
  deadline: 'the next attempt would come after the deadline',
  'retry-budget-empty': 'too many requests are being retried',
  'circuit-open': 'the service has been failing for a while',
  'body-not-replayable': 'the body can be sent only once',
  'irreversible-operation': 'doing it twice could do harm',
  'server-said-no': 'the server says that asking again cannot help',
  'refused-by-caller': 'a retry was refused',
  'given-up': 'given up by hand',
  disabled: 'retries are switched off',
};

const CONNECTION: Readonly<Record<string, string>> = {
  ECONNRESET: 'connection reset',
  EPIPE: 'connection reset',
  UND_ERR_SOCKET: 'connection reset',
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'host not found',
  EAI_AGAIN: 'host not found',
  ETIMEDOUT: 'connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'connection timed out',
};

/** Why a call ended without an answer. */
export function stopReason(because: StopReason): string {
  return STOPPED[because];
}

/** A failure in two or three words: `429 overloaded`, `connection reset`. */
export function failureLabel({ type, status, code = '', phase }: Failure): string {
  const words = type.replaceAll('_', ' ');
  if (phase === 'stream') return `${words} inside the answer`;
  if (status !== undefined) return `${status} ${words}`;
  return (type === 'connection_error' ? CONNECTION[code] : undefined) ?? words;
}

/** All failures of a call, in the order of their first appearance: `21 × 429 overloaded, connection reset`. */
export function failureList(history: readonly AttemptRecord[]): string {
  const counts = new Map<string, number>();
  for (const { failure } of history) {
    if (failure === null) continue;
    const label = failureLabel(failure);
    counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  return [...counts].map(([label, count]) => (count === 1 ? label : `${count} × ${label}`)).join(', ');
}

/** How long the call really waited: between the end of each attempt and the start of the next. */
export function waitedMs(history: readonly AttemptRecord[]): number {
  let total = 0;
  for (const [index, { startedAt }] of history.entries()) {
    const before = history[index - 1];
    if (before !== undefined) total += Math.max(0, startedAt - before.startedAt - before.durationMs);
  }
  return total;
}

/** `1 attempt`, `4 attempts`. */
export function attemptsMade(attempts: number): string {
  return attempts === 1 ? '1 attempt' : `${attempts} attempts`;
}
