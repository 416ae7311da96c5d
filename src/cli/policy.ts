/** The retry options of every command that sends requests. */

import { createGate, presets, type RetryConfig } from '../index.ts';
import { type Option, option, type ValuesOf } from './command.ts';
import { count, duration } from './values.ts';

type Preset = keyof typeof presets;

export const PRESETS: readonly Preset[] = ['recommended', 'patient', 'background', 'agent', 'taxonomy', 'fleet'];

export const PRESET_HELP = 'recommended (the default), patient, background, agent, taxonomy or fleet';

/** By the names in `RetryConfig`. */
export const LIMITS: Readonly<Record<'maxRetries' | 'maxRetryAfterMs' | 'maxElapsedMs', Option<number>>> = {
  maxRetries: option('--max-retries <n>', 'the most retries of a call; 0 is never', count),
  maxRetryAfterMs: option(
    '--max-retry-after <time>',
    `the longest wait that a server may ask for, such as 5m; a longer one ends the call (recommended: 2m;
    patient: 8h)`,
    duration,
  ),
  maxElapsedMs: option(
    '--deadline <time>',
    'no attempt begins later than this after the first: 30s, 2m, 1h30m; an attempt in progress is not cut',
    duration,
  ),
};

export function policyOf(preset: Preset = 'recommended', limits: ValuesOf<typeof LIMITS> = {}): RetryConfig {
  return { ...presets[preset], ...(preset === 'fleet' && { gate: createGate() }), ...limits };
}
