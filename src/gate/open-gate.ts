/** What `createGate` makes, seen from the inside. A program that passes no gate loads none. */

import { get } from '../runtime/values.ts';
import type { Gate, GateRequest, GateSessionOptions } from './gate.ts';
import type { GateSession } from './session.ts';

export const SESSION: unique symbol = /* @__PURE__ */ Symbol.for('retry-transport: the session of a gate');

/** A session for one call at one target. */
export type OpenSession = (request: GateRequest, options: GateSessionOptions) => GateSession;

/** Whether `createGate` made it. */
export function isGate(gate: unknown): gate is Gate {
  return typeof get(gate, SESSION) === 'function';
}

/** The session of a call. */
export function openSession(gate: Gate, request: GateRequest, options: GateSessionOptions): GateSession {
  return (gate as unknown as { readonly [SESSION]: OpenSession })[SESSION](request, options);
}
