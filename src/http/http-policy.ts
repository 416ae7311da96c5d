/** The options that only a request has: which requests are meant, and how far an answer is held. */

import type { RetryConfig } from '../options/config.ts';
import { type Policy, resolveConfig } from '../options/policy.ts';
import type { HoldLimits } from './hold.ts';
import { isModelRequest, type SentRequest } from './model-request.ts';
import type { StallLimits } from '../options/stream-watch.ts';
import { STALL_LIMITS } from './stall-clocks.ts';

export interface HttpPolicy extends Policy {
  /** How far a stream is held; null: not at all. */
  readonly guard: HoldLimits | null;
  /** How long a JSON body is held. */
  readonly maxJsonHoldMs: number;
  /**
   * Whether a request is one that the options are for, or undefined if its body has to be read first. Without the
   * function every request is.
   */
  readonly chooses: ((request: SentRequest) => boolean | undefined) | undefined;
  /** False if no retry and no listener would use what the body of a failure says. */
  readonly readsBodies: boolean;
  /** Whether attempts get headers of ours. */
  readonly addsHeaders: boolean;
}

/** Checks and completes the options of a request. @throws TypeError if one is invalid */
export function resolveHttp(config: RetryConfig = {}): HttpPolicy {
  const policy = resolveConfig(config);
  const { config: given, attemptTimeoutMs, guardStreams, guardJson } = policy;
  const holdMs = attemptTimeoutMs ?? MAX_HOLD_MS;
  // If no retry can follow, a response is not held to look for a failure inside it.
  const looks = policy.repeats || given.gate !== undefined;
  return {
    ...policy,
    guard: looks ? resolveGuard(guardStreams, holdMs, given.streamWatch) : null,
    maxJsonHoldMs: (typeof guardStreams === 'object' ? guardStreams.maxHoldMs : undefined) ?? holdMs,
    guardJson: looks ? guardJson : false,
    chooses: chooserOf(given.retryOnly),
    readsBodies: looks || BODY_READERS.some((option) => given[option] !== undefined),
    addsHeaders: given.attemptHeader !== undefined || given.idempotencyKeyHeader !== undefined,
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

function chooserOf(retryOnly: RetryConfig['retryOnly']): HttpPolicy['chooses'] {
  if (typeof retryOnly !== 'function') return retryOnly && isModelRequest;
  return ({ method, url }) => retryOnly({ method, url });
}
