/** What the runs gave, as it is kept in `results.json`: the page is made of it and of nothing else. */

import { readFileSync, writeFileSync } from 'node:fs';
import type { Cell } from './scenario.ts';

/** What one subject gave in one scenario. */
export type Row =
  | { readonly version: string; readonly cells: Readonly<Record<string, Cell>> }
  | { readonly version: string; readonly failed: string };

export interface ScenarioResult {
  /** A day, such as 2026-11-21. */
  readonly date: string;
  readonly node: string;
  /** The class of machine, such as "linux x64, 2 cores". */
  readonly machine: string;
  /** What else the machine did when the scenario began: its load average over a minute. */
  readonly load: number;
  readonly quick: boolean;
  /** By the name of the subject. */
  readonly rows: Readonly<Record<string, Row>>;
}

/** By the name of the scenario. */
export type Results = Readonly<Record<string, ScenarioResult>>;

const file = new URL('results.json', import.meta.url);

export function readResults(): Results {
  const results: Results = JSON.parse(readFileSync(file, 'utf8'));
  return results;
}

export function writeResults(results: Results): void {
  writeFileSync(file, `${JSON.stringify(results, null, 2)}\n`);
}
