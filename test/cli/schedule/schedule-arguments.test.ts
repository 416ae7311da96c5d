import { describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/cli/arguments.ts';
import { readSchedule, type ScheduleValues } from '../../../src/cli/schedule/schedule-arguments.ts';

const delaysOf = (steps: string | undefined, values: ScheduleValues = {}): number[] =>
  readSchedule(steps, values).retries.map(({ delayMs }) => delayMs);

describe('readSchedule', () => {
  it.each([
    ['standard', 3],
    ['patient', 21],
    ['background', 10],
    ['agent', 3],
    ['fleet', 16],
  ])('accepts the preset %s', (preset, count) => {
    expect(readSchedule(undefined, { preset })).toMatchObject({ title: preset, retries: { length: count } });
  });

  it('limits a preset', () => {
    expect(delaysOf(undefined, { preset: 'agent', 'max-retries': '5' })).toEqual([2_000, 4_000, 8_000, 16_000, 32_000]);
    expect(delaysOf(undefined, { preset: 'agent', budget: '6s' })).toEqual([2_000, 4_000]);
  });

  it('reads the failure type if the preset distinguishes them', () => {
    expect(readSchedule(undefined, { preset: 'taxonomy' })).toMatchObject({
      title: 'taxonomy, rate_limit',
      retries: { length: 4 },
    });
    expect(delaysOf(undefined, { preset: 'taxonomy', failure: 'connection_error' })).toHaveLength(2);
  });

  it('reads steps, a tail, a budget and a number of retries', () => {
    const { title, retries } = readSchedule('5s,10s,30s', { tail: '30m', budget: '8h' });
    expect(title).toBe('5s, 10s, 30s, then every 30m');
    expect(retries).toHaveLength(18);
    expect(retries.at(-1)?.elapsedMs).toBe(27_045_000);
    expect(delaysOf('5s, 10s', { tail: 'none' })).toEqual([5_000, 10_000]);
    expect(delaysOf('5s,10s', { 'max-retries': '4' })).toEqual([5_000, 10_000, 10_000, 10_000]);
    expect(readSchedule('5s', { tail: 'none', jitter: 'full' }).retries).toMatchObject([
      { minDelayMs: 0, maxDelayMs: 5_000 },
    ]);
  });

  it('reads growing waits, with the library defaults', () => {
    expect(delaysOf(undefined)).toEqual([1_000, 2_000, 4_000]);
    const values = { base: '500ms', max: '3s', multiplier: '3', jitter: 'none', 'max-retries': '4' };
    expect(readSchedule(undefined, values).title).toBe('500ms × 3, at most 3s');
    expect(delaysOf(undefined, values)).toEqual([500, 1_500, 3_000, 3_000]);
    expect(readSchedule(undefined, { 'jitter-factor': '0.5' }).retries[0]).toMatchObject({
      minDelayMs: 500,
      maxDelayMs: 1_500,
    });
  });

  it.each([
    ['5s', { preset: 'agent' }, 'A preset has waits of its own; leave out --preset or the steps.'],
    [
      undefined,
      { preset: 'eager' },
      'Expected --preset to be one of standard, patient, background, agent, taxonomy, fleet, got "eager".',
    ],
    [undefined, { preset: 'agent', base: '1s' }, '--base is for a schedule of your own; leave out --preset.'],
    [
      undefined,
      { preset: 'agent', failure: 'timeout' },
      '--failure is for a preset that tells failures apart, which is taxonomy.',
    ],
    [undefined, { failure: 'timeout' }, '--failure is for a preset that tells failures apart; add --preset taxonomy.'],
    ['patient', {}, 'A preset is named by an option, as in: schedule --preset patient.'],
    ['5s,ten', {}, 'Expected the steps to be durations with commas between them, such as 5s,10s,30s, got "ten".'],
    ['5s,', {}, 'Expected the steps to be durations with commas between them, such as 5s,10s,30s, got "".'],
    ['5s', { base: '1s' }, '--base is for waits that grow; leave out the steps.'],
    [undefined, { tail: '30m' }, '--tail is for steps; name them, as in: schedule 5s,10s,30s --tail 30m.'],
    ['5s', { tail: 'later' }, 'Expected --tail to be a duration such as 30s, 2m, 1h30m or 250ms, got "later".'],
    [
      '5s',
      {},
      'This schedule has more than 1000 retries; end it with --max-retries 10 or --budget 8h, or with --tail none.',
    ],
    [
      undefined,
      { 'max-retries': '5000' },
      'This schedule has more than 1000 retries; end it with --max-retries 10 or --budget 8h.',
    ],
    [undefined, { multiplier: '0.5' }, 'Expected --multiplier to be a number of at least 1, got "0.5".'],
    [undefined, { 'jitter-factor': '2' }, 'Expected --jitter-factor to be a number from 0 to 1, got "2".'],
    [undefined, { jitter: 'wild' }, 'Expected --jitter to be one of none, symmetric, full, down, got "wild".'],
  ])('refuses steps %j with %j in one line that names the fix', (steps, values, message) => {
    expect(() => readSchedule(steps, values)).toThrow(new UsageError(message));
  });
});
