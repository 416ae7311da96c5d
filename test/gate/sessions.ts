/** Sessions of one gate, on a clock that the test moves. */

import { createGate, type Gate, type GateEvent, type GateOptions } from '../../src/index.ts';
import type { GateAnswer, GateSession } from '../../src/gate/gate.ts';
import { openSession } from '../../src/gate/open-gate.ts';

export const REQUEST = {
  url: 'https://api.example.com/v1/messages',
  headers: { authorization: 'Bearer secret-of-a-caller' },
};

export interface Bench {
  readonly gate: Gate;
  readonly events: GateEvent[];
  readonly session: (options?: {
    readonly priority?: 'batch' | undefined;
    readonly random?: () => number;
  }) => GateSession;
}

export function bench(options: GateOptions = {}): Bench {
  const events: GateEvent[] = [];
  const gate = createGate({ ...options, onEvent: (event) => void events.push(event) });
  return {
    gate,
    events,
    session: ({ priority, random = () => 0.5 } = {}) =>
      openSession(gate, REQUEST, { runtime: { now: Date.now, random }, priority }),
  };
}

/** The answer of a gate that must not need time for it. */
export function atOnce(answer: GateAnswer | Promise<GateAnswer>): GateAnswer {
  if (answer instanceof Promise) throw new Error('Expected an answer at once.');
  return answer;
}

/** How long a session has to wait. */
export function waitOf(answer: GateAnswer | Promise<GateAnswer>): number {
  const now = atOnce(answer);
  return now.go ? 0 : now.waitMs;
}
