import { describe, expect, test } from 'vitest';
import {
  admit,
  freshState,
  type GateRules,
  isHealthy,
  type KeyState,
  nothing,
  permitRetry,
  settle,
  unhealthyForMs,
} from '../../src/gate/key-state.ts';

const RULES: GateRules = {
  cooldown: { maxMs: 60_000, startIntervalMs: 0 },
  budget: { capacity: 2, ratio: 0.5 },
  circuit: { count: { kind: 'consecutive', failures: 2 }, openMs: 500, probes: 1, covers: 'all' },
};
const RETRIES: GateRules = { ...RULES, circuit: RULES.circuit && { ...RULES.circuit, covers: 'retries' } };
const NOTHING: GateRules = { cooldown: null, budget: null, circuit: null };

const FIRST = { place: null, retry: false };
const RETRY = { place: null, retry: true };
const WITHDRAWAL = { cost: 1, hinted: false, delayMs: 100 };

const GO = { verdict: 'go', waitMs: 0, place: null, probe: false };

const fresh = (rules = RULES): KeyState => freshState(rules, 0);
const hinted = (rules = RULES): KeyState => settle(fresh(rules), { ...nothing, hintMs: 1_000 }, rules, 0);
const broken = (rules = RULES): KeyState => settle(fresh(rules), { ...nothing, failures: 2 }, rules, 0);

