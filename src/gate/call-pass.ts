/** One call's part in a gate: its place in the line, its probe, and whom to ask, the store or this process. */

import type { GateRefusal } from '../events/gate-event.ts';
import type { Failure } from '../failure/failure.ts';
import type { StoreAnswer } from './store.ts';
import { countsForCircuit } from './circuit-breaker.ts';
import { isCalm } from './cooldown.ts';
import type { GateAnswer, GateClock, KeyedGate, Pass } from './gate.ts';
import { isHealthy, nothing, type Report } from './key-state.ts';

/** The longest that a cooldown is stretched at random. */
const LONGEST_SPREAD_MS = 5_000;
/** How often those in a makeshift line look for the store. */
const MAKESHIFT_MS = 250;

const GO: GateAnswer = /* @__PURE__ */ Object.freeze({ go: true });
const SUCCESS: Report = /* @__PURE__ */ (() => Object.freeze({ ...nothing, successes: 1 }))();

/** A place in a line. */
interface Place {
  readonly place: number | null;
  readonly line: number;
}

const NO_PLACE: Place = /* @__PURE__ */ Object.freeze({ place: null, line: 0 });

/** One is made for every call: plain fields, for those with a # take twice as long to set. */
export class CallPass implements Pass {
  readonly key: string;
  private readonly gate: KeyedGate;
  private readonly clock: GateClock;
  private retry = false;
  private probe = false;
  /** In the store's line, and in this process's own, which matters while the store is lost. */
  private sharedPlace = NO_PLACE;
  private ownPlace = NO_PLACE;
  /** Since when it is counted among those that wait. */
  private heldSinceMs: number | null = null;

  constructor(gate: KeyedGate, key: string, clock: GateClock) {
    this.gate = gate;
    this.key = key;
    this.clock = clock;
  }

  admit(): GateAnswer | Promise<GateAnswer> {
    const nowMs = this.clock.now();
    if (this.sharedPlace === NO_PLACE && this.ownPlace === NO_PLACE && this.#isWell(nowMs)) return this.#go(nowMs);
    if (this.#isFull(1)) return this.#refuse('too-many-waiting', 0, nowMs);
    const { shared } = this.gate;
    const asked =
      shared?.ask(this.key, this.clock, (store, rules, atMs) =>
        this.#keepingPlace(store.admit(this.key, { ...this.sharedPlace, retry: this.retry }, rules, atMs)),
      ) ?? null;
    if (asked instanceof Promise) return asked.then((answer) => this.#admitted(answer));
    return this.#admitted(asked);
  }

  settled(outcome: 'success' | 'cancelled' | Failure): void {
    const report = this.#reportOf(outcome);
    if (report === null) return;
    const { local, shared, settings } = this.gate;
    const nowMs = this.clock.now();
    local.record(this.key, this.#spread(report), settings.rules, nowMs);
    if (report.hintMs > 0 && typeof outcome === 'object') {
      this.gate.emit({ type: 'cooldown', key: this.key, hintMs: report.hintMs, failure: outcome.type, at: nowMs });
    }
    if (shared === null || shared.down) this.gate.noteCircuit(this.key, nowMs);
    shared?.report(this.key, report, this.clock);
  }

  permitRetry(failure: Failure, delayMs: number): GateAnswer | Promise<GateAnswer> {
    this.retry = true;
    this.#forgetPlaces();
    const { settings, shared, local } = this.gate;
    const withdrawal = { cost: settings.costOf(failure.type), hinted: (failure.retryAfterMs ?? 0) > 0, delayMs };
    const asked =
      shared?.ask(this.key, this.clock, (store, rules, atMs) =>
        this.#keepingPlace(store.permitRetry(this.key, withdrawal, rules, atMs)),
      ) ?? null;
    const permitted = (answer: StoreAnswer | null): GateAnswer => {
      const nowMs = this.clock.now();
      return this.#permitted(
        answer ?? local.permitRetry(this.key, withdrawal, settings.rules, nowMs),
        answer !== null,
        nowMs,
      );
    };
    return asked instanceof Promise ? asked.then(permitted) : permitted(asked);
  }

  leave(): void {
    this.#giveUpPlaces();
    this.#release(this.clock.now());
    if (this.probe) this.settled('cancelled');
  }

  #admitted(answer: StoreAnswer | null): GateAnswer {
    const { local, shared, settings } = this.gate;
    const nowMs = this.clock.now();
    // Neither the store nor this process knows anything of the key.
    if (answer === null && shared !== null && local.read(this.key) === undefined) this.gate.orphaned(this.key, nowMs);
    const ruling = answer ?? local.admit(this.key, { ...this.ownPlace, retry: this.retry }, settings.rules, nowMs);
    const { verdict, waitMs, place, probe, standing } = ruling;
    if (answer === null) this.gate.noteCircuit(this.key, nowMs);
    if (verdict === 'go') {
      this.probe = probe;
      // The store may have lost what this process was told.
      const ownMs = answer === null ? 0 : this.gate.cooldownMs(this.key, nowMs);
      return ownMs > 0 && !probe ? this.#hold(ownMs, nowMs) : this.#go(nowMs);
    }
    if (verdict !== 'wait') return this.#refuse(verdict, waitMs, nowMs);
    if (answer === null) this.ownPlace = { place, line: standing.line };
    if (this.#isFull(0)) return this.#refuse('too-many-waiting', 0, nowMs);
    // Without the store the line is a makeshift one: better to look for the store again soon.
    const makeshift = answer === null && shared !== null;
    return this.#hold(makeshift ? Math.min(waitMs, Math.max(standing.cooldownMs, MAKESHIFT_MS)) : waitMs, nowMs);
  }

  #permitted({ verdict, waitMs, place, standing }: StoreAnswer, shared: boolean, nowMs: number): GateAnswer {
    if (verdict === 'retry-budget-empty' || verdict === 'circuit-open') return this.#refuse(verdict, waitMs, nowMs);
    if (place === null) return GO;
    if (!shared) this.ownPlace = { place, line: standing.line };
    if (waitMs > 0 && this.#isFull(0)) return this.#refuse('too-many-waiting', 0, nowMs);
    return waitMs > 0 ? this.#hold(waitMs, nowMs) : GO;
  }

  #isWell(nowMs: number): boolean {
    const { local, shared } = this.gate;
    const state = local.read(this.key);
    if (shared === null) return state === undefined || isHealthy(state, nowMs);
    if (shared.down) return state !== undefined && isHealthy(state, nowMs);
    // The circuit is the store's business; a hint that this process got counts at once.
    return shared.isWell(this.key, nowMs) && (!state?.cooldown || isCalm(state.cooldown, nowMs));
  }

  /** Whether this call would be one too many; `least`: with fewer than so many in line there is always room to ask. */
  #isFull(least: number): boolean {
    const waiting = this.gate.waitingFor(this.key);
    return this.heldSinceMs === null && waiting >= least && waiting >= this.gate.settings.maxWaiting;
  }

  /** A place in the store's line is kept however late the answer comes: a second one would leave the first empty. */
  #keepingPlace(asked: StoreAnswer | Promise<StoreAnswer>): StoreAnswer | Promise<StoreAnswer> {
    const keep = (answer: StoreAnswer): StoreAnswer => {
      const { place, standing } = answer;
      this.sharedPlace = place === null ? NO_PLACE : { place, line: standing.line };
      return answer;
    };
    return asked instanceof Promise ? asked.then(keep) : keep(asked);
  }

