/** The options that only a request has: which requests are meant, and when a response counts as an answer. */

import type { AnswerOptions } from '../options/config.ts';
import { type Policy, resolveConfig, resolveWith } from '../options/policy.ts';
import type { FaceName } from '../options/rows.ts';
import { isModelRequest, type SentRequest } from './model-request.ts';
import { processWide } from '../runtime/process-wide.ts';
import { hasLimits, STALL_LIMITS, type StallLimits } from './stall-clocks.ts';

/** How far a stream is held, and the limits. */
export interface HoldLimits extends StallLimits {
  readonly until: 'content' | 'text' | 'end';
  /** From the response headers. */
  readonly maxHoldMs: number;
  readonly maxHoldBytes: number;
}

/** How a stream that the caller reads is watched. */
export interface WatchLimits extends StallLimits {
  readonly checkEnd: boolean | 'model-requests';
  /** Whether it is for streams of any request, and not only of those that go to a model. */
  readonly coversAll: boolean;
}

export interface HttpPolicy extends Policy {
  /** How far a stream is held; null: not at all. */
  readonly guard: HoldLimits | null;
  readonly holdJson: boolean | 'model-requests';
  /** How long a JSON body is held. */
  readonly maxJsonHoldMs: number;
  /** Whether a success may be held and looked into. */
  readonly looks: boolean;
  /** After how long without a byte a JSON object that has begun is a time-out. */
  readonly maxJsonSilenceMs: number;
  /** null: nothing is watched. */
  readonly watch: WatchLimits | null;
  /**
   * Whether a request is one that the options are for, or undefined if its body has to be read first. Without the
   * function every request is.
   */
  readonly chooses: ((request: SentRequest) => boolean | undefined) | undefined;
  /** False if no retry and no listener would use what the body of a failure says. */
  readonly readsBodies: boolean;
  /** The header for an idempotency key. */
  readonly keyHeader: string | undefined;
}

/** Checks and completes the options of a request. @throws TypeError if one is invalid */
export function resolveHttp(face: FaceName, config: object = {}): HttpPolicy {
  const policy = resolveConfig(face, config);
  const { config: given, attemptTimeoutMs, repeats } = policy;
  const isLookedAt = given.answers !== false;
  const answers: AnswerOptions = given.answers || {};
  // A hold that ended before a late timer of the attempt would hand over an answer that has to be retried.
  const holdMs = attemptTimeoutMs === undefined ? MAX_HOLD_MS : Infinity;
  // If no retry can follow, a response is not held to look for a failure inside it.
  const looks = isLookedAt && (repeats || given.gate !== undefined);
  return {
    ...policy,
    looks,
    guard: looks ? resolveGuard(answers, holdMs) : null,
    holdJson: looks ? (answers.holdJson ?? 'model-requests') : false,
    maxJsonHoldMs: answers.maxHoldMs ?? holdMs,
    maxJsonSilenceMs: answers.idleTimeoutMs ?? MAX_SILENCE_MS,
    watch: isLookedAt ? watchOf(answers) : null,
    chooses: chooserOf(given.retryOnly),
    readsBodies: looks || BODY_READERS.some((option) => given[option] !== undefined),
    keyHeader: given.idempotencyKeyHeader,
  };
}

/** The policy of `with(overrides)`. */
export function resolveHttpWith(face: FaceName, base: HttpPolicy, overrides: object): HttpPolicy {
  return resolveWith(base, face, overrides, (config) => resolveHttp(face, config));
}

const MAX_HOLD_MS = 30_000;
/** A server that has begun an object and sends nothing for so long will not end it. */
const MAX_SILENCE_MS = 300_000;
const MAX_HOLD_BYTES: Readonly<Record<HoldLimits['until'], number>> = {
  content: 262_144,
  text: 1_048_576,
  end: 16_777_216,
};

function resolveGuard(answers: AnswerOptions, defaultHoldMs: number): HoldLimits | null {
  const { holdUntil: until = 'content', maxHoldMs, maxHoldBytes } = answers;
  if (until === 'headers') return null;
  const isToContent = until === 'content';
  return {
    until,
    maxHoldMs: maxHoldMs ?? (isToContent ? defaultHoldMs : Infinity),
    maxHoldBytes: maxHoldBytes ?? MAX_HOLD_BYTES[until],
    // A short hold is released at its own limit.
    ...(isToContent ? NO_CLOCKS : clocksOf(answers, STALL_LIMITS)),
  };
}

function watchOf(answers: AnswerOptions): WatchLimits | null {
  const { holdUntil, checkEnd } = answers;
  const limits = {
    // A stream above the bounds of its hold must not end early either.
    checkEnd: checkEnd ?? (holdUntil === 'end' || 'model-requests'),
    ...clocksOf(answers, holdUntil === 'text' || holdUntil === 'end' ? STALL_LIMITS : NO_CLOCKS),
  };
  const coversAll = limits.checkEnd === true || hasLimits(limits);
  return limits.checkEnd !== false || coversAll ? { ...limits, coversAll } : null;
}

function clocksOf({ idleTimeoutMs, outputTimeoutMs }: AnswerOptions, usual: StallLimits): StallLimits {
  return {
    idleTimeoutMs: idleTimeoutMs ?? usual.idleTimeoutMs,
    outputTimeoutMs: outputTimeoutMs ?? usual.outputTimeoutMs,
  };
}

const NO_CLOCKS: StallLimits = { idleTimeoutMs: Infinity, outputTimeoutMs: Infinity };

/** The options that use the detail of a failure, beside a retry. */
const BODY_READERS = ['onRetry', 'onExhausted', 'onEvent', 'controller', 'classify', 'exhausted'] as const;

function chooserOf(retryOnly: HttpPolicy['config']['retryOnly']): HttpPolicy['chooses'] {
  if (retryOnly === undefined) return undefined;
  const chooses =
    typeof retryOnly === 'function' ? ({ method, url }: SentRequest) => retryOnly({ method, url }) : isModelRequest;
  return (request) => {
    const isChosen = chooses(request);
    if (isChosen === false) processWide()?.onLeftOut?.(request);
    return isChosen;
  };
}
