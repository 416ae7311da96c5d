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

/** What all buckets of a limit say together. */
export class Announced {
  readonly #buckets = new Map<string, Bucket>();
  #spent: Spent = NOTHING_SPENT;
  #heardMs = Number.NEGATIVE_INFINITY;

  /** Whether nothing has been heard for so long that the buckets say nothing any more. */
  isForgotten(nowMs: number): boolean {
    return nowMs - this.#heardMs > FORGOTTEN_MS;
  }

  /** Counts a request that is sent. Returns what has been spent, this one included, for its report. */
  spend(tokens: number, nowMs: number): Spent {
    this.#spent = { requests: this.#spent.requests + 1, tokens: this.#spent.tokens + tokens };
    for (const bucket of this.#buckets.values()) bucket.spend({ requests: 1, tokens }, nowMs);
    return this.#spent;
  }

  /** Hears what the answer to the request `asOf`, sent at `sentMs`, says. */
  hear(reports: readonly BucketReport[], asOf: Spent, sentMs: number, nowMs: number): void {
    this.#heardMs = nowMs;
    for (const report of reports) {
      let bucket = this.#buckets.get(report.name);
      if (bucket === undefined) this.#buckets.set(report.name, (bucket = new Bucket(report, nowMs)));
      bucket.hear(report, asOf, this.#spent, sentMs, nowMs);
    }
  }

  /** How far requests are to be apart at a moment so that what remains lasts; 0: there is plenty. */
  intervalMs(nowMs: number, tokens: number, atMs: number = nowMs): number {
    return this.#most((bucket) => bucket.intervalMs({ requests: 1, tokens }, atMs, nowMs));
  }

  /** Until when nothing more of this size is admitted; 0: it is admitted now. */
  emptyUntilMs(nowMs: number, tokens: number): number {
    return this.#most((bucket) => bucket.emptyUntilMs({ requests: 1, tokens }, nowMs));
  }

  #most(of: (bucket: Bucket) => number): number {
    let most = 0;
    for (const bucket of this.#buckets.values()) most = Math.max(most, of(bucket));
    return most;
  }
}

/** A report, and the moment that it describes. */
interface Heard {
  readonly remaining: number;
  readonly resetAtMs: number;
  readonly spent: Spent;
  readonly atMs: number;
}

/** What is known of one bucket: a window, which is whole again at its reset, or one that is filled all the time. */
class Bucket {
  readonly #unit: Unit;
  #limit: number;
  /** What is left at `#atMs`. */
  #remaining: number;
  #atMs: number;
  /** When it is whole again; Infinity: not known. */
  #resetAtMs = Number.POSITIVE_INFINITY;
  /** How long it takes at most to be whole. */
  #windowMs = 0;
  #heard: Heard | null = null;
  /** No report has been heard since it was whole again. */
  #isAssumed = false;
  /** How much a request really takes of it, for each that was estimated. */
  #perEstimate = 1;
  /**
   * Servers write such headers when a request arrives, or when they answer, and do not say which. In the first case
   * resets that are counted from the sending agree with each other, in the second those that are counted from the answer:
   * by how much they differ lately.
   */
  #driftFromSent = 0;
  #driftFromAnswer = 0;
  /** When the request of the last report was sent and answered, and which reset it told. */
  #lastReset: { readonly sentMs: number; readonly answeredMs: number; readonly resetMs: number } | null = null;
  /** What resets were seen to bring of what was missing: a window brings all of it, a sliding window hardly anything. */
  #brought = 0;
  #missing = 0;
  /** What came back between resets, and in which time. */
  #refilled = 0;
  #refillMs = 0;

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

  /** `asOf`, `spent`: what had been spent when the request of this report was sent, and until now. */
  hear({ remaining, limit, resetMs }: BucketReport, asOf: Spent, spent: Spent, sentMs: number, nowMs: number): void {
    this.#limit = limit ?? Math.max(remaining + 1, this.#limit);
    this.#windowMs = Math.max(resetMs ?? 0, this.#windowMs);
    this.#passTime(nowMs);
    if (resetMs !== null) this.#learnMoment(sentMs, nowMs, resetMs);
    const moment = this.#moment();
    const isLate = resetMs !== null && sentMs + resetMs < nowMs;
    const atMs = moment === 'arrival' || (moment === 'unknown' && (isLate || !this.#isWindow())) ? sentMs : nowMs;
    const resetAtMs = resetMs === null ? this.#resetAtMs : atMs + resetMs;
    const heard: Heard = { remaining, resetAtMs, spent: moment === 'answer' ? spent : asOf, atMs };
    if (this.#heard !== null) {
      const isOld = heard.spent.requests < this.#heard.spent.requests && resetAtMs < this.#heard.resetAtMs + 500;
      if (isOld) return;
      this.#learnCost(this.#heard, heard);
      this.#learnRefill(this.#heard, heard);
    }
    this.#heard = heard;
    if (resetAtMs < nowMs && this.#isWindow()) {
      // The answer took longer than the window: what it says of the next one is when that ends.
      this.#resetAtMs = resetAtMs + this.#windowMs * Math.ceil((nowMs - resetAtMs) / this.#windowMs);
      return;
    }
    this.#remaining = remaining - this.#cost(spent, heard.spent) + this.#refillPerMs() * (nowMs - atMs);
    this.#resetAtMs = resetAtMs;
    this.#isAssumed = false;
  }

  /** See {@link Announced.intervalMs}. */
  intervalMs(amount: Spent, atMs: number, nowMs: number): number {
    this.#passTime(nowMs);
    if (this.#resetAtMs === Number.POSITIVE_INFINITY) return 0;
    const cost = Math.max(this.#cost(amount), 1e-9);
    if (atMs > this.#resetAtMs && this.#isWindow() && this.#windowMs > 0) return (cost * this.#windowMs) / this.#limit;
    const isPlenty = this.#remaining > Math.max(PLENTY.share * this.#limit, PLENTY.requests * cost);
    if (isPlenty && !this.#isAssumed) return 0;
    const untilReset = Math.max(this.#remaining, cost) / Math.max(1, this.#resetAtMs - nowMs);
    return cost / (untilReset + this.#refillPerMs());
  }

  /** See {@link Announced.emptyUntilMs}. */
  emptyUntilMs(amount: Spent, nowMs: number): number {
    this.#passTime(nowMs);
    const cost = this.#cost(amount);
    const isEnough = cost === 0 ? this.#remaining > 0 : this.#remaining >= cost;
    // More than a whole bucket is for the server to refuse.
    if (isEnough || this.#remaining >= this.#limit || this.#resetAtMs === Number.POSITIVE_INFINITY) return 0;
    return Math.min(this.#resetAtMs, nowMs + (Math.max(cost, 1) - this.#remaining) / this.#refillPerMs());
  }

  /** What is taken of it between two moments. */
  #cost(to: Spent, from: Spent = NOTHING_SPENT): number {
    return (to[this.#unit] - from[this.#unit]) * this.#perEstimate;
  }

  #passTime(nowMs: number): void {
    if (nowMs >= this.#resetAtMs) {
      const isWindow = this.#isWindow();
      this.#remaining = isWindow ? this.#limit : Math.max(this.#remaining, 1);
      this.#isAssumed = isWindow && this.#moment() === 'unknown';
      const windows = Math.ceil((nowMs - this.#resetAtMs + 1) / this.#windowMs);
      this.#resetAtMs += this.#windowMs > 0 ? windows * this.#windowMs : Number.POSITIVE_INFINITY;
    }
    this.#remaining = Math.min(this.#limit, this.#remaining + this.#refillPerMs() * (nowMs - this.#atMs));
    this.#atMs = nowMs;
  }

  /** What comes back all the time; 0: all of it comes at the reset, as far as has been seen. */
  #refillPerMs(): number {
    const isFilled = 2 * this.#refilled * this.#windowMs > this.#limit * this.#refillMs;
    return isFilled ? (CAUTION * this.#refilled) / this.#refillMs : 0;
  }

  #isWindow(): boolean {
    return this.#refillPerMs() === 0;
  }

  /** Which moment the reports describe. Only where the difference is clear: to come too early costs a refusal. */
  #moment(): 'arrival' | 'answer' | 'unknown' {
    if (Math.max(this.#driftFromSent, this.#driftFromAnswer) < CLEAR_DRIFT_MS) return 'unknown';
    if (this.#driftFromSent < 0.2 * this.#driftFromAnswer) return 'arrival';
    return this.#driftFromAnswer < 0.2 * this.#driftFromSent ? 'answer' : 'unknown';
  }

  /** How far resets differ between reports, counted from the sending and from the answer; windows follow each other. */
  #learnMoment(sentMs: number, answeredMs: number, resetMs: number): void {
    const last = this.#lastReset;
    const windowMs = this.#windowMs;
    this.#lastReset = { sentMs, answeredMs, resetMs };
    if (last === null || windowMs === 0) return;
    const drift = (laterMs: number): number => {
      const differenceMs = laterMs + resetMs - last.resetMs;
      return Math.abs(differenceMs - windowMs * Math.round(differenceMs / windowMs));
    };
    this.#driftFromSent += LEARNING * (drift(sentMs - last.sentMs) - this.#driftFromSent);
    this.#driftFromAnswer += LEARNING * (drift(answeredMs - last.answeredMs) - this.#driftFromAnswer);
  }

  /** From one report to the next of a window so much was taken, and so much was estimated. */
  #learnCost(last: Heard, heard: Heard): void {
    const estimated = heard.spent.tokens - last.spent.tokens;
    const taken = last.remaining - heard.remaining;
    if (this.#unit === 'requests' || estimated <= 0 || taken <= 0) return;
    const ratio = Math.min(10, Math.max(0.1, taken / estimated));
    this.#perEstimate += LEARNING * (ratio - this.#perEstimate);
  }

  /** From one report to the next so much came back. */
  #learnRefill(last: Heard, heard: Heard): void {
    if (heard.atMs <= last.atMs || last.spent.requests === 0) return;
    const taken = this.#cost(heard.spent, last.spent);
    const came = heard.remaining - last.remaining + taken;
    if (heard.atMs >= last.resetAtMs) {
      this.#brought = REMEMBERED * this.#brought + came;
      this.#missing = REMEMBERED * this.#missing + this.#limit - last.remaining + taken / 2;
      if (this.#brought >= 0.5 * this.#missing) return;
    }
    this.#refilled = REMEMBERED * this.#refilled + came;
    this.#refillMs = REMEMBERED * this.#refillMs + heard.atMs - last.atMs;
  }
}
