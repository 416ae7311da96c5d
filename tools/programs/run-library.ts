/** Runs one cell of a library, in this process. */

import { createRetryFetch, createStreamWatch, type Fetch } from '../../src/index.ts';
import { type Cell, type Outcome, outcomeOf, throughProxy, type Way } from './cell.ts';
import type { Library } from './libraries/library.ts';
import type { Plan } from './plans.ts';
import { startPlayedServer } from './played-server.ts';
import { optionsFor, startProxyProcess } from './proxy-process.ts';
import type { RunOptions } from './slots.ts';

/** How much longer than the plan's cost a cell may take. */
const GRACE_MS = 15_000;
const LATE = Symbol('late');

export async function runLibrary(
  library: Library,
  plan: Plan,
  way: Way,
  { proxyCommand, starting }: RunOptions,
): Promise<Cell> {
  const server = await startPlayedServer(plan);
  const free = throughProxy(way) ? await starting.take() : undefined;
  const proxy = throughProxy(way) ? await startProxyProcess(server.origin, optionsFor(way, proxyCommand)) : undefined;
  free?.();
  const startedAt = performance.now();
  let outcome: Outcome;
  let text: string;
  const { promise: late, resolve } = Promise.withResolvers<typeof LATE>();
  const timer = setTimeout(() => resolve(LATE), plan.costMs + GRACE_MS);
  try {
    const ended = await Promise.race([
      late,
      library.run({
        baseUrl: proxy?.origin ?? server.origin,
        fetch: fetchFor(way, library),
        ownRetries: way === 'alone' || way === 'fetch' || throughProxy(way) ? 'on' : 'off',
      }),
    ]);
    text = ended === LATE ? '' : ended;
    outcome = ended === LATE ? 'late' : outcomeOf(ended);
  } catch (error) {
    outcome = 'error';
    text = String(error);
  } finally {
    clearTimeout(timer);
  }
  const tookMs = Math.round(performance.now() - startedAt);
  await proxy?.stop();
  await server.close();
  return {
    program: library.name,
    plan: plan.name,
    way,
    outcome,
    tookMs,
    requests: server.requests,
    seen: [{ atMs: tookMs, text: text.slice(0, 500) }],
  };
}

function fetchFor(way: Way, { retry }: Library): Fetch | undefined {
  if (retry === null) return undefined;
  switch (way) {
    case 'fetch':
      return createRetryFetch({ retryOnly: 'model-requests' });
    case 'fetch-only':
      return createRetryFetch(retry);
    case 'watched':
      return createRetryFetch({ ...retry, streamWatch: createStreamWatch() });
    case 'to-the-end':
      return createRetryFetch({ ...retry, guardStreams: { until: 'end' } });
    case 'alone':
    case 'proxy':
    case 'proxy-end':
      return undefined;
  }
}
