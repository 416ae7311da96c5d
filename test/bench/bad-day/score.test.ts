import { describe, expect, test } from 'vitest';
import type { CallResult } from '../../../bench/bad-day/day.ts';
import { type Cell, scoreOf } from '../../../bench/bad-day/score.ts';
import type { LoggedRequest } from '../../../bench/bad-day/server.ts';

const callOf = (end: CallResult['end'], rest: Partial<CallResult> = {}): CallResult => ({
  call: 0,
  kind: 'json',
  end,
  tookMs: 1_000,
  isShownTwice: false,
  ...rest,
});

const requestOf = (rest: Partial<LoggedRequest> = {}): LoggedRequest => ({
  call: 0,
  nth: 1,
  atMs: 0,
  answered: 'answer',
  isAfterPermanent: false,
  pieces: 6,
  ...rest,
});

const cellOf = (calls: readonly CallResult[], requests = calls.map(({ call }) => requestOf({ call }))): Cell => ({
  client: 'a client',
  setting: 'defaults',
  trouble: 'a-trouble',
  seed: 1,
  calls,
  requests,
});

describe('a call ended well', () => {
  test.each([
    ['answer', 'whole', 1, true],
    ['answer', 'failed', 1, false],
    ['answer', 'late', 1, false],
    ['answer', 'wrong', 1, false],
    ['told', 'failed', 1, true],
    ['told', 'wrong', 1, false],
    ['once', 'failed', 1, true],
    ['once', 'failed', 2, false],
    ['once', 'late', 1, false],
  ] as const)(
    'where the trouble asks for "%s": %s after %i requests counts as %s',
    (endsWellWith, end, sent, isWell) => {
      const requests = Array.from({ length: sent }, (_, index) => requestOf({ nth: index + 1 }));
      expect(scoreOf([cellOf([callOf(end)], requests)], endsWellWith).endedWell).toBe(isWell ? 1 : 0);
    },
  );

  test.each([
    [1, 1, 0],
    [2, 0, 1],
  ])('when it ran a tool with %i requests: %i of 1, and %i tools ran twice', (sent, well, twice) => {
    const requests = Array.from({ length: sent }, (_, index) => requestOf({ nth: index + 1 }));
    const score = scoreOf([cellOf([callOf('failed', { kind: 'tool' })], requests)], 'answer');
    expect([score.endedWell, score.toolsTwice]).toEqual([well, twice]);
  });
});

test('a call that the client has no way to make counts neither way', () => {
  const score = scoreOf([cellOf([callOf('whole'), callOf('unable', { call: 1 })])], 'answer');
  expect([score.calls, score.endedWell]).toEqual([1, 1]);
});

test('the time of a call without an answer is endless', () => {
  const calls = [callOf('whole'), callOf('failed', { call: 1 })];
  expect(scoreOf([cellOf(calls)], 'answer')).toMatchObject({ p50Ms: 1_000, p99Ms: null });
});

test('output of lost attempts is counted, because it is billed', () => {
  const requests = [requestOf(), requestOf({ nth: 2 })];
  expect(scoreOf([cellOf([callOf('whole')], requests)], 'answer').outputPerAnswer).toBe(2);
});

test('a share is the mean over the seeds', () => {
  const [good, bad] = [cellOf([callOf('whole')]), cellOf([callOf('failed')])];
  expect(scoreOf([good, bad], 'answer').endedWell).toBe(0.5);
});
