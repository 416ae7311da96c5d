/**
 * The way to a store that others use too, made so that it can only help. While all is well nothing waits for it: what a
 * process has to say goes there in the background, and the answer says for how long to go on without asking. When a key
 * is in trouble each attempt asks once, and not longer than a limit; after that, and while the store is known not to
 * answer, the process goes on with what it knows itself.
 */

import type { Runtime } from '../runtime.ts';
import { startTimer } from '../runtime.ts';
import type { Standing, Store, StoreAnswer } from './store.ts';
import { type GateRules, nothing, type Report } from './key-state.ts';

/** What the gate hears of its store. */
export interface SharedStoreListener {
  /** How things stand with a key, as of now. */
  learned(key: string, standing: Standing, nowMs: number): void;
  /** The store was lost while this key had a line in it. */
  orphaned(key: string, nowMs: number): void;
  unreachable(reason: 'timeout' | 'error', message: string, nowMs: number): void;
  reachable(afterMs: number, nowMs: number): void;
  /** What this process knows of a cooldown that the store may have forgotten. */
  cooldownMs(key: string, nowMs: number): number;
}

interface Link {
  /** Until then attempts ask first. */
  askUntilMs: number;
  /** The store was found again after this was learned: it may be another, empty one. */
  life: number;
  standing: Standing | null;
  /** What was not reported yet, and whether a report is under way. */
  successes: number;
  left: number;
  reporting: boolean;
}

type Clock = Pick<Runtime, 'now'>;

/** A store that did not answer is left alone for so long, and for twice as long each time after that, up to the latter. */
const PAUSE_MS = { first: 100, longest: 2_000 } as const;
/** A timer that is later than this shows that the process was busy. */
const DEAF_MS = 5;
/** A forgotten key is asked for once more. */
const MAX_LINKS = 1_000;

export class SharedStore {
  readonly #store: Store;
  readonly #rules: GateRules;
  readonly #limitMs: number;
  readonly #listener: SharedStoreListener;
  readonly #links = new Map<string, Link>();
  #life = 0;
  #downSinceMs: number | null = null;
  #pauseMs: number = PAUSE_MS.first;
  #pausedUntilMs = 0;

  constructor(store: Store, rules: GateRules, limitMs: number, listener: SharedStoreListener) {
    this.#store = store;
    this.#rules = rules;
    this.#limitMs = limitMs;
    this.#listener = listener;
  }

  /** Whether the store is not answering. */
  get down(): boolean {
    return this.#downSinceMs !== null;
  }

  /** Whether an attempt may start without asking. Never of a key that nobody has asked for yet. */
  isWell(key: string, nowMs: number): boolean {
    const link = this.#links.get(key);
    return link !== undefined && link.life === this.#life && nowMs >= link.askUntilMs;
  }

  /** What was last heard of a key. */
  standing(key: string): Standing | null {
    return this.#links.get(key)?.standing ?? null;
  }

  /** Asks, within the limit; null: there is no answer to be had, go on without. */
  ask(
    key: string,
    clock: Clock,
    question: (store: Store, rules: GateRules, nowMs: number) => StoreAnswer | Promise<StoreAnswer>,
  ): StoreAnswer | null | Promise<StoreAnswer | null> {
    if (this.down) return null;
    return this.#limited(
      clock,
      () => question(this.#store, this.#rules, clock.now()),
      (answer, nowMs) => {
        this.#learn(key, answer.standing, nowMs);
      },
    );
  }

