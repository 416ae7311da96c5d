/**
 * A case is plain data: servers, options, people and what they do. It can be printed, shrunk and run again. Members that
 * are left out mean that nothing of the kind takes part.
 */

import { FAILURES, type FailureType, type Jitter } from '../../src/index.ts';
import { type Chance, chanceOf } from './chance.ts';

export type Face = 'fetch' | 'post' | 'get' | 'operation';

/**
 * `moving`: sleeps move the clock. `late`: and wake too late. `frozen`: the clock never moves. `jumping`: the wall clock is
 * set once, while the monotonic one goes on.
 */
export type ClockKind = 'moving' | 'late' | 'frozen' | 'jumping';

/** How a server asks for a wait. `seconds` may be a fraction where the form allows it. */
export type Hint =
  | {
      readonly form: 'retry-after' | 'retry-after-ms' | 'reset-header' | 'retry-info' | 'in-seconds' | 'message';
      readonly ms: number;
    }
  | { readonly form: 'date'; readonly ms: number }
  | { readonly form: 'two-values'; readonly ms: number; readonly shorterMs: number }
  | { readonly form: 'invalid'; readonly value: string };

export type StatusKind =
  | 'rate_limit'
  | 'quota'
  | 'server_error'
  | 'bad_gateway'
  | 'unavailable'
  | 'overloaded'
  | 'gateway_timeout'
  | 'bad_request'
  | 'unauthorized'
  | 'billing'
  | 'too_long'
  | 'conflict';

export type ThrowKind = 'reset' | 'refused' | 'certificate' | 'bug' | 'program' | 'abort' | 'timeout';

export type Chunk = { readonly afterMs: number; readonly what: 'start' | 'ping' | 'content' | 'overloaded' | 'stop' };

/** What a server does with one request. `deaf`: it ignores the signal, as some inner transports do. */
export type Step = { readonly afterMs: number; readonly deaf?: boolean } & (
  | { readonly kind: 'success' }
  /** An error inside a 200. */
  | { readonly kind: 'json-error' }
  | {
      readonly kind: 'status';
      readonly status: StatusKind;
      readonly hint?: Hint;
      /** `hang`: it gives nothing and never ends. `none`: there is none. */
      readonly body: 'whole' | 'hang' | 'none';
      readonly shouldRetry?: 'true' | 'false';
    }
  | {
      readonly kind: 'stream';
      readonly chunks: readonly Chunk[];
      readonly ending: 'end' | 'reset' | 'hang';
      readonly hint?: Hint;
    }
  | { readonly kind: 'throw'; readonly what: ThrowKind }
  | { readonly kind: 'hang' }
);

/** Waits that are given: a list, whose tail repeats. */
export interface Schedule {
  readonly steps: readonly number[];
  readonly tailMs: number | null;
}

export interface StrategyPlan {
  readonly type: FailureType;
  readonly maxRetries: number;
  readonly baseDelayMs: number;
  readonly maxDelayMs: number;
  readonly backoffMultiplier: number;
  readonly jitter: Jitter;
  readonly retryAfter?: 'obey' | 'ignore';
}

export interface Options {
  readonly maxRetries?: number;
  readonly baseDelayMs?: number;
  readonly maxDelayMs?: number;
  readonly backoffMultiplier?: number;
  readonly jitter?: Jitter;
  readonly jitterFactor?: number;
  readonly schedule?: Schedule;
  readonly maxTotalDelayMs?: number;
  readonly maxElapsedMs?: number;
  readonly attemptTimeoutMs?: number;
  readonly retryableStatusCodes?: readonly number[];
  /** A function: what it makes of a hint. */
  readonly retryAfter?: 'obey' | 'clamp' | 'ignore' | { readonly factor: number } | { readonly atLeastMs: number };
  readonly maxRetryAfterMs?: number;
  readonly strategies?: readonly StrategyPlan[];
  /**
   * What `classify` makes of a failure: nothing (undefined, the same object or a copy), a retry of every `bad_request`,
   * or of no `overloaded`; or it throws.
   */
  readonly classify?: 'keep' | 'same' | 'copy' | 'retry-bad-request' | 'never-overloaded' | 'throws';
  /** What `stopIf` answers: go on, or stop. */
  readonly stopIf?: {
    readonly answer: 'yes' | 'throws' | 'rejects' | { readonly noAfter: number };
    readonly takesMs: number | null;
  };
  readonly waitForQuotaReset?: boolean;
  /** Whether a stream is held until its content. */
  readonly hold?: boolean | { readonly maxHoldMs: number };
  readonly holdJson?: boolean;
  readonly exhausted?: 'throw' | 'mark';
  readonly retryUnknownErrors?: boolean;
  readonly idempotencyKeyHeader?: string;
  readonly operation?: string;
  /** Listeners of the call throw or reject. */
  readonly badListeners?: 'throw' | 'reject';
}

