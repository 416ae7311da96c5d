/** Measures what a retry costs, waits excluded. */

import { alternate, ratiosOf } from '../alternate.ts';
import { loopByHand } from '../loop-by-hand.ts';
import { RATE_LIMITED, requestInit, URL_NOWHERE } from '../request.ts';
import { type Cell, demand, type Effort, type Scenario } from '../scenario.ts';
import { WAIT_MS, withoutWaits } from '../short-waits.ts';
import { type Figure, figureOf } from '../statistics.ts';
import type { Call, Policy, Subject } from '../subject.ts';
import { countFor, loadTimedCalls } from '../timed-calls.ts';

/** The number of failures in a row before the response of a call. */
const FAILURES = 3;
const POLICY: Policy = { retries: FAILURES, waitMs: WAIT_MS };

const HEADERS = { 'content-type': 'application/json', 'retry-after-ms': String(WAIT_MS) };
const ok = new Response(null, { status: 200 });
const failed = new Response(null, { status: 429, headers: HEADERS });

const failureOf = {
  empty: () => failed,
  // A body can be read only once.
  withBody: () => new Response(RATE_LIMITED, { status: 429, headers: HEADERS }),
};

export const scenario: Scenario = {
  title: 'Retry: what one costs beside its wait',
  what: `Here a stub fails three times with 429 and then answers. The table has the processor time of one retry. The waits end at once, and
the time of a call without failures is subtracted. The failed responses have no body, or a JSON body; the time of creating that body is
included. retry-transport reads the body to learn what failed; p-retry, fetch-retry and cockatiel do not read it. All these
times are small compared with a wait of a second.`,
  columns: {
    emptyUs: { title: 'empty body, µs', better: 'lower', overview: 'retry: empty body, µs' },
    emptyRatio: { title: '× the loop' },
    bodyUs: { title: 'JSON body, µs', better: 'lower', overview: 'retry: JSON body, µs' },
    bodyRatio: { title: '× the loop' },
  },
  suits: ({ retries }) => retries,
  async measure(subject, effort) {
    const empty = await withoutWaits(() => timeRetries(subject, failureOf.empty, effort));
    const withBody = await withoutWaits(() => timeRetries(subject, failureOf.withBody, effort));
    const cells: Record<string, Cell> = {
      emptyUs: empty.perRetryUs,
      emptyRatio: empty.ratio,
      bodyUs: withBody.perRetryUs,
      bodyRatio: withBody.ratio,
    };
    return cells;
  },
};

/** Calls that fail three times, and calls that do not, each over its own stub. */
class Flaky {
  readonly failing: Call;
  readonly clean: Call;
  requests = 0;
  #failuresLeft = 0;

  constructor(wrap: Subject['wrap'], fail: () => Response) {
    const call = wrap(() => {
      this.requests += 1;
      if (this.#failuresLeft === 0) return Promise.resolve(ok);
      this.#failuresLeft -= 1;
      return Promise.resolve(fail());
    }, POLICY);
    this.failing = (url, init) => {
      this.#failuresLeft = FAILURES;
      return call(url, init);
    };
    this.clean = call;
  }
}

async function timeRetries(
  subject: Subject,
  fail: () => Response,
  effort: Effort,
): Promise<{ readonly perRetryUs: Figure; readonly ratio: Figure }> {
  const sampler = async (wrap: Subject['wrap']): Promise<() => Promise<number>> => {
    const flaky = new Flaky(wrap, fail);
    const init = requestInit();
    const { status } = await flaky.failing(URL_NOWHERE, init);
    demand(status === 200, `an answer after ${FAILURES} retries, got HTTP ${status}`);
    demand(flaky.requests === FAILURES + 1, `${FAILURES + 1} requests, got ${flaky.requests}`);
    const [timeFailing, timeClean] = [await loadTimedCalls(), await loadTimedCalls()];
    const time = (calls: number): Promise<number> => timeFailing(flaky.failing, URL_NOWHERE, init, calls);
    const count = await countFor(effort.choose(15, 3), effort.choose(40, 8), time);
    return async () => {
      const failingMs = await timeFailing(flaky.failing, URL_NOWHERE, init, count);
      const cleanMs = await timeClean(flaky.clean, URL_NOWHERE, init, count);
      return ((failingMs - cleanMs) * 1_000) / (count * FAILURES);
    };
  };
  const byHand = await sampler(loopByHand);
  const pairs = await alternate(byHand, await sampler(subject.wrap), effort.choose(41, 7));
  return { perRetryUs: figureOf(pairs.subject), ratio: figureOf(ratiosOf(pairs)) };
}
