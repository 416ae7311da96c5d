/** The presets that `--preset` accepts. */

import { type Presets } from '../index.ts';

/** The presets that are values. `fleet` is a function, because each call of it creates a gate. */
export type PresetName = {
  [K in keyof Presets]: Presets[K] extends (...options: never[]) => unknown ? never : K;
}[keyof Presets];

const PRESET_NAMES: readonly PresetName[] = ['standard', 'patient', 'background', 'agent', 'taxonomy'];

/** All presets, `fleet` included. */
export const ALL_PRESETS: readonly (PresetName | 'fleet')[] = [...PRESET_NAMES, 'fleet'];
