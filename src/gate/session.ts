/** One call at one target: its questions to the gate, and the slots and probes that it holds. `nowMs` is `runtime.monotonic`. */

import { publicUrl } from '../redact/redact.ts';
import type { GateRefusal } from './gate-event.ts';
import type { Failure } from '../failure/failure.ts';
import { readAnnounced } from './announced-headers.ts';
import { type Circuit, type CircuitOutcome, countsForCircuit } from './circuit-breaker.ts';
import type { GateAnswer, GateOutcome, GateRequest, GateRetry, GateSessionOptions } from './gate.ts';
import { type KeyedLimits, type KeyState, limitOf } from './keyed-limits.ts';
import type { Limit, Sender, Turn } from './limit.ts';
import type { Send } from './limit-model.ts';
import type { PacedSlot } from './paced-queue.ts';
import { affords, balanceAfter, isCongestion } from './retry-budget.ts';
import type { ConcurrencySlot } from './concurrency-slot.ts';
import type { StatedSlot, StatedLimit } from './stated-limit.ts';

const GO: GateAnswer = /* @__PURE__ */ Object.freeze({ go: true });

/** The outcome of an attempt that the caller did not end. */
type Ended = Exclude<GateOutcome, { type: 'cancelled' | 'progress' }>;

/** After a response without announced limits, the headers of this many responses are not read. */
const ANSWERS_WITHOUT_LIMITS = 20;

/** What a call knows of its session. */
export type GateSession = Omit<Session, keyof Sender>;

/** Created for every call, so it has plain fields: private names (#) take twice as long to set. */
export class Session implements Sender {
  /** Whose limit it is. Shows no credential. */
  readonly key: string;
  private readonly limits: KeyedLimits;
  private readonly request: GateRequest;
  private readonly options: GateSessionOptions;
  private state: KeyState | null = null;
  /** The place of the call in the queue of the limit that was learned or announced. */
  private pacedSlot: PacedSlot | null = null;
  /** Since when the call has waited longer than planned. */
  private heldSinceMs: number | null = null;
  private estimatedCost: number | null = null;
  private isSending = false;
  /** The attempt in flight, or the last one: when it was sent, how many others were in flight then, and what it is. */
  sentMs = 0;
  others = 0;
  isRetry = false;
  readonly isStated: boolean;
  private budgetTokens = 0;
  private isCircuitProbe = false;
  private send: Send | null = null;
  /** The limit that the user has stated for this request; null: none. */
  private readonly stated: StatedLimit | null;
  /** The place of the call in its queue, and whether it has joined it before. */
  private statedSlot: StatedSlot | null = null;
  private hasQueued = false;
  private concurrencySlot: ConcurrencySlot | null = null;

  constructor(
    limits: KeyedLimits,
    key: string,
    request: GateRequest,
    options: GateSessionOptions,
    stated: StatedLimit | null,
  ) {
    this.limits = limits;
    this.key = key;
    this.stated = stated;
    this.isStated = stated !== null;
    this.request = request;
    this.options = options;
  }

  /**
   * Asks, when a retry is planned, whether the gate refuses it, and until when it lets no call through. Takes nothing, and
   * keeps no place in the queue. `retry`: null for a first attempt.
   */
  estimate(nowMs: number, retry: GateRetry | null): GateAnswer {
    const state = this.stateAt(nowMs);
    const earliestMs = Math.max(nowMs, retry?.atMs ?? 0);
    const refusal = this.refusalOf(state, retry, earliestMs, nowMs);
    if (refusal !== null) return refusal;
    const limit = this.pacing(state, nowMs);
    const hold = limit?.hold(nowMs, this.cost()) ?? null;
    if (limit === null || hold === null || hold.untilMs <= earliestMs) return GO;
    const waitMs = hold.untilMs - nowMs;
    return { go: false, refused: null, waitMs, ...heldFor(waitMs, limit), isGuess: hold.isGuess };
  }

