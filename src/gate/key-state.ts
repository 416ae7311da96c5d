/**
 * All that the callers of one key share, as one plain value, and the three things that can happen to it: somebody wants
 * to send, somebody wants to retry, somebody reports. Pure; a store makes them atomic.
 */

import {
  askCircuit,
  type Circuit,
  type CircuitRule,
  closedCircuit,
  countForCircuit,
  settleProbe,
} from './circuit-breaker.ts';
import {
  askTurn,
  type Cooldown,
  type CooldownRule,
  isCalm,
  isHeld,
  joinLine,
  leaveLine,
  noCooldown,
  quicken,
  startCooldown,
} from './cooldown.ts';
import { countServed, isServing, newMeter, type RateMeter, restartMeter } from './rate-meter.ts';
import { type BudgetRule, deposit, withdraw } from './retry-budget.ts';

/** What holds for a key; null: that part is off. Plain and serialisable. */
export interface GateRules {
  readonly cooldown: CooldownRule | null;
  readonly budget: BudgetRule | null;
  readonly circuit: CircuitRule | null;
}

/** Plain and serialisable. */
export interface KeyState {
  readonly cooldown: Cooldown | null;
  readonly meter: RateMeter;
  readonly tokens: number;
  readonly circuit: Circuit | null;
}

/** Somebody is about to send an attempt. */
export interface Admission {
  /** The place that an earlier answer gave. */
  readonly place: number | null;
  readonly retry: boolean;
}

/** Somebody is about to plan a retry. */
export interface Withdrawal {
  readonly cost: number;
  /** It follows a hint, and so takes no more than the server offered. */
  readonly hinted: boolean;
  /** When it would be sent. */
  readonly delayMs: number;
}

/** What attempts ended in. */
export interface Report {
  readonly successes: number;
  /** After the successes. */
  readonly failures: number;
  /** How long the server asked to be left alone; 0: it did not. */
  readonly hintMs: number;
  /** Places in the line that nobody will come for. */
  readonly left: number;
  /** What a probe ended in; it is counted nowhere else. */
  readonly probe: 'success' | 'failure' | 'neither' | null;
}

/** Nothing to say: what reports are made from. */
export const nothing: Report = /* @__PURE__ */ Object.freeze({
  successes: 0,
  failures: 0,
  hintMs: 0,
  left: 0,
  probe: null,
});

export type Verdict = 'go' | 'wait' | 'retry-budget-empty' | 'circuit-open';

/** The answer to an {@link Admission} or a {@link Withdrawal}. */
export interface Ruling {
  readonly verdict: Verdict;
  /** Ask again after it; with a refusal: when it may be otherwise. */
  readonly waitMs: number;
  /** The place in the line; null: there is none to keep. */
  readonly place: number | null;
  /** Report back what it ended in: the circuit waits for it. */
  readonly probe: boolean;
}

/** A state, and what was answered on the way to it. */
export interface Step<A> {
  readonly state: KeyState;
  readonly answer: A;
}

const GO: Ruling = /* @__PURE__ */ Object.freeze({ verdict: 'go', waitMs: 0, place: null, probe: false });

export function freshState(rules: GateRules, nowMs: number): KeyState {
  return {
    cooldown: rules.cooldown && noCooldown(rules.cooldown, nowMs),
    meter: newMeter(nowMs),
    tokens: rules.budget?.capacity ?? 0,
    circuit: rules.circuit && closedCircuit(rules.circuit, nowMs),
  };
}

/** Whether an attempt may start without asking anything: no cooldown, and a closed circuit. */
export function isHealthy({ cooldown, circuit }: KeyState, nowMs: number): boolean {
  return (cooldown === null || isCalm(cooldown, nowMs)) && (circuit === null || circuit.phase === 'closed');
}

/** For how long an attempt has to ask first. */
export function unhealthyForMs({ cooldown, circuit }: KeyState, rules: GateRules, nowMs: number): number {
  const lineMs = cooldown === null ? 0 : Math.max(0, cooldown.calmAtMs - nowMs);
  if (circuit === null || circuit.phase === 'closed') return lineMs;
  return Math.max(lineMs, circuit.untilMs - nowMs, rules.circuit?.openMs ?? 0);
}

