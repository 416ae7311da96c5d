/**
 * The handle on the waits: a user interface shows when the next attempt is due and offers "retry now", "give up" and a
 * switch, all of them distinct from aborting the request.
 */

import { expectFunction } from '../runtime/expect.ts';
import { notify, type RetryEvent, type RetryListener } from './events.ts';
import { type RetryState, StateOfCalls } from './retry-state.ts';
import { type HeldWait, registerSteering } from './steering.ts';

/** A wait as the controller ends it. */
interface ControlledWait {
  readonly until: number;
  end(how: HeldWait['ended']): void;
}

/**
 * Ends the waits of all calls that have it as their `controller`, and gets their events. A call counts as retrying from
 * its first wait to its end.
 */
export class RetryController {
  /**
   * Whether failed attempts are retried. If set to `false`, a wait in progress goes on, but nothing is sent after that
   * wait: the call is given up with the reason `disabled`.
   */
  enabled = true;

  #retrying = 0;
  readonly #waits = new Set<ControlledWait>();
  readonly #listeners = new Set<(event: RetryEvent) => void>();
  readonly #idle: (() => void)[] = [];
  readonly #changes = new Set<() => void>();
  readonly #state = new StateOfCalls();

  constructor() {
    registerSteering(this, {
      begin: (others = []) => {
        this.#retrying += 1;
        const ends = others.map((other) => other.begin());
        return () => {
          this.#retrying -= 1;
          if (this.#retrying === 0) for (const resolve of this.#idle.splice(0)) resolve();
          for (const end of ends) end();
        };
      },
      hold: (until, allowsRetryNow, others = []) =>
        this.#hold(
          until,
          allowsRetryNow,
          others.map((other) => other.hold(until, allowsRetryNow)),
        ),
      publish: (event) => {
        // The state first, because a listener may read it.
        const hasChanged = this.#state.hear(event);
        for (const listener of Array.from(this.#listeners)) notify(listener, event);
        if (hasChanged) this.#tellChange();
      },
    });
  }

  #tellChange(): void {
    for (const listener of Array.from(this.#changes)) notify(listener);
  }

  /** `others`: the same wait of further controllers, which may end it too. */
  #hold(until: number, allowsRetryNow: boolean, others: readonly HeldWait[]): HeldWait {
    let ended: HeldWait['ended'];
    let wake: (() => void) | undefined;
    const withdraw = (): void => {
      this.#waits.delete(wait);
      for (const other of others) other.withdraw();
    };
    const wait: ControlledWait = {
      until,
      end: (how) => {
        if (how === 'retry-now' && !allowsRetryNow) return;
        ended ??= how;
        // The first word counts, and the wait is over for the controller.
        withdraw();
        wake?.();
      },
    };
    for (const other of others) other.onEnd(() => wait.end(other.ended));
    this.#waits.add(wait);
    return {
      get ended() {
        return ended;
      },
      onEnd: (given) => void (wake = given),
      withdraw,
    };
  }

  /** Whether any call is between its first wait and its end. */
  get isRetrying(): boolean {
    return this.#retrying > 0;
  }

  /** When the earliest wait ends, in milliseconds since the epoch; null if no call waits. */
  get nextAttemptAt(): number | null {
    let earliest = Infinity;
    for (const { until } of this.#waits) earliest = Math.min(earliest, until);
    // A call that asks `stopIf` does not wait yet.
    return earliest === Infinity ? null : earliest;
  }

  /** Ends every wait at once; each waiting call sends its next attempt. */
  retryNow(): void {
    for (const wait of Array.from(this.#waits)) wait.end('retry-now');
  }

  /** Ends every wait at once; each waiting call returns its last response or error. */
  giveUp(): void {
    for (const wait of Array.from(this.#waits)) wait.end('given-up');
  }

  /** Resolves when no call is retrying, after the last event was delivered. */
  whenIdle(): Promise<void> {
    if (!this.isRetrying) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  /**
   * Calls the listener with the events of all calls of this controller. The returned function unsubscribes it.
   *
   * @throws TypeError if the listener is not a function
   */
  readonly subscribe = (listener: RetryListener): (() => void) => {
    expectFunction('listener', listener);
    return added(this.#listeners, (event) => listener(event));
  };

  /**
   * What a view can show: the same frozen object until something changes. If several calls wait, it is the state of the
   * call whose next attempt comes first; if none does, how the last call ended.
   */
  get state(): RetryState {
    return this.#state.current;
  }

  /** Back to `idle`, after an end was shown. */
  clear(): void {
    if (this.#state.clear()) this.#tellChange();
  }

  /** Calls the listener after each change of `state`. In the shape that `useSyncExternalStore` takes. */
  readonly onChange = (listener: () => void): (() => void) => {
    expectFunction('listener', listener);
    return added(this.#changes, () => listener());
  };
}

/** Returns what takes it out again. `entry`: a wrapper, so that the same function can be in it twice. */
function added<T>(listeners: Set<T>, entry: T): () => void {
  listeners.add(entry);
  return () => void listeners.delete(entry);
}
