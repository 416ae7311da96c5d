/**
 * The handle on the waits: a user interface shows when the next attempt is due and offers "retry now", "give up" and a
 * switch, all of them distinct from aborting the request.
 */

import { notify, type RetryEvent } from './events.ts';

/** How a wait ended: by itself, or by a person. */
export type WaitEnd = 'elapsed' | 'retry-now' | 'given-up';

/** One wait that a controller can end early. */
export interface ControlledWait {
  readonly until: number;
  end(how: Exclude<WaitEnd, 'elapsed'>): void;
}

interface State {
  retrying: number;
  readonly waits: Set<ControlledWait>;
  readonly listeners: Set<(event: RetryEvent) => void>;
  idle: (() => void)[];
}

/** Kept apart from the controllers: the loop needs it, and callers must not reach it. */
const STATES = /* @__PURE__ */ new WeakMap<RetryController, State>();

function stateOf(controller: RetryController): State {
  let state = STATES.get(controller);
  if (state === undefined) {
    state = { retrying: 0, waits: new Set(), listeners: new Set(), idle: [] };
    STATES.set(controller, state);
  }
  return state;
}

/**
 * Steers every call it is given to, one or many. A call counts as retrying from its first failure that is worth a
 * retry until its end.
 */
export class RetryController {
  /**
   * Whether failed attempts are retried. Switched off, a wait in progress is not cut, but no further retry starts; the
   * call is given up with the reason `disabled`.
   */
  enabled = true;

  /** Whether any call is between its first failure and its end. */
  get isRetrying(): boolean {
    return stateOf(this).retrying > 0;
  }

  /** When the earliest wait ends, in milliseconds since the epoch; null when nothing waits. */
  get nextAttemptAt(): number | null {
    let earliest: number | null = null;
    for (const { until } of stateOf(this).waits) if (earliest === null || until < earliest) earliest = until;
    return earliest;
  }

  /** Ends every wait at once; each waiting call sends its next attempt. */
  retryNow(): void {
    for (const wait of Array.from(stateOf(this).waits)) wait.end('retry-now');
  }

  /** Ends every wait at once; each waiting call hands back its last response or error. */
  giveUp(): void {
    for (const wait of Array.from(stateOf(this).waits)) wait.end('given-up');
  }

  /** Resolves when no call is retrying; its last event has been delivered by then. */
  whenIdle(): Promise<void> {
    if (!this.isRetrying) return Promise.resolve();
    return new Promise((resolve) => stateOf(this).idle.push(resolve));
  }

  /** Hears the events of every call that this controller steers. The returned function ends it. */
  subscribe(listener: (event: RetryEvent) => void): () => void {
    const { listeners } = stateOf(this);
    // A wrapper, so that the same function may subscribe twice and leave once.
    const entry = (event: RetryEvent): void => listener(event);
    listeners.add(entry);
    return () => void listeners.delete(entry);
  }
}

/** A call has met its first failure; the returned function is called once, at its end. */
export function beginRetrying(controller: RetryController): () => void {
  const state = stateOf(controller);
  state.retrying += 1;
  return () => {
    state.retrying -= 1;
    if (state.retrying > 0) return;
    const waiting = state.idle;
    state.idle = [];
    for (const resolve of waiting) resolve();
  };
}

/** Offers a wait to the controller; the returned function withdraws it. */
export function offerWait(controller: RetryController, wait: ControlledWait): () => void {
  const { waits } = stateOf(controller);
  waits.add(wait);
  return () => void waits.delete(wait);
}

/** Tells the subscribers. */
export function publish(controller: RetryController, event: RetryEvent): void {
  for (const listener of Array.from(stateOf(controller).listeners)) notify(listener, event);
}
