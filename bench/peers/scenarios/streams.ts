/** Measures what a healthy stream loses. */

import { alternate, differencesOf, type Pairs, ratiosOf, readEach } from '../alternate.ts';
import { withLoopback } from '../loopback.ts';
import { requestInit } from '../request.ts';
import { type Cell, demand, type Scenario } from '../scenario.ts';
import { figureOf } from '../statistics.ts';
import type { Call } from '../subject.ts';

const bare: Call = (url, init) => fetch(url, init);

export const scenario: Scenario = {
  title: 'Streams: what a healthy one loses on its way',
  what: `Each stream has 10,000 server-sent events over loopback; each package and bare fetch are measured alternately. The table has the events
per second as a multiple of bare fetch, and how much later the first byte comes. retry-transport holds a stream until its first content, so that it can retry a stream that
fails before that. The others pass each stream on at once.`,
  columns: {
    rate: { title: 'events per second, × bare', better: 'higher', overview: 'streams: events per second, × bare' },
    firstByteUs: { title: 'first byte later by, µs', better: 'lower', overview: 'streams: first byte later by, µs' },
    complete: { title: 'complete' },
  },
  suits: () => true,
  measure: (subject, effort) =>
    withLoopback(async ({ origins }) => {
      const wrapped = subject.wrap((input, init) => fetch(input, init), { retries: 3, waitMs: 10 });
      const events = effort.choose(10_000, 1_000);
      const long = `/events/${events}`;
      const measured = (path: string, rounds: number): Promise<Pairs<StreamTimes>> =>
        alternate(
          () => readStream(bare, origins.baseline + path),
          () => readStream(wrapped, origins.subject + path),
          rounds,
        );

      const warmUp = await measured(long, 3);
      const received = readEach(warmUp, ({ bytes }) => bytes);
      const complete = received.subject.every((bytes, round) => bytes > 0 && bytes === received.baseline[round]);
      demand(complete, `${received.baseline.join(' and ')} bytes, got ${received.subject.join(' and ')}`);
      const streams = await measured(long, effort.choose(31, 3));
      await measured('/events/2', effort.choose(100, 5));
      const beginnings = await measured('/events/2', effort.choose(401, 21));
      const cells: Record<string, Cell> = {
        rate: figureOf(ratiosOf(readEach(streams, ({ totalMs }) => events / totalMs))),
        firstByteUs: figureOf(differencesOf(readEach(beginnings, ({ firstByteMs }) => firstByteMs * 1_000))),
        complete: 'yes',
      };
      return cells;
    }),
};

interface StreamTimes {
  readonly totalMs: number;
  readonly bytes: number;
  readonly firstByteMs: number;
}

async function readStream(call: Call, url: string): Promise<StreamTimes> {
  const start = performance.now();
  const { body } = await call(url, requestInit());
  if (body === null) throw new Error('expected a stream, got no body');
  let bytes = 0;
  let firstByteMs = Number.NaN;
  const reader = body.getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    if (bytes === 0) firstByteMs = performance.now() - start;
    bytes += part.value.byteLength;
  }
  return { bytes, firstByteMs, totalMs: performance.now() - start };
}
