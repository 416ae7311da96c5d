/**
 * How a proxy, whose clients may be any, knows a repeat: an equal request of the same caller comes after a call that was
 * given up.
 */

import { createHash } from 'node:crypto';
import type { EqualRequests, SentBefore } from '../http/given-up.ts';
import { createCallerOf } from '../redact/caller.ts';
import { get, hide } from '../runtime/values.ts';

const DIGEST = Symbol('digest');

/** Bodies with one digest are equal. */
export function nameBody<B extends object>(body: B, digest: string): B {
  hide(body, DIGEST, digest);
  return body;
}

export class ComparedRequests implements EqualRequests {
  readonly #callerOf = createCallerOf();
  /** How many equal requests run, by their key. */
  readonly #running = new Map<string, number>();

  keyOf({ method, url, headers, body }: SentBefore): string {
    const parts = [method, url, this.#callerOf({ url, headers }), get(body, DIGEST) ?? body];
    return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
  }

  /** A request without a body may be a poll. */
  isCompared({ body }: SentBefore): boolean {
    return body !== undefined;
  }

  /** A request that is equal to one which still runs is another call, and so is one after a success. */
  async send(...[memory, request, throws, send]: Parameters<EqualRequests['send']>): Promise<Response> {
    const key = this.keyOf(request);
    const running = this.#running.get(key) ?? 0;
    this.#running.set(key, running + 1);
    try {
      const before = memory.before(request, throws);
      const { retryable, status } = before?.failure ?? {};
      // A client that does not read `x-should-retry` would ask for ever.
      const isFinal = retryable === false && status === 429;
      const isRepeat = before !== undefined && (running === 0 || before.isTold);
      return memory.answered(request, await send(isRepeat ? { ...before, isFinal } : undefined));
    } finally {
      const left = (this.#running.get(key) ?? 1) - 1;
      if (left === 0) this.#running.delete(key);
      else this.#running.set(key, left);
    }
  }
}
