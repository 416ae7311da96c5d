/**
 * How many answers a second a server has been giving us lately. When it says "too many", what it did serve until then
 * is the best estimate there is of how many would have been right.
 */

/** Successes since a moment. Plain and serialisable. */
export interface RateMeter {
  readonly sinceMs: number;
  readonly served: number;
  /** The last success, or the beginning of all counting. */
  readonly lastMs: number;
}

/** What is older than this counts for little: last night's traffic says nothing about this morning's limit. */
const MEMORY_MS = 10_000;
/** An answer of a model may take so long; until then nobody knows whether a server that refuses some serves others. */
const SLOW_ANSWER_MS = 60_000;

export function newMeter(nowMs: number): RateMeter {
  return { sinceMs: nowMs, served: 0, lastMs: nowMs };
}

/** Counts successes. The past is thinned out, never cut off, so that the rate stays what it was. */
export function countServed(meter: RateMeter, successes: number, nowMs: number): RateMeter {
  const elapsedMs = nowMs - meter.sinceMs;
  // Answers to what was sent before the count began.
  if (elapsedMs < 0) return { sinceMs: meter.sinceMs, served: meter.served, lastMs: nowMs };
  if (elapsedMs <= MEMORY_MS) return { sinceMs: meter.sinceMs, served: meter.served + successes, lastMs: nowMs };
  const keptMs = MEMORY_MS / 2;
  return { sinceMs: nowMs - keptMs, served: (meter.served * keptMs) / elapsedMs + successes, lastMs: nowMs };
}

/** Counts anew, from a moment that may be still to come. */
export function restartMeter(meter: RateMeter, fromMs: number): RateMeter {
  return { sinceMs: fromMs, served: 0, lastMs: meter.lastMs };
}

/** Milliseconds per success from the start of the count to `untilMs`; null when there was none. */
export function intervalUntil(meter: RateMeter, untilMs: number): number | null {
  // Thinned out to a fraction of one: too long ago to call it a rate.
  return meter.served < 0.5 ? null : Math.max(0, untilMs - meter.sinceMs) / meter.served;
}

/** Whether the server, when it refuses some, serves others as far as is known: a limit, and no outage. */
export function isServing(meter: RateMeter, nowMs: number): boolean {
  return nowMs - meter.lastMs <= SLOW_ANSWER_MS;
}
