/** The options, checked once at creation and with all defaults filled in. */

import { checkConfig, expectConfig, refuseEndless } from './check-config.ts';
import { givenOptions } from '../runtime/expect.ts';
import { RETRYABLE_STATUS_CODES } from '../classify/index.ts';
import { DEFAULT_RETRY_CONFIG, type RetryConfig } from './config.ts';
import { isModelRequest, type SentRequest } from '../http/model-request.ts';
import { DEFAULT_OPERATION, knownSafety, type OperationSafety } from './operation.ts';
import { routeOf } from '../route/open-route.ts';
import type { OpenRoute } from '../route/route.ts';
import { type Runtime, systemRuntime } from '../runtime/runtime.ts';
import type { HoldLimits } from '../http/hold.ts';
import { STALL_LIMITS, type StallLimits } from '../http/stall-clocks.ts';
import { resolveSchedules, type Schedules } from './schedules.ts';

/** A checked and completed {@link RetryConfig}. */
export interface Policy extends Omit<typeof DEFAULT_RETRY_CONFIG, 'retryableStatusCodes'>, Schedules {
  /** The options that are given. */
  readonly config: RetryConfig;
  readonly attemptTimeoutMs: number | undefined;
  /** null: the taxonomy decides. */
  readonly retryableStatusCodes: readonly number[] | null;
  readonly maxRetryAfterMs: number;
  /** The share that jitter may add to a hint; 0 with jitter 'none'. */
  readonly hintSpread: number;
  /** How far a stream is held; null: not at all. */
  readonly guard: HoldLimits | null;
  /** How long a JSON body is held. */
  readonly maxJsonHoldMs: number;
  readonly runtime: Required<Runtime>;
  /**
   * Whether a request is one that the options are for, or undefined if its body has to be read first. Without the
   * function every request is.
   */
  readonly chooses: ((request: SentRequest) => boolean | undefined) | undefined;
  /** Opens the route of a call; undefined without a gate and without a chain. */
  readonly openRoute: OpenRoute | undefined;
  /** Whether each attempt takes a turn right before it is sent: from a gate, or from a chain that chooses per attempt. */
  readonly takesTurns: boolean;
  /** Whether the first attempt needs more than a plain call: a time limit, an idempotency key, or a chosen target. */
  readonly plansFirst: boolean;
  /** False if no request is ever sent twice. */
  readonly repeats: boolean;
  /** False if no retry and no listener would use what the body of a failure says. */
  readonly readsBodies: boolean;
}

/** Checks and completes the options. @throws TypeError if one is invalid; the message names it and what is expected */
export function resolveConfig(config: RetryConfig = {}): Policy {
  const given = checkConfig(config);
  // A schedule ends itself.
  const all = { ...DEFAULT_RETRY_CONFIG, ...(given.backoff && { maxRetries: Infinity }), ...given };
  const { maxRetries, maxDelayMs, jitter, jitterFactor, retryableStatusCodes, guardStreams } = all;
  const { backoff, strategies } = resolveSchedules(given);
  for (const schedule of [{ maxAttempts: Infinity, backoff }, ...strategies.values()])
    refuseEndless(schedule.backoff, { ...all, maxRetries: Math.min(maxRetries, schedule.maxAttempts) });
  const repeats = maxRetries > 0 || given.fallback !== undefined;
  const attemptTimeoutMs = all.attemptTimeoutMs === Infinity ? undefined : all.attemptTimeoutMs;
  const holdMs = attemptTimeoutMs ?? MAX_HOLD_MS;
  // If no retry can follow, a response is not held to look for a failure inside it.
  const looks = repeats || given.gate !== undefined;
  return {
    ...all,
    config: given,
    backoff,
    attemptTimeoutMs,
    // A copy of the defaults means what the defaults mean.
    retryableStatusCodes:
      retryableStatusCodes.join() === RETRYABLE_STATUS_CODES.join() ? null : [...retryableStatusCodes],
    maxRetryAfterMs: all.maxRetryAfterMs ?? maxDelayMs,
    hintSpread: jitter === 'none' ? 0 : jitterFactor,
    strategies,
    guard: looks ? resolveGuard(guardStreams, holdMs, given.streamWatch) : null,
    maxJsonHoldMs: (typeof guardStreams === 'object' ? guardStreams.maxHoldMs : undefined) ?? holdMs,
    guardJson: looks ? all.guardJson : false,
    runtime: resolveRuntime(given.runtime ?? {}),
    chooses: chooserOf(given.retryOnly),
    openRoute: routeOf(given.gate, given.fallback),
    takesTurns: given.gate !== undefined || given.fallback?.choose !== undefined,
    plansFirst:
      attemptTimeoutMs !== undefined ||
      given.idempotencyKeyHeader !== undefined ||
      given.fallback?.choose !== undefined,
    repeats,
    readsBodies: looks || BODY_READERS.some((option) => given[option] !== undefined),
  };
}

