/** Runs a case through the public API and writes down what could be seen from outside, in order. */

import { getEventListeners } from 'node:events';
import {
  createFallback,
  createGate,
  createKeyRotation,
  createRetryFetch,
  type Failure,
  type FallbackChain,
  type FallbackRequest,
  type Gate,
  type GateReading,
  type AttemptRecord,
  type HttpTransport,
  presets,
  type OperationLabel,
  type PlannedRetry,
  type RetryConfig,
  type RetryPolicy,
  RetryController,
  type RetryEvent,
  outcomeOf,
  RetryExhaustedError,
  RetryTransport,
  type Runtime,
  withRetry,
} from '../../src/index.ts';
import { type CallPlan, type Case, type Deed, hintRuleOf, type Step } from './case.ts';
import { chanceOf } from './chance.ts';
import { type Answer, answerTo, SERVER_LISTENERS, type Watched } from './server.ts';
import { World } from './world.ts';

const URL_OF_CALL = 'https://api.example.com/v1/messages';
export const LATE_MS = 17;

/** One thing that was seen. `at`: the time that really passed; `order`: over all calls of the case. */
export type Entry = { readonly at: number; readonly order: number; readonly now: number } & (
  | { readonly what: 'start' }
  | {
      readonly what: 'send';
      readonly attempt: number;
      readonly step: Step;
      readonly target: string | null;
      readonly key: string | null;
      readonly headers: Readonly<Record<string, string>>;
    }
  | { readonly what: 'answer'; readonly attempt: number; readonly answer: Answer | { readonly thrown: unknown } }
  | { readonly what: 'event'; readonly event: RetryEvent; readonly nextAttemptAt: number | null }
  | { readonly what: 'onRetry'; readonly args: readonly unknown[] }
  | { readonly what: 'onExhausted'; readonly args: readonly unknown[] }
  | { readonly what: 'asked'; readonly attempt: number; readonly answer: boolean | 'throws' }
  | { readonly what: 'sleep'; readonly ms: number }
  | { readonly what: 'woken' }
  | { readonly what: 'deed'; readonly deed: Deed; readonly asleep: boolean }
  | {
      readonly what: 'end';
      readonly value?: unknown;
      readonly error?: unknown;
      readonly bodyUsed: boolean | null;
      readonly listeners: number;
      readonly timersLeft: readonly number[];
    }
);

export interface CallTrace {
  readonly plan: CallPlan;
  readonly entries: readonly Entry[];
  readonly abortReason: unknown;
  /** Of the response that came back: what could be read of it, and whether reading broke. */
  readonly read: { readonly text: string; readonly broke: boolean } | null;
  readonly history: readonly AttemptRecord[];
  readonly bodies: readonly Watched[];
}

export interface Trace {
  readonly outcome: 'over' | 'nothing left' | 'spinning';
  readonly calls: readonly CallTrace[];
  readonly unhandled: readonly unknown[];
  readonly gate: { readonly waiting: number; readonly readings: readonly GateReading[] } | null;
  readonly controller: {
    readonly isRetrying: boolean;
    readonly nextAttemptAt: number | null;
    readonly wasIdle: boolean;
    readonly told: number;
  } | null;
  /** Whether something happened to a call after its end. */
  readonly sleepsLeft: number;
}

export const CLASSIFY_ERROR = new Error('in classify');
export const ASKED_ERROR = new Error('in stopIf');

export async function runCase(plan: Case): Promise<Trace> {
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  process.on('unhandledRejection', note);
  try {
    return await World.use((world) => runIn(world, plan, unhandled));
  } finally {
    process.off('unhandledRejection', note);
  }
}

interface Running {
  readonly entries: Entry[];
  readonly abort: AbortController;
  readonly reason: unknown;
  readonly bodies: Watched[];
  readonly counts: Record<'start' | 'send' | 'sleep' | 'event' | 'asked', number>;
  asleep: number;
  ended: boolean;
  sent: number;
  read: { text: string; broke: boolean } | null;
  reader: ReadableStreamDefaultReader<Uint8Array> | null;
  history: readonly AttemptRecord[];
}