describe('the state of a key', () => {
  test('is healthy at first, and then nothing is asked', () => {
    const state = fresh();
    expect(isHealthy(state, 0)).toBe(true);
    expect(admit(state, FIRST, RULES, 0)).toEqual({
      state,
      answer: { verdict: 'go', waitMs: 0, place: null, probe: false },
    });
    expect(admit(state, FIRST, RULES, 0).state).toBe(state);
    expect(unhealthyForMs(state, RULES, 0)).toBe(0);
  });

  test('is healthy for ever where every part is off', () => {
    const state = settle(fresh(NOTHING), { ...nothing, successes: 1, failures: 9, hintMs: 1_000 }, NOTHING, 0);
    expect(isHealthy(state, 0)).toBe(true);
    expect(admit(state, RETRY, NOTHING, 0).answer.verdict).toBe('go');
    expect(permitRetry(state, WITHDRAWAL, NOTHING, 0).answer.verdict).toBe('go');
  });

  test('makes first attempts wait for a hint, and gives them their turn', () => {
    const waiting = admit(hinted(), FIRST, RULES, 0);
    expect(waiting.answer).toEqual({ verdict: 'wait', waitMs: 1_000, place: 1, probe: false });
    expect(admit(waiting.state, { ...FIRST, place: 1 }, RULES, 1_000).answer).toEqual(GO);
  });

  test('asks for a token of every retry until there is none', () => {
    let state = fresh();
    const answers = [1, 2, 3].map(() => {
      const step = permitRetry(state, WITHDRAWAL, RULES, 0);
      state = step.state;
      return step.answer;
    });
    expect(answers).toEqual([GO, GO, { ...GO, verdict: 'retry-budget-empty' }]);
    const paid = settle(state, { ...nothing, successes: 2 }, RULES, 0);
    expect(permitRetry(paid, WITHDRAWAL, RULES, 0).answer.verdict).toBe('go');
  });

  test('charges nothing for a retry that waits until it is asked for, while the server serves others', () => {
    const state = { ...hinted(), tokens: 0 };
    const permitted = permitRetry(state, { ...WITHDRAWAL, hinted: true }, RULES, 0);
    expect(permitted.answer).toEqual({ verdict: 'go', waitMs: 1_000, place: 1, probe: false });
    expect(permitRetry(state, { ...WITHDRAWAL, hinted: true }, RULES, 60_001).answer.verdict).toBe(
      'retry-budget-empty',
    );
    const without = { ...NOTHING, budget: RULES.budget };
    expect(
      permitRetry({ ...fresh(without), tokens: 0 }, { ...WITHDRAWAL, hinted: true }, without, 0).answer.verdict,
    ).toBe('retry-budget-empty');
  });

  test('refuses a retry that would come before the circuit is tried again, and takes no token for it', () => {
    const state = broken();
    const refused = permitRetry(state, WITHDRAWAL, RULES, 100);
    expect(refused).toEqual({ state, answer: { verdict: 'circuit-open', waitMs: 400, place: null, probe: false } });
    expect(permitRetry(state, { ...WITHDRAWAL, delayMs: 400 }, RULES, 100).answer.verdict).toBe('go');
  });

  test('refuses attempts while the circuit is open, then lets a probe through, which decides', () => {
    expect(admit(broken(), FIRST, RULES, 100).answer).toEqual({ ...GO, verdict: 'circuit-open', waitMs: 400 });
    const probe = admit(broken(), FIRST, RULES, 500);
    expect(probe.answer).toMatchObject({ verdict: 'go', probe: true });
    expect(isHealthy(settle(probe.state, { ...nothing, probe: 'success' }, RULES, 600), 600)).toBe(true);
    expect(unhealthyForMs(settle(probe.state, { ...nothing, probe: 'failure' }, RULES, 600), RULES, 600)).toBe(500);
  });

  test('counts the success of a probe for the budget too', () => {
    const probe = admit({ ...broken(), tokens: 0 }, FIRST, RULES, 500);
    expect(settle(probe.state, { ...nothing, probe: 'success' }, RULES, 600).tokens).toBe(0.5);
  });

  test('lets first attempts through an open circuit that covers retries alone', () => {
    const state = broken(RETRIES);
    expect(admit(state, FIRST, RETRIES, 100).answer).toMatchObject({ verdict: 'go', probe: false });
    expect(admit(state, RETRY, RETRIES, 100).answer.verdict).toBe('circuit-open');
  });

  test('has attempts ask for as long as the line or the circuit needs', () => {
    expect(unhealthyForMs(hinted(), RULES, 0)).toBe(2_000);
    expect(unhealthyForMs(broken(), RULES, 100)).toBe(500);
  });

  test('lets a stored part be whose rule is gone, and makes none where a rule is new', () => {
    const without: GateRules = { ...RULES, cooldown: null, circuit: null };
    const report = { ...nothing, successes: 1, failures: 1, hintMs: 1_000 };
    const stored = { ...hinted(), circuit: broken().circuit };
    expect(settle(stored, report, without, 100)).toMatchObject({ cooldown: stored.cooldown, circuit: stored.circuit });
    expect(admit(broken(), FIRST, without, 100).answer).toEqual(GO);
    expect(unhealthyForMs(broken(), without, 100)).toBe(400);
    expect(settle(fresh(without), report, RULES, 100)).toMatchObject({ cooldown: null, circuit: null });
    expect(admit({ ...hinted(), circuit: null }, FIRST, RULES, 1_000).answer).toEqual({ ...GO, place: null });
  });

  test('makes the line faster with successes, and with nothing else', () => {
    const state = hinted();
    const served = settle(state, { ...nothing, successes: 1 }, RULES, 1_100);
    expect(served.cooldown?.intervalMs).toBeLessThan(state.cooldown?.intervalMs ?? 0);
    expect(served.meter).toMatchObject({ served: 1, lastMs: 1_100 });
    const failed = settle(state, { ...nothing, failures: 1 }, RULES, 100);
    expect([failed.cooldown === state.cooldown, failed.meter === state.meter]).toEqual([true, true]);
  });

  test('counts anew from the end of a cooldown, and not again for each refusal during it', () => {
    const state = hinted();
    expect(state.meter).toMatchObject({ sinceMs: 1_000, served: 0 });
    const prolonged = settle(state, { ...nothing, hintMs: 3_000 }, RULES, 500);
    expect(prolonged.cooldown?.untilMs).toBe(3_500);
    expect(prolonged.meter).toBe(state.meter);
  });

  test('makes the line wait for nobody who has left it', () => {
    let state = hinted();
    for (let i = 0; i < 3; i += 1) state = admit(state, FIRST, RULES, 0).state;
    state = settle(state, { ...nothing, left: 2 }, RULES, 0);
    expect(admit(state, { ...FIRST, place: 3 }, RULES, 1_000).answer.verdict).toBe('go');
  });
});
