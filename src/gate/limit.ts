/**
 * The state of one limit, and what follows from it for the next attempt. Its states and their causes:
 *
 * - `open`: attempts are sent as they come. Occasional refusals succeed when they are sent again, so backoff and hints
 *   are enough. Every limit begins in this state, and returns to it after four seconds without trouble (`isOpen`).
 * - `paced`: a third of the attempts is refused, retries included (`#slowDown`). Attempts are sent at the rate at which
 *   the server succeeds. A first attempt waits for at most a quarter of a second, unless it belongs to a batch or an
 *   announced limit must last; retries take the remaining turns.
 * - `held`: no attempt has succeeded for a while (`refused`). One call at a time is sent as a probe; its success ends
 *   the hold, and the others follow at the earlier pace (`#endHold`).
 *
 * If the number of concurrent requests distinguishes refusals from successes, an attempt waits while that number is
 * reached, until a response frees a slot (`freed`); a pace would be too slow or too fast there. A first attempt waits for
 * half the time of a response at most, or a quarter of a second if that is longer.
 */

import type { FailureType } from '../failure/failure.ts';
import { Announced } from './announced.ts';
import type { BucketReport } from './announced-headers.ts';
import type { AnsweredRequest } from './limit-model.ts';
import { ConcurrencyLimit } from './concurrency-limit.ts';
import { HintedMoment } from './hinted-moment.ts';
import { PacedQueue, type PacedSlot } from './paced-queue.ts';
import { LEASE_MS, type StoreAnswer, type StoreRequest } from './store.ts';
import type { Traffic } from './traffic.ts';

type Phase = 'open' | 'paced' | 'held';

/** When an attempt may be sent. */
export interface Turn {
  readonly atMs: number;
  /** Until when the server is expected to let nothing through; 0: the attempt is only paced. */
  readonly heldUntilMs: number;
  /** Whether no server has named the end of the hold. @default false */
  readonly isGuess?: boolean;
}

/** The attempt's data for the limit: when it was sent, how many others were in flight then, and whether it is a retry. */
export interface Sender {
  readonly sentMs: number;
  readonly others: number;
  readonly isRetry: boolean;
  /** Whether it kept to a limit that the user has stated. */
  readonly isStated: boolean;
}

/*
 * The constants were measured with `bench/limiters` and `bench/herd`. None of them is sensitive: half or twice the value
 * changes few rows.
 */

/** The share of refusals from which attempts are paced, and below which they no longer are. */
const PACED_FROM = { attempts: 0.3, retries: 0.36 } as const;
const PACED_UNTIL = 0.15;
/** After this time below that share the limit is open again. */
const CALM_MS = 4_000;
/** How much faster than the server's successes: a pace that never tries more would never find more. */
const HEADROOM = 1.15;
const SLOWEST_PER_SECOND = 1;
/** How long a pace may delay a first attempt, and one that has waited for the end of a hold. */
const FIRST_WAITS_MS = 250;
const HELD_WAITS_MS = 30_000;
/** An announced limit may pace calls for hours. They ask again after this time, because it may have changed. */
const ASKS_AGAIN_MS = 60_000;
/** Calls that wait do not ask again at a shorter interval, and are not woken to gain less. */
const LOOKS_APART_MS = 15;

/**
 * This many refusals in a row, with no success for this time plus the time of a response, are an outage. A longer
 * time costs requests in a herd.
 */
const OUTAGE = { refusals: 4, ms: 1_000, longestMs: 7_500 } as const;
/** The interval of probes: the first, its growth, the longest, and its random spread. */
const PROBES = { firstMs: 500, growth: 1.5, longestMs: 5_000, spread: 0.3, longestPromisedMs: 15_000 } as const;
/** A probe without a result is forgotten after this time. */
const PROBE_MS = 30_000;
/** Those who waited for an announcement that was wrong are sent at this multiple of the earlier pace, or within this time. */
const LET_GO = { faster: 4, withinS: 5 } as const;
/** Where announcements were contradicted, longer hints are not believed: they are of the same clock. */
const LONG_HINT_MS = 60_000;
/** The expected time until the result of a probe, for calls that wait for it. */
const RESULT_MS = 150;
/**
 * After a hold the pace begins at this multiple of the earlier one, because probes succeed at different times in
 * different processes.
 */
const RELEASE = 1.5;
/**
 * A server that blocks for a while after an excess, and again soon after that, goes on as long as the pace looks for more.
 * So the pace stays below the earlier one for so many times the length of the block. Calls wait for it until then: one
 * that goes sooner makes the server block again, for all. They do not after long holds, which may be those of a window.
 */
