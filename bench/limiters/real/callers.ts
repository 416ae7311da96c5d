/** The ways to call a limiter: with the gate, without, and what people do instead. */

import { existsSync } from 'node:fs';
import type { createGate, createRetryFetch, GateOptions, presets, RetryConfig } from '../../../src/index.ts';
import type { KnownLimit } from './limiter.ts';

/** The library, of this checkout or of another. */
export interface Library {
  readonly createRetryFetch: typeof createRetryFetch;
  readonly presets: typeof presets;
  readonly createGate: typeof createGate;
}

export type Inner = (url: string, init: RequestInit) => Promise<Response>;
export type Pacer = <T>(work: () => Promise<T>) => Promise<T>;
type Runtime = NonNullable<RetryConfig['runtime']>;

/** What a caller knows: where the limit lies, and which calls share it. */
export interface Known {
  readonly limit: KnownLimit;
  readonly perModel: boolean;
  readonly sleep: (ms: number) => Promise<void>;
  readonly random: () => number;
  readonly runtime: Runtime;
}

export const CALLERS = ['plain', 'gate', 'stated', "openai's rule", 'Bottleneck', 'p-throttle'] as const;
/** `defaults`: the library without any option. */
export type CallerName = (typeof CALLERS)[number] | 'gate per model' | 'defaults';

const PACKAGES = new URL('../../../tools/limiters/', import.meta.url);
const hasPackages = existsSync(new URL('../node_modules/bottleneck', PACKAGES));

export const isHere = (name: CallerName): boolean => hasPackages || (name !== 'Bottleneck' && name !== 'p-throttle');

/** One program, which makes all of its calls this way. */
export async function makeCaller(name: CallerName, library: Library, inner: Inner, known: Known): Promise<Inner> {
  const { createGate, createRetryFetch, presets } = library;
  const { runtime } = known;
  const over = (send: Inner, config: RetryConfig): Inner => {
    const fetch = createRetryFetch({ fetch: (url, init) => send(String(url), init ?? {}), ...config, runtime });
    return (url, init) => fetch(url, init);
  };
  const plain = (send: Inner): Inner => over(send, presets.fleet);
  const gated = (options: GateOptions = {}): Inner => over(inner, { ...presets.fleet, gate: createGate(options) });
  switch (name) {
    case 'plain':
      return plain(inner);
    case 'defaults':
      return over(inner, {});
    case 'gate':
      return gated();
    case 'gate per model':
      return perKey(modelOf, () => gated());
    case 'stated':
      return gated(statedLimits(known));
    case "openai's rule":
      return openaiRule(inner, known);
    case 'Bottleneck':
      return paced(inner, plain, known, 'bottleneck');
    case 'p-throttle':
      return paced(inner, plain, known, 'p-throttle');
  }
}

/** The limit as options of the gate. */
function statedLimits({ limit, perModel }: Known): GateOptions {
  const limits =
    'concurrent' in limit
      ? { concurrent: limit.concurrent }
      : limit.perMs === 60_000
        ? { requestsPerMinute: limit.requests }
        : { requestsPerSecond: (limit.requests * 1_000) / limit.perMs };
  return { limits, ...(perModel && { key: 'model' }) };
}

const tenantOf = (init: RequestInit): string => new Headers(init.headers).get('authorization') ?? '';
const modelOf = (init: RequestInit): string => String(JSON.parse(String(init.body)).model);

function perKey(keyOf: (init: RequestInit) => string, make: (key: string) => Inner): Inner {
  const made = new Map<string, Inner>();
  return (url, init) => {
    const key = keyOf(init);
    const one = made.get(key) ?? make(key);
    made.set(key, one);
    return one(url, init);
  };
}

/** Each request, retries too, has its turn in a line of its tenant, or of its model. */
async function paced(inner: Inner, plain: (send: Inner) => Inner, known: Known, file: string): Promise<Inner> {
  const module: { readonly pacer: (limit: KnownLimit) => Pacer } = await import(
    new URL(`callers/${file}.ts`, PACKAGES).href
  );
  const keyOf = (init: RequestInit): string => (known.perModel ? `${tenantOf(init)} ${modelOf(init)}` : tenantOf(init));
  const lined = perKey(keyOf, () => {
    const pacer = module.pacer(known.limit);
    return (url, init) => pacer(() => inner(url, init));
  });
  return plain(lined);
}

const OPENAI_RETRIES = 2;
const OPENAI_LONGEST_HINT_MS = 60_000;

/**
 * What the SDK of OpenAI does by default: two retries of 408, 409, 429 and 5xx, after `retry-after-ms` or `retry-after` of
 * less than a minute, else after 0.5 s and 1 s, up to a quarter shorter.
 */
function openaiRule(inner: Inner, { sleep, random }: Known): Inner {
  return async (url, init) => {
    for (let retry = 0; ; retry += 1) {
      const response = await inner(url, init);
      const mayRetry = [408, 409, 429].includes(response.status) || response.status >= 500;
      if (!mayRetry || retry === OPENAI_RETRIES) return response;
      const hintMs = openaiHintMs(response.headers);
      const isObeyed = hintMs !== undefined && hintMs >= 0 && hintMs < OPENAI_LONGEST_HINT_MS;
      await response.body?.cancel();
      await sleep(isObeyed ? hintMs : 500 * 2 ** retry * (1 - random() / 4));
    }
  };
}

function openaiHintMs(headers: Headers): number | undefined {
  const ms = Number.parseFloat(headers.get('retry-after-ms') ?? '');
  if (!Number.isNaN(ms)) return ms;
  const text = headers.get('retry-after');
  if (text === null) return undefined;
  const seconds = Number.parseFloat(text);
  return Number.isNaN(seconds) ? Date.parse(text) - Date.now() : seconds * 1_000;
}
