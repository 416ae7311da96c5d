/** One call at one target: what it asks the gate, and what it holds of it until it gives it back. */

import type { GateRefusal } from '../events/gate-event.ts';
import type { Failure } from '../failure/failure.ts';
import type { Runtime } from '../runtime.ts';
import type { HeadersLike } from '../transport.ts';
import { askCircuit, countForCircuit, countsForCircuit, settleProbe } from './circuit-breaker.ts';
import type { GateAnswer, GateOutcome, GateRequest, GateRetry, GateSession } from './gate.ts';
import type { KeyedLimits, KeyState } from './keyed-limits.ts';
import { NOTHING_SPENT, readAnnounced, type Spent } from './announced.ts';
import type { Place } from './line.ts';
import { deposit, isCongestion, withdraw } from './retry-budget.ts';

const GO: GateAnswer = /* @__PURE__ */ Object.freeze({ go: true });

/** After an answer that announces no limits, the headers of so many more are not looked at. */
const ANSWERS_WITHOUT_LIMITS = 20;

/** One is made for every call: plain fields, for those with a # take twice as long to set. */
export class Session implements GateSession {
  readonly key: string;
  private readonly limits: KeyedLimits;
  private readonly request: GateRequest;
  private readonly isBatch: boolean;
  private readonly runtime: Pick<Runtime, 'random'>;
  private state: KeyState | null = null;
  private place: Place | null = null;
  private heldSinceMs = 0;
  /** The attempt under way: when it was sent, what it follows and what it took. */
  private sentMs: number | null = null;
  private isRetry = false;
  private tokens = 0;
  private isCircuitProbe = false;
  private spent: Spent | null = null;
  private estimatedCost: number | null = null;

  constructor(
    limits: KeyedLimits,
    key: string,
    request: GateRequest,
    isBatch: boolean,
    runtime: Pick<Runtime, 'random'>,
  ) {
    this.limits = limits;
    this.key = key;
    this.request = request;
    this.isBatch = isBatch;
    this.runtime = runtime;
  }

  estimate(nowMs: number, retry: GateRetry | null): GateAnswer {
    const state = this.stateAt(nowMs);
    const refusal = this.refusalOf(state, retry, nowMs);
    if (refusal !== null) return refusal;
    if (!this.isPaced(state, nowMs)) return GO;
    return this.wait(state, retry === null ? nowMs : Math.max(nowMs, retry.atMs), retry, nowMs) ?? GO;
  }

  take(nowMs: number, retry: GateRetry | null): GateAnswer {
    const state = this.stateAt(nowMs);
    const refusal = this.refusalOf(state, retry, nowMs);
    if (refusal !== null) return refusal;
    if (this.isPaced(state, nowMs)) {
      if (this.place === null) {
        const wait = this.wait(state, nowMs, retry, nowMs);
        if (this.place === null) return wait ?? GO;
      }
      if (!state.limit.take(this.place, nowMs, this)) return this.waitIn(this.place, state, nowMs);
    } else {
      state.limit.sent(nowMs);
    }
    this.takeCircuit(state, retry, nowMs);
    this.begin(state, retry, nowMs);
    return GO;
  }

  takeAnyway(nowMs: number): void {
    const state = this.stateAt(nowMs);
    state.limit.sent(nowMs);
    this.begin(state, null, nowMs);
  }

  report(nowMs: number, outcome: GateOutcome): void {
    const { state, sentMs } = this;
    if (state === null || sentMs === null) return;
    this.sentMs = null;
    state.sending -= 1;
    if (outcome.type === 'cancelled') {
      this.giveBack(state, nowMs);
      return;
    }
    this.tokens = 0;
    this.hear(state, outcome.headers, sentMs, nowMs);
    this.reportToCircuit(state, outcome, nowMs);
    if (outcome.type === 'success') {
      const { budget } = this.limits.settings;
      if (budget !== null) state.tokens = deposit(state.tokens, 1, budget);
      state.limit.served(nowMs, sentMs, this.isRetry, this);
      return;
    }
    const { failure } = outcome;
    if (isCongestion(failure)) this.refused(state, failure, nowMs);
    else if (failure.retryable || countsForCircuit(failure.type)) state.limit.forgetProbe(this);
    else state.limit.answered(nowMs, this);
  }

