import { describe, expect, test } from 'vitest';
import { type Cell, compare, hintsBeaten, type Outcome, outcomeOf } from '../cell.ts';

function cellOf(outcome: Outcome): Cell {
  return { program: 'p', plan: 'calm', way: 'proxy', outcome, tookMs: 1, requests: [], seen: [] };
}

describe('outcomeOf', () => {
  test.each<[string, Outcome]>([
    ['Hello, world.', 'answer'],
    ['  \n', 'empty'],
    ['Hello, ', 'cut'],
    ['Hello, Hello, world.', 'repeated'],
    ['Hello, world.Hello, world.', 'repeated'],
  ])('reads %j as: %s', (text, outcome) => {
    expect(outcomeOf(text)).toBe(outcome);
  });
});

describe('compare', () => {
  test.each<[Outcome, Outcome, number]>([
    ['answer', 'error', 1],
    ['error', 'answer', -1],
    ['error', 'error', 0],
    ['empty', 'error', -1],
    ['error', 'cut', 1],
    ['late', 'error', -1],
    ['error', 'repeated', -1],
  ])('%s where it was %s alone counts as %d', (outcome, alone, sign) => {
    expect(compare(cellOf(outcome), cellOf(alone))).toBe(sign);
  });
});

test('a request that came before its hint was over is counted', () => {
  const request = {
    atMs: 0,
    method: 'POST',
    path: '/',
    api: 'chat',
    conversation: 'c',
    answered: 'rate-limit',
  } as const;
  expect(hintsBeaten({ ...cellOf('answer'), requests: [request, { ...request, earlyByMs: 900 }] })).toBe(1);
});