  /**
   * Reports in the background. Failures go at once; successes gather while a report is under way, so that a busy process
   * says more with each report instead of more often.
   */
  report(key: string, report: Report, clock: Clock): void {
    const nowMs = clock.now();
    if (this.down && nowMs < this.#pausedUntilMs) return;
    const link = this.#link(key);
    link.successes += report.successes;
    link.left += report.left;
    if (link.reporting && report.failures === 0 && report.hintMs === 0 && report.probe === null) return;
    this.#send(key, link, report, clock, nowMs);
  }

  #send(key: string, link: Link, report: Report, clock: Clock, nowMs: number): void {
    // A store that was lost may have lost what it knew.
    const remembered = this.down || link.life !== this.#life ? this.#listener.cooldownMs(key, nowMs) : 0;
    const { successes, left } = link;
    const whole: Report = { ...report, successes, left, hintMs: Math.max(report.hintMs, remembered) };
    link.successes = 0;
    link.left = 0;
    link.reporting = true;
    // While the store is down one report at a time looks after it.
    if (this.down) this.#pause(nowMs);
    const sent = this.#limited(
      clock,
      () => this.#store.settle(key, whole, this.#rules, nowMs),
      (standing, atMs) => {
        this.#learn(key, standing, atMs);
      },
    );
    const done = (answer: Standing | null): void => {
      link.reporting = false;
      // What a lost store missed is old by the time it is back.
      if (answer === null) [link.successes, link.left] = [0, 0];
      else if (link.successes + link.left > 0) this.#send(key, link, nothing, clock, clock.now());
    };
    if (sent instanceof Promise) void sent.then(done);
    else done(sent);
  }

  #learn(key: string, standing: Standing, nowMs: number): void {
    if (this.#downSinceMs !== null) {
      this.#listener.reachable(nowMs - this.#downSinceMs, nowMs);
      this.#downSinceMs = null;
      this.#pauseMs = PAUSE_MS.first;
      this.#life += 1;
    }
    const link = this.#link(key);
    link.life = this.#life;
    link.askUntilMs = nowMs + standing.askForMs;
    link.standing = standing;
    this.#listener.learned(key, standing, nowMs);
  }

  #lose(reason: 'timeout' | 'error', message: string, nowMs: number): void {
    if (this.#downSinceMs !== null) return;
    this.#downSinceMs = nowMs;
    this.#pause(nowMs);
    for (const [key, link] of this.#links) if (nowMs < link.askUntilMs) this.#listener.orphaned(key, nowMs);
    this.#listener.unreachable(reason, message, nowMs);
  }

  #pause(nowMs: number): void {
    this.#pausedUntilMs = nowMs + this.#pauseMs;
    this.#pauseMs = Math.min(2 * this.#pauseMs, PAUSE_MS.longest);
  }

  /** One operation: its answer, or null when it failed or took too long. What comes later is not heard. */
  #limited<A>(
    clock: Clock,
    operate: () => A | Promise<A>,
    heard: (answer: A, nowMs: number) => void,
  ): A | null | Promise<A | null> {
    let operation: A | Promise<A>;
    try {
      operation = operate();
    } catch (error) {
      this.#lose('error', messageOf(error), clock.now());
      return null;
    }
    if (!(operation instanceof Promise)) {
      heard(operation, clock.now());
      return operation;
    }
    return new Promise((resolve) => {
      let open = true;
      const close = (answer: A | null): void => {
        open = false;
        cancelTimer();
        resolve(answer);
      };
      let dueAtMs = clock.now() + this.#limitMs;
      const onTime = (): void => {
        // While this process was too busy to listen, an answer could not be heard: that time does not count.
        const deafMs = clock.now() - dueAtMs;
        if (deafMs > DEAF_MS) {
          dueAtMs += deafMs + DEAF_MS;
          cancelTimer = startTimer(DEAF_MS, onTime);
          return;
        }
        this.#lose('timeout', `No answer within ${this.#limitMs} ms (storeTimeoutMs).`, clock.now());
        close(null);
      };
      let cancelTimer = startTimer(this.#limitMs, onTime);
      operation.then(
        (answer) => {
          if (!open) return;
          heard(answer, clock.now());
          close(answer);
        },
        (error: unknown) => {
          if (!open) return;
          this.#lose('error', messageOf(error), clock.now());
          close(null);
        },
      );
    });
  }

  #link(key: string): Link {
    let link = this.#links.get(key);
    if (link === undefined) {
      link = { askUntilMs: 0, life: -1, standing: null, successes: 0, left: 0, reporting: false };
      const [oldest] = this.#links.keys();
      if (this.#links.size >= MAX_LINKS && oldest !== undefined) this.#links.delete(oldest);
      this.#links.set(key, link);
    }
    return link;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
