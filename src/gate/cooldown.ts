/**
 * The cooldown: after a server has said when to come back, nobody who shares the limit sends before that; and then they
 * come back in line, not in a crowd.
 *
 * A rate limit belongs to a key, not to a call. Where a hundred calls share one, the first refusal tells all of them
 * what ninety-nine would otherwise find out by being refused themselves, and refused requests are counted by many a
 * limiter like any other. So one hint holds everybody, first attempts too: what has not been sent costs nothing yet.
 *
 * Holding creates a crowd, and a crowd that is let go at one instant is refused again. So there is a line. Places in it
 * have numbers, given in order of arrival, and one opens per interval. How long the interval is, is measured: what the
 * server served between the last cooldown and the end of this one is what it allows, so that is the pace of the line.
 * Where nothing is known yet, or nothing was served, the first are sent with some time between them. Successes
 * shorten the interval, quickly up to a little more than the server is known to have served, slowly beyond; when nobody had
 * to stand behind another for some time the line is dissolved. The healthy case is one comparison.
 */

import { intervalUntil, type RateMeter } from './rate-meter.ts';

export interface CooldownRule {
  /** A longer hint holds the others for so long only; then one of them looks again. */
  readonly maxMs: number;
  /** The pace at which a key is first used, before anything is known of its limit; 0: no pace. */
  readonly startIntervalMs: number;
}

/** The state of one key. Plain and serialisable; times are those of whoever keeps it. */
export interface Cooldown {
  /** Nobody sends before. */
  readonly untilMs: number;
  /** From then on everybody sends at once: there is no cooldown, no line, no pace. */
  readonly calmAtMs: number;
  /** How long the line is kept up when nobody waits in it. */
  readonly lingerMs: number;
  /** One place opens per interval. */
  readonly intervalMs: number;
  /** The interval at which the server has served; null: not known, and the interval is a guess. */
  readonly servedIntervalMs: number | null;
  /** Whether the last cooldown followed upon successes: a limit was met. Else the server served nobody. */
  readonly limit: boolean;
  /** The number of the place whose turn comes next, and when. */
  readonly nextPlace: number;
  readonly opensAtMs: number;
  /** The last number that was given out. */
  readonly lastPlace: number;
  /** When the next may go, whoever it is: turns that nobody came for are not made up for by a crowd. */
  readonly freeAtMs: number;
  /** How many have gone or need not come any more. */
  readonly gone: number;
}

/** A place in the line, and how long it is worth waiting before asking for it again; 0: it is open. */
export interface Turn {
  readonly cooldown: Cooldown;
  /** null: there is no line. */
  readonly place: number | null;
  readonly waitMs: number;
}

const SHORTEST_LINGER_MS = 1_000;
const LONGEST_LINGER_MS = 10_000;
/** Places closer together than this are no line. */
const SHORTEST_INTERVAL_MS = 0.1;
/** The first guess at an interval, where nothing was served: a share of the hint within bounds. */
const GUESS = { share: 0.05, minMs: 10, maxMs: 500 } as const;
/** The pace of a process that belongs to a fleet, and knows neither the others nor its own. */
const ALONE_INTERVAL_MS = 50;
/** Where nobody was served, those who look again come at least so far apart: the first may be refused, and tell. */
const PROBES_APART_MS = 20;
/** Where a limit was met: a little slower than what it allowed, for it is met again by whoever is as fast. */
const BELOW_LIMIT = 1.1;
/** How much faster a line may get in a second of successes. */
const GROWTH = { unknown: 8, known: 2, beyond: 1.1, quiet: 1.5 } as const;
/** Up to which share of the rate that was served it is known: not quite to a limit, and beyond what an outage cut off. */
const KNOWN_SHARE = { limit: 0.9, outage: 1.25 } as const;
/** Beyond what is known a line is careful for so long. */
const CAREFUL_MS = 10_000;
/**
 * The pace of a line changes, so a wait in it is an estimate: good enough to be slept out whole if it is short, else half
 * of it is slept before asking again; and in a long line everybody asks so rarely that the store has time for all.
 */
const CERTAIN_MS = 1_000;
const NAP_PER_PLACE_MS = 0.5;
/** Multiples of it fall evenly between one whole number and the next. */
const GOLDEN_RATIO = 0.618_034;

export function noCooldown(rule: CooldownRule, nowMs: number): Cooldown {
  const paced = rule.startIntervalMs > 0;
  return {
    untilMs: 0,
    calmAtMs: paced ? nowMs + SHORTEST_LINGER_MS : 0,
    lingerMs: SHORTEST_LINGER_MS,
    intervalMs: rule.startIntervalMs,
    servedIntervalMs: null,
    limit: false,
    nextPlace: 1,
    opensAtMs: nowMs,
    lastPlace: 0,
    freeAtMs: nowMs,
    gone: 0,
  };
}

