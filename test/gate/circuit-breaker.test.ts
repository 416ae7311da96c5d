import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import type { CircuitPhase } from '../../src/gate/gate-event.ts';
import { FAILURES, type FailureType } from '../../src/failure/failure.ts';
import { Circuit, type CircuitOutcome, type CircuitRule, countsForCircuit } from '../../src/gate/circuit-breaker.ts';

const RULE: CircuitRule = { opensAfter: { failures: 3 }, openMs: 1_000, covers: 'all' };
const WINDOWED: CircuitRule = { ...RULE, opensAfter: { failureRatio: 0.5, windowMs: 10_000, minimumCalls: 10 } };

const circuit = (rule = RULE): Circuit => new Circuit(rule, () => {});

function report(to: Circuit, outcome: CircuitOutcome, times: number, nowMs: number): void {
  for (let count = 0; count < times; count += 1) to.report(outcome, false, nowMs);
}

/** Open since 0. */
function opened(rule = RULE): Circuit {
  const open = circuit(rule);
  report(open, 'failure', 3, 0);
  return open;
}

/** Sends as many attempts as may be sent, `most` at most. Returns how many were probes. */
function probe(through: Circuit, nowMs: number, most = 10): number {
  let probes = 0;
  while (probes < most && through.refusesUntilMs(nowMs) === null && through.sent(nowMs)) probes += 1;
  return probes;
}

describe('the circuit breaker', () => {
  test('lets everything through while it is closed', () => {
    const closed = circuit();
    expect([closed.refusesUntilMs(0), closed.sent(0), closed.phase]).toEqual([null, false, 'closed']);
  });

  test('opens on enough failures in a row, for its time', () => {
    expect(opened().refusesUntilMs(400)).toBe(1_000);
    expect(opened().refusesUntilMs(1_000)).toBeNull();
  });

  test('counts from 0 after a success, and not what says nothing about the server', () => {
    const closed = circuit();
    for (const outcome of ['failure', 'failure', 'success', 'failure', 'neither', 'failure'] as const)
      report(closed, outcome, 1, 0);
    expect(closed.phase).toBe('closed');
    report(closed, 'failure', 1, 0);
    expect(closed.phase).toBe('open');
  });

  test('lets one probe through when its time is over, and no more', () => {
    const open = opened();
    expect([probe(open, 999), probe(open, 1_000), open.phase]).toEqual([0, 1, 'half-open']);
    expect(probe(open, 1_100)).toBe(0);
  });

  test('closes when the probe has succeeded, and counts from 0', () => {
    const open = opened();
    probe(open, 1_000);
    open.report('success', true, 1_200);
    expect(open.phase).toBe('closed');
    report(open, 'failure', 2, 1_200);
    expect(open.phase).toBe('closed');
  });

  test('opens again on one failed probe', () => {
    const open = opened();
    probe(open, 1_000, 1);
    open.report('failure', true, 1_500);
    expect([open.phase, open.refusesUntilMs(1_500)]).toEqual(['open', 2_500]);
  });

  test('gives the place of a cancelled probe to another one', () => {
    const open = opened();
    probe(open, 1_000);
    open.report('neither', true, 1_100);
    expect([probe(open, 1_100), open.phase]).toEqual([1, 'half-open']);
  });

  test('gives the place of a lost probe to another one', () => {
    const open = opened();
    probe(open, 1_000);
    expect([probe(open, 1_999), probe(open, 2_000)]).toEqual([0, 1]);
  });

  test('ignores attempts that were sent before it opened', () => {
    const open = opened();
    report(open, 'success', 5, 500);
    open.report('success', true, 500);
    report(open, 'failure', 1, 500);
    expect([open.phase, open.refusesUntilMs(500)]).toEqual(['open', 1_000]);
  });

  test.each<[CircuitRule['covers'], CircuitOutcome, number, CircuitPhase]>([
    ['retries', 'success', 999, 'open'],
    ['retries', 'success', 1_000, 'closed'],
    ['retries', 'failure', 1_000, 'open'],
    ['all', 'success', 1_000, 'open'],
  ])('if it covers %s, a first attempt that ends in %s at %d leaves it %4$s', (covers, outcome, atMs, phase) => {
    const open = opened({ ...RULE, covers });
    report(open, outcome, 1, atMs);
    expect(open.phase).toBe(phase);
  });

  test('reports each new phase once', () => {
    const phases: CircuitPhase[] = [];
    const told = new Circuit(RULE, (phase) => phases.push(phase));
    report(told, 'failure', 5, 0);
    for (const outcome of ['failure', 'success'] as const) {
      const nowMs = 1_000 * phases.length;
      told.sent(nowMs);
      told.report(outcome, true, nowMs);
    }
    expect(phases).toEqual(['open', 'half-open', 'open', 'half-open', 'closed']);
  });

  test('counts the failures of a server, and none of a caller', () => {
    const types = Object.keys(FAILURES).filter((type): type is FailureType => countsForCircuit(type as FailureType));
    const connections = ['timeout', 'connection_error', 'stream_interrupted', 'provider_unavailable'];
    expect(types.toSorted()).toEqual(['overloaded', 'server_error', ...connections].toSorted());
  });

  test.prop([fc.array(fc.tuple(fc.constantFrom('send', 'success', 'failure', 'neither', 'count'), fc.nat(800)))])(
    'never has more than one probe under way',
    (steps) => {
      let nowMs = 0;
      let underWay = 0;
      let passed = 0;
      const open = new Circuit(RULE, () => ([underWay, passed] = [0, 0]));
      report(open, 'failure', 3, 0);
      for (const [step, passedMs] of steps) {
        nowMs += passedMs;
        if (step === 'send') {
          if (open.refusesUntilMs(nowMs) !== null) continue;
          const isLate = open.phase === 'half-open' && underWay + passed >= 1;
          if (isLate) [underWay, passed] = [0, 0];
          if (open.sent(nowMs)) underWay += 1;
        } else if (step === 'count') {
          report(open, 'failure', 1, nowMs);
        } else if (underWay > 0) {
          underWay -= 1;
          if (step === 'success') passed += 1;
          open.report(step, true, nowMs);
        }
        expect(underWay + passed).toBeLessThanOrEqual(1);
      }
    },
  );
});

