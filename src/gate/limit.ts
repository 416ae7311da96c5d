/**
 * What is known of one limit, and what follows from it for the next attempt. Its states, and what leads to them:
 *
 * - `open`: attempts are sent as they come, while what is refused now and then succeeds when it is sent again: backoff and
 *   hints do all that can be done. Every limit begins so, and returns after four seconds without trouble (`isOpen`).
 * - `paced`: a third is refused, retries included (`#slowDown`). Attempts are sent at the pace at which the server
 *   delivers. A first attempt waits a quarter of a second at most, unless it is of a batch or an announced limit has to
 *   last; retries take what is left.
 * - `overrun`: a retry has waited as long as it may, so more is offered than the limit will ever admit, and waiting helps
 *   no call (`take`). Attempts are sent as they come until less is refused.
 * - `held`: nothing has got through for a while (`refused`). One call at a time is sent as a probe; its success ends the
 *   hold, and the others follow at the pace that was known before (`#release`).
 *
 * Where the number of requests under way tells refusals from successes, an attempt waits while that number is reached, for
 * a quarter of a second at most; a pace would be too slow or too fast there.
 */

import type { FailureType } from '../failure/failure.ts';
import { Announced } from './announced.ts';
import { Line, type Place } from './line.ts';
import { Places } from './places.ts';
import { LEASE_MS, type StoreReport, type StoreShare } from './store.ts';
import type { Traffic } from './traffic.ts';

type Phase = 'open' | 'paced' | 'overrun' | 'held';

/** When an attempt may be sent. */
export interface Turn {
  readonly atMs: number;
  /** Until when the server lets nothing through, as far as is known; 0: it is only paced. */
  readonly heldUntilMs: number;
}

/** What the limit has to know of an attempt: when it was sent, and how many others were under way then. */
export interface Sender {
  readonly sentMs: number;
  readonly others: number;
}

/*
 * The constants were measured with `bench/limiters` and `bench/herd`. None of them is sensitive: with half or twice the
 * value of one of them 152 to 159 of 163 rows were within the bars (seed 1, 120 s), with all as they are 154.
 */

/** From which share of refusals on attempts are paced, and until which they stay so. */
const PACED_FROM = { attempts: 0.3, retries: 0.36 } as const;
const PACED_UNTIL = 0.15;
/** Without such a share for so long the limit is open again. */
const CALM_MS = 4_000;
/** How much faster than the server delivers: a pace that never asks for more would never find more. */
const HEADROOM = 1.15;
const SLOWEST_PER_SECOND = 1;
/** How long a pace may cost a first attempt, and how long a retry. */
const FIRST_WAITS_MS = 250;
const RETRY_WAITS_MS = 30_000;
/** A place is free again when an answer comes: so often calls look in that time, each at this distance at least. */
const LOOKS_PER_ANSWER = 4;
const LOOKS_APART_MS = 15;

/**
 * So many refusals in a row, with no success for so long and the time of an answer, are an outage. With 2,000 ms the herd sends 0.60 requests for
 * each under a rate limit, with 1,000 ms 0.54.
 */
const OUTAGE = { refusals: 4, ms: 1_000, longestMs: 7_500 } as const;
/** How far probes are apart: at first, how it grows, at most, and how it is spread at random. */
const PROBES = { firstMs: 500, growth: 1.5, longestMs: 5_000, spread: 0.3 } as const;
/** A probe whose result does not come is forgotten. */
const PROBE_MS = 30_000;
/** When those that wait for a probe expect its result. */
const RESULT_MS = 150;
/** After a hold the pace begins at so many times the earlier one: probes come back at different times in different processes. */
const RELEASE = 1.5;
/** Refused, and without a success for so long, a process tells others that nothing gets through. */
const SILENT_MS = 2_000;
/** Hints that name the same moment, rounding included. */
const SAME_MOMENT_MS = 1_100;

/** The state of one limit, in one process. Times are of the gate's clock. */
export class Limit {
  readonly line: Line = new Line();
  /** What the server says about its limits. */
  readonly announced: Announced = new Announced();
  #phase: Phase = 'open';
  /** What the hold began with. */
  heldBy: FailureType | null = null;

  /** Other processes share the limit: only one of them looks whether the server is back. */
  asksForProbes = false;
  leasedMs: number = Number.NEGATIVE_INFINITY;
  #hasPermit = false;
  /** This process's share of what all are delivered. */
  #sharePerSecond = 0;

