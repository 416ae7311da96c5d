import { describe, expect, it } from 'vitest';
import { storedEntry } from '../../src/report/journal-entry.ts';
import { cut } from '../../src/report/stored-values.ts';
import { AT, failure } from './samples.ts';

const base = { version: 1, callId: 'r', method: 'POST', url: 'https://x.example/', at: AT, context: { plan: 'p' } };
const attempt = {
  ...base,
  kind: 'attempt',
  attempt: 1,
  failure: failure(),
  delayMs: 800,
  because: 'hint',
  nextAttemptAt: AT + 800,
  target: 't',
};
const success = { ...base, kind: 'attempt', attempt: 2, failure: null, delayMs: null, because: null };
const fallback = { ...base, kind: 'fallback', from: 'a', to: 'b', failureType: 'overloaded' };
const timings = [
  { attempt: 1, startedAt: AT, durationMs: 5 },
  { attempt: 2, startedAt: AT, durationMs: 5, target: 't' },
];
const outcome = {
  ...base,
  kind: 'outcome',
  outcome: 'failed',
  attempts: 2,
  elapsedMs: 9,
  because: 'deadline',
  summary: 's',
  timings,
};
const { because: _because, ...recovered } = { ...outcome, outcome: 'succeeded' };

describe('an entry of a journal', () => {
  it.each([attempt, success, fallback, outcome, recovered])('is read unchanged (%#)', (entry) => {
    const copy = storedEntry({ ...entry, extra: 1 }, cut);
    expect(copy).toEqual(entry);
    expect(Object.isFrozen(copy)).toBe(true);
  });

  it.each([
    null,
    [],
    base,
    { ...attempt, version: 2 },
    { ...attempt, kind: 'toString' },
    { ...attempt, callId: 1 },
    { ...attempt, method: 1 },
    { ...attempt, url: 1 },
    { ...attempt, at: 'now' },
    { ...attempt, context: null },
    { ...attempt, attempt: -1 },
    { ...attempt, failure: { type: 'overloaded' } },
    { ...attempt, delayMs: -1 },
    { ...attempt, because: 'whim' },
    { ...fallback, from: 1 },
    { ...fallback, to: null },
    { ...fallback, failureType: 'constructor' },
    { ...outcome, outcome: 'exploded' },
    { ...outcome, attempts: '2' },
    { ...outcome, elapsedMs: Number.NaN },
    { ...outcome, summary: 1 },
    { ...outcome, timings: [{}] },
    { ...outcome, timings: [{ ...timings[0], startedAt: 'x' }] },
    { ...outcome, timings: Array.from({ length: 101 }, () => timings[0]) },
  ])('is refused if a field is invalid (%#)', (value) => {
    expect(storedEntry(value, cut)).toBeUndefined();
  });
});
