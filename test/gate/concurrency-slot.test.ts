import { expect, test } from 'vitest';
import { ConcurrencySlot } from '../../src/gate/concurrency-slot.ts';
import type { GateOutcome } from '../../src/gate/gate.ts';
import { unavailable } from './failures.ts';

test.each<[string, GateOutcome]>([
  ['failed', { type: 'failure', failure: unavailable }],
  ['was aborted', { type: 'cancelled' }],
])('an attempt that %s frees its slot at once, and once', (_, outcome) => {
  const released: ConcurrencySlot[] = [];
  const slot = new ConcurrencySlot(
    {},
    'https://x.example',
    undefined,
    () => 0,
    (freed) => void released.push(freed),
  );
  expect(released).toEqual([]);
  slot.end(outcome);
  slot.end(outcome);
  expect(released).toEqual([slot]);
});
