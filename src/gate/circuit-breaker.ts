/**
 * The circuit breaker: after enough failures nothing is sent for a while; then the result of one probe decides. It is for
 * calls that cost a connection, a thread or money, where an immediate refusal is better than a wait.
 *
 * It is off by default, because it cannot distinguish a server that is down from one that fails two calls in five, and
 * then refuses the three that would have succeeded; and it stays open for its full time even if the server has recovered.
 * The retry budget prevents retries into an outage without either harm, so by default a breaker covers only retries.
 */

import type { CircuitPhase } from './gate-event.ts';
import type { FailureType } from '../failure/failure.ts';

/** The options of a breaker, with their defaults. */
export interface CircuitRule {
  readonly opensAfter:
    | { readonly failures: number }
    | { readonly failureRatio: number; readonly windowMs: number; readonly minimumCalls: number };
  readonly openMs: number;
  readonly covers: 'retries' | 'all';
}

/** What an attempt shows about the server; `neither`: it was cancelled, or its failure has another cause. */
export type CircuitOutcome = 'success' | 'failure' | 'neither';

const FAILURES_OF_THE_SERVER: readonly FailureType[] = [
  'overloaded',
  'server_error',
  'timeout',
  'connection_error',
  'stream_interrupted',
  'provider_unavailable',
];

/** A server that answers with a rate limit, a quota or "invalid request" works. */
export function countsForCircuit(type: FailureType): boolean {
  return FAILURES_OF_THE_SERVER.includes(type);
}

interface Counts {
  readonly calls: number;
  readonly failures: number;
}

const NONE: Counts = /* @__PURE__ */ Object.freeze({ calls: 0, failures: 0 });

export class Circuit {
  readonly rule: CircuitRule;
  readonly #changed: (phase: CircuitPhase, nowMs: number) => void;
  phase: CircuitPhase = 'closed';
  /**
   * Open: the end of that state. Half-open: the time limit of the probes; after it, others may be sent in their place.
   */
  #untilMs = 0;
  /** Half-open: the number of probes in flight: the next one takes the place of one that is lost. */
  #probing = 0;
  /** Used if there are few calls. */
  #failuresInARow = 0;
  /**
   * Used if there are many calls: two halves of a window, of which the older fades. A single failure between successes
   * means nothing.
   */
  #younger = NONE;
  #older = NONE;
  #youngerSinceMs = 0;

  /** `changed` is called with each new phase. */
  constructor(rule: CircuitRule, changed: (phase: CircuitPhase, nowMs: number) => void) {
    this.rule = rule;
    this.#changed = changed;
  }

  /** Until when no attempt may be sent, not even as a probe; null: an attempt may be sent. */
  refusesUntilMs(nowMs: number): number | null {
    if (this.phase === 'closed' || nowMs >= this.#untilMs) return null;
    const mayProbe = this.phase === 'half-open' && this.#probing === 0;
    return mayProbe ? null : this.#untilMs;
  }

  /** Called for each attempt that is sent. Returns whether it is a probe, whose outcome must be reported. */
  sent(nowMs: number): boolean {
    if (this.phase === 'closed') return false;
    if (nowMs >= this.#untilMs) {
      // The open time is over, or the probes are lost, for example because their callers are gone.
      this.#untilMs = nowMs + this.rule.openMs;
      this.#probing = 0;
      this.#enter('half-open', nowMs);
    }
    this.#probing += 1;
    return true;
  }

  /** Reports the outcome of an attempt. */
  report(outcome: CircuitOutcome, wasProbe: boolean, nowMs: number): void {
    if (wasProbe) this.#reportProbe(outcome, nowMs);
    else if (this.phase === 'closed') this.#count(outcome, nowMs);
    // First attempts that are sent all the time serve as probes; otherwise only probes count now.
    else if (this.rule.covers === 'retries' && outcome === 'success' && nowMs >= this.#untilMs) this.#close(nowMs);
  }

  #reportProbe(outcome: CircuitOutcome, nowMs: number): void {
    if (this.phase !== 'half-open') return;
    this.#probing = Math.max(0, this.#probing - 1);
    if (outcome === 'failure') this.#open(nowMs);
    else if (outcome === 'success') this.#close(nowMs);
  }

  #count(outcome: CircuitOutcome, nowMs: number): void {
    if (outcome === 'neither') return;
    const { opensAfter } = this.rule;
    const failed = outcome === 'failure' ? 1 : 0;
    this.#failuresInARow = failed * (this.#failuresInARow + 1);
    if ('failures' in opensAfter) {
      if (this.#failuresInARow >= opensAfter.failures) this.#open(nowMs);
      return;
    }
    const halfMs = opensAfter.windowMs / 2;
    const halves = Math.floor((nowMs - this.#youngerSinceMs) / halfMs);
    if (halves > 0) {
      this.#older = halves === 1 ? this.#younger : NONE;
      this.#younger = NONE;
      this.#youngerSinceMs = halves === 1 ? this.#youngerSinceMs + halfMs : nowMs;
    }
    this.#younger = { calls: this.#younger.calls + 1, failures: this.#younger.failures + failed };
    const faded = 1 - (nowMs - this.#youngerSinceMs) / halfMs;
    const calls = this.#younger.calls + faded * this.#older.calls;
    const failures = this.#younger.failures + faded * this.#older.failures;
    if (failed > 0 && calls >= opensAfter.minimumCalls && failures >= calls * opensAfter.failureRatio)
      this.#open(nowMs);
  }

  #open(nowMs: number): void {
    this.#untilMs = nowMs + this.rule.openMs;
    this.#enter('open', nowMs);
  }

  #close(nowMs: number): void {
    this.#failuresInARow = 0;
    [this.#younger, this.#older] = [NONE, NONE];
    this.#enter('closed', nowMs);
  }

  #enter(phase: CircuitPhase, nowMs: number): void {
    if (phase === this.phase) return;
    this.phase = phase;
    this.#changed(phase, nowMs);
  }
}