export interface GatePlan {
  readonly cooldown: boolean;
  readonly budget?: { readonly capacity: number; readonly ratio: number };
  readonly circuit?: { readonly failures: number; readonly openMs: number; readonly covers: 'retries' | 'all' };
  readonly maxWaiting?: number;
}

export type ChainPlan =
  | {
      readonly kind: 'targets';
      readonly targets: readonly {
        readonly covers?: readonly FailureType[];
        readonly where: 'same' | 'other';
        readonly context?: boolean;
      }[];
      readonly maxRetriesBeforeFallback?: number;
      readonly additionalRetries?: number;
    }
  | { readonly kind: 'keys'; readonly keys: number; readonly restMs?: number };

export type Deed = 'abort' | 'retryNow' | 'giveUp' | 'disable' | 'enable';

/**
 * What is done, and when: after the n-th sleep, request, decision or question of a call began, or after the call began.
 * `afterMs: null`: right then, inside the listener, the request or the sleep.
 */
export interface Action {
  readonly call: number;
  readonly when: 'start' | 'send' | 'sleep' | 'event' | 'asked';
  readonly nth: number;
  readonly afterMs: number | null;
  readonly deed: Deed;
}

export interface CallPlan {
  readonly startMs: number;
  readonly steps: readonly [Step, ...Step[]];
  /** After the last step: it again, or successes. */
  readonly after: 'again' | 'success';
  readonly hasSignal: boolean;
  readonly abortedBefore?: boolean;
  readonly body?: 'text' | 'stream';
}

export type PresetName = 'recommended' | 'patient' | 'background' | 'agent' | 'taxonomy';

export interface Case {
  readonly seed: number;
  /** Below the options, which change it. */
  readonly preset?: PresetName;
  readonly face: Face;
  readonly clock: ClockKind;
  /** Of a jumping clock: when it is set, and by how much. */
  readonly jump?: { readonly atMs: number; readonly byMs: number };
  /** Whether sleeps listen to the signal that they are given. */
  readonly deafSleep: boolean;
  /** A constant makes every wait exact; null draws from the seed. */
  readonly random: number | null;
  readonly options: Options;
  readonly gate?: GatePlan;
  readonly chain?: ChainPlan;
  readonly controller: boolean;
  readonly calls: readonly [CallPlan, ...CallPlan[]];
  readonly actions: readonly Action[];
}

/** What a step becomes when a case is made smaller. */
export const SIMPLEST: Step = { kind: 'status', status: 'unavailable', afterMs: 0, body: 'whole' };

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** What the presets promise. */
const NO_STRATEGY = { maxRetries: 0, baseDelayMs: 0, maxDelayMs: 0, backoffMultiplier: 1, jitter: 'full' } as const;

const PRESETS: Readonly<Record<PresetName, Options>> = {
  recommended: { baseDelayMs: 500, maxDelayMs: 20_000, maxRetries: 10, maxRetryAfterMs: 2 * MINUTE_MS },
  patient: {
    maxRetries: 21,
    jitter: 'none',
    maxTotalDelayMs: 8 * HOUR_MS,
    maxRetryAfterMs: 8 * HOUR_MS,
    waitForQuotaReset: true,
    schedule: {
      steps: [5_000, 10_000, 30_000, MINUTE_MS, 5 * MINUTE_MS, 10 * MINUTE_MS, 15 * MINUTE_MS],
      tailMs: 30 * MINUTE_MS,
    },
  },
  background: {
    maxRetries: 10,
    jitter: 'none',
    retryAfter: { atLeastMs: 3_000 },
    schedule: { steps: [3_000, 5_000, 10_000, 30_000], tailMs: MINUTE_MS },
  },
  agent: { baseDelayMs: 2_000, backoffMultiplier: 2, maxRetries: 3, jitter: 'none' },
  taxonomy: {
    strategies: Object.entries(FAILURES).flatMap(([type, { strategy }]) =>
      strategy === null ? [] : [{ ...NO_STRATEGY, ...strategy, type: type as FailureType } as StrategyPlan],
    ),
    maxRetries: 17,
    maxDelayMs: 2 * MINUTE_MS,
    maxRetryAfterMs: 10_000,
    retryAfter: { factor: 1.1 },
    jitter: 'full',
  },
};

