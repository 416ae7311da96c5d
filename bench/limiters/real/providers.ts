/**
 * Imitations of the limits of providers, with the headers and bodies that their documents show. Each function names its
 * source. A tenant has limits of its own; for most providers each model has.
 */

import { begunWindow, fixedWindow, type Limiter as Rule, slidingWindow, tokenBucket } from '../limiters.ts';
import type { Answer, Arrival, KnownLimit, Limiter, SimulatedSubject } from './limiter.ts';

/** A rule for each key, made when it is first seen. */
function rules(make: () => Rule): (key: string) => Rule {
  const made = new Map<string, Rule>();
  return (key) => {
    const rule = made.get(key) ?? make();
    made.set(key, rule);
    return rule;
  };
}

const perModelKey = ({ tenant, model }: Arrival): string => `${tenant} ${model}`;
const perTenantKey = ({ tenant }: Arrival): string => tenant;

interface Standing {
  readonly limit: number;
  readonly remaining: number;
  readonly resetMs: number;
}

const NONE: Standing = { limit: 0, remaining: 0, resetMs: 0 };

/** A limiter whose answers are made from what the rule decided. */
function imitation(
  make: () => Rule,
  keyOf: (arrival: Arrival) => string,
  costOf: (arrival: Arrival) => number,
  answer: (isAdmitted: boolean, standing: Standing, freeInMs: number) => Answer,
): () => Promise<Limiter> {
  return async () => {
    const ruleOf = rules(make);
    return {
      async ask(arrival) {
        const rule = ruleOf(keyOf(arrival));
        const ruling = rule.ask(Date.now(), costOf(arrival));
        const standing = rule.standing?.(Date.now()) ?? NONE;
        return answer(ruling.admitted, standing, ruling.admitted ? 0 : ruling.freeInMs);
      },
      close: async () => {},
    };
  };
}

const ONE = (): number => 1;
const tokensOf = ({ cost }: Arrival): number => cost;
const seconds = (ms: number): string => String(Math.ceil(ms / 1_000));

/** "6m0s", "1.5s", "120ms". */
function goDuration(ms: number): string {
  if (ms < 1_000) return `${Math.ceil(ms)}ms`;
  const minutes = Math.floor(ms / 60_000);
  const rest = Math.round((ms - minutes * 60_000) / 10) / 100;
  return minutes === 0 ? `${rest}s` : `${minutes}m${rest}s`;
}

/** platform.openai.com/docs/guides/rate-limits: a bucket of requests, one of tokens; resets as durations. */
function openai(unit: 'requests' | 'tokens', perMinute: number, burst: number): () => Promise<Limiter> {
  const costOf = unit === 'requests' ? ONE : tokensOf;
  return imitation(
    () => tokenBucket(perMinute / 60, burst),
    perModelKey,
    costOf,
    (isAdmitted, { remaining, resetMs }, freeInMs) => {
      const headers = {
        [`x-ratelimit-limit-${unit}`]: String(perMinute),
        [`x-ratelimit-remaining-${unit}`]: String(remaining),
        [`x-ratelimit-reset-${unit}`]: goDuration(resetMs),
      };
      if (isAdmitted) return { status: 200, headers };
      const message = `Rate limit reached for model in organization org-1 on ${unit} per min. Limit: ${perMinute}. Please try again in ${goDuration(freeInMs)}.`;
      return {
        status: 429,
        headers: {
          ...headers,
          'content-type': 'application/json',
          'retry-after-ms': String(Math.ceil(freeInMs)),
          'retry-after': seconds(freeInMs),
        },
        body: JSON.stringify({ error: { message, type: unit, param: null, code: 'rate_limit_exceeded' } }),
      };
    },
  );
}

/** docs.anthropic.com/en/api/rate-limits: a bucket; `retry-after` in seconds, resets as RFC 3339 dates. */
const anthropic = (perMinute: number, burst: number): (() => Promise<Limiter>) =>
  imitation(
    () => tokenBucket(perMinute / 60, burst),
    perModelKey,
    ONE,
    (isAdmitted, { limit, remaining, resetMs }, freeInMs) => {
      const headers = {
        'anthropic-ratelimit-requests-limit': String(limit),
        'anthropic-ratelimit-requests-remaining': String(remaining),
        'anthropic-ratelimit-requests-reset': new Date(Math.ceil((Date.now() + resetMs) / 1_000) * 1_000)
          .toISOString()
          .replace('.000', ''),
      };
      if (isAdmitted) return { status: 200, headers };
      const error = { type: 'rate_limit_error', message: 'This request would exceed your rate limit.' };
      return {
        status: 429,
        headers: { ...headers, 'content-type': 'application/json', 'retry-after': seconds(freeInMs) },
        body: JSON.stringify({ type: 'error', error }),
      };
    },
  );

