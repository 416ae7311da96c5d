/**
 * The way to an attempt, for a call that has one: what may have been done is undone, the gate is passed, and somebody is
 * found whom to ask. All of it can wait, and each wait counts as waiting of the call.
 */

import type { Admission } from './admission.ts';
import type { Announcer } from '../events/announcer.ts';
import type { CallLog } from './call-log.ts';
import type { Walk } from './walk.ts';
import type { Policy } from '../policy/policy.ts';
import type { Refusal } from './refusal.ts';
import { rollBack } from './repeat.ts';
import { sleep, sleepControlled } from './wait.ts';

export class Approach {
  readonly #policy: Policy;
  readonly #announcer: Pick<Announcer, 'identity'>;
  readonly #walk: Pick<Walk, 'choose'>;
  readonly #gate: Admission | undefined;
  readonly #log: CallLog;

  constructor(
    policy: Policy,
    announcer: Pick<Announcer, 'identity'>,
    walk: Pick<Walk, 'choose'>,
    gate: Admission | undefined,
    log: CallLog,
  ) {
    this.#policy = policy;
    this.#announcer = announcer;
    this.#walk = walk;
    this.#gate = gate;
    this.#log = log;
  }

  /**
   * Undoes and waits in line. Gives the gate's refusal, if it refuses.
   *
   * @throws the signal's reason when it aborts, and what `rollback` throws
   */
  async enter(signal: AbortSignal | undefined): Promise<Refusal | null> {
    await rollBack(this.#policy, this.#announcer, this.#log.lastFailure, signal);
    return (await this.#gate?.enter(signal, this.#log)) ?? null;
  }

  /**
   * Settles whom to ask, for an attempt that is sent in the same turn: another call may be told at any time that the
   * target is no more. A promise: everybody rests; ask again when it resolves with null.
   */
  choose(signal: AbortSignal | undefined): Promise<Refusal | null> | Refusal | null {
    const { runtime } = this.#policy;
    const now = runtime.now();
    const rest = this.#walk.choose(now, this.#log.spent(now));
    if (rest === 0) return null;
    if (typeof rest !== 'number') return rest;
    this.#log.addDelay(rest);
    return this.#rest(rest, now + rest, signal);
  }

  /** A person may give up, but not hurry: there is nobody to ask before the time. */
  async #rest(ms: number, until: number, signal: AbortSignal | undefined): Promise<Refusal | null> {
    const { runtime, config } = this.#policy;
    if (config.controller === undefined) {
      await sleep(runtime, ms, signal);
      return null;
    }
    const how = await sleepControlled(runtime, { ms, until, canHurry: false }, signal, config.controller);
    if (how !== 'given-up') return null;
    return { because: how, error: new Error('It was given up while nothing was free to ask.'), possibleAt: until };
  }
}
