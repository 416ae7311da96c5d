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

/** What a limit counts. */
export type Unit = 'requests' | 'tokens';

/** The report on one bucket. */
export interface BucketReport {
  readonly name: string;
  readonly unit: Unit;
  readonly remaining: number;
  /** null: missing. */
  readonly limit: number | null;
  readonly resetMs: number | null;
}

/** Kong and Mistral have no reset: windows of the clock. */
const WINDOWS_MS: Readonly<Record<string, number>> = {
  second: 1_000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};

/** `*` is `remaining`, `limit` or `reset`. */
const FAMILIES: readonly string[] = [
  // `short`, `medium` and `long` are the names that the documents of @nestjs/throttler give to several limits.
  ...['requests', 'tokens', 'short', 'medium', 'long'].map((what) => `x-ratelimit-*-${what}`),
  ...['requests', 'tokens', 'input-tokens', 'output-tokens'].map((what) => `anthropic-ratelimit-${what}-*`),
  'x-ratelimit-*',
  'ratelimit-*',
  ...Object.keys(WINDOWS_MS).flatMap((time) =>
    ['', 'req-', 'requests-', 'tokens-'].map((what) => `x-ratelimit-*-${what}${time}`),
  ),
];
/** `"minute";r=3;t=5` of `RateLimit`, and `"minute";q=100;w=60` of `RateLimit-Policy`. */
const STRUCTURED_ITEM = /("[^"]{0,64}"|[\w*.-]{1,64})((?:\s?;\s?[a-z]{1,8}=[^,;]{1,64}){1,8})/g;
const PARAMETERS = { remaining: 'r', limit: 'q', reset: 't' } as const;

/** Reads the limits in the headers of a response. `wallNowMs`: for dates, if there is no usable `date` header. */
export function readAnnounced(headers: HeadersLike, wallNowMs: number): readonly BucketReport[] {
  const header = readHeaders(headers);
  const nowMs = serverNow(header, wallNowMs);
  const reports: BucketReport[] = [];
  const read = (name: string, valueOf: (part: keyof typeof PARAMETERS) => string, policy = ''): void => {
    const remaining = amountOf(valueOf('remaining'));
    if (remaining === null) return;
    const limit = amountOf(valueOf('limit'));
    // In a response that was not refused it is a placeholder, and a refusal has its own hint.
    if (limit === 0) return;
    const reset = valueOf('reset');
    const windowMs = WINDOWS_MS[name.slice(name.lastIndexOf('-') + 1)];
    const resetMs = parseWait('reset', reset, nowMs) ?? (windowMs === undefined ? null : windowMs - (nowMs % windowMs));
    // A moment that has passed since the request arrived: what remains now is another window's.
    if (resetMs === null && parseWait('reset', reset, 0) !== null) return;
    reports.push({ name, unit: /token/i.test(name + policy) ? 'tokens' : 'requests', remaining, limit, resetMs });
  };
  for (const name of FAMILIES) read(name, (part) => header(name.replace('*', part)));
  const current = header('ratelimit');
  if (current === '') return reports;
  // `limit=10, remaining=3, reset=5` of draft 7.
  read('ratelimit', (part) => parameterOf(current, part));
  const policies = new Map(itemsOf(header('ratelimit-policy')));
  for (const [name, item] of itemsOf(current)) {
    const policy = policies.get(name) ?? '';
    read(name, (part) => parameterOf(part === 'limit' ? policy : item, PARAMETERS[part]), policy);
  }
  return reports;
}

function itemsOf(list: string): readonly (readonly [name: string, parameters: string])[] {
  return [...list.matchAll(STRUCTURED_ITEM)].map(([, name = '', parameters = '']) => [name, parameters]);
}

function parameterOf(text: string, name: string): string {
  return new RegExp(`(?:^|[,;])\\s?${name}=(-?\\d{1,15})(?=\\s?(?:[,;]|$))`).exec(text)?.[1] ?? '';
}

/** Azure sends negative numbers too. */
function amountOf(text: string): number | null {
  return /^-?\d{1,15}$/.test(text) ? Math.max(0, Number(text)) : null;
}
