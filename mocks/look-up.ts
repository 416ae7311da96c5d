/** Finds a recording by name, and suggests similar names for an unknown one. */

import { recordings, type Recording, type RecordingName } from './recordings.ts';

/**
 * The recording with this name.
 *
 * @throws {RangeError} if there is none; the message lists similar names
 */
export function recording(name: RecordingName): Recording {
  if (Object.hasOwn(recordings, name)) return recordings[name];
  const near = namesNear(name);
  const advice =
    near.length > 0
      ? `Did you mean ${near.map((other) => `'${other}'`).join(', ')}?`
      : `There are ${Object.keys(recordings).length}; Object.keys(recordings) lists them.`;
  throw new RangeError(`No recording is called '${name}'. ${advice}`);
}

/** At most five names, those with the most words in common first. */
function namesNear(wanted: string): readonly string[] {
  const words = wanted.toLowerCase().split(/[^a-z0-9]+/);
  return Object.keys(recordings)
    .map((name) => ({ name, common: name.split('-').filter((word) => words.includes(word)).length }))
    .filter(({ common }) => common > 0)
    .toSorted((one, other) => other.common - one.common)
    .slice(0, 5)
    .map(({ name }) => name);
}
