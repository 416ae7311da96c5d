/**
 * What a call needs from a controller. The functions come with the controller, so that a program without one loads none
 * of them, and are kept under a symbol, so that users cannot call them.
 */

import type { RetryEvent } from './events.ts';
import { mismatch } from '../runtime/expect.ts';
import { hide, isObject } from '../runtime/values.ts';

/** How a wait ended: after its time, or by `retryNow` or `giveUp`. */
export type WaitEnd = 'elapsed' | 'retry-now' | 'given-up';

/** One wait that a controller can end early. */
export interface HeldWait {
  /** undefined: it goes on, or its time is over. */
  readonly ended: Exclude<WaitEnd, 'elapsed'> | undefined;
  /** Takes a function that is called when it is ended. */
  onEnd(wake: () => void): void;
  /** Takes it from the controller. */
  withdraw(): void;
}

export interface Steering {
  /** Called before the first wait of a call; the returned function is called once, at its end. */
  begin(others?: readonly Steering[]): () => void;
  /**
   * Gives the controller a wait. `allowsRetryNow` false: nothing may be sent before. `others`: the further controllers of
   * the call; the first that ends the wait counts.
   */
  hold(until: number, allowsRetryNow: boolean, others?: readonly Steering[]): HeldWait;
  /** Calls the subscribers. */
  publish(event: RetryEvent): void;
}

const STEERING = /* @__PURE__ */ Symbol('steering');

/** Called by the constructor of a controller. */
export function registerSteering(controller: object, steering: Steering): void {
  hide(controller, STEERING, steering);
}

/** @throws TypeError for anything else than a controller */
export function steeringOf(controller: unknown): Steering {
  const steering: Steering | undefined = isObject(controller) ? Reflect.get(controller, STEERING) : undefined;
  if (steering === undefined) throw new TypeError(mismatch('controller', 'a RetryController', controller));
  return steering;
}
