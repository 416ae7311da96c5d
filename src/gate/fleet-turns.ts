/**
 * The turns that the processes of a fleet share under a limit that the user has stated. A process with calls in its queue
 * reserves the next moments in the store, and as many concurrency slots as are free. Slots are leased: those of a process
 * that has died are free after a few seconds. While the store cannot be reached, each process keeps its share of the
 * rate by itself.
 */

import { StoreClock } from './store-clock.ts';
import { LEASE_MS, type SlotRequest, type StoreAnswer, type StoreRequest } from './store.ts';

/** What the queue of a process needs. */
export interface Need extends Pick<StoreRequest, 'turns' | 'rates' | 'perDay'> {
  readonly slots?: Omit<SlotRequest, 'waitedMs'> | undefined;
}

/** Asks the store; null: it cannot be reached. */
export type AskStore = (
  request: Omit<StoreRequest, 'process' | 'counts' | 'counted' | 'wantsProbe'>,
  nowMs: number,
) => Promise<StoreAnswer | null>;

/** A process asks again after this time while it gets no turn, or the store cannot be reached. */
const ASKS_AGAIN_MS = 100;
const LOST_MS = 1_000;
/** The same for a slot, and so much later for each process per slot that gets one before it. */
const WANTS_AGAIN_MS = 50;
const LATER_MS = 250;
const LATEST_MS = 1_000;
/**
 * A process uses its slots for so long, for one call after the other, before it gives back those that it owes: until
 * another process has asked for them they are idle. It hears in half of this time that others wait.
 */
const USED_FOR_MS = 1_000;
/**
 * So many turns are reserved at once as fit into this time, or into several times the way to the store. That way varies, and
 * with it what a process knows of the store's clock, so the turns of different processes are further apart: by a share of
 * the way, or of the time of the turns if that is less. The more turns of one process follow each other, the less that costs.
 */
const AHEAD_MS = 200;
const AHEAD_WAYS = 6;
const MOST_AHEAD = 50;
const LONGER_WAY = 1.2;
const APART = { ofWay: 0.3, ofTurns: 0.04 } as const;
/** A moment that was missed by more than this is not used any more, because others follow it. */
const MISSED_MS = 250;

export class FleetTurns {
  /** The processes that asked recently, this one included. */
  processes = 1;
  /** The slots that this process has leased. */
  slots = 0;
  readonly #now: () => number;
  readonly #askStore: AskStore;
  readonly #changed: () => void;
  /** The slots that are given back when they have been used for a while. */
  #owed = 0;
  #grantedMs: number = -Infinity;
  /** Since when this process wants more slots; null: it does not. */
  #wantsSinceMs: number | null = null;
  /** It does not ask for slots again before. */
  #wantsAgainMs: number = -Infinity;
  /** A slot was released since the store was asked. */
  #hasReleased = false;
  #moments: number[] = [];
  #isAsking = false;
  /** The store is not asked again before. */
  #nextMs: number = -Infinity;
  #lostUntilMs: number = -Infinity;
  #askedMs: number = -Infinity;
  readonly #clock = new StoreClock();

  /**
   * @param now The gate's clock.
   * @param changed Called when the store has answered, or was lost.
   */
  constructor(now: () => number, askStore: AskStore, changed: () => void) {
    this.#now = now;
    this.#askStore = askStore;
    this.#changed = changed;
  }

  /** Whether the store cannot be reached. */
  isLost(nowMs: number): boolean {
    return nowMs < this.#lostUntilMs;
  }