  /**
   * Called right before an attempt is sent. Takes the slot and, for a retry, the token of the retry budget. If the answer
   * is not `go`, only a place in the queue was taken, until `take`, `takeAnyway` or `leave`.
   */
  take(nowMs: number, retry: GateRetry | null): GateAnswer {
    const state = this.stateAt(nowMs);
    const refusal = this.refusalOf(state, retry, Math.max(nowMs, retry?.atMs ?? 0), nowMs);
    if (refusal !== null) return refusal;
    const limit = this.pacing(state, nowMs);
    const slot = limit && this.join(limit, retry, nowMs);
    if (limit !== null && slot === null) return this.refuse('too-many-waiting', 0, nowMs);
    if (limit !== null && slot !== null && !limit.admits(slot, nowMs, state.sending)) {
      // A call that may not be sent must not keep others from it.
      this.leaveStatedQueue(nowMs);
      return this.waitFor(slot, limit.turnOf(slot, nowMs), limit, nowMs);
    }
    const waits = this.stated && this.askStated(this.stated, retry, nowMs);
    if (waits !== null) return waits;
    state.limit?.sent(slot, nowMs, this);
    this.begin(state, retry, nowMs);
    this.isCircuitProbe = this.circuitFor(state, retry)?.sent(nowMs) ?? false;
    return GO;
  }

  /**
   * Called when a person asks to retry now: the attempt is sent even if the gate would hold it, and its place in the queue
   * is given back.
   */
  takeAnyway(nowMs: number): void {
    const state = this.stateAt(nowMs);
    state.limit?.sent(null, nowMs, this);
    this.begin(state, null, nowMs);
  }

  /** Sends the attempt whose slot was taken, so that calls made within it can be told from others. */
  within<T>(send: () => T): T {
    const { nesting } = this.limits;
    return this.concurrencySlot === null || nesting === undefined ? send() : nesting.run(this.concurrencySlot, send);
  }

  /** Called after each attempt, and for the progress of one. Never throws. */
  report(nowMs: number, outcome: GateOutcome): void {
    const { state } = this;
    if (state === null || !this.isSending) return;
    if (outcome.type === 'progress') return this.goOn(state, nowMs);
    const { budget } = this.limits.settings;
    this.isSending = false;
    state.sending -= 1;
    state.circuit?.report(circuitOutcomeOf(outcome), this.isCircuitProbe, nowMs);
    this.isCircuitProbe = false;
    this.concurrencySlot?.end(outcome);
    this.concurrencySlot = null;
    if (outcome.type === 'cancelled') {
      if (budget !== null) state.tokens = balanceAfter(state.tokens, this.budgetTokens, budget);
      state.limit?.forgetProbe(this);
    } else {
      this.hear(state, outcome, nowMs);
      this.learn(state, outcome, nowMs);
    }
    state.limit?.freed(nowMs, state.sending);
  }

  /** The attempt has got further: what it sends from now on counts as a first attempt that was sent now. */
  private goOn(state: KeyState, nowMs: number): void {
    state.circuit?.report('success', this.isCircuitProbe, nowMs);
    this.isCircuitProbe = false;
    this.learn(state, { type: 'success' }, nowMs);
    this.budgetTokens = 0;
    this.sentMs = nowMs;
    this.isRetry = false;
  }

  private learn(state: KeyState, outcome: Ended, nowMs: number): void {
    if (outcome.type === 'success') {
      const { budget } = this.limits.settings;
      if (budget !== null) state.tokens = balanceAfter(state.tokens, budget.ratio, budget);
      state.traffic.add(nowMs, true, this.isRetry);
      state.limit?.served(nowMs, this);
      this.stated?.served();
      return;
    }
    const { failure } = outcome;
    if (failure.type === 'rate_limit' || failure.type === 'overloaded') this.stated?.refused(failure, nowMs);
    if (isCongestion(failure)) this.refused(state, failure, nowMs);
    else if (failure.retryable || countsForCircuit(failure.type)) state.limit?.forgetProbe(this);
    else state.limit?.answered(nowMs, this);
  }

  /**
   * Called when the call has ended or has moved to another target. Gives back what was not used. May be called more
   * than once. If the first attempt succeeded, `report` is called last, and `leave` is not called.
   */
  leave(nowMs: number): void {
    this.report(nowMs, { type: 'cancelled' });
    this.leaveStatedQueue(nowMs);
    this.leavePacedQueue(nowMs);
    this.state?.limit?.forgetProbe(this);
    // The slot that it was woken for is another's.
    this.state?.limit?.freed(nowMs, this.state.sending);
  }

  private stateAt(nowMs: number): KeyState {
    return (this.state ??= this.limits.get(this.key, nowMs));
  }

  /** Takes no slot or token. */
  private refusalOf(state: KeyState, retry: GateRetry | null, atMs: number, nowMs: number): GateAnswer | null {
    const untilMs = this.circuitFor(state, retry)?.refusesUntilMs(atMs) ?? null;
    if (untilMs !== null) return this.refuse('circuit-open', Math.max(0, untilMs - nowMs), nowMs);
    const { budget, costOf } = this.limits.settings;
    if (budget !== null && retry !== null && !affords(state.tokens, costOf(retry.failure)))
      return this.refuse('retry-budget-empty', 0, nowMs);
    return null;
  }

