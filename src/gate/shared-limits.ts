/**
 * The connection to a store that other processes use too; it can only help. While all is well the store is not used.
 * When a limit is in trouble, a process renews its lease now and then, in the background: no call waits for the store.
 * A store that does not answer is left alone for a while, and the process continues with its last share and its own
 * probes.
 */

import type { GateEvent } from './gate-event.ts';
import { redact } from '../redact/redact.ts';
import { createId, startTimer, systemRuntime } from '../runtime/runtime.ts';
import type { Limit } from './limit.ts';
import { sharedKeyOf } from './key.ts';
import {
  expectShare,
  expectTurns,
  LEASE_MS,
  type OpenStore,
  type StoreCount,
  type StoreReport,
  type StoreRequest,
  type StoreShare,
  type StoreTurns,
} from './store.ts';

/** A lease is renewed after half of its time; a store that did not answer is left alone for as long. */
const RENEWED_AFTER_MS = LEASE_MS / 2;
/** Calls wait for a turn anyway, and without the store they would come too early: it has more time for an answer. */
const RESERVE_TIMES = 10;
/** While nothing gets through there is nothing to share: only whether another process has got through. */
const HELD_RENEWED_AFTER_MS = 3_000;

export class SharedLimits {
  readonly #store: OpenStore;
  readonly #timeoutMs: number;
  readonly #emit: (event: GateEvent) => void;
  readonly #process = createId();
  readonly #asking = new Set<Limit>();
  /** What the store has counted of this process. */
  readonly #counted = new WeakMap<Limit, StoreCount | null>();
  /** The difference between the store's clock and the gate's; null: unknown. */
  #clockOffsetMs: number | null = null;
  #lostMs: number | null = null;
  #pausedUntilMs = -Infinity;

  constructor(store: OpenStore, emit: (event: GateEvent) => void) {
    this.#store = store;
    this.#timeoutMs = store.timeoutMs;
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
    void this.#ask(key, limit, report, nowMs).finally(() => this.#asking.delete(limit));
  }

  async #ask(key: string, limit: Limit, report: ReturnType<Limit['report']>, nowMs: number): Promise<void> {
    const { delivered, wanted, wantsProbe } = report;
    const sentAtMs = this.#clockOffsetMs === null ? null : Math.round(nowMs + this.#clockOffsetMs);
    const counted = this.#counted.get(limit) ?? null;
    const request: StoreReport = { ...report, process: this.#process, sentAtMs, counted };
    const laterMs = since(nowMs);
    const ask = async (): Promise<StoreShare> => expectShare(await this.#store.exchange(sharedKeyOf(key), request));
    const share = await this.#inTime(ask, this.#timeoutMs, laterMs);
    if (share === null) return;
    const answeredMs = laterMs();
    this.#clockOffsetMs = share.nowMs - answeredMs;
    limit.lease(share, wantsProbe, answeredMs);
    this.#counted.set(limit, share.part === undefined ? null : { delivered, wanted, part: share.part });
  }

  /** Reserves turns under a limit that the user has stated; null: the store cannot be reached. */
  reserve(key: string, need: Omit<StoreRequest, 'process'>, nowMs: number): Promise<StoreTurns | null> {
    const request: StoreRequest = { ...need, process: this.#process };
    const ask = async (): Promise<StoreTurns> => {
      return expectTurns(await this.#store.reserve(sharedKeyOf(key), request), request);
    };
    return this.#inTime(ask, RESERVE_TIMES * this.#timeoutMs, since(nowMs));
  }

  /** The answer of the store; null: there is none in time, or an error. A later one is ignored. */
  async #inTime<T>(ask: () => Promise<T>, timeoutMs: number, laterMs: () => number): Promise<T | null> {
    try {
      const answer = await new Promise<T | null>((resolve, reject) => {
        const cancelTimer = startTimer(timeoutMs, () => resolve(null));
        ask().then(resolve, reject).finally(cancelTimer);
      });
      if (answer === null)
        this.#lose('timeout', `No answer within ${this.#timeoutMs} ms (timeoutMs of the store).`, laterMs());
      else this.#found(laterMs());
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