  /** How many turns to reserve for so many calls: always several at once, the more the longer an answer takes. */
  turnsFor(calls: number, perSecond: number): number {
    const aheadMs = Math.max(AHEAD_MS, AHEAD_WAYS * (this.#clock.wayMs ?? 0));
    const ahead = Math.min(MOST_AHEAD, Math.max(1, Math.ceil((perSecond * aheadMs) / 1_000)));
    const reserved = this.#moments.length;
    return reserved > ahead / 2 ? 0 : Math.max(0, Math.min(calls, ahead) - reserved);
  }

  /** The next moment at which a call may be sent; null: it is not known yet. */
  nextMs(nowMs: number): number | null {
    this.#moments = this.#moments.filter((atMs) => atMs > nowMs - MISSED_MS);
    return this.#moments[0] ?? null;
  }

  /** When to ask again while there is no turn or no slot. */
  asksAgainMs(nowMs: number, missesSlot: boolean): number {
    return missesSlot && !this.#isAsking ? Math.max(nowMs + 1, this.#wantsAgainMs) : nowMs + ASKS_AGAIN_MS;
  }

  /** A call has released its slot. Returns whether the next call of this process uses it; else it is for others. */
  keepsSlot(nowMs: number): boolean {
    if (this.#owed === 0 || nowMs - this.#grantedMs < USED_FOR_MS) return true;
    this.#owed -= 1;
    this.slots -= 1;
    this.#wantsSinceMs = null;
    return false;
  }

  /** A call is sent. */
  sent(): void {
    this.#moments.shift();
  }

  /** Asks the store for what is needed, unless it was asked just now. `hasReleased`: a slot is free for others */
  ask(need: Need, nowMs: number, hasReleased = false): void {
    this.#hasReleased ||= hasReleased;
    if (this.#isAsking || this.isLost(nowMs) || !this.#isTime(need, nowMs)) return;
    this.#hasReleased = false;
    this.#isAsking = true;
    this.#askedMs = nowMs;
    const { wayMs } = this.#clock;
    const { turns, slots } = need;
    const spanMs = turns * Math.max(0, ...need.rates.map(([turnMs]) => turnMs));
    const sinceMs = this.#wantsSinceMs ?? nowMs;
    this.#wantsSinceMs = (slots?.wanted ?? 0) > 0 ? sinceMs : null;
    const request = {
      ...need,
      // The first answer only shows how far away the store is: a turn that it brought might be over.
      turns: wayMs === null ? 0 : turns,
      wayMs: LONGER_WAY * (wayMs ?? 0),
      apartMs: this.processes > 1 ? Math.min(APART.ofWay * (wayMs ?? 0), APART.ofTurns * spanMs) : 0,
      slots: slots && { ...slots, waitedMs: nowMs - sinceMs },
    };
    void this.#askStore(request, nowMs).then((answer) => {
      this.#isAsking = false;
      if (answer === null) {
        this.#lostUntilMs = this.#now() + LOST_MS;
        this.#moments = [];
      } else {
        this.#hear(answer, request, nowMs, this.#now());
      }
      this.#changed();
    });
  }

  /** Whether there is a need that the last answer did not refuse, or else whether it is time to renew what is leased. */
  #isTime({ turns, slots }: Need, nowMs: number): boolean {
    if (this.#hasReleased) return true;
    if (nowMs < this.#nextMs) return false;
    const { held = 0, wanted = 0 } = slots ?? {};
    if (turns > 0 || (wanted > 0 && nowMs >= this.#wantsAgainMs)) return true;
    return nowMs - this.#askedMs >= (held > 0 ? USED_FOR_MS / 2 : LEASE_MS);
  }

  #hear(answer: StoreAnswer, { turns, slots: asked }: Need, askedMs: number, nowMs: number): void {
    const { total, slots, before, owed, atMs } = answer;
    this.#clock.hear(askedMs, nowMs, answer.nowMs);
    [this.processes] = total;
    this.#moments.push(...atMs.map((ms) => ms + this.#clock.offsetMs));
    if (turns > 0 && atMs.length === 0) this.#nextMs = nowMs + ASKS_AGAIN_MS / 2;
    if (asked === undefined) return;
    this.slots += slots;
    this.#owed = owed;
    if (slots > 0) [this.#grantedMs, this.#wantsSinceMs] = [nowMs, null];
    if (slots < asked.wanted)
      this.#wantsAgainMs = nowMs + Math.min(LATEST_MS, WANTS_AGAIN_MS + (before / asked.most) * LATER_MS);
  }
}
