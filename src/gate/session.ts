/** One call at one target: what it asks the gate, and what it holds of it until it gives it back. */

import type { GateRefusal } from '../events/gate-event.ts';
import type { Failure } from '../failure/failure.ts';
import type { Runtime } from '../runtime.ts';
import { askCircuit, countForCircuit, countsForCircuit, settleProbe } from './circuit-breaker.ts';
import type { GateAnswer, GateOutcome, GateRequest, GateRetry, GateSession } from '../route/route.ts';
import { countServed, type KeyedLimits, type KeyState, limitOf } from './keyed-limits.ts';
import type { Limit } from './limit.ts';
import { NOTHING_SPENT, readAnnounced, type Spent } from './announced.ts';
import type { Place } from './line.ts';
import { affords, deposit, isCongestion, withdraw } from './retry-budget.ts';

const GO: GateAnswer = /* @__PURE__ */ Object.freeze({ go: true });

/** After an answer that announces no limits, the headers of so many more are not looked at. */
const ANSWERS_WITHOUT_LIMITS = 20;

/** An outcome that says something about the server. */
type Heard = Exclude<GateOutcome, { type: 'cancelled' }>;

/** One is made for every call: plain fields, for those with a # take twice as long to set. */
export class Session implements GateSession {
  readonly key: string;
  private readonly limits: KeyedLimits;
  private readonly request: GateRequest;
  private readonly isBatch: boolean;
  private readonly runtime: Pick<Runtime, 'now' | 'random'>;
  private state: KeyState | null = null;
  private place: Place | null = null;
  private heldSinceMs = 0;
  /** The attempt under way: when it was sent, what it follows and what it took. */
  private sentMs: number | null = null;
  /** Requests that were under way when it was sent. */
  private others = 0;
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
    runtime: Pick<Runtime, 'now' | 'random'>,
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
    const limit = this.pacing(state, nowMs);
    if (limit === null) return GO;
    const answer = this.wait(limit, retry === null ? nowMs : Math.max(nowMs, retry.atMs), retry, nowMs);
    // The call comes at its own moment anyway: the gate has nothing to add.
    return this.place !== null && this.place.slotMs <= this.place.plannedMs ? GO : answer;
  }

  take(nowMs: number, retry: GateRetry | null): GateAnswer {
    const state = this.stateAt(nowMs);
    const refusal = this.refusalOf(state, retry, nowMs);
    if (refusal !== null) return refusal;
    const limit = this.pacing(state, nowMs);
    if (limit === null) {
      state.limit?.sent(nowMs);
    } else {
      const wait = this.place === null ? this.wait(limit, nowMs, retry, nowMs) : null;
      // Too many wait.
      if (this.place === null) return wait ?? GO;
      if (!limit.take(this.place, nowMs, state.sending, this)) return this.waitIn(this.place, limit, nowMs);
    }
    this.takeCircuit(state, retry, nowMs);
    this.begin(state, retry, nowMs);
    return GO;
  }

  takeAnyway(nowMs: number): void {
    const state = this.stateAt(nowMs);
    state.limit?.sent(nowMs);
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
    this.hear(state, outcome, sentMs, nowMs);
    this.reportToCircuit(state, outcome, nowMs);
    if (outcome.type === 'success') {
      const { budget } = this.limits.settings;
      if (budget !== null) state.tokens = deposit(state.tokens, budget);
      if (state.limit === null) countServed(state, nowMs);
      else state.limit.served(nowMs, sentMs, this.others, this.isRetry, this);
      return;
    }
    const { failure } = outcome;
    if (isCongestion(failure)) this.refused(state, failure, nowMs);
    else if (failure.retryable || countsForCircuit(failure.type)) state.limit?.forgetProbe(this);
    else state.limit?.answered(nowMs, this);
  }

  leave(nowMs: number): void {
    const { state } = this;
    if (state === null) return;
    if (this.sentMs !== null) this.report(nowMs, { type: 'cancelled' });
    this.leaveLine(nowMs);
    state.limit?.forgetProbe(this);
  }

  /** What the server announces. A key that never heard of limits is not asked for them with every answer. */
  private hear(state: KeyState, { type, headers }: Heard, sentMs: number, nowMs: number): void {
    if (!this.limits.settings.announced || headers === undefined || state.listenAfter-- > 0) return;
    const reports = readAnnounced(headers, this.runtime.now());
    state.listenAfter = reports.length === 0 ? ANSWERS_WITHOUT_LIMITS : 0;
    if (reports.length > 0)
      limitOf(state, nowMs).hear(reports, this.spent ?? NOTHING_SPENT, type === 'failure', sentMs, nowMs);
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

  /** The limit, if calls have to wait for it. */
  private pacing({ limit, sending }: KeyState, nowMs: number): Limit | null {
    if (limit === null || !this.limits.settings.cooldown || limit.isOpen(nowMs, this.cost(), sending)) return null;
    this.limits.shared?.renew(this.key, limit, nowMs);
    return limit;
  }

  /** Takes nothing. */
  private refusalOf(state: KeyState, retry: GateRetry | null, nowMs: number): GateAnswer | null {
    const { circuit, budget, costOf } = this.limits.settings;
    if (circuit !== null && state.circuit !== null && (circuit.covers === 'all' || retry !== null)) {
      const asked = askCircuit(state.circuit, circuit, Math.max(nowMs, retry?.atMs ?? 0));
      const waitMs = state.circuit.untilMs - nowMs;
      if (asked.allows === 'nothing') return this.refuse('circuit-open', Math.max(0, waitMs), nowMs);
    }
    if (budget !== null && retry !== null && !affords(state.tokens, costOf(retry.failure)))
      return this.refuse('retry-budget-empty', 0, nowMs);
    return null;
  }

  /** Joins the line, unless it is full. */
  private wait(limit: Limit, earliestMs: number, retry: GateRetry | null, nowMs: number): GateAnswer {
    if (this.place === null) {
      const { line } = limit;
      const { maxWaiting } = this.limits.settings;
      if (line.length >= maxWaiting && line.delayed >= maxWaiting) return this.refuse('too-many-waiting', 0, nowMs);
      this.place = limit.join(nowMs, earliestMs, retry !== null || this.isBatch, this.cost());
      this.heldSinceMs = nowMs;
      const { atMs } = limit.turnOf(this.place, nowMs);
      if (atMs > earliestMs)
        this.limits.emit({ type: 'held', key: this.key, waitMs: atMs - nowMs, waiting: line.delayed, at: nowMs });
    }
    return this.waitIn(this.place, limit, nowMs);
  }

  private waitIn(place: Place, limit: Limit, nowMs: number): GateAnswer {
    const { atMs, heldUntilMs } = limit.turnOf(place, nowMs);
    if (atMs <= nowMs) return GO;
    const holdMs = Math.max(0, heldUntilMs - nowMs);
    return {
      go: false,
      refused: null,
      waitMs: atMs - nowMs,
      holdMs,
      because: holdMs > 0 ? 'cooldown' : 'pace',
      heldBy: holdMs > 0 ? (limit.heldBy ?? 'rate_limit') : null,
    };
  }

  private refuse(because: GateRefusal, waitMs: number, nowMs: number): GateAnswer {
    this.leaveLine(nowMs);
    this.limits.emit({ type: 'refused', key: this.key, because, at: nowMs });
    return { go: false, refused: because, waitMs };
  }

  private begin(state: KeyState, retry: GateRetry | null, nowMs: number): void {
    this.leaveLine(nowMs);
    const { budget, costOf } = this.limits.settings;
    this.tokens = 0;
    if (budget !== null && retry !== null) {
      this.tokens = costOf(retry.failure);
      state.tokens = withdraw(state.tokens, this.tokens);
    }
    this.spent = state.limit?.spend(this.cost(), nowMs) ?? null;
    this.others = state.sending;
    state.sending += 1;
    this.sentMs = nowMs;
    this.isRetry = retry !== null;
  }

  private leaveLine(nowMs: number): void {
    const { line } = this.state?.limit ?? {};
    if (this.place === null || line === undefined) return;
    const wasHeld = this.place.slotMs > this.place.plannedMs;
    line.leave(this.place);
    this.place = null;
    if (!wasHeld) return;
    const heldMs = nowMs - this.heldSinceMs;
    this.limits.emit({ type: 'released', key: this.key, heldMs, waiting: line.delayed, at: nowMs });
  }

  private giveBack(state: KeyState, nowMs: number): void {
    const { budget, circuit } = this.limits.settings;
    if (budget !== null) state.tokens = Math.min(budget.capacity, state.tokens + this.tokens);
    this.tokens = 0;
    state.limit?.forgetProbe(this);
    if (this.isCircuitProbe && state.circuit !== null && circuit !== null)
      state.circuit = settleProbe(state.circuit, 'neither', circuit, nowMs);
    this.isCircuitProbe = false;
  }

  private refused(state: KeyState, failure: Failure, nowMs: number): void {
    if (!this.limits.settings.cooldown) return;
    const hintMs = Math.min(failure.retryAfterMs ?? 0, this.limits.settings.longestHoldMs);
    const { random } = this.runtime;
    const limit = limitOf(state, nowMs);
    if (!limit.refused(nowMs, hintMs, failure.type, this.others, this.isRetry, this, random)) return;
    const holdMs = limit.heldUntil(nowMs) - nowMs;
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

  private reportToCircuit(state: KeyState, outcome: Heard, nowMs: number): void {
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
