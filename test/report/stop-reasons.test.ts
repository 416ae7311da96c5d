import { expect, it } from 'vitest';
import { STOP_REASONS } from '../../src/report/stop-reasons.ts';

it.each(Object.entries(STOP_REASONS))(
  '%s is explained in one sentence, and so is what to do',
  (_, { sentence, action }) => {
    for (const text of [sentence, ...(action === null ? [] : [action])]) expect(text).toMatch(/^[A-Z][^.]+\.$/);
  },
);
