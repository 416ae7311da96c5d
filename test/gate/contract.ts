/** What every store has to do, run against each of them with a clock that the test moves. */

import { beforeEach, describe, expect, test } from 'vitest';
import { type GateRules, nothing, type Report } from '../../src/gate/key-state.ts';
import type { Standing, Store, StoreAnswer } from '../../src/gate/store.ts';

export interface Subject {
  readonly store: Store;
  /** The clock of the store, in milliseconds. */
  timeMs: number;
}

const RULES: GateRules = {
  cooldown: { maxMs: 60_000, startIntervalMs: 0 },
  budget: { capacity: 2, ratio: 0.5 },
  circuit: { count: { kind: 'consecutive', failures: 2 }, openMs: 1_000, probes: 1, covers: 'all' },
};
const WITHDRAWAL = { cost: 1, hinted: false, delayMs: 0 };

export function testStore(name: string, start: () => Subject): void {
  describe(`a store in ${name}`, () => {
    let subject: Subject;
    let key: string;
    let keys = 0;
    beforeEach(() => {
      subject = start();
      key = `contract ${(keys += 1)}`;
    });

    const admit = async (place: StoreAnswer | null = null, rules = RULES, retry = false): Promise<StoreAnswer> =>
      subject.store.admit(
        key,
        { place: place?.place ?? null, line: place?.standing.line ?? 0, retry },
        rules,
        subject.timeMs,
      );
    const permitRetry = async (withdrawal = WITHDRAWAL, rules = RULES): Promise<StoreAnswer> =>
      subject.store.permitRetry(key, withdrawal, rules, subject.timeMs);
    const settle = async (report: Partial<Report>, rules = RULES): Promise<Standing> =>
      subject.store.settle(key, { ...nothing, ...report }, rules, subject.timeMs);

    test('lets the first attempt of a new key go, with nothing to ask for', async () => {
      expect(await admit()).toMatchObject({
        verdict: 'go',
        place: null,
        probe: false,
        standing: { askForMs: 0, cooldownMs: 0, circuit: 'closed', tokens: 2 },
      });
    });

    test('tells every caller of a cooldown how long it lasts, until it is over', async () => {
      expect(await settle({ hintMs: 1_000 })).toMatchObject({ cooldownMs: 1_000, askForMs: 2_000 });
      subject.timeMs += 400;
      expect(await admit()).toMatchObject({ verdict: 'wait', waitMs: 600, place: 1 });
      subject.timeMs += 2_000;
      expect(await admit()).toMatchObject({ verdict: 'go', standing: { askForMs: 0 } });
    });

    test('gives places in order of arrival, and each its turn', async () => {
      await settle({ hintMs: 1_000 });
      const first = await admit();
      const second = await admit();
      expect([first.place, first.waitMs, second.place, second.waitMs]).toEqual([1, 1_000, 2, 1_050]);
      subject.timeMs += 1_000;
      expect([(await admit(second)).verdict, (await admit(first)).verdict]).toEqual(['wait', 'go']);
      subject.timeMs += 50;
      expect((await admit(second)).verdict).toBe('go');
    });

    test('knows the places of its own line only', async () => {
      await settle({ hintMs: 1_000 });
      const answer = await admit();
      await admit();
      const elsewhere = { ...answer, standing: { ...answer.standing, line: answer.standing.line + 1 } };
      expect((await admit(elsewhere)).place).toBe(3);
      expect((await admit(answer)).place).toBe(1);
    });

    test('never gives the same place or the last token twice, however many ask at once', async () => {
      await settle({ hintMs: 1_000, successes: 1 });
      const places = (await Promise.all(Array.from({ length: 50 }, () => admit()))).map(({ place }) => place);
      expect(new Set(places).size).toBe(50);
      const permits = await Promise.all(Array.from({ length: 20 }, () => permitRetry()));
      expect(permits.filter(({ verdict }) => verdict === 'go')).toHaveLength(2);
    });

    test('moves the line of those who left it', async () => {
      await settle({ hintMs: 1_000 });
      const answers = [await admit(), await admit(), await admit()];
      await settle({ left: 2 });
      subject.timeMs += 1_000;
      expect((await admit(answers[2])).verdict).toBe('go');
    });

    test('paces a key that a fleet begins to use', async () => {
      const rules: GateRules = { ...RULES, cooldown: { maxMs: 60_000, startIntervalMs: 10 } };
      const waits = [await admit(null, rules), await admit(null, rules), await admit(null, rules)];
      expect(waits.map(({ waitMs }) => waitMs)).toEqual([0, 10, 20]);
    });

    test('gets faster with every success', async () => {
      await settle({ hintMs: 10_000 });
      const before = (await admit()).place === 1 ? (await admit()).waitMs : 0;
      await settle({ successes: 1 });
      expect((await admit()).waitMs).toBeLessThan(before + 500);
    });

    test('pays retries out of successes, and out of nothing where a limit still serves some', async () => {
      expect([(await permitRetry()).verdict, (await permitRetry()).standing.tokens]).toEqual(['go', 0]);
      expect((await permitRetry()).verdict).toBe('retry-budget-empty');
      expect(await settle({ successes: 2 })).toMatchObject({ tokens: 1 });
      expect([(await permitRetry()).verdict, (await permitRetry()).verdict]).toEqual(['go', 'retry-budget-empty']);
      expect((await permitRetry({ ...WITHDRAWAL, hinted: true })).verdict).toBe('go');
      subject.timeMs += 60_001;
      expect((await permitRetry({ ...WITHDRAWAL, hinted: true })).verdict).toBe('retry-budget-empty');
    });

    test('opens the circuit, lets one probe through, and closes it on its success', async () => {
      expect(await settle({ failures: 2 })).toMatchObject({ circuit: 'open', askForMs: 1_000 });
      expect(await admit()).toMatchObject({ verdict: 'circuit-open', waitMs: 1_000 });
      expect(await permitRetry()).toMatchObject({ verdict: 'circuit-open', waitMs: 1_000 });
      subject.timeMs += 1_000;
      expect(await admit()).toMatchObject({ verdict: 'go', probe: true, standing: { circuit: 'half-open' } });
      expect(await admit()).toMatchObject({ verdict: 'circuit-open' });
      expect(await settle({ probe: 'success' })).toMatchObject({ circuit: 'closed', askForMs: 0 });
      expect((await admit()).verdict).toBe('go');
    });

    test.each(['failure', 'neither'] as const)('takes the %s of a probe for what it is', async (probe) => {
      await settle({ failures: 2 });
      subject.timeMs += 1_000;
      await admit();
      expect((await settle({ probe })).circuit).toBe(probe === 'failure' ? 'open' : 'half-open');
      expect((await admit()).verdict).toBe(probe === 'failure' ? 'circuit-open' : 'go');
    });

    test('counts failures in a window', async () => {
      const count = { kind: 'windowed', windowMs: 1_000, failureRatio: 0.5, minimumCalls: 4 } as const;
      const rules: GateRules = { ...RULES, circuit: RULES.circuit && { ...RULES.circuit, count } };
      await settle({ successes: 2, failures: 1 }, rules);
      subject.timeMs += 600;
      expect((await settle({ failures: 1 }, rules)).circuit).toBe('closed');
      expect((await settle({ failures: 1 }, rules)).circuit).toBe('open');
    });

    test('closes a circuit of retries when first attempts succeed again', async () => {
      const rules: GateRules = { ...RULES, circuit: RULES.circuit && { ...RULES.circuit, covers: 'retries' } };
      await settle({ failures: 2 }, rules);
      expect([(await admit(null, rules)).verdict, (await admit(null, rules, true)).verdict]).toEqual([
        'go',
        'circuit-open',
      ]);
      subject.timeMs += 1_000;
      expect((await settle({ successes: 1 }, rules)).circuit).toBe('closed');
    });

    test('does nothing where everything is off', async () => {
      const rules: GateRules = { cooldown: null, budget: null, circuit: null };
      expect(await settle({ failures: 9, hintMs: 1_000 }, rules)).toMatchObject({ askForMs: 0, cooldownMs: 0 });
      expect([(await admit(null, rules)).verdict, (await permitRetry(WITHDRAWAL, rules)).verdict]).toEqual([
        'go',
        'go',
      ]);
    });

    test('keeps keys apart', async () => {
      await settle({ hintMs: 1_000 });
      key += ' of another';
      expect((await admit()).verdict).toBe('go');
    });
  });
}
