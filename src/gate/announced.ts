/**
 * What a server says about its limits with every answer: how much remains, and when it is whole again. A client that
 * listens need not be refused at all.
 *
 * Sources: OpenAI (platform.openai.com/docs/guides/rate-limits, "Rate limits in headers"), Groq and Azure OpenAI use the
 * same names; Anthropic (docs.anthropic.com/en/api/rate-limits, "Response headers"); draft-ietf-httpapi-ratelimit-headers-11;
 * Azure API Management's `x-ms-ratelimit-remaining-*`.
 *
 * A report describes the moment at which its request arrived. What was sent after that request is therefore taken off, and
 * a report of an earlier request than the last one heard is old.
 */

import { readHeaders } from '../hints/header-reader.ts';
import { serverNow } from '../hints/retry-after.ts';
import { parseWait } from '../hints/wait.ts';
import type { HeadersLike } from '../transport.ts';

/** What has been sent: how many requests, and how many tokens they were estimated at. */
export interface Spent {
  readonly requests: number;
  readonly tokens: number;
}

/** Before the first request. */
export const NOTHING_SPENT: Spent = /* @__PURE__ */ Object.freeze({ requests: 0, tokens: 0 });

type Unit = keyof Spent;

/** What one bucket says. */
export interface BucketReport {
  readonly name: string;
  readonly unit: Unit;
  readonly remaining: number;
  /** null: not said. */
  readonly limit: number | null;
  readonly resetMs: number | null;
}

/** A report, and the moment that it describes. */
interface Heard {
  readonly remaining: number;
  readonly resetAtMs: number;
  readonly spent: Spent;
  readonly atMs: number;
}

interface Bucket {
  readonly unit: Unit;
  limit: number;
  /** What is left at `atMs`. */
  remaining: number;
  atMs: number;
  /** When it is whole again; Infinity: not known. */
  resetAtMs: number;
  /** How long it takes at most to be whole. */
  windowMs: number;
  heard: Heard | null;
  /** No report has been heard since it was whole again. */
  isAssumed: boolean;
  /** When the request of the last report was sent and answered, and which reset it told. */
  last: { readonly sentMs: number; readonly answeredMs: number; readonly resetMs: number } | null;
  /**
   * Servers write such headers when a request arrives, or when they answer, and do not say which. In the first case
   * resets that are counted from the sending agree with each other, in the second those that are counted from the answer:
   * by how much they differ lately.
   */
  driftFromSent: number;
  driftFromAnswer: number;
  /** What resets were seen to bring of what was missing: a window brings all of it, a sliding window hardly anything. */
  brought: number;
  missing: number;
  /** What came back between resets, and in which time: a bucket is filled all the time. */
  refilled: number;
  refillMs: number;
}

/** `*` is `remaining`, `limit` or `reset`. Prefixes of Azure API Management have no limit and no reset. */
const FAMILIES: readonly (readonly [name: string, unit: Unit])[] = [
  ['x-ratelimit-*-requests', 'requests'],
  ['x-ratelimit-*-tokens', 'tokens'],
  ['anthropic-ratelimit-requests-*', 'requests'],
  ['anthropic-ratelimit-tokens-*', 'tokens'],
  ['anthropic-ratelimit-input-tokens-*', 'tokens'],
  ['anthropic-ratelimit-output-tokens-*', 'tokens'],
  ['x-ms-ratelimit-*-requests', 'requests'],
  ['x-ms-ratelimit-*-tokens', 'tokens'],
  ['x-ratelimit-*', 'requests'],
  ['ratelimit-*', 'requests'],
];
/** `"minute";r=3;t=5` of `RateLimit`, and `"minute";q=100;w=60` of `RateLimit-Policy`. */
const STRUCTURED_ITEM = /("[^"]{0,64}"|[\w*.-]{1,64})((?:\s?;\s?[a-z]{1,8}=[^,;]{1,64}){1,8})/g;