type Seen = Entry extends infer E ? (E extends Entry ? Omit<E, 'at' | 'order' | 'now'> : never) : never;

async function runIn(world: World, plan: Case, unhandled: unknown[]): Promise<Trace> {
  let order = 0;
  let sleepsLeft = 0;
  const startedAt = world.nowMs;
  const { jump } = plan;
  const jumpAt = jump === undefined ? Number.POSITIVE_INFINITY : startedAt + jump.atMs;
  const now =
    plan.clock === 'frozen' ? () => startedAt : () => world.nowMs + (world.nowMs < jumpAt ? 0 : (jump?.byMs ?? 0));
  const gate = gateOf(plan);
  const fallback = chainOf(plan);
  const controller = plan.controller ? new RetryController() : undefined;
  let told = 0;
  controller?.subscribe(() => void (told += 1));
  const running: Running[] = plan.calls.map((_, index) => ({
    entries: [],
    abort: new AbortController(),
    reason: index % 2 === 0 ? new Error(`abort of call ${index}`) : `abort of call ${index}`,
    bodies: [],
    counts: { start: 0, send: 0, sleep: 0, event: 0, asked: 0 },
    asleep: 0,
    ended: false,
    sent: 0,
    read: null,
    reader: null,
    history: [],
  }));
  const see = (call: Running, seen: Seen): void => {
    call.entries.push({ at: world.nowMs, order: (order += 1), now: now(), ...seen });
  };
  const does = (deed: Deed, index: number): void => {
    const called = running[index];
    const callPlan = plan.calls[index];
    if (called === undefined || callPlan === undefined) return;
    if (deed === 'abort') {
      if (!callPlan.hasSignal || called.abort.signal.aborted || called.ended) return;
      see(called, { what: 'deed', deed, asleep: called.asleep > 0 });
      called.abort.abort(called.reason);
      return;
    }
    if (controller === undefined) return;
    for (const call of running) see(call, { what: 'deed', deed, asleep: call.asleep > 0 });
    if (deed === 'retryNow') controller.retryNow();
    else if (deed === 'giveUp') controller.giveUp();
    else controller.enabled = deed === 'enable';
  };
  const reached = (index: number, when: keyof Running['counts']): void => {
    const call = running[index];
    if (call === undefined) return;
    call.counts[when] += 1;
    for (const action of plan.actions) {
      if (action.call !== index || action.when !== when) continue;
      if (when !== 'start' && action.nth !== call.counts[when]) continue;
      if (action.afterMs === null) does(action.deed, index);
      else world.in(action.afterMs, () => does(action.deed, index));
    }
  };

  const begin = (index: number): void => {
    const call = running[index];
    const callPlan = plan.calls[index];
    if (call === undefined || callPlan === undefined) return;
    const chance = chanceOf(plan.seed * 31 + index);
    const runtime: Partial<Runtime> = {
      now,
      ...(jump !== undefined && { monotonic: () => world.nowMs - startedAt }),
      random: () => plan.random ?? chance.number(),
      sleep: (ms, signal) => {
        see(call, { what: 'sleep', ms });
        call.asleep += 1;
        sleepsLeft += 1;
        return new Promise<void>((resolve, reject) => {
          let isOver = false;
          const wake = (): void => {
            isOver = true;
            call.asleep -= 1;
            sleepsLeft -= 1;
          };
          const moment = world.in(plan.clock === 'late' ? ms + LATE_MS : ms, () => {
            wake();
            signal?.removeEventListener('abort', stop);
            see(call, { what: 'woken' });
            resolve();
          });
          const stop = (): void => {
            if (isOver) return;
            world.cancel(moment);
            wake();
            // One that ignores its signal is left behind, which is no fault of the loop.
            if (!plan.deafSleep) reject(signal?.reason);
          };
          SERVER_LISTENERS.add(stop);
          if (signal?.aborted) stop();
          else signal?.addEventListener('abort', stop, { once: true });
          reached(index, 'sleep');
        });
      },
    };
    const send: Send = (target, headers, signal) => {
      call.sent += 1;
      const attempt = call.sent;
      const step =
        callPlan.steps[attempt - 1] ?? (callPlan.after === 'again' ? (callPlan.steps.at(-1) ?? SUCCESS) : SUCCESS);
      const key = headers['authorization'] ?? null;
      see(call, { what: 'send', attempt, step, target, key, headers });
      reached(index, 'send');
      return answerTo(step, {
        world,
        now,
        face: plan.face,
        signal,
        mark: `call ${index} attempt ${attempt}`,
        heard: (answer) => {
          if ('body' in answer) call.bodies.push(answer.body);
          see(call, { what: 'answer', attempt, answer });
        },
      });
    };
    const bad = (): unknown => {
      if (plan.options.badListeners === 'throw') throw new Error('listener');
      if (plan.options.badListeners === 'reject') return Promise.reject(new Error('listener'));
      return undefined;
    };
    const config: SharedConfig = {
      ...optionsOf(plan, world, (seen) => {
        see(call, seen);
        reached(index, 'asked');
      }),
      runtime,
      callId: `call ${index}`,
      ...(gate && { gate }),
      ...(fallback && { fallback }),
      ...(controller && { controller }),
      onRetry: (...args) => (see(call, { what: 'onRetry', args }), bad() as void),
      onExhausted: (...args) => (see(call, { what: 'onExhausted', args }), bad() as void),
      onEvent: (event) => {
        see(call, { what: 'event', event, nextAttemptAt: controller?.nextAttemptAt ?? null });
        reached(index, 'event');
        return bad() as void;
      },
    };
    const signal = callPlan.hasSignal ? call.abort.signal : undefined;
    if (callPlan.abortedBefore === true && signal !== undefined) {
      see(call, { what: 'deed', deed: 'abort', asleep: false });
      call.abort.abort(call.reason);
    }
    see(call, { what: 'start' });
    const finished = (value: { readonly value?: unknown; readonly error?: unknown }): void => {
      call.ended = true;
      const given = value.error instanceof RetryExhaustedError ? value.error.response : value.value;
      const response = given instanceof Response ? given : undefined;
      see(call, {
        what: 'end',
        ...value,
        bodyUsed: response === undefined ? null : response.bodyUsed,
        listeners: getEventListeners(call.abort.signal, 'abort').filter((listener) => !SERVER_LISTENERS.has(listener))
          .length,
        timersLeft: world.timersLeft(),
      });
      call.history = outcomeOf('error' in value ? value.error : value.value)?.history ?? [];
      if (response !== undefined && !response.bodyUsed) void read(call, response);
    };
    let promise: Promise<unknown>;
    try {
      promise = ask(plan, callPlan, index, config, signal, send);
    } catch (error) {
      finished({ error: new Error('It threw where it should reject.', { cause: error }) });
      return;
    }
    promise.then(
      (value) => finished({ value }),
      (error: unknown) => finished({ error }),
    );
    reached(index, 'start');
  };

  plan.calls.forEach(({ startMs }, index) => world.in(startMs, () => begin(index)));
  const isOver = (): boolean => running.every(({ ended }) => ended);
  let outcome = await world.runWhole(isOver);
  while (outcome === 'nothing left') {
    // Calls whose server never answers wait for their caller, who loses patience here.
    const stuck = running.flatMap((call, index) =>
      !call.ended && plan.calls[index]?.hasSignal && !call.abort.signal.aborted ? [index] : [],
    );
    if (stuck.length === 0) break;
    for (const index of stuck) does('abort', index);
    outcome = await world.runWhole(isOver);
  }
  const wasIdle = controller === undefined || (await isIdle(controller, world));
  const state = controller && {
    isRetrying: controller.isRetrying,
    nextAttemptAt: controller.nextAttemptAt,
    wasIdle,
    told,
  };
  const waitingAtEnd = gate?.waiting ?? 0;
  const asleepAtEnd = sleepsLeft;
  // What is left to drain drains, and what the callers got can be read.
  await world.runWhole();
  for (const { reader } of running) reader?.cancel().catch(() => {});
  await world.idle();
  return {
    outcome,
    unhandled: [...unhandled],
    calls: running.map(({ entries, reason, read: text, history, bodies }, index) => ({
      plan: plan.calls[index] ?? plan.calls[0],
      entries,
      abortReason: reason,
      read: text,
      history,
      bodies,
    })),
    gate: gate ? { waiting: waitingAtEnd, readings: gate.readings(now()) } : null,
    controller: state ?? null,
    sleepsLeft: outcome === 'over' ? asleepAtEnd : 0,
  };
}

