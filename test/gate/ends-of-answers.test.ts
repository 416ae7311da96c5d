import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Response as UndiciResponse } from 'undici';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createDice } from '../../bench/dice.ts';
import { createGate, createRetryFetch } from '../../src/index.ts';
import { times } from '../thorough.ts';

/** How often each end is tried; more of them by hand. */
const ROUNDS = Number(process.env['ENDS_OF_ANSWERS'] ?? times({ thorough: 5, otherwise: 1 }));
const dice = createDice(Number(process.env['RANDOM_SEED'] ?? 1));
const pick = <T>(list: readonly [T, ...T[]]): T => list[Math.floor(dice() * list.length)] ?? list[0];
/** A slot is free at most so long after its end. */
const FREE_AFTER_MS = 150;

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');
const inNextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const EVENT = 'data: {"choices":[{"delta":{"content":"a"}}]}\n\n';
/** What an answer is made of. */
const KINDS = ['plain', 'stream', 'json'] as const;
type Kind = (typeof KINDS)[number];
const TYPES = { plain: 'text/plain', stream: 'text/event-stream', json: 'application/json' } as const;
const CHUNKS: Readonly<Record<Kind, readonly string[]>> = {
  plain: ['one ', 'two ', 'three'],
  stream: [EVENT, EVENT, 'data: [DONE]\n\n'],
  json: ['{"choices"', ':[]', '}'],
};

/** `isEndless`: nothing comes after the first chunk. */
function bodyOf(kind: Kind, isEndless: boolean, isOfBytes: boolean): ReadableStream {
  let pulled = 0;
  const source = {
    pull(controller: ReadableStreamDefaultController | ReadableByteStreamController): Promise<void> | void {
      const chunk = CHUNKS[kind][pulled];
      pulled += 1;
      if (isEndless && pulled > 1) return new Promise<void>(() => {});
      if (chunk === undefined) controller.close();
      else controller.enqueue(new TextEncoder().encode(chunk));
    },
  };
  return isOfBytes
    ? new ReadableStream({ ...source, type: 'bytes' })
    : new ReadableStream(source, { highWaterMark: 0 });
}

class OwnResponse extends Response {}

type Make = (body: BodyInit, init: ResponseInit) => Response;
/** The objects that an inner fetch may return. */
const MAKES: readonly [Make, ...Make[]] = [
  (body, init) => new Response(body, init),
  (body, init) => Object.freeze(new Response(body, init)),
  (body, init) => Object.preventExtensions(new Response(body, init)),
  // With bound methods.
  (body, init) =>
    new Proxy(new Response(body, init), {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    }),
  // With a text() of its own.
  (body, init) => {
    const { value } = Object.getOwnPropertyDescriptor(Response.prototype, 'text') ?? {};
    return Object.defineProperty(new Response(body, init), 'text', { value, configurable: false, writable: false });
  },
  (body, init) => new OwnResponse(body, init),
  (body, init) => Reflect.construct(UndiciResponse, [body, init]),
];

interface Ending {
  /** Nothing comes after its first chunk. */
  readonly isEndless?: boolean;
  /** Whether it is never used again. */
  readonly isDropped?: boolean;
  /** Ends when it settles, or earlier when it calls `over`. */
  readonly run: (answer: Response, over: () => void, leaving: AbortController) => unknown;
}

const readAll = async (body: ReadableStream<Uint8Array> | null): Promise<void> => {
  const reader = body?.getReader();
  for (;;) if ((await reader?.read())?.done !== false) return;
};
const sink = (write: () => void = () => {}): WritableStream<Uint8Array> => new WritableStream({ write });
const fail = (): never => {
  throw new Error('full');
};

