/** Measures a call without failures: over a stub that answers at once, and over loopback sockets. */

import { alternate, differencesOf, nextTurn, ratiosOf } from '../alternate.ts';
import { withLoopback } from '../loopback.ts';
import { COMPLETION, requestInit, URL_NOWHERE } from '../request.ts';
import { type Cell, demand, type Effort, type Scenario } from '../scenario.ts';
import { type Figure, figureOf, medianOf, single } from '../statistics.ts';
import type { Call, Policy, Subject } from '../subject.ts';
import { countFor, loadTimedCalls } from '../timed-calls.ts';

const DEFAULTS: Policy = { retries: 3, waitMs: 10 };
const POLICY: Policy = { ...DEFAULTS, holdsJson: false };

// All calls share one response, because creating one costs more than most subjects. It has as many headers as a
// provider's.
const answer = new Response(COMPLETION, {
  headers: {
    'content-type': 'application/json',
    'openai-processing-ms': '312',
    'x-ratelimit-remaining-requests': '499',
    'x-ratelimit-reset-requests': '120ms',
    'x-request-id': 'req_1',
  },
});
const bare: Call = (url, init) => fetch(url, init);
const stub = (): Promise<Response> => Promise.resolve(answer);

export const scenario: Scenario = {
  title: 'Success: what a call costs when nothing fails',
  what: `Here a stub answers at once. The table has the processor time that each package adds, with and without an \`AbortSignal\`; each
package and the stub alone are measured alternately. By default retry-transport holds the JSON answer of a model until it is complete, so that it can retry
an answer that breaks off. The columns "answer held" and "loopback latency" include this hold; the others are with \`answers: { holdJson: false }\`. "Loopback
latency" is the median latency of a small JSON call over sockets, as a multiple of bare fetch. The stub makes
small differences visible: over a network, a microsecond is nothing.`,
  columns: {
    addedNs: { title: 'added per call, ns', better: 'lower', overview: 'success: added per call, ns' },
    signalNs: { title: 'with a signal, ns', better: 'lower' },
    heldNs: { title: 'answer held, ns', better: 'lower', overview: 'success: the same, with the answer held, ns' },
    stubRatio: { title: '× the bare stub' },
    bytes: { title: 'allocated per call, bytes', better: 'lower' },
    loopback: { title: 'loopback latency, × bare', better: 'lower', overview: 'success: loopback latency, × bare' },
    same: { title: 'same `Response`' },
  },
  // The young generation holds a whole sample, so that its allocations can be measured.
  nodeFlags: ['--expose-gc', '--min-semi-space-size=64', '--max-semi-space-size=64'],
  suits: () => true,
  async measure(subject, effort) {
    const call = subject.wrap(stub, POLICY);
    const same = (await call(URL_NOWHERE, requestInit())) === answer;
    await demandOneRequestEach(subject);
    const plain = await timeOverStub(call, requestInit(), effort);
    const signalled = await timeOverStub(call, requestInit(new AbortController().signal), effort);
    const held = await timeOverStub(subject.wrap(stub, DEFAULTS), requestInit(), effort);
    const cells: Record<string, Cell> = {
      addedNs: plain.addedNs,
      signalNs: signalled.addedNs,
      heldNs: held.addedNs,
      stubRatio: plain.ratio,
      bytes: single((await bytesPerCall(call, effort)) - (await bytesPerCall(stub, effort))),
      loopback: await latencyRatio(subject, effort),
      same: same ? 'yes' : 'no',
    };
    return cells;
  },
};

async function demandOneRequestEach(subject: Subject): Promise<void> {
  let requests = 0;
  const counting = subject.wrap(() => {
    requests += 1;
    return stub();
  }, POLICY);
  for (let made = 0; made < 100; made += 1) await counting(URL_NOWHERE, requestInit());
  demand(requests === 100, `100 requests for 100 calls, got ${requests}`);
}

async function timeOverStub(
  call: Call,
  init: RequestInit,
  effort: Effort,
): Promise<{ readonly addedNs: Figure; readonly ratio: Figure }> {
  const sampleMs = effort.choose(10, 2);
  const sampler = async (timed: Call): Promise<() => Promise<number>> => {
    const timeCalls = await loadTimedCalls();
    const time = (count: number): Promise<number> => timeCalls(timed, URL_NOWHERE, init, count);
    const count = await countFor(sampleMs, effort.choose(40, 8), time);
    return async () => ((await time(count)) * 1e6) / count;
  };
  const pairs = await alternate(await sampler(stub), await sampler(call), effort.choose(61, 9));
  return { addedNs: figureOf(differencesOf(pairs)), ratio: figureOf(ratiosOf(pairs)) };
}

async function bytesPerCall(call: Call, effort: Effort): Promise<number> {
  const timeCalls = await loadTimedCalls();
  const init = requestInit();
  const count = 400;
  await timeCalls(call, URL_NOWHERE, init, count);
  const series: number[] = [];
  for (let round = 0; round < effort.choose(15, 3); round += 1) {
    globalThis.gc?.();
    await nextTurn();
    const before = process.memoryUsage().heapUsed;
    await timeCalls(call, URL_NOWHERE, init, count);
    series.push((process.memoryUsage().heapUsed - before) / count);
  }
  return medianOf(series);
}

function latencyRatio(subject: Subject, effort: Effort): Promise<Figure> {
  return withLoopback(async ({ origins, counts }) => {
    const init = requestInit();
    const medianLatency = async (call: Call, origin: string, calls: number): Promise<number> => {
      const series: number[] = [];
      for (let made = 0; made < calls; made += 1) {
        const start = performance.now();
        const response = await call(`${origin}/ok`, init);
        await response.text();
        series.push(performance.now() - start);
      }
      return medianOf(series);
    };
    const wrapped = subject.wrap((input, sent) => fetch(input, sent), DEFAULTS);
    const [warmUp, calls, rounds] = [effort.choose(1_000, 50), effort.choose(150, 25), effort.choose(31, 5)];
    await medianLatency(bare, origins.baseline, warmUp);
    await medianLatency(wrapped, origins.subject, warmUp);
    const pairs = await alternate(
      () => medianLatency(bare, origins.baseline, calls),
      () => medianLatency(wrapped, origins.subject, calls),
      rounds,
    );
    const { requests } = (await counts()).subject;
    const expected = warmUp + rounds * calls;
    demand(requests === expected, `${expected} requests on the server, got ${requests}`);
    return figureOf(ratiosOf(pairs));
  });
}