const BLOCKS = {
  shortestMs: 10_000,
  longestWaitedForMs: 30_000,
  longerThanOpen: 1.5,
  below: 0.85,
  times: 12,
} as const;
/** After this time with refusals and no success, a process reports to others that nothing gets through. */
const SILENT_MS = 2_000;

/** The state of one limit in one process. Times are those of the gate's clock. */
export class Limit {
  readonly queue: PacedQueue = new PacedQueue();
  /** The limits that the server announces. */
  readonly announced: Announced = new Announced();
  #phase: Phase = 'open';
  /** The type of the failure that began the hold. */
  heldBy: FailureType | null = null;

  /** Other processes share the limit: only one of them probes the server. */
  asksForProbes = false;
  leasedMs: number = -Infinity;
  #hasPermit = false;
  /** This process's share of the successes of all processes. */
  #sharePerSecond = 0;

  readonly #traffic: Traffic;
  readonly #concurrency = new ConcurrencyLimit();
  #perSecond: number = SLOWEST_PER_SECOND;
  /** The pace before the trouble. */
  #usualPerSecond: number = SLOWEST_PER_SECOND;
  #troubledMs = -Infinity;

  #refusalsInARow = 0;
  #firstRefusalMs = 0;
  /** The usual time of a response. */
  #answerMs = 0;
  /** How long refusals in a row have lasted recently, if they ended by themselves. */
  #usualSilenceMs = 0;

  #probe: Sender | null = null;
  #probeSentMs = 0;
  #nextProbeMs = 0;
  #probeGapMs = 0;
  readonly #hinted = new HintedMoment();

  #heldSinceMs = 0;
  #releasedMs: number = -Infinity;
  /** The pace that a server which blocks has shown to be safe. */
  #ceilingPerSecond: number = Infinity;
  #ceilingUntilMs: number = -Infinity;
  /** Until when calls wait for that pace. */
  #waitsUntilMs: number = -Infinity;
  /** Whether the hold may be the answer to an excess of this gate. */
  #isOfExcess = false;
  /** When a first attempt came last. */
  #newcomerMs: number = -Infinity;

  constructor(traffic: Traffic) {
    this.#traffic = traffic;
  }

