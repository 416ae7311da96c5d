import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createRetryFetch, outcomeOf, type RetryConfig } from '../../src/index.ts';
import type { Go, Told, Trouble } from './late-server.ts';
import { oneIn } from '../thorough.ts';

let server: ChildProcess;
let origin: string;
const folder = mkdtempSync(join(tmpdir(), 'late-timers-'));

beforeAll(async () => {
  server = fork(fileURLToPath(new URL('./late-server.ts', import.meta.url)), { execArgv: [] });
  const [told] = (await once(server, 'message')) as [Told];
  origin = `http://127.0.0.1:${'port' in told ? told.port : 0}`;
});

afterAll(() => {
  server.kill();
  rmSync(folder, { recursive: true });
});

const QUOTA = '{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}';
const HINT = '{"error":{"message":"Rate limit reached. Please try again in 20s.","code":"rate_limit_exceeded"}}';
const ANSWER = '{"id":"1","choices":[{"message":{"role":"assistant","content":"Yes."}}]}';
const chunk = (delta: object): string => `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`;

interface Case {
  readonly trouble: Omit<Trouble, 'encoding'>;
  readonly config: RetryConfig;
  /** The type of the failure, null for a success at once, and how long after the response headers a retry comes: 20 s at least. */
  readonly ends: readonly [type: string | null, ...seconds: readonly number[]];
}

const json = { type: 'application/json', isHeadFirst: true };
const events = { type: 'text/event-stream', isHeadFirst: true, status: 200 };
const LIMIT_MS = 250;
const held = { answers: { maxHoldMs: LIMIT_MS } };

/** Each limit on I/O; all of them are over before the client's process can read. */
const CASES: Readonly<Record<string, Case>> = {
  'a quota in a failed body': { trouble: { ...json, status: 429, body: QUOTA }, config: {}, ends: ['quota_exhausted'] },
  'a hint in a failed body': { trouble: { ...json, status: 429, body: HINT }, config: {}, ends: ['rate_limit', 20] },
  'a quota in a held JSON': { trouble: { ...json, status: 200, body: QUOTA }, config: held, ends: ['quota_exhausted'] },
  'a hint in a held JSON': { trouble: { ...json, status: 200, body: HINT }, config: held, ends: ['rate_limit', 20] },
  'a hint in a held stream': {
    trouble: { ...events, body: `data: ${HINT}\n\n` },
    config: held,
    ends: ['rate_limit', 20],
  },
  'a held JSON within attemptTimeoutMs': {
    trouble: { ...json, status: 200, body: ANSWER },
    config: { attemptTimeoutMs: LIMIT_MS },
    ends: [null],
  },
  'a held stream within attemptTimeoutMs': {
    trouble: { ...events, body: `${chunk({ content: 'Yes.' })}data: [DONE]\n\n` },
    config: { attemptTimeoutMs: LIMIT_MS },
    ends: [null],
  },
  'a watched stream within idleTimeoutMs': {
    trouble: { ...events, body: `${chunk({ content: 'Yes.' })}data: [DONE]\n\n` },
    config: { answers: { holdUntil: 'headers', idleTimeoutMs: LIMIT_MS } },
    ends: [null],
  },
  'the response headers within attemptTimeoutMs': {
    trouble: { ...json, status: 200, body: ANSWER, isHeadFirst: false },
    config: { attemptTimeoutMs: LIMIT_MS },
    ends: [null],
  },
};
const ENCODINGS = ['identity', 'gzip', 'br'] as const;
const RUNS = Object.entries(CASES).flatMap(([name, given]) =>
  ENCODINGS.map((encoding) => ({ name: `${name}, ${encoding}`, encoding, ...given })),
);
const expected = Object.fromEntries(RUNS.map(({ name, ends }) => [name, ends]));

/** After the timers that were late, a time limit takes so many times longer, so that a busy machine can read in it. */
const SLOWER = 20;

/**
 * A clock and timers for the limits of the library. They stand still until `start`, when all calls wait for their answer,
 * run as real ones until the first timer fires, and are slow from then on: what was there in time can be read in time.
 */
