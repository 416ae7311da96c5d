/** A scenario: what it measures in words, the columns of its table, and how one subject gets its row. */

import type { Figure } from './statistics.ts';
import type { Subject } from './subject.ts';

/** A figure, or words where there is none. */
export type Cell = Figure | string;

export interface Column {
  readonly title: string;
  /** Which end of it is the good one; absent where there is none, or where another column says the same in other units. */
  readonly better?: 'lower' | 'higher';
  /** Its name in the overview, for the column that stands for the scenario there. */
  readonly overview?: string;
}

export interface Effort {
  /** `BENCH_QUICK=1`: shows that everything works; the figures are no better than that. */
  readonly quick: boolean;
  /** The first of the two, or the second in a quick run. */
  choose(usual: number, quick: number): number;
}

export interface Scenario {
  readonly title: string;
  /** For the page. No figures: they would outlive the run. */
  readonly what: string;
  readonly columns: Readonly<Record<string, Column>>;
  readonly nodeFlags?: readonly string[];
  suits(subject: Subject): boolean;
  /** A cell for each column. Throws when the subject did not do what was asked of it. */
  measure(subject: Subject, effort: Effort): Promise<Readonly<Record<string, Cell>>>;
}

export const effortOf = (quick: boolean): Effort => ({ quick, choose: (usual, less) => (quick ? less : usual) });

/** A figure of a subject that sent the wrong number of requests is worth nothing. */
export function demand(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(`expected ${what}`);
}