const ENDINGS: Readonly<Record<string, Ending>> = {
  'read by text()': { run: (answer) => answer.text() },
  'read by json()': { run: (answer) => answer.json() },
  'read by arrayBuffer()': { run: (answer) => answer.arrayBuffer() },
  'read by blob()': { run: (answer) => answer.blob() },
  'read by bytes()': { run: (answer) => answer.bytes() },
  'read by its reader': { run: ({ body }) => readAll(body) },
  'read by a loop': {
    run: async ({ body }) => {
      for await (const chunk of body ?? []) expect(chunk).toBeDefined();
    },
  },
  'looked at and then read': { run: (answer) => (answer.body === null ? undefined : answer.text()) },
  'given to another response': { run: ({ body }) => new Response(body).text() },
  'left in a loop': {
    run: async ({ body }, over) => {
      for await (const _ of body ?? []) {
        over();
        break;
      }
    },
  },
  cancelled: { run: ({ body }, over) => (over(), body?.cancel()) },
  'cancelled by its reader': {
    run: async ({ body }, over) => {
      const reader = body?.getReader();
      await reader?.read();
      over();
      await reader?.cancel('enough');
    },
  },
  piped: { run: ({ body }) => body?.pipeTo(sink()) },
  'piped into a target that fails': { run: ({ body }, over) => body?.pipeTo(sink(() => (over(), fail()))) },
  'piped through another stream': { run: ({ body }) => readAll(body?.pipeThrough(new TransformStream()) ?? null) },
  'teed and read twice': { run: ({ body }) => Promise.all((body?.tee() ?? []).map(readAll)) },
  'teed and cancelled twice': {
    run: ({ body }, over) => (over(), Promise.all((body?.tee() ?? []).map((each) => each.cancel()))),
  },
  'teed, read and cancelled': {
    run: ({ body }) => {
      const [one, two] = body?.tee() ?? [];
      return Promise.all([readAll(one ?? null), two?.cancel()]);
    },
  },
  'cloned and read twice': { run: (answer) => Promise.all([answer.clone().text(), answer.text()]) },
  'looked at, cloned and read twice': {
    run: (answer) => (answer.body?.locked, Promise.all([answer.clone().text(), answer.text()])),
  },
  'cloned and read, of which the copy is cancelled': {
    run: (answer) => (void answer.clone().body?.cancel(), answer.text()),
  },
  'cloned, of which the copy is read': { run: (answer) => answer.clone().text() },
  'cloned and cancelled twice': {
    run: (answer, over) => (over(), Promise.all([answer.clone().body?.cancel(), answer.body?.cancel()])),
  },
  'aborted before it is read': { isEndless: true, run: (_answer, over, leaving) => (over(), leaving.abort()) },
  'aborted between two reads': {
    isEndless: true,
    run: async ({ body }, over, leaving) => {
      await body?.getReader().read();
      over();
      leaving.abort();
    },
  },
  'aborted during a read': {
    isEndless: true,
    run: async ({ body }, over, leaving) => {
      const reader = body?.getReader();
      await reader?.read();
      void reader?.read();
      await inNextTurn();
      over();
      leaving.abort();
    },
  },
  'aborted while it is read whole': {
    isEndless: true,
    run: async (answer, over, leaving) => {
      void answer.text();
      await inNextTurn();
      over();
      leaving.abort();
    },
  },
  dropped: { isDropped: true, run: () => {} },
  'dropped after a look': { isDropped: true, run: ({ body }) => void body?.locked },
  'dropped with its reader': { isDropped: true, run: ({ body }) => void body?.getReader() },
  'dropped after a read': { isDropped: true, run: async ({ body }) => void (await body?.getReader().read()) },
  'dropped with its copy': { isDropped: true, run: (answer) => void answer.clone() },
  'aborted in flight': { run: (_answer, over, leaving) => (over(), leaving.abort()) },
};
const NEVER_ANSWERED = 'aborted in flight';

interface Case {
  readonly kind: Kind;
  readonly make: Make;
  readonly ending: string;
  readonly isOfBytes: boolean;
}

/** Each end once, in any order, of an answer of any kind. */
const drawCases = (): readonly Case[] =>
  Object.keys(ENDINGS)
    .map((ending) => ({ ending, place: dice() }))
    .toSorted((one, other) => one.place - other.place)
    .map(({ ending }) => ({ kind: pick(KINDS), make: pick(MAKES), ending, isOfBytes: dice() < 0.5 }));

function answerOf({ kind: given, make, ending, isOfBytes }: Case): Response {
  const { isEndless = false } = ENDINGS[ending] ?? {};
  // JSON is held until its end, which would not come.
  const kind = isEndless && given === 'json' ? 'plain' : given;
  return make(bodyOf(kind, isEndless, isOfBytes), { headers: { 'content-type': TYPES[kind] } });
}