function controlTime() {
  const [setReal, clearReal, nowReal] = [setTimeout, clearTimeout, performance.now.bind(performance)];
  const waiting = new Map<object, { readonly begin: () => unknown }>();
  let startedAtMs = Infinity;
  let slowSinceMs = Infinity;
  const now = (): number => {
    const ms = Math.max(0, nowReal() - startedAtMs);
    const fastMs = Math.min(ms, slowSinceMs);
    return fastMs + (ms - fastMs) / SLOWER;
  };
  vi.stubGlobal('setTimeout', (callback: () => void, ms = 0, ...others: readonly unknown[]) => {
    // Those of fetch itself take longer, or have arguments.
    if (ms > LIMIT_MS || others.length > 0) return setReal(callback, ms, ...others);
    const timer: { real?: NodeJS.Timeout; unref: () => void } = { unref: () => {} };
    const fire = (): void => {
      slowSinceMs = Math.min(slowSinceMs, nowReal() - startedAtMs);
      callback();
    };
    const begin = (): unknown => (timer.real = setReal(fire, slowSinceMs < Infinity ? ms * SLOWER : ms));
    if (startedAtMs === Infinity) waiting.set(timer, { begin });
    else begin();
    return timer;
  });
  vi.stubGlobal('clearTimeout', (timer: NodeJS.Timeout | { readonly real?: NodeJS.Timeout } | undefined) => {
    if (timer !== undefined) waiting.delete(timer);
    clearReal(timer !== undefined && 'real' in timer ? timer.real : (timer as NodeJS.Timeout | undefined));
  });
  vi.spyOn(performance, 'now').mockImplementation(now);
  return {
    waitingTimers: () => waiting.size,
    start: () => {
      startedAtMs = nowReal();
      for (const { begin } of waiting.values()) begin();
    },
  };
}

let round = 0;

/** Makes all calls, lets the server answer them while this process does not run, and returns how they ended. */
async function endsWhile(
  notRunning: (answered: string) => void,
): Promise<Readonly<Record<string, readonly unknown[]>>> {
  round += 1;
  const time = controlTime();
  const allArrived = new Promise<void>((resolve) => {
    const hear = (told: Told): void => {
      if (!('arrived' in told) || told.arrived < RUNS.length) return;
      server.off('message', hear);
      resolve();
    };
    server.on('message', hear);
  });
  const calls = RUNS.map(async ({ name, trouble, encoding, config }, index) => {
    const seconds: number[] = [];
    let headAtMs = 0;
    const retrying = createRetryFetch({
      ...config,
      fetch: (input, init) => fetch(input, init).finally(() => (headAtMs = Date.now())),
      jitter: 'none',
      runtime: {
        sleep: async (ms) => void seconds.push(Math.min(20, Math.ceil((Date.now() - headAtMs + ms) / 1_000))),
      },
    });
    const query = new URLSearchParams({ trouble: JSON.stringify({ ...trouble, encoding }) });
    const response = await retrying(`${origin}/${round}/${index}/v1/chat/completions?${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"model":"m","messages":[]}',
    });
    await response.text();
    return [name, [outcomeOf(response)?.history[0]?.failure?.type ?? null, ...seconds]] as const;
  });
  const ends = Promise.all(calls);
  await allArrived;
  // Each call has its time limit: those whose response headers came first have begun to read.
  while (time.waitingTimers() < RUNS.length) await new Promise(setImmediate);
  const answered = join(folder, String(round));
  await new Promise<void>((resolve) => server.send({ answered } satisfies Go, () => resolve()));
  time.start();
  notRunning(answered);
  return Object.fromEntries(await ends);
}

const sleepSync = (ms: number): unknown => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

test.each(oneIn(2, [300, 3_000]))(
  'an event loop that is busy for %i ms loses nothing that was there in time',
  async (ms) => {
    const ends = await endsWhile((answered) => {
      sleepSync(ms);
      while (!existsSync(answered)) sleepSync(10);
    });
    expect(ends).toEqual(expected);
  },
);

test.skipIf(process.platform === 'win32')('a process that is stopped for 400 ms loses nothing', async () => {
  expect(await endsWhile(() => process.kill(process.pid, 'SIGSTOP'))).toEqual(expected);
});
