import { expect, test } from 'vitest';
import { FleetTurns, type Need } from '../../src/gate/fleet-turns.ts';
import type { StoreAnswer } from '../../src/gate/store.ts';
import { settle } from '../script.ts';

const NOTHING: Need = { turns: 0, rates: [] };
const slots = (held: number, wanted: number): Need => ({ ...NOTHING, slots: { most: 4, held, wanted } });

/** The turns of a process whose store answers after so long, when it was asked, and what distance others have to keep. */
function fleet(answer: Partial<StoreAnswer> = {}, answerMs = 0) {
  const asked: number[] = [];
  const apartMs: number[] = [];
  let clockMs = 0;
  const turns = new FleetTurns(
    () => clockMs,
    async (request, nowMs) => {
      asked.push(nowMs);
      apartMs.push(request.apartMs);
      clockMs += answerMs;
      const nothing = { part: 1, total: [1, 0, 0], mayProbe: false, slots: 0, before: 0, owed: 0, atMs: [] } as const;
      return { ...nothing, nowMs, ...answer };
    },
    () => {},
  );
  const ask = async (need: Need, nowMs: number): Promise<void> => {
    clockMs = nowMs;
    turns.ask(need, nowMs);
    await settle();
  };
  return { turns, asked, apartMs, ask };
}

test('a turn that was missed by a quarter of a second is left to others', async () => {
  const { turns, ask } = fleet({ atMs: [100, 200] });
  await ask({ ...NOTHING, turns: 2 }, 0);
  expect([0, 349, 350, 449, 450].map((nowMs) => turns.nextMs(nowMs))).toEqual([100, 100, 200, 200, null]);
});

test('other processes keep a distance of a part of the way to the store, and not more than a part of the turns', async () => {
  const { apartMs, ask } = fleet({ total: [2, 0, 0] }, 200);
  const rates = [[25, 0]] as const;
  for (const turns of [50, 50, 10]) await ask({ turns, rates }, 10_000 * (1 + apartMs.length));
  expect(apartMs).toEqual([0, 30, 10]);
});

test('a process without a slot asks again when it is likely to get one', async () => {
  const { turns, asked, ask } = fleet({ before: 2 });
  const first = ask(slots(0, 1), 0);
  expect(turns.asksAgainMs(0, true)).toBe(100);
  await first;
  expect([turns.asksAgainMs(0, true), turns.asksAgainMs(0, false), turns.asksAgainMs(400, true)]).toEqual([
    175, 100, 401,
  ]);
  for (const nowMs of [174, 175]) await ask(slots(0, 1), nowMs);
  expect(asked).toEqual([0, 175]);
});

test.each<[string, Need, number]>([
  ['holds a slot', slots(1, 0), 500],
  ['holds none', slots(0, 0), 2_000],
  ['has no limit on requests at a time', NOTHING, 2_000],
])('a process that needs nothing and %s asks the store so often: %j, every %i ms', async (_what, need, everyMs) => {
  const { asked, ask } = fleet();
  for (const nowMs of [0, everyMs - 1, everyMs, 2 * everyMs - 1, 2 * everyMs]) await ask(need, nowMs);
  expect(asked).toEqual([0, everyMs, 2 * everyMs]);
});