/** How many retries the options allow. */
export function maxRetriesOf({ maxRetries, schedule }: Options): number {
  const listed = schedule === undefined ? 3 : schedule.steps.length;
  if (schedule?.tailMs === null) return Math.min(maxRetries ?? listed, listed);
  return maxRetries ?? (schedule === undefined ? 3 : Number.POSITIVE_INFINITY);
}

/** The options that hold, those of a preset included. */
export function allOptions({ preset, options }: Case): Options {
  return preset === undefined ? options : { ...PRESETS[preset], ...options };
}

const JITTERS = ['none', 'symmetric', 'full', 'down'] as const;
const RETRYABLE = [
  'rate_limit',
  'server_error',
  'bad_gateway',
  'unavailable',
  'overloaded',
  'gateway_timeout',
] as const;
const PERMANENT = ['quota', 'bad_request', 'unauthorized', 'billing', 'too_long', 'conflict'] as const;
const HINT_MS = [0, 1, 250, 1_000, 2_500, 4_000, 7_000, 30_000, 59_999, 60_000, 61_000, 3_600_000] as const;

function hintOf(chance: Chance): Hint {
  const ms = chance.hit(0.01) ? 2_592_000_000 : chance.pick(HINT_MS);
  const form = chance.pick([
    'retry-after',
    'retry-after',
    'retry-after-ms',
    'reset-header',
    'retry-info',
    'in-seconds',
    'message',
    'date',
    'two-values',
    'invalid',
  ]);
  if (form === 'invalid') return { form, value: chance.pick(['12abc', '-5', '0x10', 'soon', '']) };
  if (form === 'two-values') return { form, ms, shorterMs: Math.floor(ms / 3) };
  return { form, ms };
}

function chunksOf(chance: Chance): readonly Chunk[] {
  const gap = (): number => chance.pick([0, 0, 3, 40, 700, 9_000]);
  const chunks: Chunk[] = [];
  if (chance.hit(0.8)) chunks.push({ afterMs: gap(), what: 'start' });
  if (chance.hit(0.3)) chunks.push({ afterMs: gap(), what: 'ping' });
  if (chance.hit(0.25)) chunks.push({ afterMs: gap(), what: 'overloaded' });
  else if (chance.hit(0.65)) {
    for (let count = chance.integer(1, 3); count > 0; count -= 1) chunks.push({ afterMs: gap(), what: 'content' });
    if (chance.hit(0.2)) chunks.push({ afterMs: gap(), what: 'overloaded' });
    else if (chance.hit(0.7)) chunks.push({ afterMs: gap(), what: 'stop' });
  }
  return chunks;
}

function stepOf(chance: Chance, face: Face): Step {
  const afterMs = chance.pick([0, 0, 0, 1, 20, 300, 2_000]);
  const timing = chance.hit(0.12) ? { afterMs, deaf: true } : { afterMs };
  const kind = chance.hit(0.03)
    ? 'json-error'
    : chance.pick(['success', 'status', 'status', 'status', 'status', 'stream', 'throw', 'hang']);
  switch (kind) {
    case 'success':
    case 'json-error':
    case 'hang':
      return { ...timing, kind };
    case 'throw':
      return {
        ...timing,
        kind,
        what: chance.pick(['reset', 'reset', 'refused', 'certificate', 'bug', 'program', 'abort', 'timeout']),
      };
    case 'stream':
      if (face === 'operation') return { ...timing, kind: 'success' };
      return {
        ...timing,
        kind,
        chunks: chunksOf(chance),
        ending: chance.pick(['end', 'end', 'reset', 'hang']),
        ...(chance.hit(0.15) && { hint: hintOf(chance) }),
      };
    case 'status':
      return {
        ...timing,
        kind,
        status: chance.hit(0.84) ? chance.pick(RETRYABLE) : chance.pick(PERMANENT),
        body: face === 'operation' ? 'whole' : chance.pick(['whole', 'whole', 'whole', 'none', 'hang']),
        ...(chance.hit(0.45) && { hint: hintOf(chance) }),
        ...(chance.hit(0.06) && { shouldRetry: chance.pick(['true', 'false']) }),
      };
  }
}

function scheduleOf(chance: Chance): Schedule {
  const steps = Array.from({ length: chance.integer(0, 4) }, () => chance.pick([0, 50, 1_000, 5_000, 30_000]));
  return { steps, tailMs: chance.hit(0.6) ? null : 2_000 };
}

