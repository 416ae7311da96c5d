/** Sessions of one gate, on a clock that the test moves. */

import { createGate, type Gate, type GateEvent, type GateOptions } from '../../src/index.ts';
import type { GateAnswer } from '../../src/gate/gate.ts';
import type { GateSession } from '../../src/gate/session.ts';
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

/** How long a session has to wait. */
export function waitOf(answer: GateAnswer): number {
  return answer.go ? 0 : answer.waitMs;
}
