/** What a healthy stream loses on its way through. */

import { alternate, differencesOf, ratiosOf } from '../alternate.ts';
import { withLoopback } from '../loopback.ts';
import { requestInit } from '../request.ts';
import { type Cell, demand, type Scenario } from '../scenario.ts';
import { figureOf } from '../statistics.ts';
import type { Call } from '../subject.ts';

const bare: Call = (url, init) => fetch(url, init);

export const scenario: Scenario = {
  title: 'Streams: what a healthy one loses on its way',
  what: `10,000 server-sent events over loopback, alternately with bare fetch: the events per second as a share of bare
fetch's, and by how much the first byte comes later. retry-transport holds a stream until its first content, which is what
lets it retry one that fails before it; the others hand it on.`,
  columns: {
    ratio: { title: 'events per second, × bare', better: 'higher', overview: 'streams: events per second, × bare' },
    firstByteUs: { title: 'first byte later by, µs', better: 'lower', overview: 'streams: first byte later by, µs' },
    complete: { title: 'complete' },
  },
  suits: () => true,
  measure: (subject, effort) =>
    withLoopback(async ({ origins }) => {
      const wrapped = subject.wrap((input, init) => fetch(input, init), { retries: 3, waitMs: 10 });
      const events = effort.choose(10_000, 1_000);
      const long = `/events/${events}`;
      const received = {
        baseline: await readStream(bare, origins.baseline + long),
        subject: await readStream(wrapped, origins.subject + long),
      };
      const complete = received.baseline.bytes === received.subject.bytes;
      demand(complete, `${received.baseline.bytes} bytes, got ${received.subject.bytes}`);

      const rate = (call: Call, origin: string) => async () => events / (await readStream(call, origin + long)).totalMs;
      const firstByte = (call: Call, origin: string) => async () =>
        (await readStream(call, `${origin}/events/2`)).firstByteMs * 1_000;
      const measured = async (sample: typeof rate, rounds: number) =>
        alternate(sample(bare, origins.baseline), sample(wrapped, origins.subject), rounds);

      const rates = await measured(rate, effort.choose(21, 3));
      await measured(firstByte, effort.choose(100, 5));
      const firstBytes = await measured(firstByte, effort.choose(401, 21));
      const cells: Record<string, Cell> = {
        ratio: figureOf(ratiosOf(rates)),
        firstByteUs: figureOf(differencesOf(firstBytes)),
        complete: 'yes',
      };
      return cells;
    }),
};

interface StreamTimes {
  readonly bytes: number;
  readonly firstByteMs: number;
  readonly totalMs: number;
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
