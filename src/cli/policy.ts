/** The retry options of every command that sends requests. */

import { createGate, presets, type RetryConfig } from '../index.ts';
import { readCount, readWord } from './arguments.ts';
import { readDuration } from './duration.ts';

type PolicyOption = 'preset' | 'max-retries' | 'max-retry-after' | 'deadline';

export const POLICY_OPTIONS: Readonly<Record<PolicyOption, { readonly type: 'string' }>> = {
  preset: { type: 'string' },
  'max-retries': { type: 'string' },
  'max-retry-after': { type: 'string' },
  deadline: { type: 'string' },
};

/** The lines of the help about these options. */
export const POLICY_HELP = `  --preset <name>       recommended (the default), patient, background, agent,
                        taxonomy or fleet
  --max-retries <n>     the most retries of a call; 0 is never
  --max-retry-after <time>
                        the longest wait that a server may ask for, such as 5m;
                        a longer one ends the call (recommended: 2m;
                        patient: 8h)
  --deadline <time>     no attempt begins later than this after the first: 30s,
                        2m, 1h30m; an attempt in progress is not cut`;

export const ALL_PRESETS: readonly (keyof typeof presets)[] = [
  'recommended',
  'patient',
  'background',
  'agent',
  'taxonomy',
  'fleet',
];

export type PolicyValues = { readonly [K in PolicyOption]?: string };

/** The policy that the values of {@link POLICY_OPTIONS} describe. `others`: presets of the caller's own, which are patient. @throws UsageError */
export function readPolicy(values: PolicyValues, others: readonly string[] = []): RetryConfig {
  const { preset = 'recommended', 'max-retries': maxRetries, 'max-retry-after': maxRetryAfter, deadline } = values;
  const word = readWord('preset', preset, [...ALL_PRESETS, ...others]);
  const name = ALL_PRESETS.find((known) => known === word) ?? 'patient';
  return {
    ...presets[name],
    ...(name === 'fleet' && { gate: createGate() }),
    ...(maxRetries !== undefined && { maxRetries: readCount('max-retries', maxRetries) }),
    ...(maxRetryAfter !== undefined && { maxRetryAfterMs: readDuration('--max-retry-after', maxRetryAfter) }),
    ...(deadline !== undefined && { maxElapsedMs: readDuration('--deadline', deadline) }),
  };
}
