/** The limits that providers use, one function each. Each decides about one request at a time. */

import type { Dice } from '../dice.ts';

/** The decision about a request. `freeInMs`: when the next request would be admitted, if the limiter knows it. */
export type Ruling = { readonly admitted: true } | { readonly admitted: false; readonly freeInMs: number };

/** A limit. */
export interface Limiter {
  /** The status of a refusal. */
  readonly status: 429 | 503;
  /** Decides about a request that arrives now. */
  ask(nowMs: number, cost: number): Ruling;
  /** Called when the response of an admitted request is complete. */
  done?(): void;
  /** The rest of the limit, and the time until all of it is available again. */
  standing?(nowMs: number): Standing;
}

/** What a server announces about a limit. */
export interface Standing {
  readonly limit: number;
  readonly remaining: number;
  readonly resetMs: number;
}

const ADMITTED: Ruling = { admitted: true };

/** A number of requests in each full second or minute of the clock. */
export function fixedWindow(limit: number, windowMs: number): Limiter {
  let window = -1;
  let used = 0;
  const at = (nowMs: number): void => {
    const current = Math.floor(nowMs / windowMs);
    if (current !== window) [window, used] = [current, 0];
  };
  return {
    status: 429,
    ask(nowMs, cost) {
      at(nowMs);
      if (used + cost > limit) return { admitted: false, freeInMs: (window + 1) * windowMs - nowMs };
      used += cost;
      return ADMITTED;
    },
    standing(nowMs) {
      at(nowMs);
      return { limit, remaining: limit - used, resetMs: (window + 1) * windowMs - nowMs };
    },
  };
}

/** A window that has run for a while: so much of it is left, and for so long. Windows of the whole limit follow. */
export function begunWindow(
  limit: number,
  windowMs: number,
  remaining: number,
  leftMs: number,
  startMs: number,
): Limiter {
  let [left, endsMs] = [remaining, startMs + leftMs];
  const at = (nowMs: number): void => {
    for (; nowMs >= endsMs; endsMs += windowMs) left = limit;
  };
  return {
    status: 429,
    ask(nowMs, cost) {
      at(nowMs);
      if (left < cost) return { admitted: false, freeInMs: endsMs - nowMs };
      left -= cost;
      return ADMITTED;
    },
    standing(nowMs) {
      at(nowMs);
      return { limit, remaining: left, resetMs: endsMs - nowMs };
    },
  };
}

/** A window that blocks for a while when it is exceeded. */
export function blockingWindow(limit: number, windowMs: number, blockMs: number): Limiter {
  let window = fixedWindow(limit, windowMs);
  let blockedUntilMs = 0;
  return {
    status: 429,
    ask(nowMs, cost) {
      if (nowMs < blockedUntilMs) return { admitted: false, freeInMs: blockedUntilMs - nowMs };
      const ruling = window.ask(nowMs, cost);
      if (ruling.admitted) return ruling;
      blockedUntilMs = nowMs + blockMs;
      window = fixedWindow(limit, windowMs);
      return { admitted: false, freeInMs: blockMs };
    },
  };
}

/** A limiter whose announcements are wrong. */
export function announcing(limiter: Limiter, distort: (standing: Standing, nowMs: number) => Standing): Limiter {
  return {
    ...limiter,
    standing: (nowMs) => distort(limiter.standing?.(nowMs) ?? { limit: 1_000, remaining: 1_000, resetMs: 0 }, nowMs),
  };
}

/** Admits everything. */
export function noLimit(): Limiter {
  return { status: 429, ask: () => ADMITTED };
}

/** A bucket with a capacity, which is refilled at a constant rate. */
export function tokenBucket(perSecond: number, burst: number): Limiter {
  let level = burst;
  let filledMs = 0;
  const fill = (nowMs: number): void => {
    level = Math.min(burst, level + ((nowMs - filledMs) * perSecond) / 1_000);
    filledMs = nowMs;
  };
  return {
    status: 429,
    ask(nowMs, cost) {
      fill(nowMs);
      if (level < cost) return { admitted: false, freeInMs: ((cost - level) / perSecond) * 1_000 };
      level -= cost;
      return ADMITTED;
    },
    standing(nowMs) {
      fill(nowMs);
      return { limit: burst, remaining: Math.floor(level), resetMs: ((burst - level) / perSecond) * 1_000 };
    },
  };
}

/** A number of requests within any window of that length. `reset`: the request whose end it announces */
export function slidingWindow(limit: number, windowMs: number, reset: 'oldest' | 'newest' = 'oldest'): Limiter {
  const admitted: number[] = [];
  const drop = (nowMs: number): void => {
    while (admitted[0] !== undefined && admitted[0] <= nowMs - windowMs) admitted.shift();
  };
  return {
    status: 429,
    ask(nowMs) {
      drop(nowMs);
      const [oldest] = admitted;
      if (admitted.length >= limit && oldest !== undefined)
        return { admitted: false, freeInMs: oldest + windowMs - nowMs };
      admitted.push(nowMs);
      return ADMITTED;
    },
    standing(nowMs) {
      drop(nowMs);
      const leaving = reset === 'oldest' ? admitted[0] : admitted.at(-1);
      return { limit, remaining: limit - admitted.length, resetMs: (leaving ?? nowMs - windowMs) + windowMs - nowMs };
    },
  };
}

/** A sliding window that is only approximated: the requests of the last full window count as if they had come evenly. */
export function slidingCounter(limit: number, windowMs: number): Limiter {
  let [window, used, before] = [-1, 0, 0];
  return {
    status: 429,
    ask(nowMs) {
      const current = Math.floor(nowMs / windowMs);
      if (current !== window) [window, before, used] = [current, current === window + 1 ? used : 0, 0];
      const endMs = (current + 1) * windowMs;
      if (before * ((endMs - nowMs) / windowMs) + used + 1 > limit) return { admitted: false, freeInMs: endMs - nowMs };
      used += 1;
      return ADMITTED;
    },
  };
}

/** A number of concurrent requests. Such servers answer 503 and cannot name a time. */
export function concurrency(limit: number): Limiter {
  let busy = 0;
  return {
    status: 503,
    ask() {
      if (busy >= limit) return { admitted: false, freeInMs: 0 };
      busy += 1;
      return ADMITTED;
    },
    done() {
      busy -= 1;
    },
  };
}

/** Fails at random, with any load. */
export function randomFailures(share: number, dice: Dice): Limiter {
  return { status: 503, ask: () => (dice() < share ? { admitted: false, freeInMs: 0 } : ADMITTED) };
}

/** Admits nothing for some time. */
export function outage(fromMs: number, untilMs: number, startMs: number): Limiter {
  return {
    status: 503,
    ask(nowMs) {
      const passedMs = nowMs - startMs;
      return passedMs >= fromMs && passedMs < untilMs ? { admitted: false, freeInMs: untilMs - passedMs } : ADMITTED;
    },
  };
}
