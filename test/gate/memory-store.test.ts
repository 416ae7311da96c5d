import { describe, expect, test } from 'vitest';
import { type GateRules, nothing } from '../../src/gate/key-state.ts';
import { memoryStore } from '../../src/gate/memory-store.ts';
import { testStore } from './contract.ts';

const RULES: GateRules = {
  cooldown: { maxMs: 3_600_000, startIntervalMs: 0 },
  budget: { capacity: 5, ratio: 0.1 },
  circuit: null,
};

testStore('memory', () => ({ store: memoryStore(), timeMs: 0 }));

describe('the memory store', () => {
  test('forgets a key that nobody uses, but no hint before it is over', () => {
    const store = memoryStore({ expireAfterMs: 1_000 });
    store.record('quiet', nothing, RULES, 0);
    store.permitRetry('quiet', { cost: 5, hinted: false, delayMs: 0 }, RULES, 0);
    store.record('hinted', { ...nothing, hintMs: 5_000 }, RULES, 0);
    expect(store.settle('quiet', nothing, RULES, 1_001).tokens).toBe(5);
    expect(store.settle('hinted', nothing, RULES, 4_000).cooldownMs).toBe(1_000);
  });

  test('keeps a key that is used', () => {
    const store = memoryStore({ expireAfterMs: 1_000 });
    store.permitRetry('busy', { cost: 5, hinted: false, delayMs: 0 }, RULES, 0);
    for (let atMs = 0; atMs <= 5_000; atMs += 500) store.record('busy', nothing, RULES, atMs);
    expect(store.read('busy')?.tokens).toBe(0);
  });

  test('forgets what was used longest ago when there are too many keys', () => {
    const store = memoryStore({ maxKeys: 3 });
    for (const [atMs, key] of ['a', 'b', 'c', 'a', 'd'].entries()) store.record(key, nothing, RULES, atMs);
    expect([...store.keys()].toSorted()).toEqual(['a', 'c', 'd']);
  });

  test('prefers to forget what has expired', () => {
    const store = memoryStore({ maxKeys: 3, expireAfterMs: 10 });
    for (const [key, atMs] of [
      ['a', 0],
      ['b', 0],
      ['c', 100],
      ['d', 101],
    ] as const)
      store.record(key, nothing, RULES, atMs);
    expect([...store.keys()]).toEqual(['c', 'd']);
  });

  test('goes on at the pace of a line elsewhere', () => {
    const store = memoryStore();
    store.keepPace('orphan', RULES, 0);
    const waits = [1, 2].map(() => store.admit('orphan', { place: null, line: 0, retry: false }, RULES, 0).waitMs);
    expect(waits).toEqual([0, 50]);
    store.keepPace('free', { ...RULES, cooldown: null }, 0);
    expect(store.read('free')?.cooldown).toBeNull();
  });

  test.each([
    [{ maxKeys: 0 }, /^Expected `maxKeys` to be .*got 0\.$/],
    [{ expireAfterMs: -1 }, /^Expected `expireAfterMs` to be .*got -1\.$/],
  ])('refuses %j', (options, message) => {
    expect(() => memoryStore(options)).toThrow(message);
  });
});
