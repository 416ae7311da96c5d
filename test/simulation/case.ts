/**
 * A case is plain data: servers, options, people and what they do. It can be printed, shrunk and run again. Members that
 * are left out mean that nothing of the kind takes part.
 */

import { type FailureType, type Jitter, presets, type RetryPolicy, type Strategy } from '../../src/index.ts';
import { failureTypes } from '../../src/failure/failure.ts';
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

export interface StrategyPlan extends Omit<Strategy, 'backoff' | 'fallback'> {
  readonly type: FailureType;
}

export interface Options {
  readonly maxRetries?: number;
  readonly baseDelayMs?: number;
  readonly maxDelayMs?: number;
  readonly backoffMultiplier?: number;
  readonly jitter?: Jitter;
  readonly jitterFactor?: number;
  /** In place of waits that grow. */
  readonly backoff?: readonly number[];
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

const PRESET_NAMES = ['recommended', 'patient', 'background', 'agent', 'taxonomy', 'fleet'] as const;
export type PresetName = (typeof PRESET_NAMES)[number];

/** The options that hold, those of a preset included. */
export type KnownOptions = { readonly [K in Exclude<keyof Options, 'retryAfter'>]?: Options[K] | undefined } & Pick<
  RetryPolicy,
  'retryAfter'
>;

/** A case as it is judged. */
export type KnownCase = Omit<Case, 'options'> & { readonly options: KnownOptions };

export function allOptions({ preset, options }: Case): KnownOptions {
  const { retryAfter, ...others } = options;
  return {
    ...(preset !== undefined && knownOptionsOf(presets[preset])),
    ...others,
    ...(retryAfter !== undefined && { retryAfter: hintRuleOf(retryAfter) }),
  };
}

/** A preset as the oracle reads it. @throws Error if it has an option of which the oracle does not know what it promises */
function knownOptionsOf({ strategies = {}, ...policy }: RetryPolicy): KnownOptions {
  const { maxRetries, maxTotalDelayMs, baseDelayMs, maxDelayMs, backoffMultiplier, backoff, ...more } = policy;
  const { jitter, jitterFactor, maxRetryAfterMs, retryAfter, waitForQuotaReset, ...unknown } = more;
  const list = typeof backoff === 'function' ? undefined : backoff;
  const [name] = [
    ...Object.keys(unknown),
    ...(list === backoff ? [] : ['a function in `backoff`']),
    ...(Object.values(strategies).some((strategy) => strategy.backoff !== undefined) ? ['`strategies.*.backoff`'] : []),
  ];
  if (name !== undefined)
    throw new Error(`The oracle of the simulation does not know what ${name} of a preset promises.`);
  return {
    ...{ maxRetries, maxTotalDelayMs, baseDelayMs, maxDelayMs, backoffMultiplier, backoff: list },
    ...{ jitter, jitterFactor, maxRetryAfterMs, retryAfter, waitForQuotaReset },
    strategies: failureTypes().flatMap((type) =>
      strategies[type] === undefined ? [] : [{ ...strategies[type], type }],
    ),
  };
}

export function hintRuleOf(retryAfter: NonNullable<Options['retryAfter']>): RetryPolicy['retryAfter'] {
  if (typeof retryAfter === 'string') return retryAfter;
  return 'factor' in retryAfter
    ? (hintMs) => hintMs * retryAfter.factor
    : (hintMs) => Math.max(hintMs, retryAfter.atLeastMs);
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

/** How often an option is given, and its value. */
interface Draw<V> {
  readonly probability: number;
  readonly value: (chance: Chance) => V;
}

const often = <V>(probability: number, value: (chance: Chance) => V): Draw<V> => ({ probability, value });

/** Each option is drawn from a stream of its own, so a new one is a line here and changes no other draw. */
const DRAWS: { readonly [K in keyof Options]-?: Draw<NonNullable<Options[K]>> } = {
  maxRetries: often(0.6, (chance) => chance.integer(0, 5)),
  baseDelayMs: often(0.4, (chance) => chance.pick([0, 1, 100, 500, 3_000])),
  maxDelayMs: often(0.3, (chance) => chance.pick([0, 500, 4_000, 60_000, 3_600_000])),
  backoffMultiplier: often(0.2, (chance) => chance.pick([1, 1.5, 2, 3, 10])),
  jitter: often(0.5, (chance) => chance.pick(JITTERS)),
  jitterFactor: often(0.3, (chance) => chance.pick([0, 0.1, 0.5, 1])),
  backoff: often(0.15, (chance) =>
    Array.from({ length: chance.integer(0, 5) }, () => chance.pick([0, 50, 1_000, 5_000, 30_000])),
  ),
  maxTotalDelayMs: often(0.15, (chance) => chance.pick([0, 1_000, 2_500, 7_000, 20_000, 60_000])),
  maxElapsedMs: often(0.15, (chance) => chance.pick([0, 1_000, 3_000, 10_000, 70_000])),
  attemptTimeoutMs: often(0.25, (chance) => chance.pick([50, 1_500, 6_000])),
  retryableStatusCodes: often(0.08, (chance) => chance.pick([[429], [500, 503], [409, 429], []])),
  retryAfter: often(0.4, (chance) =>
    chance.pick(['obey', 'clamp', 'ignore', { factor: 1.1 }, { factor: 2 }, { atLeastMs: 3_000 }]),
  ),
  maxRetryAfterMs: often(0.25, (chance) => chance.pick([0, 1_000, 7_000, 60_000, 3_600_000, Number.POSITIVE_INFINITY])),
  strategies: often(0.12, (chance) =>
    (['rate_limit', 'overloaded', 'server_error'] as const)
      .filter(() => chance.hit(0.6))
      .map((type) => ({
        type,
        ...(chance.hit(0.9) && { maxRetries: chance.integer(0, 3) }),
        ...(chance.hit(0.9) && { baseDelayMs: chance.pick([0, 200, 2_000]) }),
        ...(chance.hit(0.9) && { maxDelayMs: chance.pick([300, 5_000]) }),
        ...(chance.hit(0.9) && { backoffMultiplier: chance.pick([1, 2]) }),
        ...(chance.hit(0.9) && { jitter: chance.pick(JITTERS) }),
        ...(chance.hit(0.3) && { retryAfter: 'ignore' as const }),
      })),
  ),
  classify: often(0.15, (chance) =>
    chance.pick(['keep', 'same', 'copy', 'retry-bad-request', 'never-overloaded', 'throws']),
  ),
  stopIf: often(0.15, (chance) => ({
    answer: chance.pick(['yes', 'yes', 'throws', 'rejects', { noAfter: chance.integer(0, 3) }]),
    takesMs: chance.pick([null, null, 0, 30, 5_000]),
  })),
  waitForQuotaReset: often(0.1, () => true),
  hold: often(0.15, (chance) => chance.pick([true, false, { maxHoldMs: 500 }])),
  holdJson: often(0.05, () => true),
  exhausted: often(0.15, (chance) => chance.pick(['throw', 'throw', 'throw', 'mark'])),
  retryUnknownErrors: often(0.1, () => true),
  idempotencyKeyHeader: often(0.08, () => 'idempotency-key'),
  operation: often(0.05, (chance) => chance.pick(['payment', 'search'])),
  badListeners: often(0.05, (chance) => chance.pick(['throw', 'reject'])),
};
/** What a preset leaves to the caller here. */
const BESIDE_PRESET: readonly string[] = ['maxTotalDelayMs', 'attemptTimeoutMs'] satisfies (keyof Options)[];

function optionsOf(chance: Chance, isDrawn: (name: string) => boolean): Options {
  const options: Options = Object.fromEntries(
    Object.entries(DRAWS).flatMap(([name, { probability, value }]) => {
      const own = chance.of(name);
      return own.hit(probability) && isDrawn(name) ? [[name, value(own)]] : [];
    }),
  );
  const { baseDelayMs: _base, backoffMultiplier: _multiplier, ...listed } = options;
  return options.backoff === undefined ? options : listed;
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
  const face = chance.of('face').pick(['fetch', 'fetch', 'fetch', 'post', 'get', 'operation']);
  const preset = chance.of('has preset').hit(0.1) ? chance.of('preset').pick(PRESET_NAMES) : undefined;
  const options = optionsOf(chance.of('options'), (name) => preset === undefined || BESIDE_PRESET.includes(name));
  const clock = chance
    .of('clock')
    .pick(['moving', 'moving', 'moving', 'moving', 'moving', 'late', 'frozen', 'jumping']);
  const jump = chance.of('jump');
  const gate = chance.of('has gate').hit(0.3) ? gateOf(chance.of('gate')) : undefined;
  const chain = chance.of('has chain').hit(0.25) ? chainOf(chance.of('chain'), face) : undefined;
  const controller = chance.of('controller').hit(0.4);
  const hasLimit = options.attemptTimeoutMs !== undefined;
  const callAt = (index: number): CallPlan => callOf(chance.of(`call ${index}`), face, hasLimit);
  const calls: [CallPlan, ...CallPlan[]] = [callAt(0)];
  const shared = gate !== undefined || chain !== undefined || controller;
  const others = chance.of('calls');
  if (shared && others.hit(0.6)) for (let more = others.integer(1, 3); more > 0; more -= 1) calls.push(callAt(more));
  const acting = chance.of('actions');
  const actions = acting.hit(controller ? 0.8 : 0.35)
    ? Array.from({ length: acting.integer(1, 3) }, () => actionOf(acting, calls.length, controller))
    : [];
  const fixed = chance.of('random');
  return {
    seed,
    face,
    ...(preset !== undefined && { preset }),
    clock,
    ...(clock === 'jumping' && {
      jump: { atMs: jump.pick([5, 1_500, 10_000]), byMs: jump.pick([-3_600_000, -500, 2_000, 3_600_000]) },
    }),
    deafSleep: chance.of('deaf sleep').hit(0.15),
    random: fixed.hit(0.5) ? fixed.pick([0, 0.25, 0.5, 0.999]) : null,
    options,
    ...(gate && { gate }),
    ...(chain && { chain }),
    controller,
    calls,
    actions,
  };
}
