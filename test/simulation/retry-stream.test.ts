/**
 * Random streams of objects in virtual time: errors that are thrown and emitted, before and after the content, slow and
 * deaf sources, aborts, and consumers that leave, each judged by the contract alone. `STREAM_CASES=50000` runs more of
 * them, `RANDOM_SEED=50001` begins elsewhere, `STREAM_SEED=4711` runs one.
 */

import { getEventListeners } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { VirtualTime } from '../../bench/virtual-time.ts';
import { createGate, type OperationContext, type RetryEvent, retryStream, withRetry } from '../../src/index.ts';
import { times } from '../thorough.ts';
import { type Chance, chanceOf } from './chance.ts';

const CASES = Number(process.env['STREAM_CASES'] ?? times({ thorough: 2_000, otherwise: 250 }));
const FROM = Number(process.env['RANDOM_SEED'] ?? 1);
const ONLY = process.env['STREAM_SEED'];

const unhandled: unknown[] = [];
const note = (error: unknown): void => void unhandled.push(error);
beforeAll(() => void process.on('unhandledRejection', note));
afterAll(() => void process.off('unhandledRejection', note));

/** What a source says next, after so long; a multiple of 10 ms, so that nothing meets a time limit. */
interface Said {
  readonly what: 'start' | 'text' | 'retryable' | 'final' | 'throws' | 'bug' | 'hangs';
  readonly afterMs: number;
}

interface Case {
  readonly seed: number;
  /** What each attempt says before it ends; the last repeats. */
  readonly attempts: readonly (readonly Said[])[];
  /** A generator, or an object of its own, which is deaf to everything; one without `return()`. */
  readonly source: 'generator' | 'own' | 'no return';
  readonly makeMs: number;
  readonly maxRetries: number;
  readonly everyValueIsContent: boolean;
  readonly attemptTimeoutMs: number | undefined;
  readonly isGated: boolean;
  /** How many `next()` are pending at once, and the pause after each. */
  readonly parallel: number;
  readonly pauseMs: number;
  readonly leavesAfter: number;
  readonly leavesAtMs: number;
  readonly abortsAtMs: number;
}

const NEVER = 1_000_000;

function caseOf(seed: number): Case {
  const chance = chanceOf(seed);
  const wait = (): number => 10 * chance.pick([0, 0, 1, 3, 20]);
  return {
    seed,
    attempts: Array.from({ length: chance.integer(1, 4) }, () => attemptOf(chance.of(`attempt ${wait()}`), wait)),
    source: chance.pick(['generator', 'generator', 'own', 'no return']),
    makeMs: wait(),
    maxRetries: chance.integer(0, 4),
    everyValueIsContent: chance.hit(0.2),
    attemptTimeoutMs: chance.hit(0.3) ? chance.pick([25, 95]) : undefined,
    isGated: chance.hit(0.3),
    parallel: chance.pick([1, 1, 2, 4]),
    pauseMs: wait(),
    leavesAfter: chance.hit(0.2) ? chance.integer(0, 3) : NEVER,
    leavesAtMs: chance.hit(0.2) ? chance.integer(0, 500) : NEVER,
    abortsAtMs: chance.hit(0.25) ? chance.integer(0, 500) : NEVER,
  };
}

function attemptOf(chance: Chance, wait: () => number): readonly Said[] {
  const said = (what: Said['what']): Said => ({ what, afterMs: wait() });
  const before = Array.from({ length: chance.integer(0, 2) }, () => said('start'));
  const content = chance.hit(0.5) ? Array.from({ length: chance.integer(1, 4) }, () => said('text')) : [];
  const last = chance.pick(['none', 'none', 'retryable', 'final', 'throws', 'throws', 'bug', 'hangs']);
  return [...before, ...content, ...(last === 'none' ? [] : [said(last)])];
}

interface Value {
  readonly type: 'start' | 'text' | 'error';
  readonly retryable?: boolean;
  /** Its number, and that of its attempt. */
  readonly at: readonly [attempt: number, index: number];
}

