/** A server in a table and a clock in a variable: what the loop's tests run on instead of sockets and sleep. */

import type {
  Fetch,
  HttpHeaders,
  HttpTransport,
  RetryConfig,
  RetryEvent,
  Runtime,
  OperationContext,
  OperationRetryConfig,
} from '../src/index.ts';

/** What the script answers with: a status, a response, an error to throw, or a function of the attempt. */
export type Step =
  | number
  | Response
  | Error
  | ((input: unknown, init: RequestInit | undefined) => Response | Promise<Response>);

export interface ScriptedFetch extends Fetch {
  readonly calls: {
    readonly input: Parameters<Fetch>[0];
    readonly init: RequestInit | undefined;
    readonly at: number;
  }[];
}

/** A fetch that answers one step per call; the last repeats. A response is cloned for each call. */
export function script(runtime: Runtime, ...steps: readonly [Step, ...Step[]]): ScriptedFetch {
  const calls: ScriptedFetch['calls'] = [];
  const fetch = async (input: Parameters<Fetch>[0], init?: RequestInit): Promise<Response> => {
    const step = steps[Math.min(calls.length, steps.length - 1)] ?? 200;
    calls.push({ input, init, at: runtime.now() });
    if (step instanceof Error) throw step;
    if (typeof step === 'function') return step(input, init);
    return typeof step === 'number' ? respond(step) : step.clone();
  };
  return Object.assign(fetch, { calls });
}

export interface ScriptedTransport extends HttpTransport {
  /** The arguments of each call, as many as there were. */
  readonly calls: (readonly unknown[])[];
}

/** A transport that answers one step per call of either method; the last repeats. A response is returned unchanged. */
export function scriptTransport(...steps: readonly [Step, ...Step[]]): ScriptedTransport {
  const calls: (readonly unknown[])[] = [];
  const answer = async (...args: readonly unknown[]): Promise<Response> => {
    const step = steps[Math.min(calls.length, steps.length - 1)] ?? 200;
    calls.push(args);
    if (step instanceof Error) throw step;
    if (typeof step === 'function') return step(args[0], undefined);
    return typeof step === 'number' ? respond(step) : step;
  };
  return {
    calls,
    get: (...args: [url: string, headers?: HttpHeaders, signal?: AbortSignal]) => answer(...args),
    post: (...args: [url: string, body: unknown, headers?: HttpHeaders, signal?: AbortSignal]) => answer(...args),
  };
}

export function respond(status: number, headers: Record<string, string> = {}, body: BodyInit | null = null): Response {
  return new Response(body, { status, headers });
}

/** The JSON error envelope that most providers use. */
export function respondError(
  status: number,
  error: Record<string, unknown>,
  headers: Record<string, string> = {},
): Response {
  return respond(status, { 'content-type': 'application/json', ...headers }, JSON.stringify({ error }));
}

export interface FakeRuntime extends Runtime {
  /** The requested waits, in order. */
  readonly slept: number[];
  time: number;
}

/** A clock that moves only during a sleep. */
export function fakeRuntime(random: () => number = () => 0.5): FakeRuntime {
  const runtime: FakeRuntime = {
    slept: [],
    time: 1_800_000_000_000,
    now: () => runtime.time,
    random,
    sleep: async (ms, signal) => {
      signal?.throwIfAborted();
      runtime.slept.push(ms);
      runtime.time += ms;
    },
  };
  return runtime;
}

export interface HeldRuntime extends Runtime {
  /** The waits in progress, in the order they began. */
  readonly waits: { readonly ms: number; readonly signal: AbortSignal | undefined; readonly end: () => void }[];
  time: number;
  /** Resolves when a wait has begun that was not there before. */
  untilWaiting(): Promise<void>;
}

