/**
 * Several keys for one account or provider, used in turn. A key that meets its limit rests until the limit renews, and
 * a free key takes over at once. If all keys rest, the call waits for the one that is free first. A key that rests is
 * never sent.
 */

import { type Check, checkOptions, expectObject, expectText, headerName, row } from '../runtime/expect.ts';
import type { FailureType } from '../failure/failure.ts';
import { withRoute } from '../route/open-route.ts';
import { HttpTarget } from './fetch-target.ts';
import { Moments } from '../moments/moments.ts';
import { ChainRoute } from '../route/chain-route.ts';
import { expectRests, REST_MS, restsOver } from '../route/rests.ts';
import type { Chain, FallbackChain, FallbackRequest, Keys, Target } from '../route/route.ts';

/** The options of `createKeyRotation`. */
export interface KeyRotationOptions {
  /** Used in turn. */
  readonly keys: readonly string[];
  /** The header with the key. @default 'authorization' */
  readonly header?: string | undefined;
  /** The text before the key. @default 'Bearer ' in `authorization`, nothing in other headers */
  readonly prefix?: string | undefined;
  /**
   * How long a key rests if the server names no time.
   *
   * @default a minute after a rate limit; half an hour after a used-up quota or a billing error; for ever after a refused key or account
   */
  readonly restMs?: Readonly<Partial<Record<FailureType, number>>> | undefined;
}

/**
 * A rotation of keys, for the option `fallback`. Create it once: calls that share it share what it knows about the
 * keys.
 *
 * @throws TypeError if an option is invalid; the message names it
 */
export function createKeyRotation(options: KeyRotationOptions): FallbackChain {
  const all = expectObject('options', options, 'an object such as { keys: [first, second] }');
  checkOptions('', { ...all, keys: options.keys ?? [] }, checksOfOptions());
  const {
    keys,
    header = 'authorization',
    prefix = header.toLowerCase() === 'authorization' ? 'Bearer ' : '',
  } = options;
  const restMs = restsOver(REST_MS, options.restMs);
  const moments: Chain['moments'] = new Moments();
  const targets = keys.map((key, index) => new KeyTarget(`key ${index + 1}`, header.toLowerCase(), prefix + key));
  let uses = 0;
  const inUse: Keys = {
    choose: (nowMs, passed = []) => {
      const candidates = passed.length === 0 ? targets : targets.filter((target) => !passed.includes(target));
      const next = firstFree(moments, nowMs, candidates);
      // A counter, because many calls choose within one millisecond.
      if (next?.waitMs === 0) next.target.lastUse = ++uses;
      return next;
    },
    refused: (failure, key, nowMs, sentAtMs) => {
      const guessMs = restMs[failure.type];
      const refused = targets.find((target) => target === key);
      if (guessMs === undefined || refused === undefined) return undefined;
      const { retryAfterMs: hintMs } = failure;
      const restsForMs = hintMs === undefined ? guessMs : refused.restFor(hintMs, guessMs, sentAtMs, nowMs);
      moments.hold(refused, nowMs, restsForMs, failure, hintMs !== undefined);
      const next = firstFree(moments, nowMs, targets);
      return next?.waitMs === Infinity ? undefined : next;
    },
    answered: (used) => {
      for (const target of targets) if (target === used) target.restMs = 0;
    },
  };
  const rotation: Chain = {
    uses: ['keys'],
    primary: 'key',
    maxRetriesBeforeFallback: 0,
    additionalRetries: 0,
    restMs,
    moments,
    left: () => [],
    keys: inUse,
  };
  return withRoute(rotation, (policy, request) => new ChainRoute(policy, request, rotation));
}

const checksOfOptions = (): { readonly [K in keyof KeyRotationOptions]-?: Check } => ({
  keys: row(expectKeys, 'apiKeys'),
  header: row(headerName, 'headerName'),
  prefix: row(expectText, 'scheme'),
  restMs: row(expectRests, 'cooldown rest'),
});

/** Its message shows no key. */
function expectKeys(_name: string, keys: unknown): void {
  if (!Array.isArray(keys) || keys.length === 0 || !keys.every((key) => typeof key === 'string' && key !== ''))
    throw new TypeError('Expected `keys` to be a list of at least one key.');
}

/** The key that is free first; among free keys the one that has been idle longest. */
function firstFree(
  moments: Chain['moments'],
  nowMs: number,
  candidates: readonly KeyTarget[],
): { readonly target: KeyTarget; readonly waitMs: number } | undefined {
  const free = candidates.map((target) => ({ target, waitMs: moments.left(target, nowMs) }));
  return free.reduce<(typeof free)[number] | undefined>((best, other) => {
    if (best === undefined || other.waitMs < best.waitMs) return other;
    return other.waitMs === best.waitMs && other.target.lastUse < best.target.lastUse ? other : best;
  }, undefined);
}

class KeyTarget extends HttpTarget implements Target {
  readonly name: string;
  /** The number of its last use. */
  lastUse = 0;
  /** How long its last rest was that the server named; 0 after a success. */
  restMs = 0;
  #restsUntilMs = 0;
  readonly #header: string;
  readonly #value: string;

  constructor(name: string, header: string, value: string) {
    super();
    this.name = name;
    this.#header = header;
    this.#value = value;
  }

  /**
   * How long the key rests after a hint. A key that is refused right after such a rest rests twice as long, up to
   * `longestMs`, or a short hint would make it free again at once for every call. A refusal that was in flight when the
   * rest began does not count twice.
   */
  restFor(hintMs: number, longestMs: number, sentAtMs: number, nowMs: number): number {
    const isAgain = this.restMs > 0 && sentAtMs >= this.#restsUntilMs;
    const restMs = Math.max(hintMs, isAgain ? Math.min(2 * this.restMs, longestMs) : 0);
    this.restMs = isAgain ? restMs : Math.max(restMs, this.restMs);
    this.#restsUntilMs = Math.max(this.#restsUntilMs, nowMs + restMs);
    return restMs;
  }

  offer(request: FallbackRequest): FallbackRequest {
    return this.requestFor(request);
  }

  requestFor(request: FallbackRequest): FallbackRequest {
    return { ...request, headers: { ...request.headers, [this.#header]: this.#value } };
  }
}
