/** Files and places for the tests of reports, with the events. */

import fs, { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type MockInstance, onTestFinished, vi } from 'vitest';

export * from './sample-events.ts';

/** A new directory that goes when the test is over. */
export function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'retry-transport-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}

/** A path in a new directory; with contents, a file. */
export function temporaryFile(contents?: string | Uint8Array): string {
  const path = join(temporaryDirectory(), 'file.ndjson');
  if (contents !== undefined) writeFileSync(path, contents);
  return path;
}

export const linesOf = (path: string): readonly string[] =>
  readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '');

/** Everything in a directory, by name. */
export function contentsOf(directory: string): Readonly<Record<string, Buffer>> {
  return Object.fromEntries(readdirSync(directory).map((name) => [name, readFileSync(join(directory, name))]));
}

/** Values that a program without types may pass. */
export const untyped = (value: unknown) => JSON.parse(JSON.stringify(value));

type Watched = 'linkSync' | 'renameSync' | 'writeSync';

/** A spy on a function of the file system, for the rest of the test, also where it was imported by name. */
export function watchFile<K extends Watched>(name: K): MockInstance<(typeof fs)[K]> {
  const spy: MockInstance = vi.spyOn(fs, name);
  syncBuiltinESMExports();
  onTestFinished(() => {
    spy.mockRestore();
    syncBuiltinESMExports();
  });
  return spy;
}