/** Whether everybody may send at once. */
export function isCalm(cooldown: Cooldown, nowMs: number): boolean {
  return nowMs >= cooldown.calmAtMs;
}

/** Whether nobody may send. */
export function isHeld(cooldown: Cooldown, nowMs: number): boolean {
  return nowMs < cooldown.untilMs;
}

/** Somebody new wants to send: goes at once, or gets the next place. */
export function joinLine(cooldown: Cooldown, nowMs: number): Turn {
  if (isCalm(cooldown, nowMs)) return { cooldown, place: null, waitMs: 0 };
  const current = opened(cooldown, nowMs);
  const place = current.lastPlace + 1;
  const joined = { ...current, lastPlace: place };
  if (place === current.nextPlace && nowMs >= current.opensAtMs && nowMs >= current.freeAtMs) {
    const next = { ...joined, nextPlace: place + 1, opensAtMs: nowMs + current.intervalMs };
    return { cooldown: gone(next, nowMs), place, waitMs: 0 };
  }
  // Whoever is alone in the line does not keep it up.
  return {
    cooldown: place > current.nextPlace ? lingering(joined) : joined,
    place,
    waitMs: waitFor(joined, place, nowMs),
  };
}

/** Somebody with a place asks whether it is their turn. */
export function askTurn(cooldown: Cooldown, place: number, nowMs: number): Turn {
  if (isCalm(cooldown, nowMs)) return { cooldown, place: null, waitMs: 0 };
  const current = opened(cooldown, nowMs);
  const free = place < current.nextPlace && nowMs >= current.freeAtMs;
  if (free) return { cooldown: gone(current, nowMs), place, waitMs: 0 };
  return { cooldown: current, place, waitMs: waitFor(current, place, nowMs) };
}

/**
 * The server said when to come back: the line stands still until then, and those in it keep their places. `meter`: what
 * it has served since the last time.
 */
export function startCooldown(
  cooldown: Cooldown,
  hintMs: number,
  meter: RateMeter,
  rule: CooldownRule,
  nowMs: number,
): Cooldown {
  const lengthMs = Math.min(hintMs, rule.maxMs);
  const untilMs = Math.max(cooldown.untilMs, nowMs + lengthMs);
  const current = isCalm(cooldown, nowMs) ? dissolved(cooldown) : opened(cooldown, nowMs);
  const opensAtMs = Math.max(current.opensAtMs, untilMs);
  const held = { ...current, untilMs, opensAtMs, freeAtMs: Math.max(current.freeAtMs, untilMs) };
  // One more refusal of what was sent before the first: it has nothing new to say of the pace.
  if (isHeld(cooldown, nowMs)) return lingering(held);
  const sustainedMs = intervalUntil(meter, untilMs);
  const servedIntervalMs = knownInterval(cooldown.servedIntervalMs, intervalUntil(meter, nowMs));
  const guessMs = Math.min(Math.max(lengthMs * GUESS.share, GUESS.minMs), GUESS.maxMs);
  const nextMs =
    sustainedMs === null ? Math.max(servedIntervalMs ?? guessMs, PROBES_APART_MS) : sustainedMs * BELOW_LIMIT;
  return lingering({
    ...held,
    lingerMs: Math.min(Math.max(lengthMs, SHORTEST_LINGER_MS), LONGEST_LINGER_MS),
    // Where little was asked, little was served: no reason to be slower than the server's own word.
    intervalMs: Math.min(nextMs, Math.max(lengthMs, SHORTEST_LINGER_MS)),
    servedIntervalMs,
    limit: sustainedMs !== null,
  });
}

/** The server served: the line gets faster. */
export function quicken(cooldown: Cooldown, successes: number, nowMs: number): Cooldown {
  if (isCalm(cooldown, nowMs)) return cooldown;
  const current = opened(cooldown, nowMs);
  const seconds = (successes * current.intervalMs) / 1_000;
  const intervalMs = current.intervalMs / growthOf(current, nowMs) ** Math.min(seconds, 1);
  if (intervalMs >= SHORTEST_INTERVAL_MS) return { ...current, intervalMs };
  return { ...current, intervalMs: 0, calmAtMs: Math.max(nowMs, current.untilMs) };
}

