/**
 * Several keys for one account or provider, used in turn. A key that meets its limit rests until the limit renews, and
 * a free key takes over at once. If all keys rest, the call waits for the one that is free first. A key that rests is
 * never sent.
 */

import { type Check, checkOptions, expectNumber, expectObject, expectText, headerName } from '../runtime/expect.ts';
import { type FailureType, isFailureType } from '../failure/failure.ts';
import { withRoute } from './open-route.ts';
import { RotationRoute } from './rotation-route.ts';
import type { FallbackChain, FallbackRequest, Target } from './route.ts';

/** The options of `createKeyRotation`. */
export interface KeyRotationOptions {
  readonly keys: readonly string[];
  /** The header with the key. @default 'authorization' */
  readonly header?: string | undefined;
  /** The text before the key. @default 'Bearer ' in `authorization`, nothing in other headers */
  readonly prefix?: string | undefined;
  /**
   * How long a key rests if the server names no time.
   *
   * @default a minute; half an hour for a quota; for ever for a key that was refused
   */
  readonly restMs?: Readonly<Partial<Record<FailureType, number>>> | undefined;
}

const FOR_EVER = Number.POSITIVE_INFINITY;

/** How long a key rests, by type of failure. Other failures have nothing to do with the key. */
export const REST_MS: Readonly<Partial<Record<FailureType, number>>> = {
  rate_limit: 60_000,
  quota_exhausted: 1_800_000,
  billing_error: 1_800_000,
  auth_invalid: FOR_EVER,
  account_suspended: FOR_EVER,
};

/**
 * A rotation of keys, for the option `fallback`. Create it once: calls that share it share what it knows about the
 * keys.
 *
 * @throws TypeError if an option is invalid; the message names it
 */
export function createKeyRotation(options: KeyRotationOptions): FallbackChain {
  const all = expectObject('options', options, 'an object such as { keys: [first, second] }');
  checkOptions('', { ...all, keys: options.keys ?? [] }, checksOfOptions());
  const { keys, header = 'authorization', restMs = {} } = options;
  const given = Object.entries(restMs).filter(([, ms]) => ms !== undefined);
  const prefix = options.prefix ?? (header.toLowerCase() === 'authorization' ? 'Bearer ' : '');
  const rests: typeof REST_MS = { ...REST_MS, ...Object.fromEntries(given) };
  const targets = keys.map((key, index) => new KeyTarget(`key ${index + 1}`, header.toLowerCase(), prefix + key));
  let uses = 0;
  const rotation: FallbackChain = {
    primary: 'key',
    maxRetriesBeforeFallback: 0,
    additionalRetries: 0,
    choose: (nowMs: number, passed: readonly Target[] = []) => {
      const candidates = passed.length === 0 ? targets : targets.filter((target) => !passed.includes(target));
      const next = firstFree(nowMs, candidates);
      // A counter, because many calls choose within one millisecond.
      if (next?.waitMs === 0) next.target.lastUse = ++uses;
      return next;
    },
    next: (
      failure: { readonly type: FailureType; readonly retryAfterMs?: number },
      asked: readonly Target[],
      nowMs: number,
    ) => {
      const restsMs = rests[failure.type];
      const current = targets.find((target) => target === asked.at(-1));
      if (restsMs === undefined || current === undefined) return undefined;
      current.freeAt = Math.max(current.freeAt, nowMs + (failure.retryAfterMs ?? restsMs));
      return targets.every(({ freeAt }) => freeAt === Number.POSITIVE_INFINITY) ? undefined : firstFree(nowMs, targets);
    },
  };
  return withRoute(rotation, (own) => (policy, request) => new RotationRoute(policy, request, own));
}

const checksOfOptions = (): { readonly [K in keyof KeyRotationOptions]-?: Check } => ({
  keys: expectKeys,
  header: headerName,
  prefix: expectText,
  restMs: expectRests,
});

/** Its message shows no key. */
function expectKeys(_name: string, keys: unknown): void {
  if (!Array.isArray(keys) || keys.length === 0 || !keys.every((key) => typeof key === 'string' && key !== ''))
    throw new TypeError('Expected `keys` to be a list of at least one key.');
}

function expectRests(name: string, value: unknown): void {
  for (const [type, ms] of Object.entries(expectObject(name, value, 'an object such as { rate_limit: 60_000 }'))) {
    if (!isFailureType(type))
      throw new TypeError(`Expected the keys of \`${name}\` to be failure types, got "${type}".`);
    if (ms !== undefined) expectNumber(`${name}.${type}`, ms, { max: FOR_EVER });
  }
}

/** The key that is free first; among free keys the one that has been idle longest. */
function firstFree(
  nowMs: number,
  candidates: readonly KeyTarget[],
): { readonly target: KeyTarget; readonly waitMs: number } | undefined {
  if (candidates.length === 0) return undefined;
  const target = candidates.reduce((best, other) => {
    const [earliest, freeAt] = [Math.max(best.freeAt, nowMs), Math.max(other.freeAt, nowMs)];
    return freeAt < earliest || (freeAt === earliest && other.lastUse < best.lastUse) ? other : best;
  });
  return { target, waitMs: Math.max(0, target.freeAt - nowMs) };
}

class KeyTarget implements Target {
  readonly name: string;
  freeAt = 0;
  /** The number of its last use. */
  lastUse = 0;
  readonly #header: string;
  readonly #value: string;

  constructor(name: string, header: string, value: string) {
    this.name = name;
    this.#header = header;
    this.#value = value;
  }

  offer(request: FallbackRequest): FallbackRequest {
    return this.requestFor(request);
  }

  requestFor(request: FallbackRequest): FallbackRequest {
    return { ...request, headers: { ...request.headers, [this.#header]: this.#value } };
  }
}
