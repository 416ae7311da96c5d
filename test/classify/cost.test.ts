import { expect, test } from 'vitest';
import { measureClassify } from '../../bench/classify.ts';
import { classify } from '../../src/classify/classify.ts';
import { expectLinearTime } from '../linear-time.ts';
import { times } from '../thorough.ts';

// Measured at 10 on a quiet machine.
test('classifying a failure costs little more than parsing its body', () => {
  expect(measureClassify(times({ thorough: 101, otherwise: 25 }), (headers) => headers).minimum.ratio).toBeLessThan(30);
});

test('unclosed brackets take linear time', () => {
  const bodies: Readonly<Record<number, string>> = { 4_096: '['.repeat(4_096), 65_536: '['.repeat(65_536) };
  expectLinearTime((length) => void classify({ status: 200, body: bodies[length] ?? '' }), {
    short: 4_096,
    long: 65_536,
  });
});
