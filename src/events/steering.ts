/**
 * What a call asks of a controller. The functions come with the controller, so that a program without one loads none of
 * them, and are kept apart from it, so that callers cannot reach them.
 */

import type { RetryEvent } from './events.ts';

/** How a wait ended: by itself, or by a person. */
export type WaitEnd = 'elapsed' | 'retry-now' | 'given-up';

/** One wait that a controller can end early. */
export interface ControlledWait {
  readonly until: number;
  end(how: Exclude<WaitEnd, 'elapsed'>): void;
}

export interface Steering {
  /** A call has met its first failure; the returned function is called once, at its end. */
  begin(): () => void;
  /** Offers a wait to the controller; the returned function withdraws it. */
  offer(wait: ControlledWait): () => void;
  /** Calls the subscribers. */
  publish(event: RetryEvent): void;
}

const STEERINGS = /* @__PURE__ */ new WeakMap<object, Steering>();

/** Called by a controller when it is made. */
export function registerSteering(controller: object, steering: Steering): void {
  STEERINGS.set(controller, steering);
}

export function isController(value: unknown): boolean {
  return typeof value === 'object' && value !== null && STEERINGS.has(value);
}

/** @throws TypeError for an object that is no controller, which the check of the options has refused before */
export function steeringOf(controller: object): Steering {
  const steering = STEERINGS.get(controller);
  if (steering === undefined) throw new TypeError('Expected `controller` to be a RetryController.');
  return steering;
}
