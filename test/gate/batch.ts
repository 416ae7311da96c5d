/** A batch of calls at once under one limiter, in virtual time. */

import { createDice } from '../../bench/dice.ts';
import type { Limiter } from '../../bench/limiters/limiters.ts';
import { VirtualTime } from '../../bench/virtual-time.ts';
import {
  createRetryFetch,
  type GateEvent,
  type GateLimits,
  presets,
  type RetryConfig,
  createGate,
} from '../../src/index.ts';

const START_MS = 1_800_000_000_137;

export interface Batch {
  readonly calls: number;
  readonly limits: GateLimits;
  readonly limiters: (startMs: number) => readonly Limiter[];
  /** What a request costs, and what the caller believes. @default 1 */
  readonly cost?: number;
  readonly estimate?: number;
  readonly serviceMs?: number;
  /** A request takes a millisecond to the limiter, and up to so much longer. @default 3 */
  readonly networkMs?: number;
  readonly config?: RetryConfig;
  /** How long a batch may take. */
  readonly forMs?: number;
  /** Takes the response of a call; a batch ends with the last one. */
  readonly read?: (response: Response, time: VirtualTime) => Promise<unknown>;
}

export interface BatchResult {
  readonly answered: number;
  readonly refused: number;
  /** From the first call to the last answer. */
  readonly elapsedMs: number;
  readonly sentMs: readonly number[];
  readonly events: readonly GateEvent[];
}

export async function runBatch({
  calls,
  limits,
  limiters: makeLimiters,
  cost = 1,
  estimate,
  serviceMs = 200,
  networkMs = 3,
  config,
  forMs = 3_600_000,
  read = (response) => response.text(),
}: Batch): Promise<BatchResult> {
  const time = new VirtualTime(START_MS);
  const dice = createDice(1);
  const network = createDice(2);
  const limiters = makeLimiters(START_MS);
  const events: GateEvent[] = [];
  const result = { answered: 0, refused: 0, elapsedMs: 0 };
  const sentMs: number[] = [];
  const inner = async (): Promise<Response> => {
    sentMs.push(time.nowMs - START_MS);
    await time.after(1 + networkMs * network());
    const admitted: Limiter[] = [];
    for (const limiter of limiters) {
      const ruling = limiter.ask(time.nowMs, cost);
      if (!ruling.admitted) {
        result.refused += 1;
        for (const other of admitted) other.done?.();
        const headers = ruling.freeInMs > 0 ? { 'retry-after-ms': String(Math.ceil(ruling.freeInMs)) } : {};
        return new Response(null, { status: limiter.status, headers });
      }
      admitted.push(limiter);
    }
    await time.after(serviceMs);
    for (const limiter of admitted) limiter.done?.();
    return new Response('{}');
  };
  const fetch = createRetryFetch({
    fetch: inner,
    ...presets.fleet,
    gate: createGate({
      limits,
      ...(estimate !== undefined && { cost: () => estimate }),
      onEvent: (event) => events.push(event),
    }),
    ...config,
    runtime: time.runtime(dice),
  });
  for (let call = 0; call < calls; call += 1) {
    void fetch('https://api.example.com/v1/messages', { method: 'POST', body: '{}' })
      .then(async (response) => {
        if (!response.ok) return;
        await read(response, time);
        result.answered += 1;
        result.elapsedMs = time.nowMs - START_MS;
      })
      .catch(() => {});
  }
  await time.runUntil(START_MS + forMs);
  return { ...result, sentMs, events };
}
