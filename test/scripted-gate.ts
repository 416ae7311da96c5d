/** A gate with scripted answers, and these answers. */

import type { Gate } from '../src/index.ts';
import { withSessions } from '../src/route/open-route.ts';
import type { GateAnswer } from '../src/gate/gate.ts';
import type { GateSession } from '../src/gate/session.ts';

export interface ScriptedAnswers {
  /** In turn; after the last one every attempt may go. */
  readonly take?: readonly GateAnswer[];
  readonly estimate?: GateAnswer;
}

/** `heard`: the reports to the gate, in order. */
export function scriptedGate({ take = [], estimate = { go: true } }: ScriptedAnswers): {
  readonly gate: Gate;
  readonly heard: string[];
} {
  const heard: string[] = [];
  const answers = [...take];
  const session: GateSession = {
    key: 'https://api.example.com',
    estimate: () => estimate,
    take: () => answers.shift() ?? { go: true },
    takeAnyway: () => void heard.push('taken anyway'),
    within: (send) => send(),
    report: (_nowMs, { type }) => void heard.push(type),
    leave: () => void heard.push('left'),
  };
  return { heard, gate: withSessions({ keyOf: () => session.key, waiting: 0, readings: () => [] }, () => session) };
}

/** The server limits how many requests it accepts. */
export const paces = (waitMs: number): GateAnswer => ({
  go: false,
  refused: null,
  waitMs,
  holdMs: 0,
  because: 'pace',
  heldBy: null,
});

export const refuses = (refused: 'circuit-open' | 'retry-budget-empty' | 'too-many-waiting'): GateAnswer => ({
  go: false,
  refused,
  waitMs: 4_000,
});