/** Reads what the headers of a response say about limits. `wallNowMs`: for moments, where no usable `date` header says. */
export function readAnnounced(headers: HeadersLike, wallNowMs: number): readonly BucketReport[] {
  const header = readHeaders(headers);
  const nowMs = serverNow(header, wallNowMs);
  const reports: BucketReport[] = [];
  for (const [name, unit] of FAMILIES) {
    const remaining = amountOf(header(name.replace('*', 'remaining')));
    if (remaining === null) continue;
    const resetName = name.replace('*', 'reset');
    const limit = amountOf(header(name.replace('*', 'limit')));
    reports.push({ name, unit, remaining, limit, resetMs: parseWait(resetName, header(resetName), nowMs) });
  }
  return [...reports, ...structuredReports(header('ratelimit'), header('ratelimit-policy'))];
}

function structuredReports(current: string, policies: string): readonly BucketReport[] {
  if (current === '') return [];
  const policyOf = new Map([...policies.matchAll(STRUCTURED_ITEM)].map(([, name = '', rest = '']) => [name, rest]));
  return [...current.matchAll(STRUCTURED_ITEM)].flatMap(([, name = '', rest = '']) => {
    const policy = policyOf.get(name) ?? '';
    const remaining = parameterOf(rest, 'r');
    const seconds = parameterOf(rest, 't');
    if (remaining === null) return [];
    const unit = /token/i.test(policy) || /token/i.test(name) ? 'tokens' : 'requests';
    const resetMs = seconds === null ? null : seconds * 1_000;
    return [{ name, unit, remaining, limit: parameterOf(policy, 'q'), resetMs }] as const;
  });
}

function parameterOf(text: string, name: string): number | null {
  return amountOf(new RegExp(`;\\s?${name}=(-?\\d{1,15})`).exec(text)?.[1] ?? '');
}

/** Azure counts on below zero. */
function amountOf(text: string): number | null {
  return /^-?\d{1,15}$/.test(text) ? Math.max(0, Number(text)) : null;
}

/**
 * While more than this share of a bucket remains, and more than so many requests, they are not spread. With a share of 0.5
 * `bench/limiters --only announced` loses 4 of 12 rows (seeds 1 to 3); without the few requests 9 more of 120 windows and
 * buckets are refused over 1 %.
 */
const PLENTY = { share: 0.25, requests: 5 } as const;
/** How much of the estimates' error is learned from one report: 1 % of it is left after 20. */
const LEARNING = 0.2;
/** How much of what was learned of a refill is kept after a report: some 20 reports are remembered. */
const REMEMBERED = 0.95;
/**
 * A little less than came back is expected: the next report corrects that for nothing, and too much with refusals. Of 180
 * announced limits 133 were used whole with under 1 % of refusals; 125 with 0.9.
 */
const CAUTION = 0.8;
/** Drifts below this are rounding and the network. */
const CLEAR_DRIFT_MS = 20;
/** Without any report for so long the buckets say nothing any more. */
const FORGOTTEN_MS = 600_000;

/** The buckets of one limit. */
export class Announced {
  readonly #buckets = new Map<string, Bucket>();
  #spent: Spent = NOTHING_SPENT;
  /** How many tokens a request really took, for each that was estimated. */
  #tokensPerEstimate = 1;
  #heardMs = Number.NEGATIVE_INFINITY;

  /** Counts a request that is sent. Returns what has been spent, this one included, for its report. */
  spend(tokens: number, nowMs: number): Spent {
    const { requests, tokens: before } = this.#spent;
    this.#spent = { requests: requests + 1, tokens: before + tokens };
    for (const bucket of this.#buckets.values()) {
      refill(bucket, nowMs);
      bucket.remaining -= this.#costIn(bucket, tokens);
    }
    return this.#spent;
  }

  /** Whether nothing has been heard for so long that the buckets say nothing any more. */
  isForgotten(nowMs: number): boolean {
    return nowMs - this.#heardMs > FORGOTTEN_MS;
  }

