/**
 * The share of failures in the last so many milliseconds: evidence for a breaker where calls are many, and a failure
 * now and then between successes says nothing. Two halves stand for a sliding window; the older one fades out.
 */

export interface WindowedRule {
  readonly kind: 'windowed';
  readonly windowMs: number;
  /** From 0 (excluded) to 1. */
  readonly failureRatio: number;
  /** Fewer calls than this in the window prove nothing. */
  readonly minimumCalls: number;
}

export interface WindowedCounter {
  readonly kind: 'windowed';
  /** The younger half begins here. */
  readonly sinceMs: number;
  readonly calls: number;
  readonly failures: number;
  readonly olderCalls: number;
  readonly olderFailures: number;
}

export function emptyWindow(nowMs: number): WindowedCounter {
  return { kind: 'windowed', sinceMs: nowMs, calls: 0, failures: 0, olderCalls: 0, olderFailures: 0 };
}

/** Counts successes and failures. */
export function countWindowed(
  counter: WindowedCounter,
  successes: number,
  failures: number,
  rule: WindowedRule,
  nowMs: number,
): WindowedCounter {
  const current = moved(counter, rule, nowMs);
  return { ...current, calls: current.calls + successes + failures, failures: current.failures + failures };
}

export function exceedsWindowed(counter: WindowedCounter, rule: WindowedRule, nowMs: number): boolean {
  const current = moved(counter, rule, nowMs);
  const faded = Math.max(0, 1 - (nowMs - current.sinceMs) / (rule.windowMs / 2));
  const calls = current.calls + current.olderCalls * faded;
  const failures = current.failures + current.olderFailures * faded;
  return calls >= rule.minimumCalls && failures >= calls * rule.failureRatio;
}

function moved(counter: WindowedCounter, rule: WindowedRule, nowMs: number): WindowedCounter {
  const halfMs = rule.windowMs / 2;
  const halves = Math.floor((nowMs - counter.sinceMs) / halfMs);
  if (halves < 1) return counter;
  if (halves > 1) return emptyWindow(nowMs);
  return {
    kind: 'windowed',
    sinceMs: counter.sinceMs + halfMs,
    calls: 0,
    failures: 0,
    olderCalls: counter.calls,
    olderFailures: counter.failures,
  };
}
