import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { troubles } from '../../../bench/bad-day/troubles.ts';
import type { Asked, Day, PlannedCall, Trouble } from '../../../bench/bad-day/trouble.ts';
import { createDice } from '../../../bench/dice.ts';

const all = [...troubles];

const askedBy = ({ kind, atMs }: PlannedCall, call: number, nth: number): Asked => ({
  call,
  kind,
  api: 'chat',
  nth,
  atMs: atMs + nth * 1_000,
});

/** Each call asks ten times, a second apart. */
const repliesOf = (day: Day): readonly unknown[] =>
  day.calls.flatMap((planned, call) =>
    Array.from({ length: 10 }, (_, index) => day.reply(askedBy(planned, call, index + 1))),
  );

test('there are twenty troubles', () => expect(all).toHaveLength(20));

test.each(all)('%s: the same seed gives the same day, another seed another', (_, trouble: Trouble) => {
  const plan = (seed: number): unknown => {
    const day = trouble.plan(createDice(seed), 20);
    return [day.calls, repliesOf(day)];
  };
  expect(plan(1)).toEqual(plan(1));
  expect(plan(1)).not.toEqual(plan(2));
});

test.each(all)('%s: a client that asks once, and takes what it gets, meets the trouble', (_, trouble: Trouble) => {
  const failures = [1, 2, 3].map((seed) => {
    const day = trouble.plan(createDice(seed), 20);
    return day.calls.filter((planned, call) => {
      const reply = day.reply(askedBy(planned, call, 1));
      return reply.kind !== 'answer' || reply.afterMs !== undefined || planned.atMs < (day.isClosedForMs ?? 0);
    }).length;
  });
  expect(Math.max(...failures)).toBeGreaterThan(0);
});

test('a client has at most 40 lines, so that a reader can check it against its documentation', () => {
  const folder = new URL('../../../bench/bad-day/clients/', import.meta.url);
  const files = readdirSync(folder).filter((file) => file !== 'chat-by-hand.ts');
  const isTooLong = (file: string): boolean =>
    readFileSync(new URL(file, folder), 'utf8')
      .split('\n')
      .filter((line) => line.trim() !== '').length > 40;
  expect(files.filter(isTooLong)).toEqual([]);
  expect(files.length).toBeGreaterThan(14);
});
