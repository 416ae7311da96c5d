/**
 * The waits that the options describe: the common ones, and those of each type of failure with a strategy. A strategy
 * inherits every option that it leaves out; `maxRetries` and `maxDelayMs` of the call, where they are set, are caps of
 * all types.
 */

import { type FailureType, isFailureType, type Jitter, TYPES } from '../failure/failure.ts';
import { type Given, givenOptions } from '../runtime/expect.ts';
import { type Schedule, scheduleOf, type Shape } from './backoff.ts';
import { DEFAULT_RETRY_CONFIG, type RetryPolicy } from './config.ts';

/** How one type of failure is retried. */
export interface ResolvedStrategy {
  /** How many failures of the type may be retried, on one target. */
  readonly maxRetries: number;
  readonly retryAfter: 'obey' | 'ignore' | undefined;
  readonly fallback: boolean;
  readonly schedule: Schedule;
}

/** The common waits, and those of the types that have a strategy. */
export interface Schedules {
  /** What the call may reach. */
  readonly maxRetries: number;
  /** For a type without a strategy. */
  readonly common: ResolvedStrategy;
  readonly strategies: ReadonlyMap<FailureType, ResolvedStrategy>;
  readonly maxDelayMs: number;
  readonly jitter: Jitter;
  readonly jitterFactor: number;
}

/** `given`: the options that are given, already checked. */
export function resolveSchedules(given: Given<RetryPolicy>): Schedules {
  const limit = limitOf(given, DEFAULT_RETRY_CONFIG.maxRetries);
  const strategies = new Map<FailureType, ResolvedStrategy>();
  for (const [type, override] of Object.entries(given.strategies ?? {})) {
    if (!isFailureType(type) || override === undefined) continue;
    const own = givenOptions(override);
    const merged: Waits = { ...givenBeside(given, own), ...own, ...capped(given, own.maxDelayMs) };
    const { retryAfter, fallback = TYPES[type].fallback } = own;
    strategies.set(type, { maxRetries: limitOf(own, limit), retryAfter, fallback, schedule: schedule(merged) });
  }
  const { maxDelayMs, jitter, jitterFactor } = shapeOf(given);
  // Without a word about the whole call, each type has its own limit, and those without a strategy share one.
  const isPerType = strategies.size > 0 && given.maxRetries === undefined;
  const common = {
    maxRetries: isPerType ? limit : Infinity,
    retryAfter: undefined,
    fallback: false,
    schedule: schedule(given),
  };
  // All of them together end a call whose types take turns, or whose chain comes back to a target.
  const most = [...strategies.values()].reduce((sum, { maxRetries }) => sum + maxRetries, limit);
  return { maxRetries: isPerType ? most : limit, common, strategies, maxDelayMs, jitter, jitterFactor };
}

/** The options that a `backoff` replaces. */
export const GROWING: readonly string[] = ['baseDelayMs', 'backoffMultiplier'];

/** What is left of options beside those that are put over them: a wait replaces the wait, of whichever kind the two are. */
export function givenBeside<T extends object>(options: T, over: Given<Pick<RetryPolicy, 'backoff'>>): Partial<T> {
  const isGrowing = GROWING.some((name) => Object.hasOwn(over, name));
  const replaced = over.backoff !== undefined ? GROWING : isGrowing ? ['backoff'] : [];
  const left: Partial<T> = { ...options };
  for (const name of replaced) Reflect.deleteProperty(left, name);
  return left;
}

/** What shapes a schedule, as far as it is given. */
type Waits = Given<Pick<RetryPolicy, 'backoff' | keyof Shape>>;

const schedule = (given: Waits): Schedule => scheduleOf(given.backoff, shapeOf(given));

/** A cap that the call has been given holds for every type. */
const capped = ({ maxDelayMs: all }: RetryPolicy, own: number | undefined): Waits =>
  all === undefined || own === undefined ? {} : { maxDelayMs: Math.min(all, own) };

/** A list ends after its length. */
const limitOf = ({ maxRetries, backoff }: Pick<RetryPolicy, 'maxRetries' | 'backoff'>, usual: number): number =>
  maxRetries ?? (typeof backoff === 'object' ? backoff.length : usual);

/** Waits that are written down are waited as written. */
function shapeOf(given: Waits): Shape {
  if (given.backoff === undefined) return { ...DEFAULT_RETRY_CONFIG, ...given };
  // Who names a factor wants its jitter.
  const jitter = (given.jitterFactor ?? 0) > 0 ? 'symmetric' : 'none';
  return { ...DEFAULT_RETRY_CONFIG, maxDelayMs: Infinity, jitter, ...given };
}