/** learn.microsoft.com/azure/ai-services/openai/how-to/quota: a minute's limit, kept in windows of ten seconds. */
const azure = (perMinute: number): (() => Promise<Limiter>) =>
  imitation(
    () => fixedWindow(perMinute / 6, 10_000),
    perModelKey,
    ONE,
    (isAdmitted, { remaining }, freeInMs) => {
      const headers = {
        'x-ratelimit-limit-requests': String(perMinute),
        'x-ratelimit-remaining-requests': String(remaining),
      };
      if (isAdmitted) return { status: 200, headers };
      const message = `Requests to the deployment have exceeded its call rate limit. Please retry after ${seconds(freeInMs)} seconds.`;
      return {
        status: 429,
        headers: {
          ...headers,
          'content-type': 'application/json',
          'retry-after': seconds(freeInMs),
          'retry-after-ms': String(Math.ceil(freeInMs)),
        },
        body: JSON.stringify({ error: { code: '429', message } }),
      };
    },
  );

/** ai.google.dev/gemini-api/docs/rate-limits: a minute's window, no headers, the wait in `RetryInfo` of the body. */
const gemini = (perMinute: number): (() => Promise<Limiter>) =>
  imitation(
    () => fixedWindow(perMinute, 60_000),
    perModelKey,
    ONE,
    (isAdmitted, _, freeInMs) => {
      if (isAdmitted) return { status: 200, headers: {} };
      const details = [
        {
          '@type': 'type.googleapis.com/google.rpc.QuotaFailure',
          violations: [{ quotaId: 'GenerateRequestsPerMinutePerProjectPerModel', quotaValue: String(perMinute) }],
        },
        { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${seconds(freeInMs)}s` },
      ];
      const message = `You exceeded your current quota. Please retry in ${(freeInMs / 1_000).toFixed(3)}s.`;
      return {
        status: 429,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ error: { code: 429, message, status: 'RESOURCE_EXHAUSTED', details } }),
      };
    },
  );

/** console.groq.com/docs/rate-limits: `requests` are those of a day, `tokens` those of a minute. */
function groq(requestsPerDay: number, tokensPerMinute: number): () => Promise<Limiter> {
  return async () => {
    const dayOf = rules(() => tokenBucket(requestsPerDay / 86_400, requestsPerDay));
    const minuteOf = rules(() => tokenBucket(tokensPerMinute / 60, tokensPerMinute));
    return {
      async ask(arrival) {
        const [day, minute] = [dayOf(perModelKey(arrival)), minuteOf(perModelKey(arrival))];
        const ruling = minute.ask(Date.now(), arrival.cost);
        if (ruling.admitted) day.ask(Date.now(), 1);
        const [requests, tokens] = [day.standing?.(Date.now()) ?? NONE, minute.standing?.(Date.now()) ?? NONE];
        const headers = {
          'x-ratelimit-limit-requests': String(requests.limit),
          'x-ratelimit-remaining-requests': String(requests.remaining),
          'x-ratelimit-reset-requests': goDuration(requests.resetMs),
          'x-ratelimit-limit-tokens': String(tokens.limit),
          'x-ratelimit-remaining-tokens': String(tokens.remaining),
          'x-ratelimit-reset-tokens': goDuration(tokens.resetMs),
        };
        if (ruling.admitted) return { status: 200, headers };
        const message = `Rate limit reached for model on tokens per minute (TPM): Limit ${tokensPerMinute}. Please try again in ${goDuration(ruling.freeInMs)}.`;
        return {
          status: 429,
          headers: { ...headers, 'content-type': 'application/json', 'retry-after': seconds(ruling.freeInMs) },
          body: JSON.stringify({ error: { message, type: 'tokens', code: 'rate_limit_exceeded' } }),
        };
      },
      close: async () => {},
    };
  };
}

/** A window of which a part is used up when the calls begin. */
const usedWindow = (limit: number, remaining: number, leftMs: number) => (): Rule =>
  begunWindow(limit, leftMs, remaining, leftMs, Date.now());

/** docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api: the reset is a moment, in seconds. */
const github = (make: () => Rule, shift: (reset: number) => number = (reset) => reset): (() => Promise<Limiter>) =>
  imitation(make, perTenantKey, ONE, (isAdmitted, { limit, remaining, resetMs }) => {
    const headers = {
      'x-ratelimit-limit': String(limit),
      'x-ratelimit-remaining': String(remaining),
      'x-ratelimit-used': String(limit - remaining),
      'x-ratelimit-reset': String(shift(Math.ceil((Date.now() + resetMs) / 1_000))),
      'x-ratelimit-resource': 'core',
    };
    if (isAdmitted) return { status: 200, headers };
    const body = JSON.stringify({ message: 'API rate limit exceeded for user ID 1.' });
    return { status: 429, headers: { ...headers, 'content-type': 'application/json' }, body };
  });

/** Names that many servers send, with a reset in seconds or in what `write` makes of milliseconds. */
const plainNames = (
  make: () => Rule,
  write: (standing: Standing) => Record<string, string>,
): (() => Promise<Limiter>) =>
  imitation(make, perTenantKey, ONE, (isAdmitted, standing) => ({
    status: isAdmitted ? 200 : 429,
    headers: { 'x-ratelimit-limit': String(standing.limit), ...write(standing) },
  }));

const provider = (
  name: string,
  limit: KnownLimit,
  open: () => Promise<Limiter>,
  rest: Pick<SimulatedSubject, 'perModel' | 'judged' | 'seconds'> = {},
): SimulatedSubject => ({ name, limit, clock: 'simulated', open, ...rest });

const minute = (requests: number): KnownLimit => ({ requests, perMs: 60_000 });
const PER_MODEL = { perModel: true };
const WINDOW = (): Rule => fixedWindow(100, 10_000);
/** A limit that no load of the matrix reaches. */
const GENEROUS = (): Rule => tokenBucket(1_000, 1_000);
const HOUR_S = 3_600;
const DAY_MS = 24 * HOUR_S * 1_000;

export const PROVIDERS: readonly SimulatedSubject[] = [
  provider('OpenAI, 500 requests a minute', minute(500), openai('requests', 500, 500), PER_MODEL),
  provider('OpenAI, 480 a minute kept as 8 a second', minute(480), openai('requests', 480, 8), PER_MODEL),
  // 200 tokens a call on average.
  provider('OpenAI, 60,000 tokens a minute', minute(300), openai('tokens', 60_000, 60_000), PER_MODEL),
  provider('Anthropic, 300 requests a minute', minute(300), anthropic(300, 50), PER_MODEL),
  provider('Azure OpenAI, 300 a minute kept as 50 in 10 s', { requests: 50, perMs: 10_000 }, azure(300), PER_MODEL),
  provider('Gemini, 150 requests a minute', minute(150), gemini(150), { ...PER_MODEL, seconds: 240 }),
  provider('Groq, 60,000 tokens a minute', minute(300), groq(14_400, 60_000), PER_MODEL),
  provider(
    'a sliding window without headers, 60 in 10 s',
    { requests: 60, perMs: 10_000 },
    imitation(
      () => slidingWindow(60, 10_000),
      perTenantKey,
      ONE,
      (isAdmitted) => ({ status: isAdmitted ? 200 : 429, headers: {} }),
    ),
  ),
];

/** Windows that are far longer than the calls, and of which enough is left for all of them. */
export const LONG_WINDOWS: readonly SimulatedSubject[] = [
  provider(
    'GitHub, 1,000 of 5,000 left for 50 minutes',
    { requests: 4_000, perMs: 1_000_000 },
    github(usedWindow(5_000, 1_000, 3_000_000)),
    { judged: 'long', seconds: 200 },
  ),
  provider(
    '1,500 of 10,000 left for 20 hours',
    { requests: 4_000, perMs: 1_000_000 },
    plainNames(usedWindow(10_000, 1_500, 20 * HOUR_S * 1_000), ({ remaining, resetMs }) => ({
      'x-ratelimit-remaining': String(remaining),
      'x-ratelimit-reset': seconds(resetMs),
    })),
    { judged: 'long', seconds: 300 },
  ),
  provider(
    '200 a day',
    { requests: 1_000, perMs: 1_000_000 },
    plainNames(usedWindow(200, 200, DAY_MS), ({ remaining, resetMs }) => ({
      'x-ratelimit-remaining': String(remaining),
      'x-ratelimit-reset': seconds(resetMs),
    })),
    { judged: 'long', seconds: 180 },
  ),
];

/** Headers that lie: about a limit that is never reached, or about the reset of one that is kept. */
export const WRONG_HEADERS: readonly SimulatedSubject[] = [
  provider(
    'remaining: 0 on every success',
    { requests: 5, perMs: 1_000 },
    plainNames(GENEROUS, () => ({ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '60' })),
    { judged: 'wrong' },
  ),
  provider(
    '40 left for 20 hours, always',
    { requests: 5, perMs: 1_000 },
    plainNames(GENEROUS, () => ({ 'x-ratelimit-remaining': '40', 'x-ratelimit-reset': String(20 * HOUR_S) })),
    { judged: 'wrong' },
  ),
  provider(
    'milliseconds in a field of seconds, 100 in 10 s',
    { requests: 100, perMs: 10_000 },
    plainNames(WINDOW, ({ remaining, resetMs }) => ({
      'x-ratelimit-remaining': String(remaining),
      'x-ratelimit-reset': String(Math.ceil(resetMs)),
    })),
    { judged: 'wrong' },
  ),
  ...(
    [
      ['an hour ahead', HOUR_S],
      ['3 s ahead', 3],
      ['3 s behind', -3],
    ] as const
  ).map(([by, shiftS]) =>
    provider(
      `a clock ${by}, 100 in 10 s`,
      { requests: 100, perMs: 10_000 },
      github(WINDOW, (reset) => reset + shiftS),
      { judged: 'wrong' },
    ),
  ),
];
