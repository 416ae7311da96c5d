import { expect, it } from 'vitest';
import { UsageError } from '../../src/cli/arguments.ts';
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

it.each([
  [
    { 'max-retry-after': 'soon' },
    'Expected --max-retry-after to be a duration such as 30s, 2m, 1h30m or 250ms, got "soon".',
  ],
  [{ preset: 'eager' }, /^Expected --preset to be one of recommended, .*, fleet, got "eager"\.$/],
  [{ 'max-retries': '-1' }, 'Expected --max-retries to be a whole number such as 5, got "-1".'],
  [{ deadline: '30' }, 'Expected --deadline to be a duration such as 30s, 2m, 1h30m or 250ms, got "30".'],
])('refuses %j', (values, message) => {
  expect(() => readPolicy(values)).toThrow(UsageError);
  expect(() => readPolicy(values)).toThrow(message);
});
