/** What a call does may depend on what a failure says, and never on which object says it. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { times } from '../thorough.ts';
import { type Case, caseOf } from './case.ts';
import { type Entry, runCase } from './run-case.ts';
import { virtualTimers } from './world.ts';

/** Fewer than of the other test, because each runs three times. */
const CASES = Number(process.env['SIMULATION_CASES'] ?? times({ thorough: 4_000, otherwise: 500 })) / 20;
const FROM = Number(process.env['RANDOM_SEED'] ?? 1);
const PER_TEST = 500;

let realTimers = (): void => {};
beforeAll(() => void (realTimers = virtualTimers()));
afterAll(() => realTimers());

const MEMBERS = [
  'type',
  'retryable',
  'category',
  'status',
  'code',
  'message',
  'retryAfterMs',
  'phase',
  'action',
] as const;

/** What was seen of a case, without the moment at which the clock began. */
async function seenOf(plan: Case, classify: 'same' | 'copy' | undefined): Promise<string> {
  const { classify: _, ...options } = plan.options;
  const { outcome, calls } = await runCase({ ...plan, options: { ...options, ...(classify && { classify }) } });
  const startedAt = Math.min(...calls.flatMap(({ entries }) => entries.map(({ at }) => at)));
  return JSON.stringify([
    outcome,
    calls.map(({ entries, read }) => [entries.map((entry) => [entry.at - startedAt, ...summaryOf(entry)]), read]),
  ]);
}

function summaryOf(entry: Entry): readonly unknown[] {
  const { what } = entry;
  switch (entry.what) {
    case 'event': {
      const { event } = entry;
      // The order of the members says nothing.
      const failure =
        'failure' in event ? Object.fromEntries(MEMBERS.map((name) => [name, event.failure[name]])) : null;
      const delayMs = 'delayMs' in event ? event.delayMs : null;
      const because = 'because' in event ? event.because : null;
      return [what, event.type, because, delayMs, failure];
    }
    case 'send':
      return [what, entry.attempt, entry.target, entry.key];
    case 'sleep':
      return [what, entry.ms];
    case 'end':
      return [what, String(entry.error), entry.bodyUsed, entry.listeners];
    case 'start':
    case 'answer':
    case 'onRetry':
    case 'onExhausted':
    case 'asked':
    case 'woken':
    case 'deed':
      return [what];
  }
}

const RANGES = Array.from({ length: Math.ceil(CASES / PER_TEST) }, (_, index) => [
  FROM + index * PER_TEST,
  FROM + Math.min((index + 1) * PER_TEST, CASES) - 1,
]);

describe('a `classify` that returns its failure, or a copy of it,', () => {
  test.each(RANGES)('changes nothing in the random calls %i to %i', async (from = 1, to = 0) => {
    const changed: number[] = [];
    for (let seed = from; seed <= to; seed += 1) {
      const plan = caseOf(seed);
      const plain = await seenOf(plan, undefined);
      const same = await seenOf(plan, 'same');
      const copy = await seenOf(plan, 'copy');
      if (same !== plain || copy !== plain) changed.push(seed);
    }
    expect(changed).toEqual([]);
  });
});
