import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { FAILURES, type FailureType } from '../../src/failure/failure.ts';
import {
  askCircuit,
  type Circuit,
  type CircuitRule,
  closedCircuit,
  countForCircuit,
  countsForCircuit,
  settleProbe,
} from '../../src/gate/circuit-breaker.ts';

const RULE: CircuitRule = { count: { kind: 'consecutive', failures: 3 }, openMs: 1_000, probes: 2, covers: 'all' };
const WINDOWED: CircuitRule = {
  ...RULE,
  count: { kind: 'windowed', windowMs: 10_000, failureRatio: 0.5, minimumCalls: 4 },
};

const opened = (rule = RULE): Circuit => countForCircuit(closedCircuit(rule, 0), 0, 3, rule, 0);

/** Asks at `nowMs`, as often as `times` says, and gives the last answer. */
function asked(circuit: Circuit, nowMs: number, times = 1): ReturnType<typeof askCircuit> {
  let answer = askCircuit(circuit, RULE, nowMs);
  for (let i = 1; i < times; i += 1) answer = askCircuit(answer.circuit, RULE, nowMs);
  return answer;
}

describe('the circuit breaker', () => {
  test('lets everything through while it is closed', () => {
    expect(asked(closedCircuit(RULE, 0), 0)).toMatchObject({ allows: 'attempt' });
  });

  test('opens on enough failures in a row, for its time', () => {
    expect(asked(opened(), 400)).toMatchObject({ allows: 'nothing', circuit: { untilMs: 1_000 } });
  });

  test('opens on a share of failures in a window', () => {
    const calls = countForCircuit(closedCircuit(WINDOWED, 0), 2, 1, WINDOWED, 0);
    expect(calls.phase).toBe('closed');
    expect(countForCircuit(calls, 0, 1, WINDOWED, 0).phase).toBe('open');
  });

  test('does not open on a success, whatever the window holds', () => {
    const calls = countForCircuit(closedCircuit(WINDOWED, 0), 0, 3, WINDOWED, 0);
    expect(countForCircuit(calls, 1, 0, WINDOWED, 0).phase).toBe('closed');
  });

  test('lets as many probes through as it was told when its time is over, and no more', () => {
    expect([1, 2, 3].map((times) => asked(opened(), 1_000, times).allows)).toEqual(['probe', 'probe', 'nothing']);
    const passed = settleProbe(asked(opened(), 1_000, 2).circuit, 'success', RULE, 1_100);
    expect(passed).toMatchObject({ probing: 1, passed: 1 });
    expect(asked(passed, 1_100).allows).toBe('nothing');
  });

  test('closes when all probes came back well, and starts counting anew', () => {
    const halfOpen = asked(opened(), 1_000, 2).circuit;
    const first = settleProbe(halfOpen, 'success', RULE, 1_100);
    expect(first.phase).toBe('half-open');
    const closed = settleProbe(first, 'success', RULE, 1_200);
    expect(closed).toEqual(closedCircuit(RULE, 1_200));
  });

  test('opens again on one failed probe', () => {
    const circuit = settleProbe(asked(opened(), 1_000).circuit, 'failure', RULE, 1_500);
    expect(asked(circuit, 1_500)).toMatchObject({ allows: 'nothing', circuit: { untilMs: 2_500 } });
  });

  test('gives the place of a cancelled probe to another', () => {
    const full = asked(opened(), 1_000, 2).circuit;
    expect(settleProbe(full, 'neither', RULE, 1_100)).toMatchObject({ probing: 1, passed: 0 });
    expect(asked(settleProbe(full, 'neither', RULE, 1_100), 1_100).allows).toBe('probe');
  });

  test('gives the places of probes that never came back to others', () => {
    const full = asked(opened(), 1_000, 2).circuit;
    expect([asked(full, 1_999).allows, asked(full, 2_000).allows]).toEqual(['nothing', 'probe']);
  });

  test('does not count what was sent before it opened', () => {
    const circuit = opened();
    expect(countForCircuit(circuit, 5, 0, RULE, 500)).toBe(circuit);
    expect(settleProbe(circuit, 'success', RULE, 500)).toBe(circuit);
  });

  test('where it covers retries alone, a first attempt that succeeds after its time closes it', () => {
    const rule: CircuitRule = { ...RULE, covers: 'retries' };
    expect(countForCircuit(opened(rule), 1, 0, rule, 999).phase).toBe('open');
    expect(countForCircuit(opened(rule), 1, 0, rule, 1_000).phase).toBe('closed');
    expect(countForCircuit(opened(rule), 0, 1, rule, 1_000).phase).toBe('open');
    expect(countForCircuit(opened(), 1, 0, RULE, 1_000).phase).toBe('open');
  });

  test('keeps its counter when there is nothing to count', () => {
    const circuit = closedCircuit(RULE, 0);
    expect(countForCircuit(circuit, 1, 0, RULE, 0)).toBe(circuit);
  });

  test('starts a new counter where the rule has changed under a stored state', () => {
    const stored = countForCircuit(closedCircuit(RULE, 0), 0, 2, RULE, 0);
    expect(countForCircuit(stored, 0, 1, WINDOWED, 5)).toMatchObject({
      phase: 'closed',
      counter: { kind: 'windowed', sinceMs: 5, calls: 1, failures: 1, olderCalls: 0, olderFailures: 0 },
    });
    expect(closedCircuit(WINDOWED, 5).counter).toMatchObject({ kind: 'windowed', sinceMs: 5, calls: 0 });
    const windowed = countForCircuit(closedCircuit(WINDOWED, 0), 0, 1, WINDOWED, 0);
    expect(countForCircuit(windowed, 0, 1, RULE, 0)).toMatchObject({ phase: 'closed', counter: { failures: 1 } });
  });

  test('counts the failures of a server, and none of a caller', () => {
    const types = Object.keys(FAILURES).filter((type): type is FailureType => countsForCircuit(type as FailureType));
    expect(types).toEqual([
      'overloaded',
      'server_error',
      'timeout',
      'connection_error',
      'stream_interrupted',
      'provider_unavailable',
    ]);
  });

  test.prop([fc.array(fc.tuple(fc.constantFrom('ask', 'success', 'failure', 'neither', 'count'), fc.nat(800)))])(
    'never has more probes under way than it was told',
    (steps) => {
      let nowMs = 0;
      let circuit = opened();
      for (const [step, passedMs] of steps) {
        nowMs += passedMs;
        if (step === 'ask') circuit = askCircuit(circuit, RULE, nowMs).circuit;
        else if (step === 'count') circuit = countForCircuit(circuit, 1, 1, RULE, nowMs);
        else circuit = settleProbe(circuit, step, RULE, nowMs);
        expect(circuit.probing + circuit.passed).toBeLessThanOrEqual(RULE.probes);
      }
    },
  );
});
