import { describe, expect, test } from 'vitest';
import { type Report, Requests } from './announced-requests.ts';

describe('an announced limit of tokens', () => {
  const tokens = (remaining: number, resetMs = 60_000): Report => ({
    unit: 'tokens',
    remaining,
    limit: 10_000,
    resetMs,
  });

  test.each([
    [150, 75, 0],
    [150, 76, 60_000],
    [1_260, 700, 0],
    [1_240, 700, 60_000],
    [1_300, 1_300, 0],
    [1_300, 1_301, 60_000],
  ])('with %i left, an estimate of %i waits for %i ms: it may cost twice as much', (remaining, estimate, waitMs) => {
    const requests = new Requests();
    requests.send(1_000, 100)(1_000, tokens(remaining));
    expect(requests.emptyFor(1_000, estimate)).toBe(waitMs);
  });

  test('lets a request through that is larger than the whole limit, for the server to decide', () => {
    const requests = new Requests();
    requests.send(1_000, 100)(1_000, tokens(10_000));
    expect(requests.emptyFor(1_000, 20_000)).toBe(0);
  });

  test('lets requests of unknown size through while any token remains', () => {
    const requests = new Requests();
    requests.send(1_000)(1_000, tokens(1));
    expect(requests.emptyFor(1_000)).toBe(0);
    requests.send(1_000)(1_000, tokens(0));
    expect(requests.emptyFor(1_000)).toBe(60_000);
  });

  const large = (remaining: number, resetMs: number): Report => ({ ...tokens(remaining, resetMs), limit: 100_000 });
  test.each([
    ['twice the estimate', 200, 200],
    ['half of it', 50, 50],
    ['a twentieth of it, taken for a tenth', 5, 10],
    ['twenty times as much, taken for ten times', 2_000, 1_000],
  ])('learns that requests really cost %s', (_, realCost, learned) => {
    const requests = new Requests();
    for (let sentMs = 0; sentMs < 4_000; sentMs += 100)
      requests.send(sentMs, 100)(sentMs, large(100_000 - (realCost * sentMs) / 100, 60_000 - sentMs));
    requests.send(100_000, 100)(100_000, large(4 * learned + 1, 20_000));
    expect(requests.emptyFor(100_000, 200)).toBe(0);
    expect(requests.emptyFor(100_000, 210)).toBe(20_000);
  });

  test('learns nothing about costs from a refused request', () => {
    const requests = new Requests();
    requests.send(0, 100)(0, tokens(5_000));
    for (let sentMs = 100; sentMs < 4_000; sentMs += 100)
      requests.refuse(sentMs, sentMs, tokens(5_000, 60_000 - sentMs));
    requests.send(100_000, 100)(100_000, tokens(400, 20_000));
    expect(requests.emptyFor(100_000, 200)).toBe(0);
    expect(requests.emptyFor(100_000, 210)).toBe(20_000);
  });
});