  /**
   * Whether attempts are sent as they come. `tokens`: see `cost`; `sending`: the number of requests in flight;
   * `isStated`: a limit that the user has stated keeps them apart, so what the server announces counts only if it says
   * that nothing is left
   */
  isOpen(nowMs: number, tokens: number, sending: number, isStated = false): boolean {
    const isCalm = nowMs - this.#troubledMs > CALM_MS && nowMs >= this.#ceilingUntilMs;
    if (this.#phase === 'paced' && isCalm) this.#phase = 'open';
    if (this.#phase !== 'open') return false;
    if (isStated) return !this.#isFull(sending) && this.announced.reportedEmptyUntilMs(nowMs, tokens) <= nowMs;
    if (this.#isFull(sending) || this.announced.emptyUntilMs(nowMs, tokens) > nowMs) return false;
    const apartMs = this.announced.intervalFrom(nowMs, tokens)(nowMs);
    return apartMs === 0 || (this.queue.lastSentMs + apartMs <= nowMs + 1 && this.queue.slots.length === 0);
  }

  /** Whether as many requests are in flight as the server handles at a time. */
  #isFull(sending: number): boolean {
    return this.#concurrency.limit !== null && sending >= this.#concurrency.limit;
  }

  /** The report for other processes: it delivers nothing as soon as nothing gets through any more. */
  report(nowMs: number): Pick<StoreRequest, 'counts' | 'wantsProbe'> {
    const isHeld = this.#phase === 'held';
    const isSilent = this.#refusalsInARow > 0 && nowMs - this.#traffic.lastSuccessMs > SILENT_MS;
    const wanted = this.#traffic.firstAttemptsPerSecond(nowMs) + this.queue.slots.length;
    const delivered = isHeld || isSilent ? 0 : this.#traffic.servedPerSecond(nowMs);
    return {
      counts: [1, Math.round(1_000 * delivered), Math.round(1_000 * Math.max(1, wanted))],
      wantsProbe: isHeld && !this.#hasPermit && this.#probe === null && nowMs >= this.#nextProbeMs,
    };
  }

  /** Takes the answer to a report: the share of this process of what the server delivers to all. */
  lease(
    { total: [, toAll, wantedByAll], mayProbe }: Pick<StoreAnswer, 'total' | 'mayProbe'>,
    { counts: [, delivered, wanted], wantsProbe }: ReturnType<Limit['report']>,
    nowMs: number,
  ): void {
    this.leasedMs = nowMs;
    this.#sharePerSecond = (toAll * wanted) / wantedByAll / 1_000;
    this.#hasPermit = mayProbe;
    if (this.#phase === 'held' && toAll > delivered) {
      this.#endHold(nowMs);
      return;
    }
    // Another process probes; asking again when its result is expected is soon enough.
    if (wantsProbe && !mayProbe) {
      this.#probeGapMs = Math.min(this.#probeGapMs * PROBES.growth, PROBES.longestMs);
      this.#nextProbeMs = nowMs + this.#probeGapMs;
    }
    if (this.#phase === 'paced') this.#perSecond = Math.min(this.#delivered(nowMs) * HEADROOM, this.#ceiling(nowMs));
  }

  /** The highest pace. */
  #ceiling(nowMs: number): number {
    return nowMs < this.#ceilingUntilMs ? this.#ceilingPerSecond : Infinity;
  }

  /** Learns from a hold that ends. */
  #learnBlock(nowMs: number): void {
    const blockMs = nowMs - this.#heldSinceMs;
    // A window is shut for less time than it is open, unless its limit is exceeded several times over.
    const openMs = this.#heldSinceMs - this.#releasedMs;
    this.#releasedMs = nowMs;
    if (!this.#isOfExcess || blockMs < Math.max(BLOCKS.shortestMs, BLOCKS.longerThanOpen * openMs)) return;
    const slowerPerSecond = BLOCKS.below * Math.min(this.#usualPerSecond, this.#ceiling(nowMs));
    this.#ceilingPerSecond = Math.max(SLOWEST_PER_SECOND, slowerPerSecond);
    this.#ceilingUntilMs = nowMs + BLOCKS.times * blockMs;
    this.#waitsUntilMs = blockMs <= BLOCKS.longestWaitedForMs ? this.#ceilingUntilMs : -Infinity;
  }

  /** The rate of successes of this process; with others, its share of the rate of all. */
  #delivered(nowMs: number): number {
    const isShared = nowMs - this.leasedMs < LEASE_MS;
    return Math.max(SLOWEST_PER_SECOND, isShared ? this.#sharePerSecond : this.#traffic.servedPerSecond(nowMs));
  }

  /** Whether the limit can be forgotten. */
  isForgotten(nowMs: number): boolean {
    return this.isOpen(nowMs, 0, 0) && this.queue.slots.length === 0 && this.announced.isForgotten(nowMs);
  }

  /** Until when nothing is expected to get through; 0: the limit is not held. */
  heldUntil(nowMs: number): number {
    return this.#phase === 'held' ? Math.max(this.#hinted.atMs, this.#nextProbeMs, nowMs) : 0;
  }

  /** Until when no call is let through, and whether no server has named that moment; null: calls are at most paced. */
  hold(nowMs: number, tokens: number): { readonly untilMs: number; readonly isGuess: boolean } | null {
    if (this.#phase === 'held') return { untilMs: this.heldUntil(nowMs), isGuess: !this.#isPromised(nowMs) };
    const untilMs = this.announced.emptyUntilMs(nowMs, tokens);
    return untilMs <= nowMs ? null : { untilMs: this.announced.asksAgainMs(nowMs, tokens, untilMs), isGuess: false };
  }

  /** Returns a slot for a call. `yields`: it is not a first attempt */
  join(nowMs: number, yields: boolean, tokens: number): PacedSlot {
    const slot: PacedSlot = { latestMs: Infinity, yields, tokens, atMs: nowMs, wake: null };
    this.queue.join(slot);
    if (yields) return slot;
    this.#newcomerMs = nowMs;
    const emptyUntilMs = this.announced.emptyUntilMs(nowMs, tokens);
    // If requests take long, a slot becomes free so seldom that a first attempt would hardly ever get it.
    const waitsMs = this.#concurrency.limit === null ? FIRST_WAITS_MS : Math.max(FIRST_WAITS_MS, this.#answerMs / 2);
    // A first attempt that would wait for long gives way to those that can still be as fast as without a gate.
    const apartMs = this.#intervalFrom(nowMs, tokens)(Math.max(nowMs, emptyUntilMs + 1));
    slot.yields = this.#turnMs(slot, nowMs) > nowMs + FIRST_WAITS_MS + 2 * apartMs;
    // Only a limit that is used up may make it wait without a bound.
    if (emptyUntilMs <= nowMs) slot.latestMs = Math.max(nowMs + waitsMs, this.#waitsUntilMs);
    return slot;
  }

  /** When the turn of a slot is likely to come, unless nothing gets through. */
  #turnMs(slot: PacedSlot, nowMs: number): number {
    const emptyUntilMs = this.announced.emptyUntilMs(nowMs, slot.tokens);
    const soonestMs = this.#concurrency.limit === null ? nowMs : nowMs + Math.max(LOOKS_APART_MS, this.#slotGapMs());
    const freeMs = Math.max(soonestMs, emptyUntilMs, this.#nextFreeMs(nowMs, slot.tokens));
    const turnMs = this.queue.turnMs(slot, freeMs, this.#intervalFrom(nowMs, slot.tokens));
    return Math.max(emptyUntilMs, Math.min(turnMs, slot.latestMs));
  }

  /** When the next call that waits may be sent. */
  #nextFreeMs(nowMs: number, tokens: number): number {
    // With a concurrency limit, a response that frees a slot takes the place of the interval.
    const isSlot = this.#concurrency.limit !== null;
    const interval = isSlot ? this.#announcedFrom(nowMs, tokens) : this.#intervalFrom(nowMs, tokens);
    return this.queue.lastSentMs + interval(nowMs);
  }

  /** Whether a pace is over: the calls that have waited for it keep the moments that they were told. */
  #keepsMoments(nowMs: number): boolean {
    return this.#phase === 'open' && this.#concurrency.limit === null && this.announced.steadyMs(nowMs, 0) === 0;
  }

  /** When the call of a slot may be sent. */
  turnOf(slot: PacedSlot, nowMs: number): Turn {
    const emptyUntilMs = this.announced.emptyUntilMs(nowMs, slot.tokens);
    if (this.#phase === 'held') {
      // If a call had to come back at once, it would ask again and again.
      slot.atMs = Math.max(this.#expected(slot, nowMs), emptyUntilMs, nowMs + 10);
      const heldUntilMs = Math.min(slot.atMs, this.heldUntil(nowMs));
      return { atMs: slot.atMs, heldUntilMs, isGuess: !this.#isPromised(nowMs) };
    }
    const soonerMs = this.announced.asksAgainMs(nowMs, slot.tokens, emptyUntilMs);
    const asksAgainMs = soonerMs < emptyUntilMs ? soonerMs : Math.max(nowMs, emptyUntilMs) + ASKS_AGAIN_MS;
    // A call that is told no later moment is sent.
    slot.atMs = Math.max(nowMs + 1, Math.min(this.#turnMs(slot, nowMs), asksAgainMs));
    return { atMs: slot.atMs, heldUntilMs: emptyUntilMs > nowMs ? Math.min(emptyUntilMs, slot.atMs) : 0 };
  }

  /** Whether the call of this slot may be sent now. `sending`: the number of requests in flight */
  admits(slot: PacedSlot, nowMs: number, sending: number): boolean {
    if (this.#phase === 'held') {
      if (this.#probe !== null && nowMs - this.#probeSentMs < PROBE_MS) return false;
      return nowMs >= this.#nextProbeMs && (!this.asksForProbes || this.#hasPermit);
    }
    const emptyUntilMs = this.announced.emptyUntilMs(nowMs, slot.tokens);
    if (emptyUntilMs > nowMs) return this.announced.mayCheck(nowMs, slot.tokens);
    // Clocks and timers are no finer than a millisecond.
    if (slot.latestMs <= nowMs + 1 || this.#keepsMoments(nowMs)) return true;
    if (this.#isFull(sending) || this.#nextFreeMs(nowMs, slot.tokens) > nowMs + 1) return false;
    // A call that has not asked at the moment that it was told waits for something else.
    const next = this.queue.next((other) => other === slot || other.atMs >= nowMs - 1);
    if (next !== slot) wakeBefore(next, nowMs);
    return next === slot;
  }

  /** A call is sent. `slot`: null if it did not wait; `sender`: the one that reports back */
  sent(slot: PacedSlot | null, nowMs: number, sender: Sender): void {
    this.queue.sent(slot, nowMs);
    if (slot === null) this.#newcomerMs = nowMs;
    if (this.#phase === 'held' && slot !== null) {
      this.#hasPermit = false;
      this.#probe = sender;
      this.#probeSentMs = nowMs;
    } else if (this.#concurrency.limit === null) this.#wakeNext(nowMs);
  }

  /** A request has ended, or a call has left: calls are woken that may be sent earlier than they were told. */
  freed(nowMs: number, sending: number): void {
    const { limit } = this.#concurrency;
    // What is announced keeps calls apart.
    const isApart = limit === null || this.announced.intervalFrom(nowMs, 0)(nowMs) > 0;
    for (let free = isApart ? 1 : limit - sending; free > 0; free -= 1) this.#wakeNext(nowMs);
  }

  #wakeNext(nowMs: number): void {
    if (this.queue.slots.length === 0 || this.#phase === 'held' || this.#keepsMoments(nowMs)) return;
    const freeMs = Math.max(nowMs, this.#nextFreeMs(nowMs, 0), this.announced.emptyUntilMs(nowMs, 0));
    wakeBefore(this.queue.next(isAsleep), freeMs);
  }

  /** The sender will not report the result of its probe. */
  forgetProbe(sender: Sender): void {
    if (this.#probe === sender) this.#probe = null;
  }

  /** Takes announced limits. If earlier ones are contradicted, those who wait for them are let go. */
  hear(reports: readonly BucketReport[], request: AnsweredRequest, hintMs: number): void {
    if (!this.announced.hear(reports, request, hintMs) || this.#phase === 'held') return;
    // Without a refusal the usual pace was never measured.
    const usual = Math.max(this.#usualPerSecond, this.#delivered(request.answeredMs));
    this.#pace(request.answeredMs, Math.max(LET_GO.faster * usual, this.queue.slots.length / LET_GO.withinS));
  }

  #pace(nowMs: number, perSecond: number): void {
    this.#phase = 'paced';
    this.#troubledMs = nowMs;
    this.#perSecond = Math.min(perSecond, this.#ceiling(nowMs));
    this.#wakeNext(nowMs);
  }

  /** An attempt succeeded. */
  served(nowMs: number, sender: Sender): void {
    this.#concurrency.add(sender.others, true);
    this.#answerMs += (nowMs - sender.sentMs - this.#answerMs) / 5;
    if (this.#refusalsInARow > 0) {
      const silenceMs = this.#refusalsInARow >= OUTAGE.refusals ? nowMs - this.#firstRefusalMs : 0;
      this.#usualSilenceMs = Math.max(silenceMs, 0.9 * this.#usualSilenceMs);
      this.#refusalsInARow = 0;
    }
    this.answered(nowMs, sender);
  }

  /** The server answered, even if it was not a success, so it is reachable. */
  answered(nowMs: number, sender: Sender): void {
    this.forgetProbe(sender);
    if (this.#phase === 'held') this.#endHold(nowMs);
  }

  /** An attempt was refused, or timed out. Returns true if a hold has begun. `givenHintMs`: 0 for none */
  refused(nowMs: number, sender: Sender, type: FailureType, givenHintMs: number, random: () => number): boolean {
    const isBelieved = givenHintMs <= LONG_HINT_MS || !this.announced.isContradicted(nowMs);
    const hintMs = isBelieved ? givenHintMs : 0;
    const wasProbe = this.#probe === sender;
    this.forgetProbe(sender);
    this.#concurrency.add(sender.others, false);
    if (this.#refusalsInARow === 0) this.#firstRefusalMs = nowMs;
    this.#refusalsInARow += 1;
    if (hintMs > 0) this.#hinted.hear(hintMs, nowMs);
    if (sender.isRetry && this.#refusalsInARow >= OUTAGE.refusals) this.#hinted.refusedInSpiteOfHint();
    if (hintMs > 0 && this.#hinted.isOfSingleCalls(nowMs)) return false;
    if (this.#phase === 'held') {
      if (wasProbe) this.#planProbe(nowMs, this.#probeGapMs * PROBES.growth, random);
      return false;
    }
    if (this.#isOutage(nowMs)) {
      this.#phase = 'held';
      this.#heldSinceMs = this.#firstRefusalMs;
      this.heldBy = type;
      this.#isOfExcess = type === 'rate_limit' && !sender.isStated;
      this.#planProbe(nowMs, Math.max(PROBES.firstMs, (this.#hinted.atMs - nowMs) / 2), random);
      return true;
    }
    this.#slowDown(nowMs);
    return false;
  }

  #slowDown(nowMs: number): void {
    const shares = this.#traffic.refusedShares(nowMs);
    const isOpen = this.#phase === 'open';
    const isTrouble = isOpen
      ? shares.attempts >= PACED_FROM.attempts && shares.retries >= PACED_FROM.retries
      : shares.attempts >= PACED_UNTIL;
    if (isOpen && shares.attempts < PACED_UNTIL) this.#usualPerSecond = this.#delivered(nowMs);
    if (isOpen && isTrouble) this.#phase = 'paced';
    if (isTrouble) this.#troubledMs = nowMs;
    if (this.#phase !== 'paced') return;
    this.#perSecond = Math.min(this.#delivered(nowMs) * HEADROOM, this.#ceiling(nowMs));
  }

  /** The interval between attempts at a moment. */
  #intervalFrom(nowMs: number, tokens = 0): (atMs: number) => number {
    const isPaced = this.#phase === 'paced' || this.#phase === 'held';
    const isConcurrencyLimit = this.#concurrency.limit !== null && this.#phase !== 'held';
    const apartMs = isConcurrencyLimit ? this.#slotGapMs() : isPaced ? 1_000 / this.#perSecond : 0;
    const announced = this.#announcedFrom(nowMs, tokens);
    return (atMs) => Math.max(apartMs, announced(atMs));
  }

  /** The interval that announced limits demand. While first attempts come, calls that wait do not take all of a new window. */
  #announcedFrom(nowMs: number, tokens: number): (atMs: number) => number {
    const announced = this.announced.intervalFrom(nowMs, tokens);
    const steadyMs = this.announced.steadyMs(nowMs, tokens);
    const leastMs = nowMs - this.#newcomerMs < 10 * steadyMs ? steadyMs / 2 : 0;
    return (atMs) => Math.max(leastMs, announced(atMs));
  }

  /** The interval at which slots become free. */
  #slotGapMs(): number {
    return this.#answerMs / (this.#concurrency.limit ?? 1);
  }

  #isOutage(nowMs: number): boolean {
    if (this.#refusalsInARow < OUTAGE.refusals) return false;
    const silentMs = nowMs - Math.max(this.#traffic.lastSuccessMs, this.#firstRefusalMs);
    return silentMs >= Math.min(OUTAGE.longestMs, Math.max(OUTAGE.ms + this.#answerMs, 1.5 * this.#usualSilenceMs));
  }

  #isPromised(nowMs: number): boolean {
    return this.#hinted.isAgreed && this.#hinted.atMs > nowMs;
  }

  #planProbe(nowMs: number, gapMs: number, random: () => number): void {
    this.#probeGapMs = Math.min(gapMs, PROBES.longestMs);
    const spreadMs = this.#probeGapMs * (1 + PROBES.spread * (random() - 0.5));
    this.#nextProbeMs = nowMs + spreadMs;
    if (!this.#isPromised(nowMs)) return;
    const halfMs = Math.min((this.#hinted.atMs - nowMs) / 2, PROBES.longestPromisedMs);
    this.#nextProbeMs = Math.min(nowMs + Math.max(spreadMs, halfMs), this.#hinted.atMs);
  }

  /** When the call of a slot is likely to be sent, while nothing gets through. */
  #expected(slot: PacedSlot, nowMs: number): number {
    const { slots } = this.queue;
    const isProbing = this.#probe !== null;
    const next = isProbing ? undefined : slots[0];
    if (next === slot) return this.#nextProbeMs;
    const resultMs = (isProbing ? nowMs + 500 : this.#nextProbeMs) + RESULT_MS;
    const backMs = this.#isPromised(nowMs) ? this.#hinted.atMs : resultMs;
    return backMs + (slots.indexOf(slot) * 250) / this.#usualPerSecond;
  }

  #endHold(nowMs: number): void {
    this.#learnBlock(nowMs);
    this.heldBy = null;
    this.#hinted.forget();
    const latestMs = Math.max(nowMs + HELD_WAITS_MS, this.#waitsUntilMs);
    for (const slot of this.queue.slots) slot.latestMs = Math.max(slot.latestMs, latestMs);
    this.#pace(nowMs, this.#usualPerSecond * RELEASE);
  }
}

const isAsleep = ({ wake }: PacedSlot): boolean => wake !== null;

/** Wakes the call of a slot if it was told a later moment. */
function wakeBefore(slot: PacedSlot | undefined, atMs: number): void {
  if (slot === undefined || slot.atMs < atMs + LOOKS_APART_MS) return;
  const { wake } = slot;
  slot.atMs = atMs;
  slot.wake = null;
  wake?.();
}
