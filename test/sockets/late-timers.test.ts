import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createRetryFetch, outcomeOf, type RetryConfig } from '../../src/index.ts';
import type { Go, Told, Trouble } from './late-server.ts';

let server: ChildProcess;
let origin: string;

beforeAll(async () => {
  server = fork(fileURLToPath(new URL('./late-server.ts', import.meta.url)), { execArgv: [] });
  const [told] = (await once(server, 'message')) as [Told];
  origin = `http://127.0.0.1:${'port' in told ? told.port : 0}`;
});

afterAll(() => void server.kill());

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

let round = 0;

/** Makes all calls, lets the server answer them while this process does not run, and returns how they ended. */
async function endsWhile(busyMs: number, stopMs: number): Promise<Readonly<Record<string, readonly unknown[]>>> {
  round += 1;
  const heads: Promise<unknown>[] = [];
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
      fetch: (input, init) => {
        const answer = fetch(input, init).finally(() => (headAtMs = performance.now()));
        if (trouble.isHeadFirst) heads.push(answer);
        return answer;
      },
      jitter: 'none',
      runtime: {
        sleep: async (ms) => void seconds.push(Math.min(20, Math.ceil((performance.now() - headAtMs + ms) / 1_000))),
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
  await allArrived;
  await Promise.all(heads);
  await new Promise<void>((resolve) => server.send({ stopMs } satisfies Go, () => resolve()));
  if (busyMs > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, busyMs);
  return Object.fromEntries(await Promise.all(calls));
}

// Where the machine is busy too, an answer may not be there in time; a defect shows every time.
test.each([300, 1_000, 3_000])(
  'an event loop that is busy for %i ms loses nothing that was there in time',
  { retry: 3 },
  async (ms) => {
    expect(await endsWhile(ms, 0)).toEqual(expected);
  },
);

test.skipIf(process.platform === 'win32')(
  'a process that is stopped for 400 ms loses nothing',
  { retry: 3 },
  async () => {
    expect(await endsWhile(0, 400)).toEqual(expected);
  },
);
