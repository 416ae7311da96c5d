/** The results of the runs in `results.json`; the page is generated from them alone. */

import { readFileSync, writeFileSync } from 'node:fs';
import type { Cell } from './scenario.ts';

/** The result of one subject in one scenario. */
export type Row =
  | { readonly version: string; readonly cells: Readonly<Record<string, Cell>> }
  | { readonly version: string; readonly failed: string };

export interface ScenarioResult {
  /** A day, such as 2026-11-21. */
  readonly date: string;
  readonly node: string;
  /** The class of machine, such as "linux x64, 2 cores". */
  readonly machine: string;
  /** The load average of the machine over a minute when the scenario began. */
  readonly load: number;
  readonly quick: boolean;
  /** By subject. */
  readonly rows: Readonly<Record<string, Row>>;
}

/** By scenario. */
export type Results = Readonly<Record<string, ScenarioResult>>;

const file = new URL('results.json', import.meta.url);

export function readResults(): Results {
  const results: Results = JSON.parse(readFileSync(file, 'utf8'));
  return results;
}

export function writeResults(results: Results): void {
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
}