  leave(nowMs: number): void {
    const { state } = this;
    if (state === null) return;
    if (this.sentMs !== null) this.report(nowMs, { type: 'cancelled' });
    this.leaveLine(state, nowMs);
    state.limit.forgetProbe(this);
  }

  /** What the server announces. A key that never heard of limits is not asked for them with every answer. */
  private hear(state: KeyState, headers: HeadersLike | undefined, sentMs: number, nowMs: number): void {
    if (!this.limits.settings.announced || headers === undefined || state.listenAfter-- > 0) return;
    const reports = readAnnounced(headers, Date.now());
    state.listenAfter = reports.length === 0 ? ANSWERS_WITHOUT_LIMITS : 0;
    if (reports.length > 0) state.limit.hear(reports, this.spent ?? NOTHING_SPENT, sentMs, nowMs);
  }

  /** An estimate of the caller's own that throws, or is no number, is none. */
  private cost(): number {
    const { cost } = this.limits.settings;
    if (cost === undefined) return 0;
    if (this.estimatedCost === null) {
      try {
        const tokens = cost(this.request);
        this.estimatedCost = tokens > 0 && Number.isFinite(tokens) ? tokens : 0;
      } catch {
        this.estimatedCost = 0;
      }
    }
    return this.estimatedCost;
  }

  private stateAt(nowMs: number): KeyState {
    this.state ??= this.limits.get(this.key, nowMs);
    return this.state;
  }

  private isPaced(state: KeyState, nowMs: number): boolean {
    if (!this.limits.settings.cooldown || state.limit.isOpen(nowMs, this.cost())) return false;
    this.limits.shared?.renew(this.key, state.limit, nowMs);
    return true;
  }

  /** Takes nothing. */
  private refusalOf(state: KeyState, retry: GateRetry | null, nowMs: number): GateAnswer | null {
    const { circuit, budget, costOf } = this.limits.settings;
    if (circuit !== null && state.circuit !== null && (circuit.covers === 'all' || retry !== null)) {
      const asked = askCircuit(state.circuit, circuit, Math.max(nowMs, retry?.atMs ?? 0));
      const waitMs = state.circuit.untilMs - nowMs;
      if (asked.allows === 'nothing') return this.refuse(state, 'circuit-open', Math.max(0, waitMs), nowMs);
    }
    if (budget !== null && retry !== null && withdraw(state.tokens, costOf(retry.failure)) === null)
      return this.refuse(state, 'retry-budget-empty', 0, nowMs);
    return null;
  }

  /** Joins the line; null: there is nothing to wait for. */
  private wait(state: KeyState, earliestMs: number, retry: GateRetry | null, nowMs: number): GateAnswer | null {
    if (this.place === null) {
      const { line } = state.limit;
      if (line.length >= this.limits.settings.maxWaiting && line.delayed >= this.limits.settings.maxWaiting)
        return this.refuse(state, 'too-many-waiting', 0, nowMs);
      this.place = state.limit.join(nowMs, earliestMs, retry !== null || this.isBatch, this.cost());
      this.heldSinceMs = nowMs;
      const { atMs } = state.limit.turnOf(this.place, nowMs);
      if (atMs > earliestMs)
        this.limits.emit({ type: 'held', key: this.key, waitMs: atMs - nowMs, waiting: line.delayed, at: nowMs });
    }
    return this.waitIn(this.place, state, nowMs);
  }

