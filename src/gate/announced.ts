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

interface Bucket {
  readonly unit: Unit;
  remaining: number;
  limit: number;
  /** When it is whole again; Infinity: not known. */
  resetAtMs: number;
  /** How long it takes at most to be whole. */
  windowMs: number;
  /** Of the request that the last report belongs to. */
  asOf: Spent;
  /** When that request was sent and answered, and what the answer said. */
  sentMs: number;
  answeredMs: number;
  resetMs: number | null;
  /** No report has been heard since it was whole again. */
  isAssumed: boolean;
  /**
   * Servers write such headers when a request arrives, or when they answer, and do not say which. In the first case
   * resets that are counted from the sending agree with each other, in the second those that are counted from the answer:
   * by how much they differ lately.
   */
  driftFromSent: number;
  driftFromAnswer: number;
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

/** While more than this share of a bucket remains, requests are not spread. */
const PLENTY = 0.5;
/** How much of the estimates' error is learned from one report. */
const LEARNING = 0.2;
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
  spend(tokens: number): Spent {
    const { requests, tokens: before } = this.#spent;
    this.#spent = { requests: requests + 1, tokens: before + tokens };
    for (const bucket of this.#buckets.values()) bucket.remaining -= this.#costIn(bucket, tokens);
    return this.#spent;
  }

  /** Whether nothing has been heard for so long that the buckets say nothing any more. */
  isForgotten(nowMs: number): boolean {
    return nowMs - this.#heardMs > FORGOTTEN_MS;
  }

  /** Hears what the answer to the request `asOf`, sent at `sentMs`, says. */
  hear(reports: readonly BucketReport[], asOf: Spent, sentMs: number, nowMs: number): void {
    this.#heardMs = nowMs;
    for (const { name, unit, remaining, limit, resetMs } of reports) {
      const known = this.#buckets.get(name);
      const drift = driftOf(known, sentMs, nowMs, resetMs);
      // Only where the difference is clear: to come too early costs a refusal.
      const isOfArrival = drift.driftFromSent < 0.5 * drift.driftFromAnswer;
      const from = isOfArrival ? sentMs : nowMs;
      const resetAtMs = resetMs === null ? (known?.resetAtMs ?? Number.POSITIVE_INFINITY) : from + resetMs;
      const isOld = known !== undefined && asOf.requests < known.asOf.requests && resetAtMs < known.resetAtMs + 500;
      if (isOld || resetAtMs < nowMs) continue;
      if (known !== undefined && unit === 'tokens') this.#learn(known, remaining, asOf);
      this.#buckets.set(name, {
        ...drift,
        unit,
        remaining: remaining - this.#since(unit, asOf),
        limit: limit ?? Math.max(remaining + 1, known?.limit ?? 0),
        resetAtMs,
        windowMs: Math.max(resetMs ?? 0, known?.windowMs ?? 0),
        asOf,
        sentMs,
        answeredMs: nowMs,
        resetMs,
        isAssumed: false,
      });
    }
  }

  /** How far requests are to be apart so that what remains lasts; 0: there is plenty. */
  intervalMs(nowMs: number, tokens: number): number {
    let longestMs = 0;
    for (const bucket of this.#buckets.values()) {
      this.#refill(bucket, nowMs);
      const { remaining, limit, resetAtMs, isAssumed } = bucket;
      if ((remaining > PLENTY * limit && !isAssumed) || resetAtMs === Number.POSITIVE_INFINITY) continue;
      const cost = this.#costIn(bucket, tokens);
      const lastsFor = Math.max(1, remaining / Math.max(cost, 1e-9));
      longestMs = Math.max(longestMs, (resetAtMs - nowMs) / lastsFor);
    }
    return longestMs;
  }

  /** Until when nothing more of this size is admitted; 0: it is admitted now. */
  emptyUntilMs(nowMs: number, tokens: number): number {
    let untilMs = 0;
    for (const bucket of this.#buckets.values()) {
      this.#refill(bucket, nowMs);
      const { remaining, resetAtMs, unit } = bucket;
      const isEnough = unit === 'tokens' && tokens === 0 ? remaining > 0 : remaining >= this.#costIn(bucket, tokens);
      // More than a whole bucket is for the server to refuse.
      if (isEnough || remaining >= bucket.limit || resetAtMs === Number.POSITIVE_INFINITY) continue;
      untilMs = Math.max(untilMs, resetAtMs);
    }
    return untilMs;
  }

  #costIn({ unit }: Bucket, tokens: number): number {
    return unit === 'requests' ? 1 : tokens * this.#tokensPerEstimate;
  }

  #since(unit: Unit, asOf: Spent): number {
    const since = this.#spent[unit] - asOf[unit];
    return unit === 'requests' ? since : since * this.#tokensPerEstimate;
  }

  /** From one report to the next of a window so much was taken, and so much was estimated. */
  #learn({ unit, remaining, asOf }: Bucket, reported: number, now: Spent): void {
    const estimated = now[unit] - asOf[unit];
    // What the bucket held when that report was made: what is left of it, and what was sent since.
    const taken = remaining + this.#since(unit, asOf) - reported;
    if (estimated <= 0 || taken <= 0) return;
    const ratio = Math.min(10, Math.max(0.1, taken / estimated));
    this.#tokensPerEstimate += LEARNING * (ratio - this.#tokensPerEstimate);
  }

  #refill(bucket: Bucket, nowMs: number): void {
    if (nowMs < bucket.resetAtMs) return;
    bucket.remaining = bucket.limit;
    bucket.isAssumed = true;
    bucket.resetAtMs = bucket.windowMs > 0 ? nowMs + bucket.windowMs : Number.POSITIVE_INFINITY;
  }
}

/** How far resets differ, counted from the sending and from the answer, between reports of one window. */
function driftOf(
  known: Bucket | undefined,
  sentMs: number,
  nowMs: number,
  resetMs: number | null,
): { readonly driftFromSent: number; readonly driftFromAnswer: number } {
  const { driftFromSent = 0, driftFromAnswer = 0 } = known ?? {};
  const unchanged = { driftFromSent, driftFromAnswer };
  if (known === undefined || resetMs === null || known.resetMs === null) return unchanged;
  const fromSent = Math.abs(sentMs + resetMs - known.sentMs - known.resetMs);
  const fromAnswer = Math.abs(nowMs + resetMs - known.answeredMs - known.resetMs);
  // The next window: nothing to compare.
  if (Math.min(fromSent, fromAnswer) > known.windowMs / 2) return unchanged;
  return {
    driftFromSent: driftFromSent + LEARNING * (fromSent - driftFromSent),
    driftFromAnswer: driftFromAnswer + LEARNING * (fromAnswer - driftFromAnswer),
  };
}
