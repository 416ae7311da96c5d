import { expect, test } from 'vitest';
import { Sends } from '../../src/gate/sends.ts';

const sentMsOf = (sends: Iterable<{ readonly sentMs: number }>): number[] => Array.from(sends, ({ sentMs }) => sentMs);

test('a log finds the requests around a moment', () => {
  const sends = new Sends();
  for (const ms of [100, 200, 200, 300]) sends.add(0, ms);
  expect([99, 100, 199, 200, 300].map((ms) => sends.firstAfter(ms)?.sentMs)).toEqual([100, 200, 200, 300, undefined]);
  expect([99, 100, 199, 200, 999].map((ms) => sends.lastUntil(ms)?.sentMs)).toEqual([undefined, 100, 100, 200, 300]);
  expect(sentMsOf(sends.between(100, 299))).toEqual([200, 200]);
  expect(sentMsOf(sends.between(99, 300))).toEqual([100, 200, 200, 300]);
  expect(sentMsOf(sends.between(300, 400))).toEqual([]);
});

test('a log counts requests and tokens, refused ones included, but forgets when a refused one was sent', () => {
  const sends = new Sends();
  sends.add(10, 100);
  const refused = sends.add(20, 200);
  expect(refused.total).toEqual({ requests: 2, tokens: 30 });
  sends.refuse(refused);
  sends.refuse(refused);
  expect(sentMsOf(sends.between(0, 999))).toEqual([100]);
  expect(sends.add(5, 300).total).toEqual({ requests: 3, tokens: 35 });
  expect(sends.total).toEqual({ requests: 3, tokens: 35 });
});

test('a log of 2,000 requests forgets the older half with the next one', () => {
  const sends = new Sends();
  for (let ms = 1; ms <= 2_000; ms += 1) sends.add(0, ms);
  expect(sends.firstAfter(0)?.sentMs).toBe(1);
  sends.add(0, 2_001);
  expect(sends.firstAfter(0)?.sentMs).toBe(1_001);
  expect(sends.total.requests).toBe(2_001);
});
