/**
 * The circuit breaker: after enough failures nothing is sent for a while, then a few probes, and what they find decides.
 *
 * A server that is down gains nothing from being asked, and callers gain nothing from waiting for its timeouts; where a
 * call costs a connection, a thread or money, a refusal at once is the better answer. In a collapse that feeds on
 * itself a breaker is also what lets the server catch up.
 *
 * It is off unless asked for, because it is a blunt tool. It cannot tell a server that is down from one that fails two
 * calls in five, and then refuses the three that would have succeeded; and it stays open for its time when the server is
 * back already. What most people want of it, no retries into an outage, the retry budget does without either harm. So
 * when it is asked for, it covers the retries alone, unless it is told to refuse first attempts too.
 *
 * This file is the state machine. What counts as enough is the business of the counters, and what counts as a failure
 * of {@link countsForCircuit}.
 */

import {
  type ConsecutiveCounter,
  type ConsecutiveRule,
  countConsecutive,
  exceedsConsecutive,
  noFailures,
} from './consecutive-counter.ts';
import type { CircuitPhase } from '../events/gate-event.ts';
import type { FailureType } from '../failure/failure.ts';
import {
  countWindowed,
  emptyWindow,
  exceedsWindowed,
  type WindowedCounter,
  type WindowedRule,
} from './windowed-counter.ts';

export interface CircuitRule {
  readonly count: ConsecutiveRule | WindowedRule;
  /** How long nothing is sent. */
  readonly openMs: number;
  /** Attempts let through when that is over; as many successes close the circuit, one failure opens it again. */
  readonly probes: number;
  readonly covers: 'retries' | 'all';
}

/** Plain and serialisable. */
export interface Circuit {
  readonly phase: CircuitPhase;
  /** Open: until then. Half-open: until then its probes may take; then their places are given to others. */
  readonly untilMs: number;
  /** Half-open: probes under way, and probes that came back well. */
  readonly probing: number;
  readonly passed: number;
  readonly counter: ConsecutiveCounter | WindowedCounter;
}

/** What is asked of a circuit before an attempt. */
export interface CircuitAnswer {
  readonly circuit: Circuit;
  readonly allows: 'attempt' | 'probe' | 'nothing';
}

const FAILURES_OF_THE_SERVER: readonly FailureType[] = [
  'overloaded',
  'server_error',
  'timeout',
  'connection_error',
  'stream_interrupted',
  'provider_unavailable',
];

/** A rate limit, a quota or a wrong request is an answer of a server that is well; a cancelled call is none at all. */
export function countsForCircuit(type: FailureType): boolean {
  return FAILURES_OF_THE_SERVER.includes(type);
}

export function closedCircuit(rule: CircuitRule, nowMs: number): Circuit {
  const counter = rule.count.kind === 'consecutive' ? noFailures : emptyWindow(nowMs);
  return { phase: 'closed', untilMs: 0, probing: 0, passed: 0, counter };
}

/** Asks for one attempt. `probe`: its sender has to report back, and one failure of it opens the circuit again. */
export function askCircuit(circuit: Circuit, rule: CircuitRule, nowMs: number): CircuitAnswer {
  if (circuit.phase === 'closed') return { circuit, allows: 'attempt' };
  if (nowMs < circuit.untilMs) {
    if (circuit.phase === 'open' || circuit.probing + circuit.passed >= rule.probes) {
      return { circuit, allows: 'nothing' };
    }
    return { circuit: { ...circuit, probing: circuit.probing + 1 }, allows: 'probe' };
  }
  // The open time is over, or the probes never came back: their callers may be gone.
  const halfOpen: Circuit = { ...circuit, phase: 'half-open', untilMs: nowMs + rule.openMs, probing: 1, passed: 0 };
  return { circuit: halfOpen, allows: 'probe' };
}

/** Counts what ordinary attempts ended in. */
export function countForCircuit(
  circuit: Circuit,
  successes: number,
  failures: number,
  rule: CircuitRule,
  nowMs: number,
): Circuit {
  if (circuit.phase !== 'closed') {
    // Where first attempts go through all the time they are the probes; else only probes have a say now.
    const proven = rule.covers === 'retries' && successes > 0 && nowMs >= circuit.untilMs;
    return proven ? closedCircuit(rule, nowMs) : circuit;
  }
  const counter = counted(circuit.counter, successes, failures, rule, nowMs);
  if (failures > 0 && exceeds(counter, rule, nowMs)) return opened(circuit, rule, nowMs);
  return counter === circuit.counter ? circuit : { ...circuit, counter };
}

/** What a probe ended in; `neither`: it was cancelled, or its failure says nothing of the server. */
export function settleProbe(
  circuit: Circuit,
  ended: 'success' | 'failure' | 'neither',
  rule: CircuitRule,
  nowMs: number,
): Circuit {
  if (circuit.phase !== 'half-open') return circuit;
  if (ended === 'failure') return opened(circuit, rule, nowMs);
  const passed = circuit.passed + (ended === 'success' ? 1 : 0);
  if (passed >= rule.probes) return closedCircuit(rule, nowMs);
  return { ...circuit, passed, probing: Math.max(0, circuit.probing - 1) };
}

function opened(circuit: Circuit, rule: CircuitRule, nowMs: number): Circuit {
  return { ...circuit, phase: 'open', untilMs: nowMs + rule.openMs, probing: 0, passed: 0 };
}

function counted(
  counter: ConsecutiveCounter | WindowedCounter,
  successes: number,
  failures: number,
  { count }: CircuitRule,
  nowMs: number,
): ConsecutiveCounter | WindowedCounter {
  if (count.kind === 'consecutive') {
    return countConsecutive(counter.kind === 'consecutive' ? counter : noFailures, successes, failures);
  }
  return countWindowed(counter.kind === 'windowed' ? counter : emptyWindow(nowMs), successes, failures, count, nowMs);
}

function exceeds(counter: ConsecutiveCounter | WindowedCounter, { count }: CircuitRule, nowMs: number): boolean {
  if (count.kind === 'consecutive') return counter.kind === 'consecutive' && exceedsConsecutive(counter, count);
  return counter.kind === 'windowed' && exceedsWindowed(counter, count, nowMs);
}