const SUCCESS: Step = { kind: 'success', afterMs: 0 };

async function isIdle(controller: RetryController, world: World): Promise<boolean> {
  let idle = false;
  void controller.whenIdle().then(() => (idle = true));
  await world.idle();
  return idle;
}

async function read(call: Running, response: Response): Promise<void> {
  const seen = { text: '', broke: false };
  call.read = seen;
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  call.reader = reader;
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      seen.text += decoder.decode(value, { stream: true });
    }
  } catch {
    seen.broke = true;
  }
}

type Send = (
  target: string | null,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal | undefined,
) => Promise<unknown>;

function ask(
  plan: Case,
  callPlan: CallPlan,
  index: number,
  config: SharedConfig,
  signal: AbortSignal | undefined,
  send: Send,
): Promise<unknown> {
  const { face } = plan;
  const isStream = callPlan.body === 'stream' && face !== 'get' && face !== 'operation';
  const text = JSON.stringify({ model: 'own', call: index });
  const body = isStream ? new Blob([text]).stream() : text;
  const targetOf = (url: string, sent: unknown): string | null => {
    const parameter = new URL(url).searchParams.get('target');
    if (parameter !== null) return parameter;
    return typeof sent === 'string' ? (/"model":"(target \d)"/.exec(sent)?.[1] ?? null) : null;
  };
  if (face === 'operation') {
    return withRetry(({ signal: own, target }) => send(target ?? null, {}, own), {
      ...config,
      ...(signal && { signal }),
    });
  }
  if (face === 'fetch') {
    const inner = async (input: string | URL | Request, init?: RequestInit): Promise<Response> =>
      (await send(targetOf(String(input), init?.body), recordOf(init?.headers), init?.signal ?? undefined)) as Response;
    const init = {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
      ...(signal && { signal }),
      ...(isStream && { duplex: 'half' as const }),
    };
    return createRetryFetch({ fetch: inner, ...config })(URL_OF_CALL, init);
  }
  const transport: HttpTransport = {
    get: async (url, headers, own) => (await send(targetOf(url, undefined), recordOf(headers), own)) as Response,
    post: async (url, sent, headers, own) => (await send(targetOf(url, sent), recordOf(headers), own)) as Response,
  };
  const retrying = new RetryTransport(transport, config);
  const headers = { 'content-type': 'application/json' };
  return face === 'get'
    ? retrying.get(URL_OF_CALL, headers, signal)
    : retrying.post(URL_OF_CALL, body, headers, signal);
}

