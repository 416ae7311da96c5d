/** The presets that `--preset` accepts. */

import type { presets } from '../index.ts';

export type PresetName = keyof typeof presets;

export const ALL_PRESETS: readonly PresetName[] = [
  'recommended',
  'patient',
  'background',
  'agent',
  'taxonomy',
  'fleet',
];
