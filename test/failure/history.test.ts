import { expect, test } from 'vitest';
import { STOP_REASONS } from '../../src/failure/reasons.ts';

test.each(Object.entries(STOP_REASONS))('%s is explained in one sentence', (_, sentence) => {
  expect(sentence).toMatch(/^[A-Z][^.]+\.$/);
});