/** A clock whose sleeps end when the test says so, and which does not listen to any signal. */
export function heldRuntime(): HeldRuntime {
  const awaited: (() => void)[] = [];
  const runtime: HeldRuntime = {
    waits: [],
    time: 1_800_000_000_000,
    now: () => runtime.time,
    random: () => 0.5,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const wait = {
          ms,
          signal,
          end: (): void => {
            runtime.waits.splice(runtime.waits.indexOf(wait), 1);
            runtime.time += ms;
            resolve();
          },
        };
        runtime.waits.push(wait);
        for (const tell of awaited.splice(0)) tell();
      }),
    untilWaiting: () => new Promise((resolve) => awaited.push(resolve)),
  };
  return runtime;
}

/** The events that tell what was decided. What a test asserts of them, a new type of event does not change. */
const DECISIONS = ['retry', 'fallback', 'recovered', 'failed', 'cancelled'] as const;

/** The decisions among events, in order. */
export function decisionsOf(
  events: readonly RetryEvent[],
): Extract<RetryEvent, { type: (typeof DECISIONS)[number] }>[] {
  return events.filter((event) => DECISIONS.some((type) => type === event.type)) as ReturnType<typeof decisionsOf>;
}

/** Options that collect the decisions. */
export function observed(config: RetryConfig = {}): RetryConfig & Observed {
  return { ...config, ...observer() };
}

/** The same for an operation. */
export function observedOperation(config: OperationRetryConfig = {}): OperationRetryConfig & Observed {
  return { ...config, ...observer() };
}

interface Observed {
  readonly events: ReturnType<typeof decisionsOf>;
}

function observer(): Observed & { readonly onEvent: (event: RetryEvent) => void } {
  const events: ReturnType<typeof decisionsOf> = [];
  return { events, onEvent: (event) => void events.push(...decisionsOf([event])) };
}

/** What the client of an API throws. */
export class ApiError extends Error {
  readonly status: number;
  constructor(status: number, message = 'from the API') {
    super(message);
    this.status = status;
  }
}

/** An operation that throws these in turn, and then gives "done". */
export function failing(...errors: readonly unknown[]): {
  readonly operation: (context: OperationContext) => string;
  readonly contexts: readonly OperationContext[];
} {
  const contexts: OperationContext[] = [];
  const operation = (context: OperationContext): string => {
    contexts.push(context);
    if (contexts.length <= errors.length) throw errors[contexts.length - 1];
    return 'done';
  };
  return { operation, contexts };
}

/** What a call threw; fails when it threw nothing. */
export async function thrownBy(call: Promise<unknown>): Promise<unknown> {
  try {
    await call;
  } catch (error) {
    return error;
  }
  throw new Error('Expected the call to reject, but it resolved.');
}

/** What settles at once takes fewer turns of the event loop, and what waits for anything takes thousands. */
export const AT_ONCE_TURNS = 50;

/** In how many turns of the event loop a promise has settled. Milliseconds would also say how busy the machine is. */
export async function turnsOf(promise: Promise<unknown>): Promise<number> {
  const state = { isSettled: false };
  const settled = (): void => void (state.isSettled = true);
  promise.then(settled, settled);
  let turns = 0;
  for (; !state.isSettled && turns < 1_000; turns += 1) await new Promise((resolve) => setImmediate(resolve));
  return turns;
}

/** What a call threw once it was aborted, and after how many turns of the event loop. */
export async function abortedIn(
  call: Promise<unknown>,
  controller: AbortController,
  reason: unknown,
): Promise<{ readonly thrown: unknown; readonly turns: number }> {
  const thrown = thrownBy(call);
  controller.abort(reason);
  const turns = await turnsOf(thrown);
  return { thrown: await thrown, turns };
}

/** A body that never delivers anything, and records whether it was cancelled. */
export function hangingBody(first?: Uint8Array): {
  readonly body: ReadableStream<Uint8Array>;
  readonly isCancelled: () => boolean;
} {
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      if (first !== undefined) controller.enqueue(first);
    },
    pull: () => new Promise(() => {}),
    cancel: () => {
      cancelled = true;
    },
  });
  return { body, isCancelled: () => cancelled };
}

/** Lets everything that is ready run, timers of 0 ms included. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Where every request of these tests goes. */
export const URL_OF_TEST = 'https://api.example.com/v1/messages';
