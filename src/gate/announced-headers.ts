/**
 * Reads what a server announces about its limits with every response: how much remains, and when the limit resets. A
 * client that obeys these headers need not be refused at all.
 *
 * Sources: OpenAI (platform.openai.com/docs/guides/rate-limits, "Rate limits in headers"), Groq and Azure OpenAI use
 * the same names; Anthropic (docs.anthropic.com/en/api/rate-limits, "Response headers");
 * draft-ietf-httpapi-ratelimit-headers-7 and -11; Cerebras (inference-docs.cerebras.ai/support/rate-limits), Kong and Mistral
 * with a unit of time in the names; several limits of @nestjs/throttler.
 *
 * `bucket.ts` follows what each report means.
 */

import { readHeaders } from '../hints/header-reader.ts';
import { serverNow } from '../hints/retry-after.ts';
import { parseWait } from '../hints/wait.ts';
import type { HeadersLike } from '../transport.ts';
import type { Unit } from './sends.ts';

/** The report on one bucket. */
export interface BucketReport {
  readonly name: string;
  readonly unit: Unit;
  readonly remaining: number;
  /** null: missing. */
  readonly limit: number | null;
  readonly resetMs: number | null;
}

/** `*` is `remaining`, `limit` or `reset`. */
const FAMILIES: readonly (readonly [name: string, unit: Unit])[] = [
  ['x-ratelimit-*-requests', 'requests'],
  ['x-ratelimit-*-tokens', 'tokens'],
  ['anthropic-ratelimit-requests-*', 'requests'],
  ['anthropic-ratelimit-tokens-*', 'tokens'],
  ['anthropic-ratelimit-input-tokens-*', 'tokens'],
  ['anthropic-ratelimit-output-tokens-*', 'tokens'],
  ['x-ratelimit-*', 'requests'],
  ['ratelimit-*', 'requests'],
  // The names that the documents of @nestjs/throttler give to several limits.
  ['x-ratelimit-*-short', 'requests'],
  ['x-ratelimit-*-medium', 'requests'],
  ['x-ratelimit-*-long', 'requests'],
];
/** A limit per unit of time. Kong and Mistral have no reset: windows of the clock. */
const UNITS = { second: 1_000, minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;
const UNIT_FAMILIES: readonly (readonly [name: string, unit: Unit])[] = [
  ['x-ratelimit-*-', 'requests'],
  ['x-ratelimit-*-req-', 'requests'],
  ['x-ratelimit-*-requests-', 'requests'],
  ['x-ratelimit-*-tokens-', 'tokens'],
];
/** `"minute";r=3;t=5` of `RateLimit`, and `"minute";q=100;w=60` of `RateLimit-Policy`. */
const STRUCTURED_ITEM = /("[^"]{0,64}"|[\w*.-]{1,64})((?:\s?;\s?[a-z]{1,8}=[^,;]{1,64}){1,8})/g;

/** Reads the limits in the headers of a response. `wallNowMs`: for dates, if there is no usable `date` header. */
export function readAnnounced(headers: HeadersLike, wallNowMs: number): readonly BucketReport[] {
  const header = readHeaders(headers);
  const nowMs = serverNow(header, wallNowMs);
  const reports: BucketReport[] = [];
  const read = (name: string, unit: Unit, windowMs: number | null): void => {
    const remaining = amountOf(header(name.replace('*', 'remaining')));
    if (remaining === null) return;
    const resetName = name.replace('*', 'reset');
    const untilWindowEndsMs = windowMs === null ? null : windowMs - (nowMs % windowMs);
    const reset = header(resetName);
    const resetMs = parseWait(resetName, reset, nowMs) ?? untilWindowEndsMs;
    // A moment that has passed since the request arrived: what remains now is another window's.
    if (resetMs === null && parseWait(resetName, reset, 0) !== null) return;
    reports.push({ name, unit, remaining, limit: amountOf(header(name.replace('*', 'limit'))), resetMs });
  };
  for (const [name, unit] of FAMILIES) read(name, unit, null);
  for (const [family, unit] of UNIT_FAMILIES)
    for (const [time, windowMs] of Object.entries(UNITS)) read(family + time, unit, windowMs);
  const current = header('ratelimit');
  const all = [...reports, ...listedReports(current), ...structuredReports(current, header('ratelimit-policy'))];
  // A limit of 0 in a response that was not refused is a placeholder, and a refusal has its own hint.
  return all.filter(({ limit }) => limit !== 0);
}

/** `limit=10, remaining=3, reset=5` of draft 7. */
function listedReports(current: string): readonly BucketReport[] {
  const valueOf = (name: string): number | null =>
    amountOf(new RegExp(`(?:^|,)\\s?${name}=(-?\\d{1,15})(?=,|$)`).exec(current)?.[1] ?? '');
  const remaining = valueOf('remaining');
  const seconds = valueOf('reset');
  if (remaining === null) return [];
  const resetMs = seconds === null ? null : seconds * 1_000;
  return [{ name: 'ratelimit', unit: 'requests', remaining, limit: valueOf('limit'), resetMs }];
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
