/** Renders the generated part of `docs/benchmarks.md`: a pure function of the results. */

import type { Results, Row, ScenarioResult } from './results.ts';
import type { Cell, Column, Scenario } from './scenario.ts';
import type { Figure } from './statistics.ts';
import { FLOORS, OURS, SUBJECT_NAMES } from './subjects.ts';

const BEGIN = '<!-- begin: written by npm run bench -->';
const END = '<!-- end -->';
const NOTHING = '–';
/** Values without a spread, such as sizes, count as different if they differ by more than this share. */
const NOTABLE = 0.05;

/** A scenario and its results. */
interface Section {
  readonly scenario: Scenario;
  readonly result: ScenarioResult;
}

export function fillPage(page: string, generated: string): string {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END, begin);
  if (begin === -1 || end === -1) throw new Error(`Expected the page to have "${BEGIN}" and after it "${END}".`);
  return `${page.slice(0, begin + BEGIN.length)}\n\n${generated.trim()}\n\n${page.slice(end)}`;
}

export function renderResults(results: Results, scenarios: ReadonlyMap<string, Scenario>): string {
  const sections = [...scenarios].flatMap(([name, scenario]) => {
    const result = results[name];
    return result === undefined ? [] : [{ scenario, result }];
  });
  const stamps = new Set(sections.map(({ result }) => stampOf(result)));
  const [common] = stamps.size === 1 ? stamps : [];
  return [
    ...(common === undefined ? [] : [`${common} ${loadsOf(sections)}`]),
    `Versions: ${versionsOf(sections)}.`,
    '## At a glance',
    'Medians; the tables below have the spread.',
    renderOverview(sections),
    '## Where another package is better',
    'A package is listed if it is better by more than the noise.',
    renderBetter(sections),
    ...sections.map((section) => renderSection(section, common === undefined)),
  ].join('\n\n');
}

/** Renders one scenario: for the page, and for the terminal if it is run alone. */
export function renderSection({ scenario, result }: Section, stamped: boolean): string {
  const columns = Object.entries(scenario.columns);
  const rows = rowsOf(result).map(([name, row]) => [name, ...columns.map(([key]) => cellText(row, key))]);
  const table = renderTable(['', ...columns.map(([, { title }]) => title)], rows);
  const failures = rowsOf(result).flatMap(([name, row]) => ('failed' in row ? [`${name} failed: ${row.failed}.`] : []));
  const stamp = stamped ? [`${stampOf(result)} Load average ${result.load}.`] : [];
  return [`## ${scenario.title}`, scenario.what, ...stamp, table, ...failures].join('\n\n');
}

function stampOf({ date, node, machine, quick }: ScenarioResult): string {
  const roughly = quick ? ' A quick run: it shows that everything works, the figures are rough.' : '';
  return `Taken on ${date} with Node ${node}, ${machine}.${roughly}`;
}

/** Figures of a busy machine must be read with care. */
function loadsOf(sections: readonly Section[]): string {
  const loads = sections.map(({ result }) => result.load);
  return `The load average of the machine was ${Math.min(...loads)} to ${Math.max(...loads)} when the scenarios began.`;
}

function versionsOf(sections: readonly Section[]): string {
  return SUBJECT_NAMES.filter((name) => !FLOORS.includes(name))
    .flatMap((name) => {
      const versions = new Set(sections.flatMap(({ result }) => result.rows[name]?.version || []));
      return versions.size === 0 ? [] : [`${name} ${[...versions].join(' and ')}`];
    })
    .join(', ');
}

function renderOverview(sections: readonly Section[]): string {
  const rows = sections.flatMap(({ scenario, result }) =>
    Object.entries(scenario.columns).flatMap(([key, { overview }]) =>
      overview === undefined ? [] : [[overview, ...SUBJECT_NAMES.map((name) => overviewText(result.rows[name], key))]],
    ),
  );
  return renderTable(['', ...SUBJECT_NAMES], rows);
}

/** Lists each measure in which a package, not a baseline, is better than we are by more than the noise. */
function renderBetter(sections: readonly Section[]): string {
  const lines = sections.flatMap(({ scenario, result }) =>
    Object.entries(scenario.columns).flatMap(([key, column]) => {
      const ours = figureIn(result.rows[OURS], key);
      if (ours === undefined) return [];
      const ahead = rowsOf(result).flatMap(([name, row]) => {
        const theirs = FLOORS.includes(name) ? undefined : figureIn(row, key);
        return theirs !== undefined && isAhead(theirs, ours, column) ? [`${name} ${medianText(theirs)}`] : [];
      });
      if (ahead.length === 0) return [];
      const [subjectOfScenario = ''] = scenario.title.split(':');
      return [`- ${subjectOfScenario}, ${column.title}: ${ahead.join(', ')}; ${OURS} ${medianText(ours)}`];
    }),
  );
  return lines.length === 0 ? 'In none of what was measured in this run.' : lines.join('\n');
}

export function isAhead(theirs: Figure, ours: Figure, { better }: Column): boolean {
  if (better === undefined) return false;
  const [smaller, bigger] = better === 'lower' ? [theirs, ours] : [ours, theirs];
  if (smaller.quartiles !== undefined && bigger.quartiles !== undefined) {
    return smaller.quartiles.high < bigger.quartiles.low;
  }
  return bigger.median - smaller.median > NOTABLE * Math.abs(bigger.median);
}

const rowsOf = ({ rows }: ScenarioResult): [string, Row][] =>
  SUBJECT_NAMES.flatMap((name): [string, Row][] => {
    const row = rows[name];
    return row === undefined ? [] : [[name, row]];
  });

const cellIn = (row: Row | undefined, key: string): Cell | undefined =>
  row === undefined || 'failed' in row ? undefined : row.cells[key];

function figureIn(row: Row | undefined, key: string): Figure | undefined {
  const cell = cellIn(row, key);
  return typeof cell === 'string' ? undefined : cell;
}

function cellText(row: Row, key: string): string {
  if ('failed' in row) return 'failed';
  const cell = row.cells[key];
  if (cell === undefined || typeof cell === 'string') return cell ?? NOTHING;
  const { quartiles } = cell;
  if (quartiles === undefined) return medianText(cell);
  return `${medianText(cell)} (${numberText(quartiles.low)} to ${numberText(quartiles.high)})`;
}

function overviewText(row: Row | undefined, key: string): string {
  const cell = cellIn(row, key);
  if (cell === undefined) return row !== undefined && 'failed' in row ? 'failed' : NOTHING;
  return typeof cell === 'string' ? cell : medianText(cell);
}

/** Counts have no decimals. */
export function medianText({ median, quartiles }: Figure): string {
  return quartiles === undefined && Number.isInteger(median) ? median.toLocaleString('en-US') : numberText(median);
}

/** Only the digits that can matter. */
export function numberText(value: number): string {
  const size = Math.abs(value);
  const digits = size >= 100 ? 0 : size >= 10 ? 1 : 2;
  const text = value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return /^-[0.]+$/.test(text) ? text.slice(1) : text;
}

function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [tableLine(head), tableLine(head.map(() => '---')), ...rows.map(tableLine)].join('\n');
}

const tableLine = (cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`;
