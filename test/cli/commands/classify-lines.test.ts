import { describe, expect, it } from 'vitest';
import { failureLines } from '../../../src/cli/commands/classify.ts';
import { OVERLOADED, QUOTA } from '../samples.ts';

const LOOK = { columns: 60, colour: false, keys: false };

describe('failureLines', () => {
  it('puts a longer text below its own beginning, and each step on its own line', () => {
    const lines = failureLines({ ...QUOTA, provider: 'openai' }, '', LOOK);
    expect(lines.slice(lines.indexOf('') + 1)).toEqual([
      '  type   quota_exhausted, from openai, code',
      '         insufficient_quota',
      '  retry  no: a retry cannot help',
      '  when   when the quota is raised or renews; the server does',
      '         not say when',
      '  do     Add credits, raise the limit or the plan, or wait',
      '         for the quota to renew.',
      '         OpenAI:',
      '         https://platform.openai.com/settings/organization/l',
      '         imits',
    ]);
  });

  it('says when a used-up quota renews', () => {
    const lines = failureLines({ ...QUOTA, retryAfterMs: 18_000_000, hintSource: 'retry-after' }, '', LOOK);
    expect(lines.join(' ').replace(/ +/g, ' ')).toContain(
      'when in 5h (the Retry-After header), when the quota renews: waitForQuotaReset waits until then do',
    );
  });

  it('says so if no remedy is known', () => {
    const lines = failureLines({ ...OVERLOADED, retryable: false, category: 'non-retryable' }, '', LOOK);
    expect(lines.at(-1)).toBe('  do     no remedy is known');
  });
});
