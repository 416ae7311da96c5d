/** What a gate says when it refuses a first attempt: why, and what to do. */

import type { GateRefusal } from './gate-event.ts';
import { GateRefusedError } from './gate-refused-error.ts';

/** The arguments are those of {@link GateRefusedError}. */
export function refusal(
  key: string,
  because: keyof typeof EXPLANATIONS,
  waitMs: number,
  nowMs: number,
): GateRefusedError {
  return new GateRefusedError(key, because, waitMs, nowMs, EXPLANATIONS[because]);
}

const EXPLANATIONS: Readonly<Record<GateRefusal | 'cooldown-too-long', string>> = {
  'circuit-open': 'too many failures have opened the circuit. Try again later, or use another target.',
  'cooldown-too-long':
    'its turn comes later than this call may wait. Try again later, or raise maxElapsedMs or maxRetryAfterMs.',
  'too-many-waiting': 'the queue is full. Send fewer at a time, or raise maxWaiting.',
  'waits-for-itself':
    'it was made from within a call that holds the last slot of `limits.concurrent`. Allow more at a time, or make it without the gate.',
  'retry-budget-empty': 'too many calls failed for another retry. Try again later.',
};