/** An attempt asks to be sent. */
export function admit(state: KeyState, admission: Admission, rules: GateRules, nowMs: number): Step<Ruling> {
  const { cooldown, circuit } = state;
  if (isHealthy(state, nowMs)) return { state, answer: GO };
  const { place } = admission;
  const turn = cooldown && (place === null ? joinLine(cooldown, nowMs) : askTurn(cooldown, place, nowMs));
  const inLine: KeyState = turn === null ? state : { ...state, cooldown: turn.cooldown };
  if (turn !== null && turn.waitMs > 0) {
    return { state: inLine, answer: { verdict: 'wait', waitMs: turn.waitMs, place: turn.place, probe: false } };
  }
  if (circuit === null || rules.circuit === null || (rules.circuit.covers === 'retries' && !admission.retry)) {
    return { state: inLine, answer: GO };
  }
  const asked = askCircuit(circuit, rules.circuit, nowMs);
  const answer: Ruling =
    asked.allows === 'nothing'
      ? { verdict: 'circuit-open', waitMs: asked.waitMs, place: null, probe: false }
      : { verdict: 'go', waitMs: 0, place: null, probe: asked.allows === 'probe' };
  return { state: { ...inLine, circuit: asked.circuit }, answer };
}

/** A retry asks for its token, and for its place where there is a line. */
export function permitRetry(state: KeyState, withdrawal: Withdrawal, rules: GateRules, nowMs: number): Step<Ruling> {
  const { cooldown, circuit, tokens } = state;
  if (circuit?.phase === 'open' && circuit.untilMs > nowMs + withdrawal.delayMs) {
    return { state, answer: { verdict: 'circuit-open', waitMs: circuit.untilMs - nowMs, place: null, probe: false } };
  }
  // A limit that serves some is no outage: a retry that waits until it is asked for takes nothing from anybody.
  const free = rules.budget === null || (withdrawal.hinted && cooldown !== null && isServing(state.meter, nowMs));
  const left = free ? tokens : withdraw(tokens, withdrawal.cost);
  if (left === null) return { state, answer: { verdict: 'retry-budget-empty', waitMs: 0, place: null, probe: false } };
  if (cooldown === null || isCalm(cooldown, nowMs)) return { state: { ...state, tokens: left }, answer: GO };
  const turn = joinLine(cooldown, nowMs);
  return {
    state: { ...state, tokens: left, cooldown: turn.cooldown },
    answer: { verdict: 'go', waitMs: turn.waitMs, place: turn.place, probe: false },
  };
}

/** Attempts have ended, or will not be made. */
export function settle(state: KeyState, report: Report, rules: GateRules, nowMs: number): KeyState {
  const successes = report.successes + (report.probe === 'success' ? 1 : 0);
  let { cooldown, meter, circuit, tokens } = state;
  if (rules.budget !== null && successes > 0) tokens = deposit(tokens, successes, rules.budget);
  if (circuit !== null && rules.circuit !== null) {
    if (report.probe !== null) circuit = settleProbe(circuit, report.probe, rules.circuit, nowMs);
    else circuit = countForCircuit(circuit, report.successes, report.failures, rules.circuit, nowMs);
  }
  if (successes > 0) meter = countServed(meter, successes, nowMs);
  if (cooldown !== null && rules.cooldown !== null) {
    if (report.left > 0) cooldown = leaveLine(cooldown, report.left, nowMs);
    if (successes > 0) cooldown = quicken(cooldown, successes, nowMs);
    if (report.hintMs > 0) {
      const next = startCooldown(cooldown, report.hintMs, meter, rules.cooldown, nowMs);
      if (!isHeld(cooldown, nowMs)) meter = restartMeter(meter, next.untilMs);
      cooldown = next;
    }
  }
  return { cooldown, meter, circuit, tokens };
}