describe('a share of failures in a window', () => {
  type Step = readonly [successes: number, failures: number, atMs: number];
  const calls = (...step: Step): Step => step;
  test.each<[string, CircuitPhase, ...Step[]]>([
    ['too few calls prove nothing', 'closed', calls(0, 9, 0)],
    ['half of enough calls is enough', 'open', calls(5, 5, 0)],
    ['less than half is not', 'closed', calls(6, 5, 0)],
    ['a success does not open it, whatever the window holds', 'closed', calls(0, 9, 0), calls(1, 0, 0)],
    ['the older half counts in full when the younger one begins', 'open', calls(5, 4, 4_999), calls(0, 1, 5_000)],
    ['and fades with it', 'closed', calls(4, 5, 4_999), calls(0, 1, 7_500)],
    ['both halves count together', 'open', calls(1, 7, 1_000), calls(0, 4, 6_000)],
    ['what is older than the window is gone', 'closed', calls(0, 9, 0), calls(0, 9, 15_000)],
    ['it begins anew after a pause', 'open', calls(50, 9, 0), calls(0, 10, 60_000)],
  ])('opens the breaker by rule: %s', (_, phase, ...steps) => {
    const windowed = circuit(WINDOWED);
    for (const [successes, failures, atMs] of steps) {
      report(windowed, 'success', successes, atMs);
      report(windowed, 'failure', failures, atMs);
    }
    expect(windowed.phase).toBe(phase);
  });
});