  /** Hears what the answer to the request `asOf`, sent at `sentMs`, says. */
  hear(reports: readonly BucketReport[], asOf: Spent, sentMs: number, nowMs: number): void {
    this.#heardMs = nowMs;
    for (const report of reports) {
      const { name, unit, remaining, resetMs } = report;
      let bucket = this.#buckets.get(name);
      if (bucket === undefined) this.#buckets.set(name, (bucket = newBucket(unit, remaining, nowMs)));
      bucket.limit = report.limit ?? Math.max(remaining + 1, bucket.limit);
      bucket.windowMs = Math.max(resetMs ?? 0, bucket.windowMs);
      refill(bucket, nowMs);
      if (resetMs !== null) learnMoment(bucket, { sentMs, answeredMs: nowMs, resetMs });
      const moment = momentOf(bucket);
      const isLate = resetMs !== null && sentMs + resetMs < nowMs;
      const atMs = moment === 'arrival' || (moment === 'unknown' && (isLate || !isWindow(bucket))) ? sentMs : nowMs;
      const spent = moment === 'answer' ? this.#spent : asOf;
      const resetAtMs = resetMs === null ? bucket.resetAtMs : atMs + resetMs;
      const { heard } = bucket;
      const isOld = heard !== null && spent.requests < heard.spent.requests && resetAtMs < heard.resetAtMs + 500;
      if (isOld) continue;
      if (heard !== null && unit === 'tokens') this.#learnCost(heard, remaining, spent);
      if (heard !== null) this.#learnRefill(bucket, heard, remaining, spent, atMs);
      bucket.heard = { remaining, resetAtMs, spent, atMs };
      // The answer took longer than the window: what it says of the next one is when that ends.
      if (resetAtMs < nowMs && isWindow(bucket)) {
        bucket.resetAtMs = resetAtMs + bucket.windowMs * Math.ceil((nowMs - resetAtMs) / bucket.windowMs);
        continue;
      }
      bucket.remaining = remaining - this.#since(unit, spent) + refillPerMs(bucket) * (nowMs - atMs);
      bucket.atMs = nowMs;
      bucket.resetAtMs = resetAtMs;
      bucket.isAssumed = false;
    }
  }

  /** How far requests are to be apart at a moment so that what remains lasts; 0: there is plenty. */
  intervalMs(nowMs: number, tokens: number, atMs: number = nowMs): number {
    let longestMs = 0;
    for (const bucket of this.#buckets.values()) {
      refill(bucket, nowMs);
      const { remaining, limit, resetAtMs, windowMs, isAssumed } = bucket;
      if (resetAtMs === Number.POSITIVE_INFINITY) continue;
      const isNext = atMs > resetAtMs && isWindow(bucket) && windowMs > 0;
      const cost = Math.max(this.#costIn(bucket, tokens), 1e-9);
      const isPlenty = remaining > Math.max(PLENTY.share * limit, PLENTY.requests * cost);
      if (!isNext && isPlenty && !isAssumed) continue;
      const perMs = isNext
        ? limit / windowMs
        : Math.max(remaining, cost) / Math.max(1, resetAtMs - nowMs) + refillPerMs(bucket);
      longestMs = Math.max(longestMs, cost / perMs);
    }
    return longestMs;
  }

  /** Until when nothing more of this size is admitted; 0: it is admitted now. */
  emptyUntilMs(nowMs: number, tokens: number): number {
    let untilMs = 0;
    for (const bucket of this.#buckets.values()) {
      refill(bucket, nowMs);
      const { remaining, resetAtMs, unit } = bucket;
      const cost = this.#costIn(bucket, tokens);
      const isEnough = unit === 'tokens' && tokens === 0 ? remaining > 0 : remaining >= cost;
      // More than a whole bucket is for the server to refuse.
      if (isEnough || remaining >= bucket.limit || resetAtMs === Number.POSITIVE_INFINITY) continue;
      untilMs = Math.max(untilMs, Math.min(resetAtMs, nowMs + (Math.max(cost, 1) - remaining) / refillPerMs(bucket)));
    }
    return untilMs;
  }

  #costIn({ unit }: Bucket, tokens: number): number {
    return unit === 'requests' ? 1 : tokens * this.#tokensPerEstimate;
  }

