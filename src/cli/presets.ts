/** The presets that an option can name. */

import { type Presets } from '../index.ts';

/** The presets that are values; `fleet` is a function, because it makes a gate. */
export type PresetName = {
  [K in keyof Presets]: Presets[K] extends (...options: never[]) => unknown ? never : K;
}[keyof Presets];

export const PRESET_NAMES: readonly PresetName[] = ['standard', 'patient', 'background', 'agent', 'taxonomy'];

/** With the one that is a function. */
export const ALL_PRESETS: readonly (PresetName | 'fleet')[] = [...PRESET_NAMES, 'fleet'];
