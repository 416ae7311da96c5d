import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import {
  askTurn,
  type Cooldown,
  isCalm,
  isHeld,
  joinLine,
  keepPace,
  leaveLine,
  noCooldown,
  quicken,
  startCooldown,
} from '../../src/gate/cooldown.ts';
import { countServed, newMeter, type RateMeter } from '../../src/gate/rate-meter.ts';

const RULE = { maxMs: 60_000, startIntervalMs: 0 };

const served = (successes: number): RateMeter => countServed(newMeter(0), successes, 0);

/** After `successes` in a second, the server asked for a second's pause. */
function cooled(successes: number, hintMs = 1_000): Cooldown {
  return startCooldown(noCooldown(RULE, 0), hintMs, served(successes), RULE, 1_000);
}

/** Lets so many join; their places. */
function joined(
  cooldown: Cooldown,
  count: number,
  nowMs: number,
): { readonly line: Cooldown; readonly waits: readonly number[] } {
  let line = cooldown;
  const waits: number[] = [];
  for (let i = 0; i < count; i += 1) {
    const turn = joinLine(line, nowMs);
    line = turn.cooldown;
    waits.push(turn.waitMs);
  }
  return { line, waits };
}

describe('the cooldown', () => {
  test('is none at first: everybody sends at once, and nobody gets a place', () => {
    const cooldown = noCooldown(RULE, 0);
    expect(isCalm(cooldown, 0)).toBe(true);
    expect(cooldown).toMatchObject({ limit: false, servedIntervalMs: null, gone: 0 });
    expect(joinLine(cooldown, 0)).toEqual({ cooldown, place: null, waitMs: 0 });
    expect(askTurn(cooldown, 7, 0)).toEqual({ cooldown, place: null, waitMs: 0 });
  });

  test('paces a key that is new to a fleet, for a second', () => {
    const cooldown = noCooldown({ ...RULE, startIntervalMs: 10 }, 0);
    expect(joined(cooldown, 4, 0).waits).toEqual([0, 10, 20, 30]);
    expect(isCalm(cooldown, 1_000)).toBe(true);
  });

  test('holds everybody until the hint is over', () => {
    const cooldown = cooled(10);
    expect([isHeld(cooldown, 1_999), isHeld(cooldown, 2_000)]).toEqual([true, false]);
    expect(joinLine(cooldown, 1_500).waitMs).toBe(500);
  });

  test('believes a hint for no longer than it was told to', () => {
    expect(isHeld(cooled(10, 3_600_000), 61_000)).toBe(false);
  });

  test('lets go in order of arrival, a little slower than the server served before', () => {
    // Ten in two seconds, the pause included, and a tenth below that.
    expect(cooled(10).limit).toBe(true);
    expect(joined(cooled(10), 4, 1_000).waits).toEqual([1_000, 1_220, 1_440, 1_660]);
  });

  test('guesses a pace from the hint where nothing was served', () => {
    expect(joined(cooled(0), 3, 1_000).waits).toEqual([1_000, 1_050, 1_100]);
    expect(joined(cooled(0, 60_000), 2, 1_000).waits).toEqual([60_000, 60_500]);
    expect(joined(cooled(0, 20), 2, 1_000).waits).toEqual([20, 40]);
  });

  test('is never slower than one per hint, or per second: where little was asked little was served', () => {
    expect(joined(cooled(1, 300), 2, 1_000).waits).toEqual([300, 1_300]);
  });

  test('opens a place to whoever has it when its time has come, and to nobody else', () => {
    const { line } = joined(cooled(10), 3, 1_000);
    const first = askTurn(line, 1, 2_000);
    expect(first.waitMs).toBe(0);
    expect(askTurn(first.cooldown, 2, 2_000).waitMs).toBe(220);
    const second = askTurn(first.cooldown, 2, 2_220);
    expect([second.waitMs, second.place]).toEqual([0, 2]);
  });

  test('lets no crowd go that has missed its turns: one per interval, each told another time', () => {
    const { line } = joined(cooled(10), 5, 1_000);
    const first = askTurn(line, 1, 3_500);
    const second = askTurn(first.cooldown, 2, 3_500);
    expect([first.waitMs, second.waitMs]).toEqual([0, 0]);
    // At least one interval, and up to three more: so many are late.
    const waits = [3, 4, 5].map((place) => askTurn(second.cooldown, place, 3_500).waitMs);
    expect(waits).toEqual([784, 532, 280]);
  });

  test('spreads a large crowd that has missed its turns over a second', () => {
    const first = askTurn(joined(cooled(10), 30, 1_000).line, 1, 9_000);
    const second = askTurn(first.cooldown, 2, 9_000);
    expect([3, 4, 5].map((place) => askTurn(second.cooldown, place, 9_000).waitMs)).toEqual([1_075, 693, 311]);
  });

  test('makes a newcomer wait until the last who was late is an interval away', () => {
    const { line } = joined(cooled(10), 5, 1_000);
    const late = askTurn(askTurn(line, 1, 3_500).cooldown, 2, 3_500).cooldown;
    expect(late).toMatchObject({ nextPlace: 6, opensAtMs: 3_100, freeAtMs: 3_720, gone: 2 });
    expect([joinLine(late, 3_500).waitMs, joinLine(late, 3_719).waitMs]).toEqual([220, 1]);
    expect(joinLine(late, 3_720)).toMatchObject({ waitMs: 0, cooldown: { gone: 3, nextPlace: 7, opensAtMs: 3_940 } });
  });

  test('counts whoever goes at the very moment, and opens the next place an interval later', () => {
    const next = { nextPlace: 2, opensAtMs: 2_220, freeAtMs: 2_220, gone: 1 };
    expect(joinLine(cooled(10), 2_000)).toMatchObject({ waitMs: 0, place: 1, cooldown: next });
    expect(askTurn(joined(cooled(10), 1, 1_000).line, 1, 2_000)).toMatchObject({ waitMs: 0, cooldown: next });
  });

  test('opens at once for all where its pace is none', () => {
    const { line } = joined({ ...cooled(10), intervalMs: 0 }, 3, 1_000);
    expect(askTurn(line, 3, 2_000)).toMatchObject({ waitMs: 0, cooldown: { nextPlace: 4, opensAtMs: 2_000 } });
  });

  test('is not kept up by those who come one after the other and stand behind nobody', () => {
    const once = joinLine(cooled(10, 3_000), 4_000).cooldown;
    const twice = joinLine(once, 4_100);
    expect(twice.waitMs).toBe(340);
    expect(isCalm(twice.cooldown, 7_000)).toBe(true);
    expect(isCalm(joinLine(twice.cooldown, 4_100).cooldown, 7_000)).toBe(false);
  });

  test('gives a newcomer a place behind those who wait, not a turn that they have missed', () => {
    const { line } = joined(cooled(10), 3, 1_000);
    const newcomer = joinLine(askTurn(line, 1, 2_000).cooldown, 2_000);
    expect([newcomer.place, newcomer.waitMs]).toEqual([4, 660]);
  });

  test('moves the whole line when the server asks again, and keeps the places', () => {
    const { line } = joined(cooled(10), 3, 1_000);
    const again = startCooldown(askTurn(line, 1, 2_000).cooldown, 1_000, served(0), RULE, 2_100);
    expect(askTurn(again, 2, 2_220).waitMs).toBe(880);
    const second = askTurn(again, 2, 3_100);
    expect([second.waitMs, askTurn(second.cooldown, 3, 3_100).waitMs > 0]).toEqual([0, true]);
  });

  test('takes refusals during a cooldown for the same one: they can prolong it, and say nothing of the pace', () => {
    const cooldown = cooled(10);
    const prolonged = startCooldown(cooldown, 1_000, served(500), RULE, 1_400);
    expect(prolonged.untilMs).toBe(2_400);
    expect(prolonged.intervalMs).toBe(cooldown.intervalMs);
    expect(startCooldown(cooldown, 100, served(0), RULE, 1_400).untilMs).toBe(2_000);
  });

  test('sends probes apart after an outage, and the rest as fast as before it', () => {
    const fast = startCooldown(cooled(1_000), 1_000, newMeter(2_000), RULE, 2_500);
    expect([fast.limit, fast.intervalMs]).toEqual([false, 20]);
    const slow = startCooldown(cooled(5), 1_000, newMeter(2_000), RULE, 2_500);
    expect(slow.intervalMs).toBe(200);
    const unknown = startCooldown(cooled(0), 1_000, newMeter(2_000), RULE, 2_500);
    expect(unknown.intervalMs).toBe(50);
  });

  test('remembers half of what it knew of the rate', () => {
    const again = startCooldown(cooled(10), 1_000, { sinceMs: 2_000, served: 10, lastMs: 3_000 }, RULE, 2_400);
    expect(again.servedIntervalMs).toBe(Math.sqrt(100 * 40));
  });

  test.each([
    ['a guess is left quickly', cooled(0), 8],
    ['what was known is reached soon', { ...cooled(10), intervalMs: 500 }, 2],
    ['at a limit it is slow', { ...cooled(10), intervalMs: 100 / 0.9 }, 1.1],
    ['beyond a limit it is slow', { ...cooled(10), intervalMs: 50 }, 1.1],
    ['for ten seconds', { ...cooled(10), intervalMs: 50, untilMs: -8_000 }, 1.1],
    ['until nothing was heard for long', { ...cooled(10), intervalMs: 50, untilMs: -20_000 }, 1.5],
    ['beyond an outage there is no limit yet', { ...cooled(10), intervalMs: 90, limit: false }, 2],
  ])('gets faster with successes: %s', (_, cooldown, growth) => {
    const quickened = quicken(cooldown, 1, 2_000);
    expect(quickened.intervalMs).toBeCloseTo(cooldown.intervalMs / growth ** (cooldown.intervalMs / 1_000), 6);
  });

  test('gets no faster than a second of successes allows, however many come at once', () => {
    expect(quicken(cooled(0), 1_000, 2_000).intervalMs).toBeCloseTo(50 / 8, 6);
  });

  test('dissolves when its places are no more apart than anything else', () => {
    const cooldown = quicken({ ...cooled(0), intervalMs: 0.101 }, 100_000, 2_000);
    expect([cooldown.intervalMs, isCalm(cooldown, 2_000)]).toEqual([0, true]);
    expect(quicken({ ...cooled(0), intervalMs: 0.1 }, 0, 2_000).intervalMs).toBe(0.1);
    expect(isCalm(quicken({ ...cooled(0), intervalMs: 0.101 }, 100_000, 1_500), 1_999)).toBe(false);
  });

  test('dissolves when nobody has stood behind another for as long as the hint was', () => {
    const cooldown = cooled(10, 3_000);
    expect([isCalm(cooldown, 6_999), isCalm(cooldown, 7_000)]).toEqual([false, true]);
    const alone = joined(cooldown, 1, 1_000).line;
    expect(isCalm(alone, 7_000)).toBe(true);
    const two = joined(cooldown, 3, 1_000).line;
    expect(isCalm(two, 7_000)).toBe(false);
  });

  test('begins a new line after a calm time, with numbers that go on', () => {
    const { line } = joined(cooled(10), 3, 1_000);
    const later = startCooldown(line, 1_000, newMeter(0), RULE, 90_000);
    expect(joinLine(later, 90_000)).toMatchObject({ place: 4, waitMs: 1_000 });
    expect(quicken(line, 1, 90_000)).toBe(line);
  });

  test('sleeps a long wait in parts, for the pace changes', () => {
    const { waits } = joined(cooled(10), 31, 1_000);
    expect(waits[30]).toBe(2_000);
    const { waits: crowd } = joined({ ...cooled(10), intervalMs: 10 }, 10_001, 1_000);
    expect(crowd[10_000]).toBe(1_000 + 5_000);
    const { waits: dense } = joined({ ...cooled(10), intervalMs: 0.5 }, 10_001, 1_000);
    expect(dense[10_000]).toBe(1_000 + 2_500);
  });

  test('does not wait for those who have left', () => {
    const { line } = joined(cooled(10), 10, 1_000);
    const emptied = leaveLine(line, 9, 1_500);
    expect(askTurn(emptied, 10, 2_000).waitMs).toBe(0);
    expect(leaveLine(emptied, 5, 1_600)).toMatchObject({ nextPlace: 11, gone: 14 });
    const calm = noCooldown(RULE, 0);
    expect(leaveLine(calm, 1, 0)).toBe(calm);
  });

  test('goes on at the pace of its own where the others are lost', () => {
    const own = keepPace(noCooldown(RULE, 0), countServed(newMeter(0), 4, 1_000), 1_000);
    expect(own.limit).toBe(true);
    expect(joined(own, 3, 1_000).waits).toEqual([0, 250, 500]);
    const unknown = keepPace(noCooldown(RULE, 0), newMeter(0), 1_000);
    expect(unknown.limit).toBe(false);
    expect(joined(unknown, 2, 1_000).waits).toEqual([0, 50]);
    const held = keepPace(cooled(10), served(4), 1_500);
    expect(joinLine(held, 1_500).waitMs).toBe(500);
  });

  const steps = fc.array(
    fc.record({
      step: fc.constantFrom('join', 'ask', 'hint', 'serve', 'leave', 'pass'),
      passedMs: fc.nat(400),
      hintMs: fc.integer({ min: 1, max: 3_000 }),
      pick: fc.nat(),
    }),
    { maxLength: 80 },
  );

  test.prop([steps])(
    'never lets anybody go before the hint is over, nor more in a row than the pace makes up for',
    (all) => {
      let line = cooled(10);
      let nowMs = 1_000;
      let lastGoneMs = Number.NEGATIVE_INFINITY;
      const waiting: number[] = [];
      for (const { step, passedMs, hintMs, pick } of all) {
        nowMs += passedMs;
        if (step === 'hint') line = startCooldown(line, hintMs, served(pick % 3), RULE, nowMs);
        else if (step === 'serve') line = quicken(line, 1 + (pick % 3), nowMs);
        else if (step === 'leave' && waiting.length > 0) {
          waiting.splice(pick % waiting.length, 1);
          line = leaveLine(line, 1, nowMs);
        } else if (step === 'join' || (step === 'ask' && waiting.length > 0)) {
          const held = waiting[pick % waiting.length] ?? 0;
          const turn = step === 'join' ? joinLine(line, nowMs) : askTurn(line, held, nowMs);
          const { intervalMs } = line;
          line = turn.cooldown;
          if (step === 'join' && turn.place !== null && turn.waitMs > 0) waiting.push(turn.place);
          if (turn.waitMs > 0) continue;
          if (step === 'ask') waiting.splice(waiting.indexOf(held), 1);
          expect(isHeld(line, nowMs)).toBe(false);
          if (turn.place === null) continue;
          // Whoever is late may use the turn before their own: two in one interval, and never three.
          expect(line.freeAtMs).toBeGreaterThanOrEqual(nowMs);
          expect(line.freeAtMs - lastGoneMs).toBeGreaterThanOrEqual(Math.min(intervalMs, line.intervalMs) - 1e-6);
          lastGoneMs = nowMs;
        }
      }
    },
  );

  test.prop([fc.integer({ min: 2, max: 40 }), fc.integer({ min: 1, max: 50 })])(
    'lets those who ask when they were told to go in the order in which they came',
    (count, successes) => {
      const { line, waits } = joined(cooled(successes), count, 1_000);
      const asks = waits.map((waitMs, i) => ({ atMs: 1_000 + waitMs, place: i + 1 }));
      let current = line;
      const order: number[] = [];
      while (asks.length > 0) {
        asks.sort((a, b) => a.atMs - b.atMs || a.place - b.place);
        const ask = asks.shift();
        if (ask === undefined) break;
        const turn = askTurn(current, ask.place, ask.atMs);
        current = turn.cooldown;
        if (turn.waitMs === 0) order.push(ask.place);
        else asks.push({ atMs: ask.atMs + turn.waitMs, place: ask.place });
      }
      expect(order).toEqual(Array.from({ length: count }, (_, i) => i + 1));
    },
  );
});
