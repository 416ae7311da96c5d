/** Measures the memory of a call that waits for its retry, and what is left of it after an abort. */

import { getEventListeners } from 'node:events';
import { nextTurn } from '../alternate.ts';
import { cpuMs } from '../cpu-time.ts';
import { requestInit, URL_NOWHERE } from '../request.ts';
import { type Cell, demand, type Scenario } from '../scenario.ts';
import { single } from '../statistics.ts';

const WAIT_MS = 50_000;
const ASLEEP_WITHIN_MS = 20_000;
const ABORT_WITHIN_MS = 3_000;
const HEADERS = { 'content-type': 'application/json', 'retry-after-ms': String(WAIT_MS) };
const BODY = JSON.stringify({ error: { message: 'm'.repeat(2_000), type: 'requests', code: 'rate_limit_exceeded' } });

export const scenario: Scenario = {
  title: 'Waiting calls: what each of them holds',
  what: `Thousands of calls, each with its own signal, have got a 429 with a body of 2 KiB and wait for 50 s. The table has the bytes that
each of them holds (heap and buffers), and what is left after all have been aborted. "Cannot" means that the calls were still
waiting 3 s after the abort; a call that does not listen for an abort needs less memory.`,
  columns: {
    bytes: { title: 'bytes per call', better: 'lower', overview: 'waiting calls: bytes each' },
    scheduleUs: { title: 'µs to begin to wait', better: 'lower' },
    abortUs: { title: 'µs to abort', better: 'lower' },
    timers: { title: 'timers left', better: 'lower' },
    listeners: { title: 'listeners left', better: 'lower' },
    requests: { title: 'requests after abort', better: 'lower' },
  },
  nodeFlags: ['--expose-gc', '--max-old-space-size=4096'],
  suits: ({ retries }) => retries,
  async measure(subject, effort) {
    const sleepers = effort.choose(20_000, 2_000);
    let requests = 0;
    const call = subject.wrap(
      () => {
        requests += 1;
        return Promise.resolve(new Response(BODY, { status: 429, headers: HEADERS }));
      },
      { retries: 1, waitMs: WAIT_MS },
    );
    // Created before the first reading, because they belong to the caller. The first one loads lazy code.
    const controllers = Array.from({ length: sleepers + 1 }, () => new AbortController());
    const inits = controllers.map(({ signal }) => requestInit(signal));
    const [warmUpController] = controllers.splice(0, 1);
    const [warmUpInit] = inits.splice(0, 1);
    if (warmUpInit !== undefined) void call(URL_NOWHERE, warmUpInit).catch(() => undefined);
    await settle();
    warmUpController?.abort();
    await settle();

    const timersBefore = countTimers();
    const bytesBefore = heldBytes();
    requests = 0;
    let settled = 0;
    const countSettled = (): void => void (settled += 1);
    const cpuBefore = cpuMs();
    for (const init of inits) void call(URL_NOWHERE, init).then(countSettled, countSettled);
    // A sleeper is counted by its timer; a subject with one timer for all would be waited for until the deadline.
    await until(() => countTimers() - timersBefore >= sleepers, ASLEEP_WITHIN_MS);
    const scheduleMs = cpuMs() - cpuBefore;
    await settle();
    const bytes = (heldBytes() - bytesBefore) / sleepers;
    demand(requests === sleepers && settled === 0, `${sleepers} sleepers, got ${requests} and ${settled} awake`);

    const cpuBeforeAbort = cpuMs();
    for (const controller of controllers) controller.abort();
    await until(() => settled === sleepers, effort.choose(ABORT_WITHIN_MS, 300));
    const abortMs = cpuMs() - cpuBeforeAbort;
    await settle();
    const listeners = controllers.reduce((sum, { signal }) => sum + getEventListeners(signal, 'abort').length, 0);
    const cells: Record<string, Cell> = {
      bytes: single(bytes),
      scheduleUs: single((scheduleMs * 1_000) / sleepers),
      abortUs: settled === sleepers ? single((abortMs * 1_000) / sleepers) : 'cannot',
      timers: single(countTimers() - timersBefore),
      listeners: single(listeners),
      requests: single(requests - sleepers),
    };
    return cells;
  },
};

const countTimers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

function heldBytes(): number {
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

async function until(holds: () => boolean, limitMs: number): Promise<void> {
  const start = performance.now();
  while (!holds() && performance.now() - start < limitMs) await nextTurn();
}

/** Collects several times, because the objects that one collection finalises are freed by the next. */
async function settle(): Promise<void> {
  for (let round = 0; round < 6; round += 1) {
    globalThis.gc?.();
    await nextTurn();
  }
}
