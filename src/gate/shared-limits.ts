/**
 * The way to a store that other processes use too, made so that it can only help. While all is well it is not asked. When
 * a limit is in trouble a process renews its lease now and then, in the background: no call waits for the store. A store
 * that does not answer is left alone for a while, and the process goes on with its last share and its own probes.
 */

import { redact } from '../failure/redact.ts';
import { createId, startTimer, systemRuntime } from '../runtime.ts';
import type { Limit } from './limit.ts';
import { LEASE_MS, type Store, type StoreShare } from './store.ts';

/** What a gate hears of its store. */
export interface StoreListener {
  unreachable(reason: 'timeout' | 'error', message: string, nowMs: number): void;
  reachable(afterMs: number, nowMs: number): void;
}

/** A lease is renewed when half of it is over. */
const RENEWED_AFTER_MS = LEASE_MS / 2;
/** A store that did not answer is left alone for so long, and for twice as long each time after that, up to the latter. */
const PAUSE_MS = { first: 100, longest: 2_000 } as const;

export class SharedLimits {
  readonly #store: Store;
  readonly #timeoutMs: number;
  readonly #listener: StoreListener;
  readonly #process = createId();
  readonly #asking = new Set<Limit>();
  /** How far the store's clock is ahead of the gate's; null: not known. */
  #clockOffsetMs: number | null = null;
  #lostMs: number | null = null;
  #pauseMs: number = PAUSE_MS.first;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;

  constructor(store: Store, timeoutMs: number, listener: StoreListener) {
    this.#store = store;
    this.#timeoutMs = timeoutMs;
    this.#listener = listener;
  }

  /** Renews the lease of a limit in trouble, if it is time. */
  renew(key: string, limit: Limit, nowMs: number): void {
    limit.asksForProbes = this.#lostMs === null;
    if (nowMs < this.#pausedUntilMs || this.#asking.has(limit)) return;
    const wantsProbe = limit.wantsPermit(nowMs);
    if (!wantsProbe && nowMs - limit.leasedMs < RENEWED_AFTER_MS) return;
    this.#asking.add(limit);
    void this.#ask(key, limit, wantsProbe, nowMs).finally(() => this.#asking.delete(limit));
  }

  async #ask(key: string, limit: Limit, wantsProbe: boolean, nowMs: number): Promise<void> {
    const startedMs = systemRuntime.monotonic();
    const laterMs = (): number => nowMs + systemRuntime.monotonic() - startedMs;
    const report = {
      process: this.#process,
      delivered: Math.round(1_000 * limit.deliveredPerSecond(nowMs)),
      wanted: Math.round(1_000 * limit.wantedPerSecond(nowMs)),
      wantsProbe,
      sentAtMs: this.#clockOffsetMs === null ? null : Math.round(nowMs + this.#clockOffsetMs),
    };
    let cancelTimer: (() => void) | undefined;
    try {
      const timeout = new Promise<'timeout'>((resolve) => {
        cancelTimer = startTimer(this.#timeoutMs, () => resolve('timeout'));
      });
      const answer = await Promise.race([this.#exchange(key, report), timeout]);
      if (answer === 'timeout')
        this.#lose('timeout', `No answer within ${this.#timeoutMs} ms (storeTimeoutMs).`, laterMs());
      else this.#hear(limit, answer, wantsProbe, laterMs());
    } catch (error) {
      this.#lose('error', redact(error instanceof Error ? error.message : String(error)), laterMs());
    } finally {
      cancelTimer?.();
    }
  }

  /** A rejection that comes after the time limit has no listener left. */
  #exchange(key: string, report: Parameters<Store['exchange']>[1]): Promise<StoreShare> {
    const answer = (async () => this.#store.exchange(key, report))();
    answer.catch(() => {});
    return answer;
  }

  #hear(limit: Limit, share: StoreShare, wantedProbe: boolean, nowMs: number): void {
    this.#clockOffsetMs = share.nowMs - nowMs;
    if (this.#lostMs !== null) this.#listener.reachable(nowMs - this.#lostMs, nowMs);
    this.#lostMs = null;
    this.#pauseMs = PAUSE_MS.first;
    this.#pausedUntilMs = Number.NEGATIVE_INFINITY;
    limit.lease(share, wantedProbe, nowMs);
  }

  #lose(reason: 'timeout' | 'error', message: string, nowMs: number): void {
    this.#pausedUntilMs = nowMs + this.#pauseMs;
    this.#pauseMs = Math.min(2 * this.#pauseMs, PAUSE_MS.longest);
    if (this.#lostMs !== null) return;
    this.#lostMs = nowMs;
    this.#listener.unreachable(reason, message, nowMs);
  }
}