function optionsOf(chance: Chance): Options {
  const some = <T extends object>(probability: number, make: () => T): T | object =>
    chance.hit(probability) ? make() : {};
  const schedule = chance.hit(0.15) ? scheduleOf(chance) : undefined;
  const endless = schedule !== undefined && schedule.tailMs !== null;
  return {
    ...some(0.6, () => ({ maxRetries: chance.integer(0, 5) })),
    ...some(0.4, () => ({ baseDelayMs: chance.pick([0, 1, 100, 500, 3_000]) })),
    ...some(0.3, () => ({ maxDelayMs: chance.pick([0, 500, 4_000, 60_000, 3_600_000]) })),
    ...some(0.2, () => ({ backoffMultiplier: chance.pick([1, 1.5, 2, 3, 10]) })),
    ...some(0.5, () => ({ jitter: chance.pick(JITTERS) })),
    ...some(0.3, () => ({ jitterFactor: chance.pick([0, 0.1, 0.5, 1]) })),
    ...(schedule && { schedule }),
    ...some(endless ? 1 : 0.15, () => ({ maxTotalDelayMs: chance.pick([0, 1_000, 2_500, 7_000, 20_000, 60_000]) })),
    ...some(0.15, () => ({ maxElapsedMs: chance.pick([0, 1_000, 3_000, 10_000, 70_000]) })),
    // A schedule of zeros never meets a budget.
    ...some(endless ? 1 : 0, () => ({ maxRetries: chance.integer(1, 6) })),
    ...some(0.25, () => ({ attemptTimeoutMs: chance.pick([50, 1_500, 6_000]) })),
    ...some(0.08, () => ({ retryableStatusCodes: chance.pick([[429], [500, 503], [409, 429], []]) })),
    ...some(0.4, () => ({
      retryAfter: chance.pick(['obey', 'clamp', 'ignore', { factor: 1.1 }, { factor: 2 }, { atLeastMs: 3_000 }]),
    })),
    ...some(0.25, () => ({
      maxRetryAfterMs: chance.pick([0, 1_000, 7_000, 60_000, 3_600_000, Number.POSITIVE_INFINITY]),
    })),
    ...some(0.12, () => ({
      strategies: (['rate_limit', 'overloaded', 'server_error'] as const)
        .filter(() => chance.hit(0.6))
        .map((type) => ({
          type,
          maxRetries: chance.integer(0, 3),
          baseDelayMs: chance.pick([0, 200, 2_000]),
          maxDelayMs: chance.pick([300, 5_000]),
          backoffMultiplier: chance.pick([1, 2]),
          jitter: chance.pick(JITTERS),
          ...(chance.hit(0.3) && { retryAfter: 'ignore' as const }),
        })),
    })),
    ...some(0.1, () => ({ classify: chance.pick(['keep', 'retry-bad-request', 'never-overloaded', 'throws']) })),
    ...some(0.15, () => ({
      stopIf: {
        answer: chance.pick(['yes', 'yes', 'throws', 'rejects', { noAfter: chance.integer(0, 3) }]),
        takesMs: chance.pick([null, null, 0, 30, 5_000]),
      },
    })),
    ...some(0.15, () => ({ hold: chance.pick([true, false, { maxHoldMs: 500 }]) })),
    ...some(0.05, () => ({ holdJson: true })),
    ...some(0.15, () => ({ exhausted: chance.pick(['throw', 'throw', 'throw', 'mark']) })),
    ...some(0.1, () => ({ retryUnknownErrors: true })),
    ...some(0.08, () => ({ idempotencyKeyHeader: 'idempotency-key' })),
    ...some(0.05, () => ({ operation: chance.pick(['payment', 'search']) })),
    ...some(0.05, () => ({ badListeners: chance.pick(['throw', 'reject']) })),
  };
}

const COVERS = [
  ['overloaded', 'server_error', 'rate_limit'],
  ['overloaded'],
  ['context_too_long', 'rate_limit', 'connection_error'],
] as const;

function chainOf(chance: Chance, face: Face): ChainPlan {
  if (face !== 'operation' && chance.hit(0.45)) {
    return {
      kind: 'keys',
      keys: chance.integer(1, 3),
      ...(chance.hit(0.4) && { restMs: chance.pick([5, 2_000, 20_000]) }),
    };
  }
  return {
    kind: 'targets',
    targets: Array.from({ length: chance.integer(1, 3) }, () => ({
      where: chance.pick(['same', 'other']),
      ...(chance.hit(0.4) && { covers: chance.pick(COVERS) }),
      ...(chance.hit(0.15) && { context: true }),
    })),
    ...(chance.hit(0.7) && { maxRetriesBeforeFallback: chance.integer(0, 3) }),
    ...(chance.hit(0.5) && { additionalRetries: chance.integer(0, 2) }),
  };
}

