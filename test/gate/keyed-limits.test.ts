import { describe, expect, test } from 'vitest';
import { createGate, type GateOptions } from '../../src/index.ts';
import type { GateSession } from '../../src/gate/session.ts';
import { rateLimited, serverError, unavailable } from './failures.ts';
import { bench } from './sessions.ts';
import { openSession } from '../../src/gate/open-gate.ts';

const START_MS = 1_000_000;
const DAY_MS = 86_400_000;

/** A gate, its keys by name, and what it still knows of a key a day later, when many others have come. */
function gateWithKeys(options: GateOptions = {}) {
  const gate = createGate(options);
  const keyed = (gateKey: string): GateSession =>
    openSession(gate, { url: 'https://api.example.com/' }, { runtime: { now: Date.now, random: () => 0.5 }, gateKey });
  const remembered = (atMs = START_MS + DAY_MS): readonly string[] => {
    for (let count = 0; count < 10; count += 1) void keyed(`other ${count}`).take(atMs, null);
    return gate.readings(atMs).flatMap(({ key }) => (key.startsWith('other') ? [] : key));
  };
  return { gate, keyed, remembered };
}

/** Sends an attempt and ends it in a failure of the server. */
function fail(session: GateSession, nowMs = START_MS): void {
  void session.take(nowMs, { failure: serverError, atMs: nowMs });
  session.report(nowMs, { type: 'failure', failure: serverError });
}

describe('what a gate knows of a key', () => {
  test.each<[string, GateOptions, object]>([
    ['by default', {}, { tokens: 19, circuit: 'closed' }],
    ['without a retry budget', { retryBudget: false }, { tokens: null, circuit: 'closed' }],
    ['with a circuit that has opened', { circuitBreaker: { opensAfter: { failures: 1 } } }, { circuit: 'open' }],
  ])('is read %s', (_when, options, reading) => {
    const { gate, keyed } = gateWithKeys(options);
    fail(keyed('one'));
    const [known] = gate.readings(START_MS);
    expect(known).toMatchObject({ key: 'one', waiting: 0, cooldownMs: 0, ...reading });
  });

  test('is the number of calls that wait, of each key and of all', () => {
    const all = bench();
    for (let count = 0; count < 8; count += 1) {
      const call = all.session();
      call.takeAnyway(START_MS + 250 * count);
      call.report(START_MS + 250 * count, { type: 'failure', failure: rateLimited(60_000) });
    }
    for (let count = 0; count < 3; count += 1) void all.session().take(START_MS + 2_000, null);
    expect(all.gate.waiting).toBeGreaterThan(0);
    expect(all.gate.readings(START_MS + 2_000)).toMatchObject([{ waiting: all.gate.waiting }]);
  });
});

const succeed = (session: GateSession): void => {
  void session.take(START_MS, null);
  session.report(START_MS, { type: 'success' });
};
const hold: (_: GateSession, keyed: (name: string) => GateSession) => void = (_, keyed) => {
  for (let nowMs = START_MS; nowMs < START_MS + 2_000; nowMs += 250) {
    const call = keyed('one');
    call.takeAnyway(nowMs);
    call.report(nowMs, { type: 'failure', failure: { ...unavailable, retryAfterMs: 2 * DAY_MS } });
  }
};
const opensAfter = (failures: number): GateOptions => ({
  retryBudget: false,
  circuitBreaker: { opensAfter: { failures } },
});

test.each<[kept: 'kept' | 'forgotten', why: string, GateOptions, happen: typeof hold, atMs?: number]>([
  ['forgotten', 'after a day in which nothing was sent', {}, succeed],
  ['kept', 'at first', {}, succeed, START_MS + 1_000],
  ['kept', 'while an attempt is under way', {}, (session) => void session.take(START_MS, null)],
  ['kept', 'while its retry budget is not full', {}, (session) => fail(session)],
  ['forgotten', 'without a retry budget, whatever was retried', { retryBudget: false }, (session) => fail(session)],
  ['kept', 'while its circuit is open', opensAfter(1), (session) => fail(session)],
  ['forgotten', 'while its circuit has counted too few failures', opensAfter(5), (session) => fail(session)],
  ['kept', 'while it is held', { cooldown: { maxMs: 2 * DAY_MS } }, hold],
])('a key is %s %s', (kept, _why, options, happen, atMs) => {
  const { keyed, remembered } = gateWithKeys(options);
  happen(keyed('one'), keyed);
  expect(remembered(atMs)).toEqual(kept === 'kept' ? ['one'] : []);
});
