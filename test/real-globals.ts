/**
 * Runs around each test file. The files of a worker share its globals, so what one file put over the clock, the timers
 * or fetch is taken off again before the next. A spy on a fake timer, restored last, would leave the fake behind.
 */

import { afterAll, vi } from 'vitest';
import { freshenConnections } from './fresh-connections.ts';

const KEPT = [
  'Date',
  'performance',
  'setTimeout',
  'clearTimeout',
  'setInterval',
  'clearInterval',
  'setImmediate',
  'fetch',
];
const STORE = Symbol.for('retry-transport.test.real-globals');

const kept = (Reflect.get(globalThis, STORE) ?? describeGlobals()) as ReadonlyMap<string, PropertyDescriptor>;
Reflect.set(globalThis, STORE, kept);

afterAll(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.useRealTimers();
  for (const [name, descriptor] of kept) Object.defineProperty(globalThis, name, descriptor);
  freshenConnections();
});

function describeGlobals(): ReadonlyMap<string, PropertyDescriptor> {
  const found = KEPT.map((name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const);
  return new Map(found.filter((entry): entry is readonly [string, PropertyDescriptor] => entry[1] !== undefined));
}