const overloaded = (): Error => Object.assign(new Error('overloaded_error'), { status: 529 });

/** The sources of a case, and what was done to each. */
class Sources {
  readonly starts: number[] = [];
  readonly logs: { returns: number; isOver: boolean; hasContent: boolean; pending: number }[] = [];
  readonly wrong: string[] = [];
  readonly #plan: Case;
  readonly #time: VirtualTime;
  readonly #isAwaited: () => boolean;

  constructor(plan: Case, time: VirtualTime, isAwaited: () => boolean) {
    this.#plan = plan;
    this.#time = time;
    this.#isAwaited = isAwaited;
  }

  readonly make = async ({ signal }: OperationContext): Promise<AsyncIterable<Value, string>> => {
    const { attempts, source, makeMs } = this.#plan;
    const number = this.starts.push(this.#time.elapsedMs);
    const script = attempts[Math.min(number, attempts.length) - 1] ?? [];
    const log = { returns: 0, isOver: false, hasContent: false, pending: 0 };
    this.logs.push(log);
    if (makeMs > 0) await this.#time.after(makeMs);
    let index = 0;
    const step = async (): Promise<IteratorResult<Value, string>> => {
      if (log.pending > 0) this.wrong.push('two reads of a source at once');
      if (log.hasContent && !this.#isAwaited()) this.wrong.push('read ahead of the consumer');
      if (log.isOver) this.wrong.push('read after its end');
      log.pending += 1;
      try {
        return await this.#say(script[index], [number, index++], log, source === 'generator' ? signal : undefined);
      } finally {
        log.pending -= 1;
      }
    };
    const finish = async (): Promise<IteratorResult<Value, string>> => {
      if (log.isOver) this.wrong.push('closed after its end');
      log.returns += 1;
      return { done: true, value: 'left' };
    };
    if (source === 'own') return { [Symbol.asyncIterator]: () => ({ next: step, return: finish }) };
    if (source === 'no return') return { [Symbol.asyncIterator]: () => ({ next: step }) };
    const generator = (async function* () {
      for (;;) {
        const { done, value } = await step();
        if (done === true) return value;
        yield value;
      }
    })();
    const close = generator.return.bind(generator);
    return Object.assign(generator, { return: (value: string) => finish().then(() => close(value)) });
  };

  async #say(
    said: Said | undefined,
    at: Value['at'],
    log: { isOver: boolean; hasContent: boolean },
    signal: AbortSignal | undefined,
  ): Promise<IteratorResult<Value, string>> {
    if (said !== undefined && said.afterMs > 0) await this.#time.after(said.afterMs);
    const { what } = said ?? { what: 'ends' };
    switch (what) {
      case 'ends':
        log.isOver = true;
        return { done: true, value: `end ${at[0]}` };
      case 'throws':
      case 'bug':
        log.isOver = true;
        throw what === 'bug' ? new TypeError('a bug') : overloaded();
      case 'hangs':
        return new Promise((_resolve, reject) => {
          const end = (): void => {
            log.isOver = true;
            reject(signal?.reason);
          };
          if (signal?.aborted === true) end();
          signal?.addEventListener('abort', end);
        });
      case 'retryable':
      case 'final':
        return { done: false, value: { type: 'error', retryable: what === 'retryable', at } };
      case 'start':
      case 'text':
        if (what === 'text' || this.#plan.everyValueIsContent) log.hasContent = true;
        return { done: false, value: { type: what, at } };
    }
  }
}

/** How an attempt of a consumer that stays ends: what it shows, whether that is retried, and how the stream ends then. */
function outcomeOfAttempt(plan: Case, script: readonly Said[]) {
  const { attemptTimeoutMs = Infinity, everyValueIsContent, makeMs } = plan;
  const values = script.filter(({ what }) => what !== 'throws' && what !== 'bug' && what !== 'hangs').length;
  if (makeMs > attemptTimeoutMs) return { isRetried: true, shows: 0, ends: 'throws' as const };
  let atMs = makeMs;
  for (const [index, { what, afterMs }] of script.entries()) {
    atMs += afterMs;
    if (atMs > attemptTimeoutMs || (what === 'hangs' && attemptTimeoutMs !== Infinity))
      return { isRetried: true, shows: index, ends: 'throws' as const };
    if (what === 'text' || (what === 'start' && everyValueIsContent)) break;
    if (what === 'retryable' || what === 'throws' || what === 'bug')
      return { isRetried: what !== 'bug', shows: values, ends: endOf(script) };
    if (what === 'hangs') return { isRetried: false, shows: 0, ends: 'hangs' as const };
    if (what === 'final') break;
  }
  return { isRetried: false, shows: values, ends: endOf(script) };
}

function endOf(script: readonly Said[]): 'done' | 'throws' | 'hangs' {
  const last = script.at(-1)?.what;
  return last === 'hangs' ? 'hangs' : last === 'throws' || last === 'bug' ? 'throws' : 'done';
}

/** What the consumer sees who stays to the end. */
function expectedOf(plan: Case) {
  for (let number = 1; ; number += 1) {
    const outcome = outcomeOfAttempt(plan, plan.attempts[Math.min(number, plan.attempts.length) - 1] ?? []);
    if (!outcome.isRetried || number > plan.maxRetries) return { ...outcome, number };
  }
}

interface Run {
  readonly seen: readonly Value[];
  readonly end:
    | { readonly how: 'done' | 'left'; readonly value: unknown }
    | { readonly how: 'threw'; readonly error: unknown };
  readonly sources: Sources;
  readonly events: readonly RetryEvent[];
  readonly listeners: number;
  readonly isSlotFree: boolean;
  readonly endedAtMs: number;
}

async function play(plan: Case, time: VirtualTime): Promise<Run> {
  const events: RetryEvent[] = [];
  const seen: Value[] = [];
  const caller = new AbortController();
  const runtime = time.runtime(() => 0.5);
  const gate = plan.isGated
    ? createGate({ limits: { concurrent: 1 }, cooldown: false, retryBudget: false })
    : undefined;
  let awaited = 0;
  const sources = new Sources(plan, time, () => awaited > 0);
  const stream = retryStream(sources.make, {
    signal: caller.signal,
    maxRetries: plan.maxRetries,
    baseDelayMs: 15,
    isContent: plan.everyValueIsContent ? undefined : ({ type }) => type === 'text',
    attemptTimeoutMs: plan.attemptTimeoutMs,
    gate,
    runtime,
    onEvent: (event) => void events.push(event),
  });
  time.in(plan.abortsAtMs, () => caller.abort('aborted'));
  // A source that hangs for ever is left in the end.
  const leaving = Promise.race([time.after(plan.leavesAtMs), time.after(20_000)]).then(async () => {
    await stream.return('left');
    return { how: 'left', value: 'left' } as const;
  });
  const consumed = (async (): Promise<Run['end']> => {
    try {
      for (;;) {
        if (seen.length >= plan.leavesAfter) {
          await stream.return('left');
          return { how: 'left', value: 'left' };
        }
        awaited += plan.parallel;
        const steps = Array.from({ length: plan.parallel }, async () => {
          try {
            const step = await stream.next();
            if (step.done !== true) seen.push(step.value);
            return step;
          } finally {
            awaited -= 1;
          }
        });
        for (const step of await Promise.allSettled(steps)) {
          if (step.status === 'rejected') throw step.reason;
          if (step.value.done === true) return { how: 'done', value: step.value.value };
        }
        if (plan.pauseMs > 0) await time.after(plan.pauseMs);
      }
    } catch (error) {
      return { how: 'threw', error };
    }
  })();
  const end = await Promise.race([consumed, leaving]);
  const endedAtMs = time.elapsedMs;
  // What is late comes now.
  await time.after(30_000);
  await consumed;
  let isSlotFree = true;
  if (gate !== undefined) {
    isSlotFree = false;
    await Promise.race([withRetry(() => void (isSlotFree = true), { gate, runtime }), time.after(1_000)]);
  }
  const listeners = getEventListeners(caller.signal, 'abort').length;
  return { seen, end, sources, events, listeners, isSlotFree, endedAtMs };
}

const ENDS = ['recovered', 'failed', 'cancelled'];

function* violations(plan: Case, run: Run): Generator<string> {
  const { seen, end, sources, events, listeners, isSlotFree, endedAtMs } = run;
  const { starts, logs, wrong } = sources;
  yield* wrong;
  if (listeners > 0) yield `${listeners} listeners left`;
  if (!isSlotFree) yield 'a slot of the gate is still taken';
  const attempts = new Set(seen.map(({ at }) => at[0]));
  if (attempts.size > 1) yield `values of the attempts ${[...attempts].join()}`;
  if (attempts.size === 1 && !attempts.has(starts.length)) yield 'values of an attempt that was not the last';
  for (const [index, { at }] of seen.entries()) if (at[1] !== index) yield `value ${at[1]} at ${index}`;
  for (const [index, { returns, isOver }] of logs.entries()) {
    const isOpen = !isOver && returns === 0 && plan.source !== 'no return';
    if (isOpen || returns > 1) yield `source ${index + 1} was closed ${returns} times`;
  }
  if (starts.length > plan.maxRetries + 1) yield `${starts.length} attempts`;
  if (starts.some((at) => at > Math.min(plan.abortsAtMs, endedAtMs))) yield 'an attempt after the end';
  const ids = new Set(events.map(({ callId }) => callId));
  const ends = events.filter(({ type }) => ENDS.includes(type));
  const retries = events.filter(({ type }) => type === 'retry').length;
  if (ids.size > 1 || ends.length > 1 || (retries > 0 && ends.length !== 1))
    yield `${ids.size} chains, ${retries} retries, ends: ${ends.map(({ type }) => type).join()}`;
  if (ends.length > 0 && events.at(-1) !== ends[0]) yield 'an event after the end';
  if (end.how === 'threw' && plan.abortsAtMs > endedAtMs && end.error === 'aborted') yield 'aborted before the abort';
  const isLeft = Math.min(plan.leavesAfter, plan.leavesAtMs) !== NEVER || plan.abortsAtMs !== NEVER;
  if (isLeft) return;
  const { number, shows, ends: ending } = expectedOf(plan);
  if (starts.length !== number) yield `${starts.length} attempts, expected ${number}`;
  if (seen.length !== shows) yield `${seen.length} values, expected ${shows}`;
  const how = end.how === 'threw' ? 'throws' : end.how === 'left' ? 'hangs' : 'done';
  if (how !== ending) yield `${how}, expected ${ending}`;
  if (end.how === 'done' && end.value !== `end ${number}`) yield `returned ${String(end.value)}`;
}

/** The first violations of the cases from `from` to `to`. */
async function reports(from: number, to: number): Promise<readonly string[]> {
  const found: string[] = [];
  for (let seed = from; seed <= to && found.length < 3; seed += 1) {
    const plan = caseOf(seed);
    const time = new VirtualTime();
    unhandled.length = 0;
    const run = await time.run(() => play(plan, time));
    const wrong = [...violations(plan, run), ...unhandled.map((error) => `unhandled: ${String(error)}`)];
    if (wrong.length > 0) found.push(`STREAM_SEED=${seed}: ${wrong.join('; ')}\n${JSON.stringify(plan)}`);
  }
  return found;
}

test('random streams yield nothing twice, lose nothing after the content, and are closed once', async () => {
  const [from, to] = ONLY === undefined ? [FROM, FROM + CASES - 1] : [Number(ONLY), Number(ONLY)];
  expect(await reports(from, to)).toEqual([]);
});