/** Sends all calls at once, ends one answer after the other, and counts what is sent after each. */
class Run {
  readonly concurrent: number;
  readonly cases: readonly Case[];
  readonly sent: number[] = [];
  readonly ended = new Set<number>();
  readonly leaving: readonly AbortController[];
  readonly answers = new Map<number, Response>();
  readonly errors: string[] = [];

  constructor(concurrent: number, each: readonly Case[]) {
    this.concurrent = concurrent;
    this.cases = each;
    this.leaving = each.map(() => new AbortController());
    const fetch = createRetryFetch({
      fetch: async (_url, init) => {
        const index = Number(new Headers(init?.headers).get('x-call'));
        const own = this.cases[index];
        this.sent.push(index);
        // The gate may hear of an end a few promises before the caller does.
        void inNextTurn().then(() => {
          if (this.open > concurrent) this.errors.push(`${this.open} at a time`);
        });
        if (own === undefined || own.ending === NEVER_ANSWERED) return new Promise<Response>(() => {});
        return answerOf(own);
      },
      maxRetries: 0,
      gate: createGate({ limits: { concurrent } }),
    });
    for (const index of each.keys()) this.ask(fetch, index);
  }

  private ask(fetch: typeof globalThis.fetch, index: number): void {
    const { signal = null } = this.leaving[index] ?? {};
    const init = { method: 'POST', body: '{"model":"m","messages":[]}', headers: { 'x-call': String(index) }, signal };
    fetch('https://api.openai.com/v1/chat/completions', init).then(
      (answer) => void this.answers.set(index, answer),
      (error: unknown) => {
        if (signal?.aborted !== true) this.errors.push(`call ${index} rejected: ${String(error)}`);
      },
    );
  }

  get open(): number {
    return this.sent.length - this.ended.size;
  }

  /** Those that can be ended: they have their answer, or will never get one. */
  get endable(): readonly number[] {
    return this.sent.filter(
      (index) => !this.ended.has(index) && (this.answers.has(index) || this.cases[index]?.ending === NEVER_ANSWERED),
    );
  }

  async end(index: number): Promise<void> {
    const { run } = ENDINGS[this.cases[index]?.ending ?? ''] ?? { run: fail };
    const leaving = this.leaving[index] ?? new AbortController();
    const over = (): void => void this.ended.add(index);
    await Promise.resolve(run(this.take(index), over, leaving)).catch((error: unknown) => String(error));
    over();
  }

  /** The answer is kept only where its end keeps it. */
  private take(index: number): Response {
    const answer = this.answers.get(index) ?? new Response(null);
    this.answers.delete(index);
    return answer;
  }
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] }));
afterEach(() => void vi.useRealTimers());

/** Lets time pass until the condition holds. `step` runs before each pause. */
async function passUntil(isMet: () => boolean, mostMs: number, step: () => void = () => {}): Promise<void> {
  for (let passedMs = 0; ; passedMs += 10) {
    // What a promise or a frame of this turn refers to is collected in the next one.
    for (let turn = 0; turn < 5 && !isMet(); turn += 1) await inNextTurn();
    if (isMet() || passedMs >= mostMs) return;
    step();
    await vi.advanceTimersByTimeAsync(10);
  }
}

test('whatever becomes of its answer, a call never rejects, and its slot is free soon after its end, and given once', async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const concurrent = 1 + Math.floor(8 * dice());
    const cases = drawCases();
    const run = new Run(concurrent, cases);
    while (run.ended.size < cases.length) {
      await passUntil(() => run.endable.length === run.open && run.sent.length > run.ended.size, 2_000);
      expect([run.endable.length, run.errors]).toEqual([Math.min(concurrent, cases.length - run.ended.size), []]);
      const index = run.endable[Math.floor(dice() * run.endable.length)] ?? 0;
      await run.end(index);
      const expected = Math.min(cases.length, run.ended.size + concurrent);
      const { make, ending = '' } = cases[index] ?? {};
      const isFree = (): boolean => run.sent.length >= expected;
      // A collection keeps what the marking before it had seen in use: one is not always enough.
      await passUntil(isFree, FREE_AFTER_MS, () => ENDINGS[ending]?.isDropped === true && collect());
      const how = `${ending}, of ${String(make)}`;
      expect([how, run.sent.length, run.errors]).toEqual([how, expected, []]);
    }
  }
});