  readonly #traffic: Traffic;
  readonly #places = new Places();
  #perSecond: number = SLOWEST_PER_SECOND;
  /** The pace before the trouble. */
  #usualPerSecond: number = SLOWEST_PER_SECOND;
  #troubledMs = Number.NEGATIVE_INFINITY;

  #refusalsInARow = 0;
  #firstRefusalMs = 0;
  /** The usual time of an answer. */
  #answerMs = 0;
  /** How long refusals in a row have lasted lately, when they ended by themselves. */
  #usualSilenceMs = 0;

  #probe: Sender | null = null;
  #probeSentMs = 0;
  #nextProbeMs = 0;
  #probeGapMs = 0;
  /** When the server is back, as hints say, and how many of them agree. */
  #promisedMs = 0;
  #promises = 0;

  constructor(traffic: Traffic) {
    this.#traffic = traffic;
  }

  /** Whether attempts are sent as they come. `tokens`: see `cost`; `sending`: requests under way */
  isOpen(nowMs: number, tokens: number, sending: number): boolean {
    if (this.#phase !== 'open' && this.#phase !== 'held' && nowMs - this.#troubledMs > CALM_MS) this.#phase = 'open';
    if (this.#phase !== 'open' && this.#phase !== 'overrun') return false;
    if (this.#isFull(sending) || this.announced.emptyUntilMs(nowMs, tokens) > nowMs) return false;
    const apartMs = this.announced.intervalMs(nowMs, tokens);
    return apartMs === 0 || this.line.nextSlotMs(apartMs) <= nowMs + 1;
  }

  /** Whether as many requests are under way as the server works on at a time. */
  #isFull(sending: number): boolean {
    return this.#places.limit !== null && sending >= this.#places.limit;
  }

  /** What other processes are told; nothing is delivered as soon as nothing gets through any more. */
  report(nowMs: number): Pick<StoreReport, 'delivered' | 'wanted' | 'wantsProbe'> {
    const isHeld = this.#phase === 'held';
    const isSilent = this.#refusalsInARow > 0 && nowMs - this.#traffic.lastSuccessMs > SILENT_MS;
    const wanted = this.#traffic.firstAttemptsPerSecond(nowMs) + this.line.places.length;
    return {
      delivered: isHeld || isSilent ? 0 : Math.round(1_000 * this.#traffic.servedPerSecond(nowMs)),
      wanted: Math.round(1_000 * Math.max(1, wanted)),
      wantsProbe: isHeld && !this.#hasPermit && this.#probe === null && nowMs >= this.#nextProbeMs,
    };
  }

  /** Hears its share. `wantedProbe`: it had asked for a probe. */
  lease({ share, deliveredToOthers, mayProbe }: StoreShare, wantedProbe: boolean, nowMs: number): void {
    this.leasedMs = nowMs;
    this.#sharePerSecond = share / 1_000;
    this.#hasPermit = mayProbe;
    if (this.#phase === 'held' && deliveredToOthers > 0) {
      this.#release(nowMs);
      return;
    }
    // Another process looks: it is soon enough to ask again when that one should know.
    if (wantedProbe && !mayProbe) this.#nextProbeMs = nowMs + this.#probeGapMs;
    if (this.#phase === 'paced') this.#perSecond = this.#delivered(nowMs) * HEADROOM;
  }

  /** What the server delivers to this process; with others, its share of what it delivers to all. */
  #delivered(nowMs: number): number {
    const isShared = nowMs - this.leasedMs < LEASE_MS;
    return Math.max(SLOWEST_PER_SECOND, isShared ? this.#sharePerSecond : this.#traffic.servedPerSecond(nowMs));
  }

  /** Whether the limit can be forgotten. */
  isForgotten(nowMs: number): boolean {
    return this.isOpen(nowMs, 0, 0) && this.line.places.length === 0 && this.announced.isForgotten(nowMs);
  }

  /** Until when nothing gets through, as far as is known; 0: it is not held. */
  heldUntil(nowMs: number): number {
    return this.#phase === 'held' ? Math.max(this.#promisedMs, this.#nextProbeMs, nowMs) : 0;
  }

  /** A place for a call that plans to send at `earliestMs`, and is no first attempt if it yields. */
  join(nowMs: number, earliestMs: number, yields: boolean, tokens: number): Place {
    const emptyUntilMs = this.announced.emptyUntilMs(nowMs, tokens);
    const apartMs = this.announced.intervalMs(nowMs, tokens, Math.max(nowMs, emptyUntilMs + 1));
    const isAnnounced = emptyUntilMs > nowMs || apartMs > 0;
    const waitsLong = yields && this.#places.limit === null;
    const waitsMs = isAnnounced ? Number.POSITIVE_INFINITY : waitsLong ? RETRY_WAITS_MS : FIRST_WAITS_MS;
    const place: Place = {
      slotMs: earliestMs,
      plannedMs: earliestMs,
      earliestMs: Math.max(earliestMs, emptyUntilMs),
      latestMs: earliestMs + waitsMs,
      yields,
      yieldsFromMs: isAnnounced ? earliestMs + FIRST_WAITS_MS + 2 * apartMs : Number.POSITIVE_INFINITY,
      tokens,
    };
    this.line.join(place, this.#intervalFrom(nowMs, tokens));
    return place;
  }

  /** When the call of a place may be sent. */
  turnOf(place: Place, nowMs: number): Turn {
    if (this.#phase !== 'held') {
      const emptyUntilMs = this.announced.emptyUntilMs(nowMs, place.tokens);
      return { atMs: place.slotMs, heldUntilMs: emptyUntilMs > nowMs ? Math.min(emptyUntilMs, place.slotMs) : 0 };
    }
    // A call that is told to come back at once would ask again and again.
    place.slotMs = Math.max(this.#expected(place, nowMs), place.earliestMs, nowMs + 10);
    return { atMs: place.slotMs, heldUntilMs: Math.min(place.slotMs, this.heldUntil(nowMs)) };
  }

  /** Whether the call of this place is sent now. `sending`: requests under way; `sender`: the one that reports back. */
  take(place: Place, nowMs: number, sending: number, sender: Sender): boolean {
    if (this.#phase === 'held') {
      if (this.#probe !== null && nowMs - this.#probeSentMs < PROBE_MS) return false;
      if (nowMs < this.#nextProbeMs || (this.asksForProbes && !this.#hasPermit)) return false;
      this.#hasPermit = false;
      this.#probe = sender;
      this.#probeSentMs = nowMs;
      this.line.sent(nowMs);
      return true;
    }
    const emptyUntilMs = this.announced.emptyUntilMs(nowMs, place.tokens);
    if (emptyUntilMs > nowMs) this.line.postpone(place, emptyUntilMs, this.#intervalFrom(nowMs, place.tokens));
    // Clocks and timers are no finer than a millisecond.
    if (place.slotMs > nowMs + 1) return false;
    if (nowMs < place.latestMs - 1 && this.#isFull(sending)) {
      const untilMs = Math.min(place.latestMs, nowMs + Math.max(LOOKS_APART_MS, this.#lookGapMs() / 2));
      this.line.postpone(place, untilMs, () => 0);
      return false;
    }
    if (place.yields && nowMs - place.earliestMs >= RETRY_WAITS_MS && place.latestMs < nowMs + 1_000) {
      this.#phase = 'overrun';
      this.#troubledMs = nowMs;
    }
    this.line.sent(Math.min(place.slotMs, nowMs));
    return true;
  }

  /** The sender will not report what its probe ended in. */
  forgetProbe(sender: Sender): void {
    if (this.#probe === sender) this.#probe = null;
  }

  /** An attempt got through. */
  served(nowMs: number, sender: Sender): void {
    this.#places.add(sender.others, true);
    this.#answerMs += (nowMs - sender.sentMs - this.#answerMs) / 5;
    if (this.#refusalsInARow > 0) {
      const silenceMs = this.#refusalsInARow >= OUTAGE.refusals ? nowMs - this.#firstRefusalMs : 0;
      this.#usualSilenceMs = Math.max(silenceMs, 0.9 * this.#usualSilenceMs);
      this.#refusalsInARow = 0;
    }
    this.answered(nowMs, sender);
  }

  /** The server answered, though perhaps it was no success: it is there. */
  answered(nowMs: number, sender: Sender): void {
    this.forgetProbe(sender);
    if (this.#phase === 'held') this.#release(nowMs);
  }

  /** An attempt was refused, or timed out. Returns true when a hold has begun. `hintMs`: 0 for none */
  refused(nowMs: number, sender: Sender, type: FailureType, hintMs: number, random: () => number): boolean {
    const wasProbe = this.#probe === sender;
    this.forgetProbe(sender);
    this.#places.add(sender.others, false);
    if (this.#refusalsInARow === 0) this.#firstRefusalMs = nowMs;
    this.#refusalsInARow += 1;
    if (hintMs > 0) this.#hear(nowMs + hintMs);
    if (this.#phase === 'held') {
      if (wasProbe) this.#planProbe(nowMs, this.#probeGapMs * PROBES.growth, random);
      return false;
    }
    if (this.#isOutage(nowMs)) {
      this.#phase = 'held';
      this.heldBy = type;
      this.#planProbe(nowMs, Math.max(PROBES.firstMs, (this.#promisedMs - nowMs) / 2), random);
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
    if (isOpen && (isTrouble || shares.attempts < PACED_UNTIL)) this.#usualPerSecond = this.#delivered(nowMs);
    if (isOpen && isTrouble) this.#phase = 'paced';
    if (isTrouble) this.#troubledMs = nowMs;
    if (this.#phase !== 'paced') return;
    this.#perSecond = this.#delivered(nowMs) * HEADROOM;
    this.line.slowDown(this.#intervalFrom(nowMs));
  }

  /** How far apart attempts are to be sent at a moment. */
  #intervalFrom(nowMs: number, tokens = 0): (atMs: number) => number {
    const isPaced = this.#phase === 'paced' || this.#phase === 'held';
    const hasPlaces = this.#places.limit !== null && this.#phase !== 'held';
    const apartMs = hasPlaces ? this.#lookGapMs() : isPaced ? 1_000 / this.#perSecond : 0;
    return (atMs) => Math.max(apartMs, this.announced.intervalMs(nowMs, tokens, atMs));
  }

  /** How far apart calls look whether there is a place: so that hardly any place stays free for long. */
  #lookGapMs(): number {
    return this.#answerMs / (this.#places.limit ?? 1) / LOOKS_PER_ANSWER;
  }

  #isOutage(nowMs: number): boolean {
    if (this.#refusalsInARow < OUTAGE.refusals) return false;
    const silentMs = nowMs - Math.max(this.#traffic.lastSuccessMs, this.#firstRefusalMs);
    return silentMs >= Math.min(OUTAGE.longestMs, Math.max(OUTAGE.ms + this.#answerMs, 1.5 * this.#usualSilenceMs));
  }

  /** Hints that agree on a moment name the end of a window, and the earliest of them is the best rounded. */
  #hear(untilMs: number): void {
    const agrees = Math.abs(untilMs - this.#promisedMs) < SAME_MOMENT_MS;
    this.#promisedMs = agrees ? Math.min(untilMs, this.#promisedMs) : untilMs;
    this.#promises = agrees ? this.#promises + 1 : 0;
  }

  #isPromised(nowMs: number): boolean {
    return this.#promises >= 2 && this.#promisedMs > nowMs;
  }

  #planProbe(nowMs: number, gapMs: number, random: () => number): void {
    this.#probeGapMs = Math.min(gapMs, PROBES.longestMs);
    const spreadMs = this.#probeGapMs * (1 + PROBES.spread * (random() - 0.5));
    this.#nextProbeMs = nowMs + spreadMs;
    if (!this.#isPromised(nowMs)) return;
    const halfMs = (this.#promisedMs - nowMs) / 2;
    this.#nextProbeMs = Math.min(nowMs + Math.max(spreadMs, halfMs), this.#promisedMs);
  }

  /** When the call of a place is likely to be sent, while nothing gets through. */
  #expected(place: Place, nowMs: number): number {
    const { places } = this.line;
    const isProbing = this.#probe !== null;
    const next = isProbing ? undefined : places.find(({ earliestMs }) => earliestMs <= this.#nextProbeMs);
    if (next === place) return this.#nextProbeMs;
    const resultMs = (isProbing ? nowMs + 500 : this.#nextProbeMs) + RESULT_MS;
    const backMs = this.#isPromised(nowMs) ? this.#promisedMs : resultMs;
    return backMs + (places.indexOf(place) * 250) / this.#usualPerSecond;
  }

  #release(nowMs: number): void {
    this.heldBy = null;
    // The server has kept its word to the moment: it is a window, and a new one is open.
    const keptItsWord = this.#promises >= 2 && nowMs >= this.#promisedMs - 50;
    this.#phase = keptItsWord ? 'open' : 'paced';
    this.#troubledMs = nowMs;
    this.#perSecond = this.#usualPerSecond * RELEASE;
    this.line.extend(nowMs + RETRY_WAITS_MS);
    this.line.slowDown(this.#intervalFrom(nowMs));
  }
}