  private waitIn(place: Place, state: KeyState, nowMs: number): GateAnswer {
    const { atMs, heldUntilMs } = state.limit.turnOf(place, nowMs);
    if (atMs <= nowMs) return GO;
    const holdMs = Math.max(0, heldUntilMs - nowMs);
    return {
      go: false,
      refused: null,
      waitMs: atMs - nowMs,
      holdMs,
      because: holdMs > 0 ? 'cooldown' : 'pace',
      heldBy: holdMs > 0 ? state.limit.heldBy : null,
    };
  }

  private refuse(state: KeyState, because: GateRefusal, waitMs: number, nowMs: number): GateAnswer {
    this.leaveLine(state, nowMs);
    this.limits.emit({ type: 'refused', key: this.key, because, at: nowMs });
    return { go: false, refused: because, waitMs };
  }

  private begin(state: KeyState, retry: GateRetry | null, nowMs: number): void {
    this.leaveLine(state, nowMs);
    const { budget, costOf } = this.limits.settings;
    this.tokens = 0;
    if (budget !== null && retry !== null) {
      this.tokens = costOf(retry.failure);
      state.tokens = Math.max(0, state.tokens - this.tokens);
    }
    this.spent = state.limit.spend(this.cost());
    state.sending += 1;
    this.sentMs = nowMs;
    this.isRetry = retry !== null;
  }

  private leaveLine(state: KeyState, nowMs: number): void {
    if (this.place === null) return;
    const wasHeld = this.place.slotMs > this.place.plannedMs;
    state.limit.line.leave(this.place);
    this.place = null;
    if (!wasHeld) return;
    const heldMs = nowMs - this.heldSinceMs;
    this.limits.emit({ type: 'released', key: this.key, heldMs, waiting: state.limit.line.delayed, at: nowMs });
  }

  private giveBack(state: KeyState, nowMs: number): void {
    const { budget, circuit } = this.limits.settings;
    if (budget !== null) state.tokens = Math.min(budget.capacity, state.tokens + this.tokens);
    this.tokens = 0;
    state.limit.forgetProbe(this);
    if (this.isCircuitProbe && state.circuit !== null && circuit !== null)
      state.circuit = settleProbe(state.circuit, 'neither', circuit, nowMs);
    this.isCircuitProbe = false;
  }

  private refused(state: KeyState, failure: Failure, nowMs: number): void {
    if (!this.limits.settings.cooldown) return;
    const hintMs = Math.min(failure.retryAfterMs ?? 0, this.limits.settings.longestHoldMs);
    const { random } = this.runtime;
    if (!state.limit.refused(nowMs, hintMs, failure.type, this.isRetry, this, random)) return;
    const holdMs = state.limit.heldUntil(nowMs) - nowMs;
    this.limits.emit({ type: 'cooldown', key: this.key, holdMs, failure: failure.type, at: nowMs });
  }

  private takeCircuit(state: KeyState, retry: GateRetry | null, nowMs: number): void {
    const { circuit } = this.limits.settings;
    if (circuit === null || state.circuit === null || (circuit.covers === 'retries' && retry === null)) return;
    const asked = askCircuit(state.circuit, circuit, nowMs);
    state.circuit = asked.circuit;
    this.isCircuitProbe = asked.allows === 'probe';
    this.limits.showCircuit(state, nowMs);
  }

  private reportToCircuit(state: KeyState, outcome: Exclude<GateOutcome, { type: 'cancelled' }>, nowMs: number): void {
    const { circuit } = this.limits.settings;
    if (circuit === null || state.circuit === null) return;
    const isSuccess = outcome.type === 'success';
    const isFailure = !isSuccess && countsForCircuit(outcome.failure.type);
    if (this.isCircuitProbe) {
      const ended = isSuccess ? 'success' : isFailure ? 'failure' : 'neither';
      state.circuit = settleProbe(state.circuit, ended, circuit, nowMs);
    } else {
      state.circuit = countForCircuit(state.circuit, isSuccess ? 1 : 0, isFailure ? 1 : 0, circuit, nowMs);
    }
    this.isCircuitProbe = false;
    this.limits.showCircuit(state, nowMs);
  }
}