  #since(unit: Unit, from: Spent, to: Spent = this.#spent): number {
    const since = to[unit] - from[unit];
    return unit === 'requests' ? since : since * this.#tokensPerEstimate;
  }

  /** From one report to the next of a window so much was taken, and so much was estimated. */
  #learnCost(heard: Heard, remaining: number, spent: Spent): void {
    const estimated = spent.tokens - heard.spent.tokens;
    const taken = heard.remaining - remaining;
    if (estimated <= 0 || taken <= 0) return;
    const ratio = Math.min(10, Math.max(0.1, taken / estimated));
    this.#tokensPerEstimate += LEARNING * (ratio - this.#tokensPerEstimate);
  }

  /** From one report to the next so much came back. */
  #learnRefill(bucket: Bucket, heard: Heard, remaining: number, spent: Spent, atMs: number): void {
    const taken = this.#since(bucket.unit, heard.spent, spent);
    const came = remaining - heard.remaining + taken;
    if (atMs <= heard.atMs || heard.spent.requests === 0) return;
    const hasReset = atMs >= heard.resetAtMs;
    if (hasReset) {
      bucket.brought = REMEMBERED * bucket.brought + came;
      bucket.missing = REMEMBERED * bucket.missing + bucket.limit - heard.remaining + taken / 2;
    }
    if (hasReset && bucket.brought >= 0.5 * bucket.missing) return;
    bucket.refilled = REMEMBERED * bucket.refilled + came;
    bucket.refillMs = REMEMBERED * bucket.refillMs + atMs - heard.atMs;
  }
}

function newBucket(unit: Unit, remaining: number, nowMs: number): Bucket {
  return {
    unit,
    limit: remaining + 1,
    remaining,
    atMs: nowMs,
    resetAtMs: Number.POSITIVE_INFINITY,
    windowMs: 0,
    heard: null,
    isAssumed: false,
    last: null,
    driftFromSent: 0,
    driftFromAnswer: 0,
    brought: 0,
    missing: 0,
    refilled: 0,
    refillMs: 0,
  };
}

/** What comes back all the time, in a bucket; in a window all of it comes at the reset. */
function refillPerMs({ refilled, refillMs, windowMs, limit }: Bucket): number {
  return 2 * refilled * windowMs > limit * refillMs ? (CAUTION * refilled) / refillMs : 0;
}

/** Whether it is whole at the reset and not before, as far as has been seen. */
function isWindow(bucket: Bucket): boolean {
  return refillPerMs(bucket) === 0;
}

/** Lets time pass. */
function refill(bucket: Bucket, nowMs: number): void {
  const { atMs, resetAtMs, windowMs, limit } = bucket;
  if (nowMs >= resetAtMs) {
    bucket.remaining = isWindow(bucket) ? limit : Math.max(bucket.remaining, 1);
    bucket.isAssumed = isWindow(bucket) && momentOf(bucket) === 'unknown';
    bucket.resetAtMs =
      windowMs > 0 ? resetAtMs + windowMs * Math.ceil((nowMs - resetAtMs + 1) / windowMs) : Number.POSITIVE_INFINITY;
  }
  bucket.remaining = Math.min(limit, bucket.remaining + refillPerMs(bucket) * (nowMs - atMs));
  bucket.atMs = nowMs;
}

/** Which moment the reports describe. Only where the difference is clear: to come too early costs a refusal. */
function momentOf({ driftFromSent, driftFromAnswer }: Bucket): 'arrival' | 'answer' | 'unknown' {
  if (Math.max(driftFromSent, driftFromAnswer) < CLEAR_DRIFT_MS) return 'unknown';
  if (driftFromSent < 0.2 * driftFromAnswer) return 'arrival';
  return driftFromAnswer < 0.2 * driftFromSent ? 'answer' : 'unknown';
}

/** How far resets differ, counted from the sending and from the answer, between reports; windows follow each other. */
function learnMoment(bucket: Bucket, next: NonNullable<Bucket['last']>): void {
  const { last, windowMs } = bucket;
  bucket.last = next;
  if (last === null || windowMs === 0) return;
  const apartMs = (fromMs: number, lastFromMs: number): number => {
    const differenceMs = fromMs + next.resetMs - lastFromMs - last.resetMs;
    return Math.abs(differenceMs - windowMs * Math.round(differenceMs / windowMs));
  };
  bucket.driftFromSent += LEARNING * (apartMs(next.sentMs, last.sentMs) - bucket.driftFromSent);
  bucket.driftFromAnswer += LEARNING * (apartMs(next.answeredMs, last.answeredMs) - bucket.driftFromAnswer);
}
