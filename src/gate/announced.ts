/**
 * Reads what a server announces about its limits with every response: how much remains, and when the limit resets. A
 * client that obeys these headers need not be refused at all.
 *
 * Sources: OpenAI (platform.openai.com/docs/guides/rate-limits, "Rate limits in headers"), Groq and Azure OpenAI use
 * the same names; Anthropic (docs.anthropic.com/en/api/rate-limits, "Response headers");
 * draft-ietf-httpapi-ratelimit-headers-11; Azure API Management's `x-ms-ratelimit-remaining-*`.
 *
 * A report describes one moment: when its request arrived, or when it was answered. It does not say which, nor what
 * kind of limit it is about; both are learned by comparing the resets of several reports.
 */

import { readHeaders } from '../hints/header-reader.ts';
import { serverNow } from '../hints/retry-after.ts';
import { parseWait } from '../hints/wait.ts';
import type { HeadersLike } from '../transport.ts';

/** The requests that were sent, and the tokens at which they were estimated. */
export interface Spent {
  readonly requests: number;
  readonly tokens: number;
}

/** Before the first request. */
export const NOTHING_SPENT: Spent = /* @__PURE__ */ Object.freeze({ requests: 0, tokens: 0 });

type Unit = keyof Spent;

/** A request that was answered. `spent`: the total up to this request when it was sent. */
export interface AnsweredRequest {
  readonly spent: Spent;
  readonly sentMs: number;
  readonly wasRefused: boolean;
}

/** The report on one bucket. */
export interface BucketReport {
  readonly name: string;
  readonly unit: Unit;
  readonly remaining: number;
  /** null: missing. */
  readonly limit: number | null;
  readonly resetMs: number | null;
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

/** Reads the limits in the headers of a response. `wallNowMs`: for dates, if there is no usable `date` header. */
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

/** Azure sends negative numbers too. */
function amountOf(text: string): number | null {
  return /^-?\d{1,15}$/.test(text) ? Math.max(0, Number(text)) : null;
}

/**
 * Requests are not spread while more than this share of a bucket and more than this number of requests remain. With a
 * share of 0.5 `bench/limiters --only announced` loses 4 of 12 rows (seeds 1 to 3); without the number, 9 more of 120
 * windows and buckets have over 1 % of refusals.
 */
const PLENTY = { share: 0.25, requests: 5 } as const;
/** The share of a drift that is learned from one comparison. */
const LEARNING = 0.3;
/** Resets that name one moment drift by less than this share of the time between two reports, rounding included. */
const FITS = 0.3;
/** The share of the earlier knowledge that is kept after a report: some 20 reports are remembered. */
const REMEMBERED = 0.95;
/**
 * Expects a little less than the measured refill: the next report corrects too little at no cost, but too much costs
 * refusals.
 */
const CAUTION = 0.95;
/** A single request may cost twice its estimate, even if the total is right. */
const RESERVE = 2;
/** After this time without a report the buckets are unknown. */
const FORGOTTEN_MS = 600_000;

/** The announced buckets of a limit. */
export class Announced {
  readonly #buckets = new Map<string, Bucket>();
  #spent: Spent = NOTHING_SPENT;
  #heardMs = Number.NEGATIVE_INFINITY;

  /** Whether the last report is so old that the buckets are unknown. */
  isForgotten(nowMs: number): boolean {
    return nowMs - this.#heardMs > FORGOTTEN_MS;
  }