const recordOf = (headers: HeadersInit | undefined | null): Record<string, string> =>
  headers === undefined || headers === null ? {} : Object.fromEntries(new Headers(headers));

/** Options of a request or of a function. */
type SharedConfig = RetryPolicy & { readonly operation?: OperationLabel };

function optionsOf(plan: Case, world: World, asked: (seen: Seen) => void): SharedConfig {
  const { strategies, classify, stopIf, hold, retryAfter, badListeners: _, ...plain } = plan.options;
  const { exhausted, idempotencyKeyHeader, holdJson = false, retryUnknownErrors, ...policy } = plain;
  const ofRequests: Omit<RetryConfig, 'operation'> = {
    ...(exhausted !== undefined && { exhausted }),
    ...(idempotencyKeyHeader !== undefined && { idempotencyKeyHeader }),
    // Whether a request goes to a model would need the real rules.
    answers: {
      holdJson,
      ...(hold === false && { holdUntil: 'headers' as const }),
      ...(typeof hold === 'object' && { maxHoldMs: hold.maxHoldMs }),
    },
  };
  const preset: RetryPolicy = plan.preset === undefined ? {} : presets[plan.preset];
  return {
    ...preset,
    ...policy,
    ...(plan.face === 'operation' ? { ...(retryUnknownErrors !== undefined && { retryUnknownErrors }) } : ofRequests),
    ...(retryAfter !== undefined && { retryAfter: hintRuleOf(retryAfter) }),
    ...(strategies && { strategies: Object.fromEntries(strategies.map(({ type, ...strategy }) => [type, strategy])) }),
    ...(classify && { classify: (failure: Failure) => reclassified(failure, classify) }),
    ...(stopIf && {
      stopIf: ({ attempt }: PlannedRetry) => {
        const { answer, takesMs } = stopIf;
        const isFailing = answer === 'throws' || answer === 'rejects';
        const goesOn = isFailing ? 'throws' : answer === 'yes' || attempt <= answer.noAfter;
        asked({ what: 'asked', attempt, answer: goesOn });
        if (answer === 'throws') throw ASKED_ERROR;
        if (goesOn !== 'throws' && takesMs === null) return !goesOn;
        return new Promise<boolean>((resolve, reject) => {
          world.in(takesMs ?? 0, () => (goesOn === 'throws' ? reject(ASKED_ERROR) : resolve(!goesOn)));
        });
      },
    }),
  };
}

