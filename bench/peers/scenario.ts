/** A scenario: its description, the columns of its table, and the function that measures one subject. */

import type { Figure } from './statistics.ts';
import type { Subject } from './subject.ts';

/** A figure, or a text if there is none. */
export type Cell = Figure | string;

export interface Column {
  readonly title: string;
  /** Which direction is better; missing if neither is, or if another column has the same measure in other units. */
  readonly better?: 'lower' | 'higher';
  /** The name in the overview, for the column that represents the scenario there. */
  readonly overview?: string;
}

export interface Effort {
  /** `BENCH_QUICK=1`: only shows that everything works; the figures are not accurate. */
  readonly quick: boolean;
  /** Returns the first of the two, or the second in a quick run. */
  choose(usual: number, quick: number): number;
}

export interface Scenario {
  readonly title: string;
  /** The text for the page. Without figures: they would be out of date after the next run. */
  readonly what: string;
  readonly columns: Readonly<Record<string, Column>>;
  readonly nodeFlags?: readonly string[];
  suits(subject: Subject): boolean;
  /** Returns a cell for each column. Throws if the subject did not do its task. */
  measure(subject: Subject, effort: Effort): Promise<Readonly<Record<string, Cell>>>;
}

export const effortOf = (quick: boolean): Effort => ({ quick, choose: (usual, less) => (quick ? less : usual) });

/** Throws if a subject sent the wrong number of requests, which makes its figure worthless. */
export function demand(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Error(`expected ${what}`);
}