  /** The circuit, if it covers this attempt. */
  private circuitFor({ circuit }: KeyState, retry: GateRetry | null): Circuit | null {
    return circuit === null || (circuit.rule.covers === 'retries' && retry === null) ? null : circuit;
  }

  /** The limit, if calls must wait for it. */
  private pacing({ limit, sending }: KeyState, nowMs: number): Limit | null {
    if (limit === null || this.limits.settings.longestHoldMs === null) return null;
    if (this.pacedSlot === null && limit.isOpen(nowMs, this.cost(), sending, this.isStated)) return null;
    this.limits.shared?.renew(this.key, limit, nowMs);
    return limit;
  }

  /** The slot of this call in the queue; null: the queue is full. */
  private join(limit: Limit, retry: GateRetry | null, nowMs: number): PacedSlot | null {
    if (this.pacedSlot !== null) {
      this.pacedSlot.wake = null;
      return this.pacedSlot;
    }
    if (limit.queue.slots.length >= this.limits.settings.maxWaiting) return null;
    const yields = retry !== null || this.options.priority === 'batch';
    return (this.pacedSlot = limit.join(nowMs, yields, this.cost()));
  }

  /** Asks for the limit that the user has stated; null: it admits the call. */
  private askStated(stated: StatedLimit, retry: GateRetry | null, nowMs: number): GateAnswer | null {
    const isNew = this.statedSlot === null;
    const slot = (this.statedSlot ??= this.makeStatedSlot(retry !== null));
    const admission = stated.ask(slot, nowMs);
    switch (admission.kind) {
      case 'now':
        return null;
      case 'deadlock':
        return this.refuse('waits-for-itself', 0, nowMs);
      case 'wait': {
        if (isNew && stated.waiting > this.limits.settings.maxWaiting) return this.refuse('too-many-waiting', 0, nowMs);
        this.hasQueued = true;
        this.tellHolders(stated.holdersToTell(nowMs), nowMs);
        const wait = this.wait(slot, admission.untilMs - nowMs, stated.waiting, nowMs);
        return { ...wait, holdMs: 0, because: 'pace', heldBy: null, isStated: true, isGuess: admission.isGuess };
      }
    }
  }

  private makeStatedSlot(isRetry: boolean): StatedSlot {
    const { priority = 'interactive' } = this.options;
    const rank = priority === 'interactive' && (isRetry || this.hasQueued) ? 'again' : priority;
    const parent = this.limits.nesting?.getStore();
    return { tokens: this.cost(), rank, parent, joinedMs: 0, index: 0, toldMs: 0, wake: null };
  }

  private tellHolders(held: readonly ConcurrencySlot[], nowMs: number): void {
    if (held.length === 0) return;
    const holders = held.map(({ url, sinceMs, state }) => ({ url: publicUrl(url), heldMs: nowMs - sinceMs, state }));
    this.limits.emit({ type: 'slots-held', key: this.key, holders, at: nowMs });
  }

  private leaveStatedQueue(nowMs: number): void {
    if (this.statedSlot === null) return;
    this.stated?.leave(this.statedSlot, nowMs);
    this.statedSlot = null;
  }

  private waitFor(slot: PacedSlot, { atMs, heldUntilMs, isGuess }: Turn, limit: Limit, nowMs: number): GateAnswer {
    const wait = this.wait(slot, atMs - nowMs, limit.queue.slots.length, nowMs);
    const holdMs = Math.max(0, heldUntilMs - nowMs);
    if (holdMs === 0) return { ...wait, holdMs, because: 'pace', heldBy: null, isGuess: true };
    return { ...wait, ...heldFor(holdMs, limit), isGuess };
  }

  /** What all answers have in common that make a call wait. Tells once that it does. */
  private wait(slot: PacedSlot | StatedSlot, waitMs: number, waiting: number, nowMs: number) {
    if (this.heldSinceMs === null) {
      this.heldSinceMs = nowMs;
      this.limits.emit({ type: 'held', key: this.key, waitMs, waiting, at: nowMs });
    }
    // A store in memory may answer before the call sleeps.
    let isFree = false;
    slot.wake = () => (isFree = true);
    const onFree = (wake: () => void): void => (isFree ? wake() : void (slot.wake = wake));
    return { go: false, refused: null, waitMs, onFree } as const;
  }

