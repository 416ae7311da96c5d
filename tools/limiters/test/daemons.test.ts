import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Daemon, DaemonSubject } from '../../../bench/limiters/real/limiter.ts';
import { loadSubjects } from '../../../bench/limiters/real/matrix.ts';
import { toDaemon } from '../../../bench/limiters/real/measure.ts';
import { startUpstream } from '../../../bench/limiters/real/upstream.ts';
import type { Served } from '../../../test/serve.ts';

const subjects = (await loadSubjects((line) => console.warn(line))).filter(
  (subject): subject is DaemonSubject => subject.clock === 'real',
);

let upstream: Served;
beforeAll(async () => void (upstream = await startUpstream()));
afterAll(() => upstream.close());

/** More than any of them admits at once. */
const REQUESTS = 80;

const statuses = async (daemon: Daemon, run: number, count: number): Promise<readonly number[]> => {
  const send = toDaemon(daemon, run);
  const responses = await Promise.all(
    Array.from({ length: count }, () => send({ tenant: 'first', model: 'small', cost: 1 }, 50)),
  );
  return responses.map(({ status }) => status);
};

describe.each(subjects.map((subject) => [subject.name, subject] as const))('the limiter %s', (_, subject) => {
  let daemon: Daemon;
  beforeAll(async () => void (daemon = await subject.start(upstream.port, 2)));
  afterAll(() => daemon.stop());

  test('admits some of many requests at once, refuses the rest, and keeps runs apart', async () => {
    const first = await statuses(daemon, 1, REQUESTS);
    const admitted = first.filter((status) => status === 200);
    const refused = first.filter((status) => status === 429 || status === 503);
    expect(admitted.length).toBeGreaterThan(0);
    expect(refused.length).toBeGreaterThan(0);
    expect(admitted.length + refused.length).toBe(REQUESTS);
    expect(await statuses(daemon, 2, 1)).toEqual([200]);
  });
});

test('what is not installed is named', async () => {
  const lines: string[] = [];
  await loadSubjects((line) => lines.push(line));
  expect(lines.filter((line) => !/is not installed/.test(line))).toEqual([]);
});
