/**
 * The table of scores in docs/mutation.md and the words about it in the README: read, brought up to date, written. Pure,
 * so that a test can hold the two to each other.
 */

/** What became of a module's mutants. */
export interface Counts {
  readonly killed: number;
  /** Noticed as well: the tests never ended. */
  readonly timedOut: number;
  readonly survived: number;
  /** Reached by no test. */
  readonly uncovered: number;
  /** The module could not even be loaded. Not in the score. */
  readonly unloadable: number;
}

export interface Row extends Counts {
  readonly module: string;
  /** YYYY-MM-DD */
  readonly date: string;
}

/** The share of mutants that were noticed, in percent. */
export function scoreOf({ killed, timedOut, survived, uncovered }: Counts): number {
  const noticed = killed + timedOut;
  return (100 * noticed) / (noticed + survived + uncovered);
}

/** The rows of the table in docs/mutation.md, without the sum. */
export function rowsIn(page: string): readonly Row[] {
  const lines = between(page, 'mutation').split('\n');
  return lines.flatMap((line) => {
    const cells = line.split('|').map((cell) => cell.trim());
    const [, module = '', , , , , , , date = ''] = cells;
    if (!/^`\w+`$/.test(module)) return [];
    const [killed = 0, timedOut = 0, survived = 0, uncovered = 0, unloadable = 0] = cells.slice(3, 8).map(Number);
    return [{ module: module.slice(1, -1), killed, timedOut, survived, uncovered, unloadable, date }];
  });
}

/** The page with these rows, and their sum. */
export function pageWith(page: string, rows: readonly Row[]): string {
  const head = [
    '| module | score | killed | timed out | survived | no coverage | not loadable | date |',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |',
  ];
  const body = rows.map((row) => lineOf(`\`${row.module}\``, row, row.date));
  return replaceBetween(page, 'mutation', ['', ...head, ...body, lineOf('together', sumOf(rows), ''), ''].join('\n'));
}

/** The README with the score of all these rows together. */
export function readmeWith(readme: string, rows: readonly Row[]): string {
  const sum = sumOf(rows);
  const mutants = sum.killed + sum.timedOut + sum.survived + sum.uncovered;
  return replaceBetween(readme, 'mutation-score', `${written(scoreOf(sum))} of ${mutants} small faults`);
}

function lineOf(name: string, counts: Counts, date: string): string {
  const { killed, timedOut, survived, uncovered, unloadable } = counts;
  return `| ${[name, written(scoreOf(counts)), killed, timedOut, survived, uncovered, unloadable, date].join(' | ')} |`;
}

/** Never rounded up: 84.96 is not 85. */
function written(score: number): string {
  return `${(Math.floor(score * 10) / 10).toFixed(1)} %`;
}

function sumOf(rows: readonly Row[]): Counts {
  const sum = (key: keyof Counts): number => rows.reduce((total, row) => total + row[key], 0);
  return {
    killed: sum('killed'),
    timedOut: sum('timedOut'),
    survived: sum('survived'),
    uncovered: sum('uncovered'),
    unloadable: sum('unloadable'),
  };
}

function between(text: string, marker: string): string {
  const { start, end } = placeOf(text, marker);
  return text.slice(start, end);
}

function replaceBetween(text: string, marker: string, content: string): string {
  const { start, end } = placeOf(text, marker);
  return text.slice(0, start) + content + text.slice(end);
}

function placeOf(text: string, marker: string): { readonly start: number; readonly end: number } {
  const opening = `<!-- ${marker}:start -->`;
  const start = text.indexOf(opening);
  const end = text.indexOf(`<!-- ${marker}:end -->`);
  if (start === -1 || end < start) throw new Error(`The markers ${opening} and their end are missing.`);
  return { start: start + opening.length, end };
}