const MAX_HOLD_MS = 30_000;
const MAX_HOLD_BYTES: Readonly<Record<HoldLimits['until'], number>> = {
  content: 262_144,
  text: 1_048_576,
  end: 16_777_216,
};

function resolveGuard(
  guard: Exclude<RetryConfig['guardStreams'], undefined>,
  defaultHoldMs: number,
  clocks: StallLimits = STALL_LIMITS,
): HoldLimits | null {
  if (guard === false) return null;
  const { until = 'content', maxHoldMs, maxHoldBytes } = guard === true ? {} : guard;
  const isToContent = until === 'content';
  return {
    until,
    maxHoldMs: maxHoldMs ?? (isToContent ? defaultHoldMs : Infinity),
    maxHoldBytes: maxHoldBytes ?? MAX_HOLD_BYTES[until],
    // A short hold is released at its own limit.
    idleTimeoutMs: isToContent ? Infinity : clocks.idleTimeoutMs,
    outputTimeoutMs: isToContent ? Infinity : clocks.outputTimeoutMs,
  };
}

/** The options that use the detail of a failure, beside a retry. */
const BODY_READERS = [
  'onRetry',
  'onExhausted',
  'onEvent',
  'controller',
  'classify',
  'throwOnExhausted',
  'markFinalResponse',
] as const;

/** The options of `with(overrides)`; options that are not given are kept. */
export function mergeConfig(base: RetryConfig, overrides: RetryConfig): RetryConfig {
  return { ...base, ...givenOptions(expectConfig(overrides)) };
}

/** Whether a request may be repeated, by its label. */
export function operationSafety(policy: Policy, request: SentRequest): OperationSafety {
  return knownSafety(labelOf(policy, request)) ?? policy.config.unknownOperation ?? 'irreversible';
}

/** The label of a request, where it is not known and so keeps the request from being repeated. */
export function unknownLabel(policy: Policy, request: SentRequest): string | undefined {
  const label = labelOf(policy, request);
  return (policy.config.unknownOperation ?? knownSafety(label)) === undefined ? label : undefined;
}

function labelOf({ config }: Policy, { method, url, words }: SentRequest): string {
  const { operation } = config;
  if (operation === undefined) return words?.operation ?? DEFAULT_OPERATION;
  // A function in JavaScript may return anything.
  return typeof operation === 'function' ? String(operation({ method, url })) : operation;
}

function chooserOf(retryOnly: RetryConfig['retryOnly']): Policy['chooses'] {
  if (typeof retryOnly !== 'function') return retryOnly && isModelRequest;
  return ({ method, url }) => retryOnly({ method, url });
}

/** Each part is bound to its owner, because a runtime may be an instance of a class. */
function resolveRuntime(given: Readonly<Partial<Runtime>>): Required<Runtime> {
  const draw = given.random?.bind(given);
  return {
    now: given.now?.bind(given) ?? systemRuntime.now,
    monotonic: (given.monotonic ?? given.now)?.bind(given) ?? systemRuntime.monotonic,
    // A wait of NaN would end at once, before the time that the server asked for.
    random: draw === undefined ? systemRuntime.random : () => Math.min(Math.max(draw() || 0, 0), 1),
    sleep: given.sleep?.bind(given) ?? systemRuntime.sleep,
  };
}