  /** Counts a request that is sent. Returns the total up to this request, for its report. */
  spend(tokens: number, nowMs: number): Spent {
    this.#spent = { requests: this.#spent.requests + 1, tokens: this.#spent.tokens + tokens };
    for (const bucket of this.#buckets.values()) bucket.spend({ requests: 1, tokens }, nowMs);
    return this.#spent;
  }

  /** Takes the reports in the response to a request. */
  hear(reports: readonly BucketReport[], request: AnsweredRequest, nowMs: number): void {
    this.#heardMs = nowMs;
    for (const report of reports) {
      let bucket = this.#buckets.get(report.name);
      if (bucket === undefined) this.#buckets.set(report.name, (bucket = new Bucket(report, nowMs)));
      bucket.hear({ ...report, ...request, spentAtAnswer: this.#spent, answeredMs: nowMs });
    }
  }

  /** The interval between requests at a moment, so that the rest lasts until the reset; 0: there is plenty. */
  intervalMs(nowMs: number, tokens: number, atMs: number = nowMs): number {
    return this.#most((bucket) => bucket.intervalMs({ requests: 1, tokens }, atMs, nowMs));
  }

  /** Until when no further request of this size is admitted; 0: it is admitted now. */
  emptyUntilMs(nowMs: number, tokens: number): number {
    return this.#most((bucket) => bucket.emptyUntilMs({ requests: 1, tokens }, nowMs));
  }

  #most(of: (bucket: Bucket) => number): number {
    let most = 0;
    for (const bucket of this.#buckets.values()) most = Math.max(most, of(bucket));
    return most;
  }
}

/** A report, with the times of its request and its response. */
interface Heard extends BucketReport, AnsweredRequest {
  readonly spentAtAnswer: Spent;
  readonly answeredMs: number;
}

/** A report with a reset. */
type Dated = Heard & { readonly resetMs: number };

/**
 * The kind of a bucket: a window, which is full again at its reset and whose reports describe the arrival, the answer,
 * or one of them (still unknown); or a bucket that is refilled all the time, such as a token bucket or a sliding
 * window.
 */
type Kind = 'window at arrival' | 'window when answered' | 'window' | 'filled';

/** The state of one bucket. */
class Bucket {
  readonly #unit: Unit;
  #limit: number;
  /** The rest at `#atMs`. */
  #remaining: number;
  #atMs: number;
  /** The longest time until it is full; 0: unknown. */
  #windowMs = 0;
  /** When a window is full again, and whether no report of the present window has confirmed that. */
  #resetAtMs = Number.NEGATIVE_INFINITY;
  #isAssumed = false;
  /** What was missing recently, and the reported time until it is back. */
  #missing = 0;
  #missingMs = 0;

  #kind: Kind = 'window';
  /** The report with which the next ones are compared. */
  #compared: Dated | null = null;
  /** How far resets differ, counted from the sending and from the response, and the time between them. */
  #driftFromSent = 0;
  #driftFromAnswer = 0;
  #driftTime = 0;

  #last: Dated | null = null;
  /** The real cost of requests, and their estimated cost. */
  #taken = 0;
  #estimated = 0;
  /** When the last refused request was sent, which cost nothing. */
  #refusedMs = Number.NEGATIVE_INFINITY;

  constructor({ unit, remaining }: BucketReport, nowMs: number) {
    this.#unit = unit;
    this.#limit = remaining + 1;
    this.#remaining = remaining;
    this.#atMs = nowMs;
  }

  spend(amount: Spent, nowMs: number): void {
    this.#passTime(nowMs);
    this.#remaining -= this.#cost(amount);
  }

  hear(report: Heard): void {
    const { remaining, limit, resetMs, sentMs, answeredMs, wasRefused } = report;
    this.#limit = limit ?? Math.max(remaining + 1, this.#limit);
    if (wasRefused) this.#refusedMs = Math.max(sentMs, this.#refusedMs);
    this.#windowMs = Math.max(resetMs ?? 0, this.#windowMs);
    if (resetMs === null || this.#windowMs === 0) {
      this.#remaining = this.#remainingAfter(report);
      return;
    }
    const heard = { ...report, resetMs };
    this.#missing = REMEMBERED * this.#missing + this.#limit - remaining;
    this.#missingMs = REMEMBERED * this.#missingMs + resetMs;
    this.#learnKind(heard);
    const last = this.#last;
    if (last !== null) {
      const isOlder = this.#spentBy(heard).requests < this.#spentBy(last).requests;
      if (isOlder && this.#resetAtOf(heard) - this.#resetAtOf(last) < this.#windowMs / 2) return;
      this.#learnCost(last, heard);
    }
    this.#last = heard;
    if (this.#kind === 'filled') {
      this.#passTime(answeredMs);
      const refilled = this.#refillPerMs() * (answeredMs - sentMs);
      this.#remaining = Math.min(remaining, this.#remainingAfter(report) + refilled);
    } else this.#hearWindow(heard);
  }

  #hearWindow(heard: Dated): void {
    const resetAtMs = this.#resetAtOf(heard);
    const windows = Math.round((this.#resetAtMs - resetAtMs) / this.#windowMs);
    if (windows >= 1) {
      // A report of an earlier window shows when the present one ends.
      this.#resetAtMs = resetAtMs + windows * this.#windowMs;
    } else {
      // Resets of one window may be rounded up, so the earliest is the most exact.
      const isSame = windows === 0 && !this.#isAssumed && this.#kind !== 'window';
      this.#resetAtMs = isSame ? Math.min(resetAtMs, this.#resetAtMs) : resetAtMs;
      if (this.#resetAtMs > heard.answeredMs) {
        this.#remaining = this.#remainingAfter(heard);
        this.#isAssumed = false;
      }
    }
    this.#passTime(heard.answeredMs);
  }

  /** See {@link Announced.intervalMs}. */
  intervalMs(amount: Spent, atMs: number, nowMs: number): number {
    this.#passTime(nowMs);
    if (this.#windowMs === 0) return 0;
    const cost = Math.max(this.#cost(amount), 1e-9);
    const isFilled = this.#kind === 'filled';
    if (!isFilled && atMs > this.#resetAtMs) return (cost * this.#windowMs) / this.#limit;
    const isPlenty = this.#remaining > Math.max(PLENTY.share * this.#limit, PLENTY.requests * cost);
    if (isPlenty && !(this.#isAssumed && this.#kind === 'window')) return 0;
    const remaining = Math.max(this.#remaining, cost);
    if (isFilled) return cost / (remaining / this.#windowMs + this.#refillPerMs());
    return (cost / remaining) * Math.max(1, this.#resetAtMs - nowMs);
  }

  /** See {@link Announced.emptyUntilMs}. */
  emptyUntilMs(amount: Spent, nowMs: number): number {
    this.#passTime(nowMs);
    const cost = this.#cost(amount);
    const isFilled = this.#kind === 'filled';
    const reserve = isFilled && this.#unit === 'tokens' ? Math.min(RESERVE * cost, this.#limit / 3) : 0;
    const needed = Math.max(cost, reserve);
    const isEnough = cost === 0 ? this.#remaining > 0 : this.#remaining >= needed;
    // The server itself refuses a request that is larger than the whole bucket.
    if (isEnough || this.#remaining >= this.#limit || this.#windowMs === 0) return 0;
    return isFilled ? nowMs + (Math.max(needed, 1) - this.#remaining) / this.#refillPerMs() : this.#resetAtMs;
  }

  /** The cost between two moments. */
  #cost(to: Spent, from: Spent = NOTHING_SPENT): number {
    const amount = to[this.#unit] - from[this.#unit];
    if (this.#unit === 'requests' || this.#estimated <= 0) return amount;
    return amount * Math.min(10, Math.max(0.1, this.#taken / this.#estimated));
  }

  /** The rest after a report, minus the requests sent since the moment that it describes. */
  #remainingAfter(heard: Heard): number {
    return heard.remaining - this.#cost(heard.spentAtAnswer, this.#spentBy(heard));
  }

  #spentBy({ spent, spentAtAnswer }: Heard): Spent {
    return this.#kind === 'window when answered' ? spentAtAnswer : spent;
  }

  #resetAtOf({ sentMs, answeredMs, resetMs }: Dated): number {
    return (this.#kind === 'window at arrival' ? sentMs : answeredMs) + resetMs;
  }

  #passTime(nowMs: number): void {
    if (this.#windowMs === 0) return;
    if (this.#kind === 'filled') {
      this.#remaining = Math.min(this.#limit, this.#remaining + this.#refillPerMs() * (nowMs - this.#atMs));
    } else if (nowMs >= this.#resetAtMs) {
      this.#remaining = this.#limit;
      this.#isAssumed = true;
      this.#resetAtMs += Math.ceil((nowMs - this.#resetAtMs + 1) / this.#windowMs) * this.#windowMs;
    }
    this.#atMs = nowMs;
  }

  /** The continuous refill of a bucket that is not a window. */
  #refillPerMs(): number {
    return CAUTION * Math.min(this.#limit / this.#windowMs, this.#missing / this.#missingMs);
  }

  /**
   * Resets of one window name one moment, if they are counted from the moment that they describe; those of consecutive
   * windows are a window apart. The resets of a bucket that is refilled all the time move on with the time.
   */
  #learnKind(heard: Dated): void {
    const last = (this.#compared ??= heard);
    const timeMs = heard.answeredMs - last.answeredMs;
    const windowMs = this.#windowMs;
    if (timeMs < windowMs / 4) return;
    this.#compared = heard;
    const fromSentMs = Math.abs(heard.sentMs + heard.resetMs - last.sentMs - last.resetMs);
    const fromAnswerMs = Math.abs(timeMs + heard.resetMs - last.resetMs);
    const ownMs = this.#kind === 'window at arrival' ? fromSentMs : fromAnswerMs;
    const isKnown = this.#kind === 'window at arrival' || this.#kind === 'window when answered';
    if (isKnown && ownMs > windowMs / 2 && ownMs < 1.5 * windowMs) this.#windowMs = Math.max(ownMs, windowMs);
    if (Math.min(fromSentMs, fromAnswerMs) > windowMs / 2) return;
    const learned = (drift: number, ms: number): number =>
      drift + LEARNING * (Math.abs(ms - windowMs * Math.round(ms / windowMs)) - drift);
    this.#driftFromSent = learned(this.#driftFromSent, fromSentMs);
    this.#driftFromAnswer = learned(this.#driftFromAnswer, fromAnswerMs);
    this.#driftTime = learned(this.#driftTime, timeMs);
    this.#kind = this.#kindByDrift();
  }

  #kindByDrift(): Kind {
    const [sent, answer] = [this.#driftFromSent, this.#driftFromAnswer];
    if (Math.min(sent, answer) > FITS * this.#driftTime) return 'filled';
    // Only if the difference is clear, because a request that is too early is refused.
    if (sent < 0.2 * answer) return 'window at arrival';
    return answer < 0.2 * sent ? 'window when answered' : 'window';
  }

  /** Learns the real cost per estimate from two reports of a window. */
  #learnCost(last: Dated, heard: Dated): void {
    const isFilled = this.#kind === 'filled';
    const isFull = Math.max(last.remaining, heard.remaining) > 0.95 * this.#limit;
    const isSameWindow = Math.abs(this.#resetAtOf(heard) - this.#resetAtOf(last)) < this.#windowMs / 2;
    const wasRefused = this.#refusedMs >= Math.min(last.sentMs, heard.sentMs);
    if (this.#unit === 'requests' || wasRefused || (isFilled ? isFull : !isSameWindow)) return;
    const refilled = isFilled ? (this.#refillPerMs() / CAUTION) * (heard.sentMs - last.sentMs) : 0;
    this.#taken = REMEMBERED * this.#taken + last.remaining - heard.remaining + refilled;
    this.#estimated = REMEMBERED * this.#estimated + this.#spentBy(heard).tokens - this.#spentBy(last).tokens;
  }
}
