/** A gate with a fixed clock, and passes for calls of one key. */

import { createGate, type Gate, type GateAnswer, type Pass } from '../../src/gate/gate.ts';
import type { GateEvent } from '../../src/events/gate-event.ts';
import type { GateOptions } from '../../src/gate/gate-options.ts';
import { type TestClock, testClock } from './clock.ts';

export const TARGET = {
  url: 'https://api.example.com/v1/messages',
  headers: { authorization: 'Bearer secret-of-a-caller' },
};

export interface Bench {
  readonly gate: Gate;
  readonly clock: TestClock;
  readonly events: GateEvent[];
  /** The types of the events so far. */
  readonly seen: () => readonly string[];
  readonly pass: () => Pass;
}

export function bench(options: GateOptions = {}, clock: TestClock = testClock()): Bench {
  const events: GateEvent[] = [];
  const gate = createGate({ ...options, onEvent: (event) => void events.push(event) });
  return {
    gate,
    clock,
    events,
    seen: () => events.map(({ type }) => type),
    pass: () => gate.pass(TARGET, clock),
  };
}

/** The answer of a gate that must not need time for it. */
export function atOnce(answer: GateAnswer | Promise<GateAnswer>): GateAnswer {
  if (answer instanceof Promise) throw new Error('Expected an answer at once.');
  return answer;
}