  private leavePacedQueue(nowMs: number): void {
    const { queue } = this.state?.limit ?? {};
    if (this.pacedSlot !== null) queue?.leave(this.pacedSlot);
    this.pacedSlot = null;
    if (this.heldSinceMs === null) return;
    const heldMs = nowMs - this.heldSinceMs;
    this.heldSinceMs = null;
    const waiting = (queue?.slots.length ?? 0) + (this.stated?.waiting ?? 0);
    this.limits.emit({ type: 'released', key: this.key, heldMs, waiting, at: nowMs });
  }

  private refuse(because: GateRefusal, waitMs: number, nowMs: number): GateAnswer {
    this.leaveStatedQueue(nowMs);
    this.leavePacedQueue(nowMs);
    this.limits.emit({ type: 'refused', key: this.key, because, at: nowMs });
    return { go: false, refused: because, waitMs };
  }

  private begin(state: KeyState, retry: GateRetry | null, nowMs: number): void {
    if (this.stated !== null) {
      this.concurrencySlot = this.stated.sent(this.statedSlot ?? this.makeStatedSlot(false), nowMs, this.request.url);
      this.statedSlot = null;
    }
    this.leavePacedQueue(nowMs);
    const { budget, costOf } = this.limits.settings;
    this.budgetTokens = budget === null || retry === null ? 0 : costOf(retry.failure);
    if (budget !== null) state.tokens = balanceAfter(state.tokens, -this.budgetTokens, budget);
    this.send = state.limit?.announced.spend(this.cost(), nowMs) ?? null;
    this.others = state.sending;
    this.sentMs = nowMs;
    this.isRetry = retry !== null;
    this.isSending = true;
    state.sending += 1;
  }

  /** Reads the announced limits. For a key without any, most responses are skipped. */
  private hear(state: KeyState, outcome: Ended, nowMs: number): void {
    const { headers } = outcome;
    const { announced, longestHoldMs } = this.limits.settings;
    if (!announced || longestHoldMs === null || headers === undefined || state.listenAfter-- > 0) return;
    const reports = readAnnounced(headers, this.options.runtime.now()).map((report) =>
      report.resetMs === null ? report : { ...report, resetMs: Math.min(report.resetMs, longestHoldMs) },
    );
    const isKnown = state.limit?.announced.isHeard === true;
    state.listenAfter = reports.length > 0 || isKnown ? 0 : ANSWERS_WITHOUT_LIMITS;
    const wasRefused = outcome.type === 'failure' && isCongestion(outcome.failure);
    if (reports.length === 0 && !(isKnown && (outcome.type === 'success' || wasRefused))) return;
    const request = { send: this.send, sentMs: this.sentMs, answeredMs: nowMs, wasRefused };
    limitOf(state).hear(reports, request, outcome.type === 'failure' ? (outcome.failure.retryAfterMs ?? 0) : 0);
  }

  private refused(state: KeyState, failure: Failure, nowMs: number): void {
    const { longestHoldMs } = this.limits.settings;
    if (longestHoldMs === null) return;
    const hintMs = Math.min(failure.retryAfterMs ?? 0, longestHoldMs);
    state.traffic.add(nowMs, false, this.isRetry);
    const limit = limitOf(state);
    if (!limit.refused(nowMs, this, failure.type, hintMs, this.options.runtime.random)) return;
    const holdMs = limit.heldUntil(nowMs) - nowMs;
    this.limits.emit({ type: 'cooldown', key: this.key, holdMs, failure: failure.type, at: nowMs });
  }

  /** In tokens; 0 if the caller's estimate throws or is not a number. */
  private cost(): number {
    const { cost } = this.limits.settings;
    if (cost === undefined || this.estimatedCost !== null) return this.estimatedCost ?? 0;
    this.estimatedCost = 0;
    try {
      const tokens = cost(this.request);
      if (tokens > 0 && Number.isFinite(tokens)) this.estimatedCost = tokens;
    } catch {}
    return this.estimatedCost;
  }
}

function heldFor(holdMs: number, { heldBy }: Limit) {
  return { holdMs, because: 'cooldown', heldBy: heldBy ?? 'rate_limit' } as const;
}

function circuitOutcomeOf(outcome: GateOutcome): CircuitOutcome {
  if (outcome.type === 'success') return 'success';
  return outcome.type === 'failure' && countsForCircuit(outcome.failure.type) ? 'failure' : 'neither';
}
