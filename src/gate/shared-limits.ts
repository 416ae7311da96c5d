/**
 * The connection to a store that other processes use too; it can only help. While all is well the store is not used.
 * When a limit is in trouble, a process renews its lease now and then, in the background: no call waits for the store.
 * A store that does not answer is left alone for a while, and the process continues with its last share and its own
 * probes.
 */

import type { GateEvent } from './gate-event.ts';
import { redact } from '../redact/redact.ts';
import { createId, startTimer, systemRuntime } from '../runtime/runtime.ts';
import type { AskStore } from './fleet-turns.ts';
import type { Limit } from './limit.ts';
import { sharedKeyOf } from './key.ts';
import { expectAnswer, LEASE_MS, type OpenStore, type StoreAnswer, type StoreRequest } from './store.ts';

/** A lease is renewed after half of its time; a store that did not answer is left alone for as long. */
const RENEWED_AFTER_MS = LEASE_MS / 2;
/** Calls wait for a turn anyway, and without the store they would come too early: it has more time for an answer. */
const RESERVE_TIMES = 10;
/** While nothing gets through there is nothing to share: only whether another process has got through. */
const HELD_RENEWED_AFTER_MS = 3_000;
/** What is asked for a limit that was learned. */
const NO_TURNS = { turns: 0, wayMs: 0, apartMs: 0, rates: [] } as const;

export class SharedLimits {
  readonly #store: OpenStore;
  readonly #emit: (event: GateEvent) => void;
  readonly #process = createId();
  readonly #asking = new Set<Limit>();
  /** What the store has counted of this process last, for a limit. */
  readonly #counted = new WeakMap<object, StoreRequest['counted']>();
  #lostMs: number | null = null;
  #pausedUntilMs = -Infinity;

  constructor(store: OpenStore, emit: (event: GateEvent) => void) {
    this.#store = store;
    this.#emit = emit;
  }

  /** Renews the lease of a limit in trouble, if it is time. */
  renew(key: string, limit: Limit, nowMs: number): void {
    limit.asksForProbes = this.#lostMs === null;
    if (nowMs < this.#pausedUntilMs || this.#asking.has(limit)) return;
    const report = limit.report(nowMs);
    const afterMs = limit.heldUntil(nowMs) > 0 ? HELD_RENEWED_AFTER_MS : RENEWED_AFTER_MS;
    if (!report.wantsProbe && nowMs - limit.leasedMs < afterMs) return;
    this.#asking.add(limit);
    const laterMs = since(nowMs);
    void this.#ask(limit, `${sharedKeyOf(key)}:pace`, { ...NO_TURNS, ...report }, this.#store.timeoutMs, laterMs).then(
      (answer) => {
        this.#asking.delete(limit);
        if (answer !== null) limit.lease(answer, report, laterMs());
      },
    );
  }

  /** Reserves turns under a limit that the user has stated. */
  turnsOf(key: string): AskStore {
    const limit = {};
    const sharedKey = `${sharedKeyOf(key)}:turns`;
    return (need, nowMs) => {
      const request = { ...need, counts: [1, 0, 0], wantsProbe: false } as const;
      return this.#ask(limit, sharedKey, request, RESERVE_TIMES * this.#store.timeoutMs, since(nowMs));
    };
  }

  /** The answer of the store; null: there is none in time, or an error. A later one is ignored. */
  async #ask(
    limit: object,
    key: string,
    rest: Omit<StoreRequest, 'process' | 'counted'>,
    timeoutMs: number,
    laterMs: () => number,
  ): Promise<StoreAnswer | null> {
    const request = { ...rest, process: this.#process, counted: this.#counted.get(limit) };
    // If no answer comes, what is counted is not known.
    this.#counted.delete(limit);
    const ask = async (): Promise<StoreAnswer> => expectAnswer(await this.#store.ask(key, request), request);
    try {
      const answer = await new Promise<StoreAnswer | null>((resolve, reject) => {
        const cancelTimer = startTimer(timeoutMs, () => resolve(null));
        ask().then(resolve, reject).finally(cancelTimer);
      });
      if (answer === null) {
        this.#lose('timeout', `No answer within ${this.#store.timeoutMs} ms (timeoutMs of the store).`, laterMs());
      } else {
        this.#found(laterMs());
        this.#counted.set(limit, { part: answer.part, counts: rest.counts });
      }
      return answer;
    } catch (error) {
      this.#lose('error', redact(error instanceof Error ? error.message : String(error)), laterMs());
      return null;
    }
  }

  #found(nowMs: number): void {
    if (this.#lostMs !== null) this.#emit({ type: 'store-reachable', afterMs: nowMs - this.#lostMs, at: nowMs });
    this.#lostMs = null;
  }

  #lose(reason: 'timeout' | 'error', message: string, nowMs: number): void {
    this.#pausedUntilMs = nowMs + RENEWED_AFTER_MS;
    if (this.#lostMs !== null) return;
    this.#lostMs = nowMs;
    this.#emit({ type: 'store-unreachable', reason, message, at: nowMs });
  }
}

/** The gate's clock, from a moment on. */
function since(nowMs: number): () => number {
  const startedMs = systemRuntime.monotonic();
  return () => nowMs + systemRuntime.monotonic() - startedMs;
}
