/** Measures the connections when responses with a body are discarded. */

import { alternate, ratiosOf, readEach, type Sample } from '../alternate.ts';
import { startTimes, type Times } from '../cpu-time.ts';
import type { Fetch } from '../../../src/transport.ts';
import { withLoopback } from '../loopback.ts';
import { loopByHand } from '../loop-by-hand.ts';
import { requestInit } from '../request.ts';
import { type Cell, demand, type Scenario } from '../scenario.ts';
import { figureOf, single } from '../statistics.ts';
import type { Call, Policy } from '../subject.ts';

const WIDTH = 32;
const BLOCKS = 8;
const WARM_UP_BLOCKS = 2;
const POLICY: Policy = { retries: 2, waitMs: 1 };

const send: Fetch = (input, init) => fetch(input, init);

export const scenario: Scenario = {
  title: 'Sockets: what a discarded body does to the connections',
  what: `Each package makes 2,000 calls, 32 at a time. Each call is answered with 429 and 64 KiB, and then with 200. The table has the connections opened, the most that
were open at once, and the client's time as a multiple of the time of the loop by hand; the two run alternately, in blocks of 200. If
the body is read to its end, its connection is free again. If the body is cancelled, the connection is closed. If nothing is done
with the body, the connection stays in use until the garbage collection.`,
  columns: {
    connections: { title: 'connections opened', better: 'lower', overview: 'sockets: connections opened' },
    mostOpen: { title: 'most open at once', better: 'lower' },
    cpuRatio: { title: 'processor time, × the loop', better: 'lower', overview: 'sockets: processor time, × the loop' },
    ratio: { title: 'time, × the loop' },
  },
  suits: ({ retries }) => retries,
  measure: (subject, effort) =>
    withLoopback(async ({ origins, counts }) => {
      const calls = effort.choose(200, 40);
      const init = requestInit();
      const sampler = (call: Call, origin: string): Sample<Times> => {
        let next = 0;
        return async () => {
          const timesSince = startTimes();
          const until = next + calls;
          const work = async (): Promise<void> => {
            while (next < until) {
              const response = await call(`${origin}/flaky/${next++}`, init);
              await response.text();
              demand(response.status === 200, `HTTP 200 in the end, got ${response.status}`);
            }
          };
          await Promise.all(Array.from({ length: WIDTH }, work));
          return timesSince();
        };
      };
      const byHand = sampler(loopByHand(send, POLICY), origins.baseline);
      const wrapped = sampler(subject.wrap(send, POLICY), origins.subject);
      await alternate(byHand, wrapped, WARM_UP_BLOCKS);
      const pairs = await alternate(byHand, wrapped, BLOCKS);
      const { connections, mostOpen, requests } = (await counts()).subject;
      const expected = 2 * (WARM_UP_BLOCKS + BLOCKS) * calls;
      demand(requests === expected, `${expected} requests on the server, got ${requests}`);
      const cells: Record<string, Cell> = {
        connections: single(connections),
        mostOpen: single(mostOpen),
        cpuRatio: figureOf(ratiosOf(readEach(pairs, ({ cpuMs }) => cpuMs))),
        ratio: figureOf(ratiosOf(readEach(pairs, ({ wallMs }) => wallMs))),
      };
      return cells;
    }),
};