function reclassified(failure: Failure, how: NonNullable<Case['options']['classify']>): Failure | undefined {
  switch (how) {
    case 'keep':
      return undefined;
    case 'same':
      return failure;
    case 'copy':
      return { ...failure };
    case 'throws':
      throw CLASSIFY_ERROR;
    case 'retry-bad-request':
      return failure.status === 400 ? { ...failure, retryable: true } : undefined;
    case 'never-overloaded':
      return failure.type === 'overloaded' ? { ...failure, retryable: false } : undefined;
  }
}

function gateOf({ gate }: Case): Gate | undefined {
  if (gate === undefined) return undefined;
  return createGate({
    ...(!gate.cooldown && { cooldown: false }),
    retryBudget: gate.budget ?? false,
    ...(gate.circuit && {
      circuitBreaker: {
        opensAfter: { failures: gate.circuit.failures },
        openMs: gate.circuit.openMs,
        covers: gate.circuit.covers,
      },
    }),
    ...(gate.maxWaiting !== undefined && { maxWaiting: gate.maxWaiting }),
  });
}

function chainOf({ chain, face }: Case): FallbackChain | undefined {
  if (chain === undefined) return undefined;
  // A function gets the names of its targets.
  const isRequest = face !== 'operation';
  if (chain.kind === 'keys') {
    const keys = Array.from({ length: chain.keys }, (_, index) => `key-${index + 1}`);
    return createKeyRotation({ keys, ...(chain.restMs !== undefined && { restMs: { rate_limit: chain.restMs } }) });
  }
  return createFallback({
    targets: chain.targets.map(({ covers, where, context }, index) => ({
      name: `target ${index + 1}`,
      ...(context && { kind: 'context' as const }),
      ...(covers && { covers }),
      ...(isRequest &&
        where === 'other' && { url: `https://other${index}.example.com/v1/messages?target=target ${index + 1}` }),
      ...(isRequest && {
        rewrite: (request: FallbackRequest) => ({
          ...request,
          url: request.url.includes('target=') ? request.url : `${request.url}?target=target ${index + 1}`,
        }),
      }),
    })),
    ...(chain.maxRetriesBeforeFallback !== undefined && { maxRetriesBeforeFallback: chain.maxRetriesBeforeFallback }),
    ...(chain.additionalRetries !== undefined && { additionalRetries: chain.additionalRetries }),
  });
}
