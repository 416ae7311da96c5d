import { describe, expect, test } from 'vitest';
import { createGate } from '../../src/gate/gate.ts';
import { badRequest, outOfQuota, rateLimited, unavailable } from './failures.ts';
import { atOnce, bench, TARGET } from './passes.ts';

describe('a gate', () => {
  test('names keys without showing the credential', () => {
    const { gate, pass } = bench();
    expect(gate.keyOf(TARGET)).toMatch(/^https:\/\/api\.example\.com#[0-9a-f]{16}$/);
    expect(pass().key).toBe(gate.keyOf(TARGET));
  });

  test('answers the same object at once for every attempt while all is well, and tells nobody', () => {
    const { pass, events } = bench();
    const first = pass();
    const answer = atOnce(first.admit());
    first.settled('success');
    expect(answer).toEqual({ go: true });
    expect(atOnce(pass().admit())).toBe(answer);
    expect(events).toEqual([]);
  });

  test('holds everybody who shares the key when one is told to wait, and nobody else', () => {
    const { gate, clock, pass } = bench({ cooldown: { spread: 0 } });
    pass().settled(rateLimited(5_000));
    expect(pass().admit()).toEqual({ go: false, waitMs: 5_001, refused: null });
    expect(gate.pass({ ...TARGET, headers: { authorization: 'another' } }, clock).admit()).toEqual({ go: true });
    expect(gate.pass({ ...TARGET, url: 'https://other.example' }, clock).admit()).toEqual({ go: true });
  });

  test('stretches a hint at random, by at most half of it and five seconds', () => {
    for (const [hintMs, chance, waitMs] of [
      [4_000, 0, 4_001],
      [4_000, 0.5, 5_002],
      [100_000, 0.5, 102_501],
    ] as const) {
      const { clock, pass } = bench();
      clock.chance = chance;
      pass().settled(rateLimited(hintMs));
      expect(atOnce(pass().admit())).toMatchObject({ waitMs });
    }
  });

  test('lets those who wait go in order of arrival', () => {
    const { clock, pass } = bench({ cooldown: { spread: 0 } });
    pass().settled(rateLimited(1_000));
    const begun = clock.timeMs;
    const calls = [pass(), pass(), pass()];
    const waits = calls.map((call) => atOnce(call.admit())).map((answer) => (answer.go ? 0 : answer.waitMs));
    expect(waits).toEqual([1_001, 1_052, 1_102]);
    const late = pass();
    for (const [index, call] of calls.entries()) {
      clock.timeMs = begun + (waits[index] ?? 0);
      expect([late, ...calls.slice(index + 1)].map((other) => atOnce(other.admit()).go)).not.toContain(true);
      expect(call.admit()).toEqual({ go: true });
    }
  });

  test('counts those who wait, and says what happens to them', () => {
    const { gate, clock, pass, events, seen } = bench({ cooldown: { spread: 0 } });
    pass().settled(rateLimited(1_000));
    const [first, second] = [pass(), pass()];
    void first.admit();
    void second.admit();
    void second.admit();
    expect(gate.waiting).toBe(2);
    second.leave();
    second.leave();
    expect(gate.waiting).toBe(1);
    clock.timeMs += 1_001;
    expect(atOnce(first.admit())).toEqual({ go: true });
    expect(gate.waiting).toBe(0);
    expect(seen()).toEqual(['cooldown', 'held', 'held', 'released', 'released']);
    expect(events[0]).toMatchObject({ type: 'cooldown', hintMs: 1_001, failure: 'rate_limit' });
    expect(events[2]).toMatchObject({ type: 'held', waitMs: 1_052, waiting: 2 });
    expect(events[4]).toMatchObject({ type: 'released', heldMs: 1_001, waiting: 0 });
    expect(JSON.stringify(events)).not.toContain('secret');
  });

  test('refuses one more than may wait, and never one that need not', () => {
    const { pass, seen } = bench({ maxWaiting: 1 });
    pass().settled(rateLimited(1_000));
    const held = pass();
    void held.admit();
    expect(pass().admit()).toEqual({ go: false, waitMs: 0, refused: 'too-many-waiting' });
    held.leave();
    expect(atOnce(pass().admit())).toMatchObject({ refused: null });
    expect(seen()).toContain('refused');
  });

  test('lets nobody wait where nobody may', () => {
    const { clock, pass } = bench({ maxWaiting: 0, cooldown: { spread: 0 } });
    pass().settled(rateLimited(1_000));
    expect(atOnce(pass().admit())).toMatchObject({ refused: 'too-many-waiting' });
    const retry = pass();
    retry.settled(rateLimited(1_000));
    expect(atOnce(retry.permitRetry(rateLimited(1_000), 0))).toMatchObject({ refused: 'too-many-waiting' });
    clock.timeMs += 1_200;
    expect(atOnce(pass().admit())).toEqual({ go: true });
  });

  test('keeps one that waits in line however full that is', () => {
    const { pass } = bench({ maxWaiting: 1, cooldown: { spread: 0 } });
    pass().settled(rateLimited(1_000));
    const held = pass();
    const waits = { go: false, waitMs: 1_001, refused: null };
    expect([held.admit(), held.admit()]).toEqual([waits, waits]);
  });

  test.each([
    ['that leaves is not waited for', true],
    ['that never came is not missed', false],
  ])('a call %s', (_what, leaves) => {
    const { clock, pass } = bench({ cooldown: { spread: 0 } });
    pass().settled(rateLimited(1_000));
    const [first, second, stranger] = [pass(), pass(), pass()];
    for (const call of [first, second]) void call.admit();
    (leaves ? first : stranger).leave();
    clock.timeMs += 1_001;
    expect(atOnce(second.admit()).go).toBe(leaves);
  });

  test('asks no token of a retry that waits as long as it was told, where the server serves others', () => {
    const { pass } = bench({ retryBudget: { capacity: 0 }, cooldown: { spread: 0 } });
    const failed = rateLimited(1_000);
    const call = pass();
    call.settled(failed);
    expect(call.permitRetry(failed, 1_000)).toEqual({ go: false, waitMs: 1_001, refused: null });
    expect(atOnce(pass().permitRetry(unavailable, 1_000))).toMatchObject({ refused: 'retry-budget-empty' });
  });

  test('takes what is sent after a retry was permitted for the probe of a circuit that covers retries', () => {
    const { clock, pass, events } = bench({ circuitBreaker: { opensAfter: { failures: 1 }, openMs: 1_000 } });
    const call = pass();
    call.settled(unavailable);
    clock.timeMs += 1_000;
    expect(call.permitRetry(unavailable, 0)).toEqual({ go: true });
    expect(call.admit()).toEqual({ go: true });
    expect(events.map((event) => 'phase' in event && event.phase)).toEqual(['open', 'half-open']);
    call.settled('success');
    expect(events.at(-1)).toMatchObject({ type: 'circuit', phase: 'closed' });
    call.settled(unavailable);
    expect(events.at(-1)).toMatchObject({ type: 'circuit', phase: 'open' });
  });

  test('takes a token for each retry, until there is none', () => {
    const { gate, clock, pass, seen } = bench({ retryBudget: { capacity: 2 } });
    const refused = [1, 2, 3].map(() => {
      const call = pass();
      call.settled(unavailable);
      return atOnce(call.permitRetry(unavailable, 100));
    });
    expect(refused).toEqual([{ go: true }, { go: true }, { go: false, waitMs: 0, refused: 'retry-budget-empty' }]);
    expect(gate.readings(clock.timeMs)).toMatchObject([{ tokens: 0, waiting: 0, cooldownMs: 0, circuit: 'closed' }]);
    expect(seen()).toEqual(['refused']);
  });

  test('gives a retry its place in the line when it is planned', () => {
    const { clock, pass } = bench({ cooldown: { spread: 0 } });
    const failed = rateLimited(1_000);
    const first = pass();
    first.settled(failed);
    expect(first.permitRetry(failed, 1_000)).toEqual({ go: false, waitMs: 1_001, refused: null });
    const newcomer = pass();
    expect(atOnce(newcomer.admit())).toMatchObject({ waitMs: 1_052 });
    clock.timeMs += 1_001;
    expect(atOnce(newcomer.admit())).toMatchObject({ go: false });
    expect(atOnce(first.admit())).toEqual({ go: true });
  });

  test('plans a retry as it is when its turn is there already', () => {
    const { clock, pass } = bench({ cooldown: { spread: 0 } });
    pass().settled(rateLimited(1_000));
    clock.timeMs += 1_500;
    const call = pass();
    call.settled(unavailable);
    expect(call.permitRetry(unavailable, 400)).toEqual({ go: true });
    clock.timeMs += 400;
    expect(call.admit()).toEqual({ go: true });
  });

  test('obeys no hint of a failure that concerns the caller alone', () => {
    const { pass, events } = bench();
    const call = pass();
    call.settled(outOfQuota);
    call.settled(badRequest);
    call.settled('cancelled');
    expect([pass().admit(), events]).toEqual([{ go: true }, []]);
  });

  test('opens its circuit for the failures of a server, and closes it for the success of a probe', () => {
    const { clock, pass, events } = bench({
      circuitBreaker: { opensAfter: { failures: 2 }, openMs: 1_000, covers: 'all' },
    });
    for (const outcome of [unavailable, badRequest, 'cancelled', unavailable] as const) pass().settled(outcome);
    expect(pass().admit()).toEqual({ go: false, waitMs: 1_000, refused: 'circuit-open' });
    clock.timeMs += 1_000;
    const probe = pass();
    expect(probe.admit()).toEqual({ go: true });
    expect(atOnce(pass().admit())).toMatchObject({ refused: 'circuit-open' });
    probe.settled('success');
    expect(pass().admit()).toEqual({ go: true });
    const phases = events.filter(({ type }) => type === 'circuit').map((event) => 'phase' in event && event.phase);
    expect(phases).toEqual(['open', 'half-open', 'closed']);
  });

  test.each([
    ['a failure of the server', unavailable, false],
    ['a wrong request, which proves nothing', badRequest, true],
    ['a cancelled call, which proves nothing', 'cancelled', true],
  ] as const)('lets %s of a probe decide whether the next one follows', (_, outcome, followed) => {
    const { clock, pass } = bench({ circuitBreaker: { opensAfter: { failures: 1 }, openMs: 1_000, covers: 'all' } });
    pass().settled(unavailable);
    clock.timeMs += 1_000;
    const probe = pass();
    void probe.admit();
    probe.settled(outcome);
    expect(atOnce(pass().admit()).go).toBe(followed);
  });

  test('frees the place of a probe whose call is over', () => {
    const { clock, pass } = bench({ circuitBreaker: { opensAfter: { failures: 1 }, openMs: 1_000, covers: 'all' } });
    pass().settled(unavailable);
    clock.timeMs += 1_000;
    const probe = pass();
    void probe.admit();
    probe.leave();
    expect(pass().admit()).toEqual({ go: true });
  });

  test('lets nobody wait any longer whom the circuit refuses when the line opens', () => {
    const { gate, clock, pass, seen } = bench({
      cooldown: { spread: 0 },
      circuitBreaker: { opensAfter: { failures: 1 }, covers: 'all' },
    });
    pass().settled(rateLimited(1_000));
    const held = pass();
    void held.admit();
    pass().settled(unavailable);
    clock.timeMs += 1_001;
    expect(held.admit()).toEqual({ go: false, waitMs: 3_999, refused: 'circuit-open' });
    expect(gate.waiting).toBe(0);
    expect(seen()).toEqual(['cooldown', 'held', 'circuit', 'released', 'refused']);
  });

  test('refuses only retries while its circuit is open, unless it was told to refuse all', () => {
    const { pass } = bench({ circuitBreaker: { opensAfter: { failures: 1 } } });
    const call = pass();
    call.settled(unavailable);
    expect(call.permitRetry(unavailable, 100)).toEqual({ go: false, waitMs: 5_000, refused: 'circuit-open' });
    expect(pass().admit()).toEqual({ go: true });
  });

  test('does none of it where everything is off', () => {
    const { gate, clock, pass, events } = bench({ cooldown: false, retryBudget: false });
    const call = pass();
    call.settled(rateLimited(5_000));
    expect(events).toEqual([]);
    for (let i = 0; i < 20; i += 1) expect(call.permitRetry(unavailable, 0)).toEqual({ go: true });
    expect(call.admit()).toEqual({ go: true });
    expect(gate.readings(clock.timeMs)).toMatchObject([{ tokens: null, cooldownMs: 0 }]);
  });

  test('lets no listener change what it answers', () => {
    const gate = createGate({
      onEvent: () => {
        throw new Error('a listener of no use');
      },
    });
    const clock = bench().clock;
    gate.pass(TARGET, clock).settled(rateLimited(1_000));
    expect(atOnce(gate.pass(TARGET, clock).admit())).toMatchObject({ refused: null });
  });
});
