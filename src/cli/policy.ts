/** The retry options of every command that sends requests. */

import { createGate, presets, type RetryConfig } from '../index.ts';
import { readCount, readWord } from './arguments.ts';
import { readDuration } from './duration.ts';
import { ALL_PRESETS } from './presets.ts';

type PolicyOption = 'preset' | 'max-retries' | 'max-retry-after' | 'deadline';

export const POLICY_OPTIONS: Readonly<Record<PolicyOption, { readonly type: 'string' }>> = {
  preset: { type: 'string' },
  'max-retries': { type: 'string' },
  'max-retry-after': { type: 'string' },
  deadline: { type: 'string' },
};

export type PolicyValues = { readonly [K in PolicyOption]?: string };

/** The policy that the values of {@link POLICY_OPTIONS} describe. @throws UsageError */
export function readPolicy(values: PolicyValues): RetryConfig {
  const { preset = 'recommended', 'max-retries': maxRetries, 'max-retry-after': maxRetryAfter, deadline } = values;
  const name = readWord('preset', preset, ALL_PRESETS);
  return {
    ...presets[name],
    ...(name === 'fleet' && { gate: createGate() }),
    ...(maxRetries !== undefined && { maxRetries: readCount('max-retries', maxRetries) }),
    ...(maxRetryAfter !== undefined && { maxRetryAfterMs: readDuration('--max-retry-after', maxRetryAfter) }),
    ...(deadline !== undefined && { maxElapsedMs: readDuration('--deadline', deadline) }),
  };
}
