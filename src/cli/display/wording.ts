/** Failures, waits and stop reasons in a few words each. */

import { WAIT_REASONS } from '../../failure/reasons.ts';
import { type AttemptRecord, type Failure, STOP_REASONS, type StopReason, type WaitReason } from '../../index.ts';

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

/** Why a request waits if it has no failure of its own. */
export function waitReason(because: WaitReason): string {
  return WAIT_REASONS[because][0];
}

/** Why a call was given up, for the middle of a sentence. */
export function stopReason(because: StopReason): string {
  const sentence = STOP_REASONS[because];
  return sentence.charAt(0).toLowerCase() + sentence.slice(1, -1);
}

/** A failure in two or three words: `429 overloaded`, `connection reset`. */
export function failureLabel({ type, status, code = '', phase }: Failure): string {
  const words = type.replaceAll('_', ' ');
  if (phase === 'stream') return `${words} inside the answer`;
  if (status !== undefined) return `${status} ${words}`;
  return (type === 'connection_error' ? CONNECTION[code] : undefined) ?? words;
}

/** All failures of a call, in the order of their first occurrence: `21 × 429 overloaded, connection reset`. */
export function failureList(history: readonly AttemptRecord[]): string {
  const counts = new Map<string, number>();
  for (const { failure } of history) {
    if (failure === null) continue;
    const label = failureLabel(failure);
    counts.set(label, (counts.get(label) ?? 0) + 1);
  }
  return [...counts].map(([label, count]) => (count === 1 ? label : `${count} × ${label}`)).join(', ');
}

/** The total time between the end of each attempt and the start of the next, where a wait was planned. */
export function waitedMs(history: readonly AttemptRecord[]): number {
  let total = 0;
  for (const [index, { startedAt }] of history.entries()) {
    const before = history[index - 1];
    if (before !== undefined && before.delayMs !== 0)
      total += Math.max(0, startedAt - before.startedAt - before.durationMs);
  }
  return total;
}

/** `1 attempt`, `4 attempts`. */
export function attemptsMade(attempts: number): string {
  return attempts === 1 ? '1 attempt' : `${attempts} attempts`;
}

/** `1 retry`, `4 retries`. */
export function retriesMade(retries: number): string {
  return retries === 1 ? '1 retry' : `${retries} retries`;
}