function gateOf(chance: Chance): GatePlan {
  return {
    cooldown: chance.hit(0.75),
    ...(chance.hit(0.6) && { budget: { capacity: chance.integer(1, 6), ratio: chance.pick([0, 0.1, 1]) } }),
    ...(chance.hit(0.25) && {
      circuit: {
        failures: chance.integer(1, 4),
        openMs: chance.pick([500, 5_000]),
        covers: chance.pick(['retries', 'all']),
      },
    }),
    ...(chance.hit(0.15) && { maxWaiting: chance.integer(0, 2) }),
  };
}

function callOf(chance: Chance, face: Face, hasLimit: boolean): CallPlan {
  const steps: [Step, ...Step[]] = [stepOf(chance, face)];
  for (let more = chance.integer(0, 4); more > 0; more -= 1) steps.push(stepOf(chance, face));
  // Failures first, for a call that succeeds at once says little.
  if (steps[0].kind === 'success' && chance.hit(0.8)) steps.push(...steps.splice(0, 1), stepOf(chance, face));
  const hangs = steps.some(({ kind }) => kind === 'hang');
  return {
    startMs: chance.pick([0, 0, 10, 500, 3_000]),
    steps,
    after: chance.hit(0.6) ? 'again' : 'success',
    hasSignal: (hangs && !hasLimit) || chance.hit(0.5),
    ...(chance.hit(0.015) && { abortedBefore: true }),
    ...(chance.hit(0.04) && { body: 'stream' }),
  };
}

function actionOf(chance: Chance, calls: number, controller: boolean): Action {
  const when = chance.pick(['start', 'send', 'sleep', 'sleep', 'sleep', 'event', 'asked']);
  return {
    call: chance.integer(0, calls - 1),
    when,
    nth: chance.integer(1, 3),
    afterMs: chance.hit(0.2) ? null : chance.pick([0, 0.5, 5, 100, 900, 4_000, 45_000]),
    deed: controller
      ? chance.pick(['abort', 'retryNow', 'retryNow', 'giveUp', 'giveUp', 'disable', 'enable'])
      : 'abort',
  };
}

export function caseOf(seed: number): Case {
  const chance = chanceOf(seed);
  const face = chance.pick(['fetch', 'fetch', 'fetch', 'post', 'get', 'operation']);
  const preset = chance.hit(0.1)
    ? chance.pick(['recommended', 'patient', 'background', 'agent', 'taxonomy'])
    : undefined;
  const { maxTotalDelayMs, attemptTimeoutMs } = optionsOf(chance);
  const options =
    preset === undefined
      ? optionsOf(chance)
      : {
          ...(maxTotalDelayMs !== undefined && { maxTotalDelayMs }),
          ...(attemptTimeoutMs !== undefined && { attemptTimeoutMs }),
        };
  const clock = chance.pick(['moving', 'moving', 'moving', 'moving', 'moving', 'late', 'frozen', 'jumping']);
  const gate = chance.hit(0.3) ? gateOf(chance) : undefined;
  const chain = chance.hit(0.25) ? chainOf(chance, face) : undefined;
  const controller = chance.hit(0.4);
  const hasLimit = options.attemptTimeoutMs !== undefined;
  const calls: [CallPlan, ...CallPlan[]] = [callOf(chance, face, hasLimit)];
  const shared = gate !== undefined || chain !== undefined || controller;
  if (shared && chance.hit(0.6)) {
    for (let more = chance.integer(1, 3); more > 0; more -= 1) calls.push(callOf(chance, face, hasLimit));
  }
  const actions = chance.hit(controller ? 0.8 : 0.35)
    ? Array.from({ length: chance.integer(1, 3) }, () => actionOf(chance, calls.length, controller))
    : [];
  return {
    seed,
    face,
    ...(preset !== undefined && { preset }),
    clock,
    ...(clock === 'jumping' && {
      jump: { atMs: chance.pick([5, 1_500, 10_000]), byMs: chance.pick([-3_600_000, -500, 2_000, 3_600_000]) },
    }),
    deafSleep: chance.hit(0.15),
    random: chance.hit(0.5) ? chance.pick([0, 0.25, 0.5, 0.999]) : null,
    options,
    ...(gate && { gate }),
    ...(chain && { chain }),
    controller,
    calls,
    actions,
  };
}