/** Some of the line will not come: nobody waits for their turns. */
export function leaveLine(cooldown: Cooldown, places: number, nowMs: number): Cooldown {
  if (isCalm(cooldown, nowMs)) return cooldown;
  const passed = Math.min(places, Math.max(0, cooldown.lastPlace + 1 - cooldown.nextPlace));
  return { ...cooldown, nextPlace: cooldown.nextPlace + passed, gone: cooldown.gone + places };
}

/** Whoever has lost the others goes on at the pace at which it went among them. */
export function keepPace(cooldown: Cooldown, meter: RateMeter, nowMs: number): Cooldown {
  const current = isCalm(cooldown, nowMs) ? dissolved(cooldown) : opened(cooldown, nowMs);
  const servedIntervalMs = intervalUntil(meter, nowMs) ?? current.servedIntervalMs;
  const intervalMs = Math.min(servedIntervalMs ?? ALONE_INTERVAL_MS, SHORTEST_LINGER_MS);
  const calmAtMs = Math.max(current.calmAtMs, nowMs + LONGEST_LINGER_MS);
  return { ...current, calmAtMs, intervalMs, servedIntervalMs, limit: servedIntervalMs !== null };
}

/** What was served of late, and half of what was before: a burst is no rate, nor is one slow line. */
function knownInterval(beforeMs: number | null, latelyMs: number | null): number | null {
  return beforeMs === null || latelyMs === null ? (latelyMs ?? beforeMs) : Math.sqrt(beforeMs * latelyMs);
}

function growthOf({ intervalMs, servedIntervalMs, limit, untilMs }: Cooldown, nowMs: number): number {
  if (servedIntervalMs === null) return GROWTH.unknown;
  const knownMs = servedIntervalMs / (limit ? KNOWN_SHARE.limit : KNOWN_SHARE.outage);
  if (intervalMs > knownMs) return GROWTH.known;
  return nowMs - untilMs > CAREFUL_MS ? GROWTH.quiet : GROWTH.beyond;
}

/** Whose turn has come, has come: it is not waited for. */
function opened(cooldown: Cooldown, nowMs: number): Cooldown {
  const { nextPlace, lastPlace, opensAtMs, intervalMs } = cooldown;
  if (nextPlace > lastPlace || nowMs < opensAtMs) return cooldown;
  const due = intervalMs > 0 ? Math.floor((nowMs - opensAtMs) / intervalMs) + 1 : Number.POSITIVE_INFINITY;
  const opening = Math.min(due, lastPlace + 1 - nextPlace);
  return { ...cooldown, nextPlace: nextPlace + opening, opensAtMs: opensAtMs + opening * intervalMs };
}

/** One has gone. Whoever comes a little late does not delay those behind. */
function gone(cooldown: Cooldown, nowMs: number): Cooldown {
  const { intervalMs, freeAtMs } = cooldown;
  return { ...cooldown, gone: cooldown.gone + 1, freeAtMs: Math.max(freeAtMs, nowMs - intervalMs) + intervalMs };
}

/** How long it is worth waiting before asking for a place again. */
function waitFor(
  { opensAtMs, nextPlace, intervalMs, freeAtMs, gone: left }: Cooldown,
  place: number,
  nowMs: number,
): number {
  const ahead = place - nextPlace;
  if (ahead < 0) {
    // Among those whose turn it was, each asks again at a time of its own.
    const lateMs = Math.min(Math.max(0, nextPlace - 1 - left) * intervalMs, CERTAIN_MS);
    return Math.ceil(freeAtMs - nowMs + lateMs * ((place * GOLDEN_RATIO) % 1));
  }
  const shutMs = Math.max(0, opensAtMs - nowMs, freeAtMs - nowMs);
  const lineMs = ahead * intervalMs;
  const napMs = Math.min(Math.max(lineMs / 2, CERTAIN_MS), Math.max(ahead * NAP_PER_PLACE_MS, CERTAIN_MS));
  return Math.ceil(shutMs + Math.min(lineMs, napMs));
}

/** Keeps the line up until its last place has been open for a while. */
function lingering(cooldown: Cooldown): Cooldown {
  const { opensAtMs, lastPlace, nextPlace, intervalMs, lingerMs } = cooldown;
  const lastOpensAtMs = opensAtMs + Math.max(0, lastPlace - nextPlace) * intervalMs;
  return { ...cooldown, calmAtMs: Math.max(cooldown.calmAtMs, lastOpensAtMs + lingerMs) };
}

/** A line that was dissolved starts anew; its numbers go on, so that a late comer's is an old one. */
function dissolved(cooldown: Cooldown): Cooldown {
  return {
    ...cooldown,
    nextPlace: cooldown.lastPlace + 1,
    gone: cooldown.lastPlace,
    opensAtMs: 0,
    freeAtMs: 0,
    intervalMs: 0,
  };
}
