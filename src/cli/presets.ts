/** The presets that a command line has words for. */

import { type Presets } from '../index.ts';

/** The presets that are values; others are made with options. */
export type PresetName = {
  [K in keyof Presets]: Presets[K] extends (...options: never[]) => unknown ? never : K;
}[keyof Presets];

export const PRESET_NAMES: readonly PresetName[] = ['standard', 'patient', 'background', 'agent', 'taxonomy'];
