import { describe, expect, test } from 'vitest';
import { refusal } from '../../src/gate/refusal.ts';

const KEY = 'https://api.openai.com#0123456789abcdef';

describe('GateRefusedError', () => {
  test('says what was refused, for how long, and what to do', () => {
    const error = refusal(KEY, 'circuit-open', 4_000, 1_000);
    expect(error.message).toBe(
      `Not sent to ${KEY}: too many failures have opened the circuit. Try again later, or use another target. Possible in 4s.`,
    );
    expect([error.name, error.because, error.possibleAt]).toEqual(['GateRefusedError', 'circuit-open', 5_000]);
  });

  test('has no time if there is none', () => {
    const error = refusal(KEY, 'too-many-waiting', 0, 1_000);
    expect(error.possibleAt).toBeNull();
    expect(refusal(KEY, 'circuit-open', 0, 1_000).message).toMatch(/another target\.$/);
    expect(error.message).toMatch(/raise maxWaiting\.$/);
  });

  test.each([
    ['retry-budget-empty', /too many calls failed for another retry/],
    ['cooldown-too-long', /its turn comes later than this call may wait.* in 1m 30s\.$/],
  ] as const)('has words for %s', (reason, words) => {
    expect(refusal(KEY, reason, 90_000, 0).message).toMatch(words);
  });
});
