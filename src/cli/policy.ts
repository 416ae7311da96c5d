/** The retry options of every command that sends requests. */

import { presets, type RetryConfig } from '../index.ts';
import { readCount, readWord } from './arguments.ts';
import { readDuration } from './duration.ts';
import { ALL_PRESETS } from './presets.ts';

export const POLICY_OPTIONS: {
  readonly preset: { readonly type: 'string' };
  readonly 'max-retries': { readonly type: 'string' };
  readonly deadline: { readonly type: 'string' };
} = { preset: { type: 'string' }, 'max-retries': { type: 'string' }, deadline: { type: 'string' } };

/** The policy that the values of {@link POLICY_OPTIONS} describe. @throws UsageError */
export function readPolicy(values: {
  readonly preset?: string;
  readonly 'max-retries'?: string;
  readonly deadline?: string;
}): RetryConfig {
  const { preset = 'standard', 'max-retries': maxRetries, deadline } = values;
  const name = readWord('preset', preset, ALL_PRESETS);
  return {
    ...(name === 'fleet' ? presets.fleet() : presets[name]),
    ...(maxRetries !== undefined && { maxRetries: readCount('max-retries', maxRetries) }),
    ...(deadline !== undefined && { maxElapsedMs: readDuration('--deadline', deadline) }),
  };
}
