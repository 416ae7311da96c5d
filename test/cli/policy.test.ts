import { expect, it } from 'vitest';
import { proxyCommand } from '../../src/cli/commands/proxy.ts';
import { requestCommand } from '../../src/cli/commands/request.ts';
import { ALL_PRESETS, readPolicy } from '../../src/cli/policy.ts';
import { presets } from '../../src/index.ts';

it('is the recommended preset without options, and else a preset with changes', () => {
  expect(readPolicy({})).toEqual(presets.recommended);
  expect(readPolicy({ preset: 'agent', 'max-retries': '0', deadline: '1m 30s' })).toEqual({
    ...presets.agent,
    maxRetries: 0,
    maxElapsedMs: 90_000,
  });
});

it.each([requestCommand, proxyCommand])('the help of $name lists the presets, and no other', ({ help }) => {
  const [, words = ''] = /--preset <name> ([^-]*)/.exec(help) ?? [];
  const listed = words.replace('(the default)', '').split(/,| or /);
  expect(listed.map((word) => word.trim())).toEqual(ALL_PRESETS);
});

it('obeys a longer hint if it is told to', () => {
  expect(readPolicy({ 'max-retry-after': '5m' })).toEqual({ ...presets.recommended, maxRetryAfterMs: 300_000 });
});