  #forgetPlaces(): void {
    this.sharedPlace = NO_PLACE;
    this.ownPlace = NO_PLACE;
  }

  #giveUpPlaces(): void {
    const { local, shared, settings } = this.gate;
    const left = { ...nothing, left: 1 };
    if (this.ownPlace !== NO_PLACE) local.record(this.key, left, settings.rules, this.clock.now());
    if (this.sharedPlace !== NO_PLACE) shared?.report(this.key, left, this.clock);
    this.#forgetPlaces();
  }

  #reportOf(outcome: 'success' | 'cancelled' | Failure): Report | null {
    const probe = this.probe;
    this.probe = false;
    if (outcome === 'success') return probe ? { ...nothing, probe: 'success' } : SUCCESS;
    if (outcome === 'cancelled') return probe ? { ...nothing, probe: 'neither' } : null;
    const failed = countsForCircuit(outcome.type);
    const hintMs = this.#hintOf(outcome);
    if (probe) return { ...nothing, hintMs, probe: failed ? 'failure' : 'neither' };
    return failed || hintMs > 0 ? { ...nothing, failures: failed ? 1 : 0, hintMs } : null;
  }

  /** What others have to obey of a hint: not of a failure that is the caller's own, a quota that is gone for the month. */
  #hintOf({ retryable, retryAfterMs = 0 }: Failure): number {
    if (!retryable || retryAfterMs <= 0 || this.gate.settings.rules.cooldown === null) return 0;
    // Clocks count whole milliseconds; the one that has begun may be gone already.
    return retryAfterMs + 1;
  }

  /** Processes that do not share a line come back at different times; those that do are one crowd, and spread by it. */
  #spread(report: Report): Report {
    if (report.hintMs === 0 || this.gate.shared !== null) return report;
    const spreadMs = Math.min(report.hintMs * this.gate.settings.spread, LONGEST_SPREAD_MS);
    return { ...report, hintMs: report.hintMs + spreadMs * this.clock.random() };
  }

  #go(nowMs: number): GateAnswer {
    this.#forgetPlaces();
    this.#release(nowMs);
    return GO;
  }

  #hold(waitMs: number, nowMs: number): GateAnswer {
    if (this.heldSinceMs === null) {
      this.heldSinceMs = nowMs;
      const waiting = this.gate.count(this.key, 1);
      this.gate.emit({ type: 'held', key: this.key, waitMs, waiting, at: nowMs });
    }
    return { go: false, waitMs, refused: null };
  }

  #refuse(because: GateRefusal, waitMs: number, nowMs: number): GateAnswer {
    this.#giveUpPlaces();
    this.#release(nowMs);
    this.gate.emit({ type: 'refused', key: this.key, because, at: nowMs });
    return { go: false, waitMs, refused: because };
  }

  #release(nowMs: number): void {
    if (this.heldSinceMs === null) return;
    const heldMs = nowMs - this.heldSinceMs;
    this.heldSinceMs = null;
    const waiting = this.gate.count(this.key, -1);
    this.gate.emit({ type: 'released', key: this.key, heldMs, waiting, at: nowMs });
  }
}
