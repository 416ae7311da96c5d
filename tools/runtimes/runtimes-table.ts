/** The table of runtimes in docs/installing.md, between two markers. */

import type { Outcome } from './inside/check.ts';

export interface Row {
  readonly name: string;
  readonly isPinned: boolean;
  /** undefined: the runtime was left out, and the page keeps its row. */
  readonly report: { readonly version: string; readonly checks: readonly Outcome[] } | undefined;
}

const START = '<!-- runtimes:start -->';
const END = '<!-- runtimes:end -->';
const HEAD = '| runtime | version | checks passed |\n| --- | --- | ---: |\n';

/** docs/installing.md with the new table. */
export function withTable(page: string, rows: readonly Row[]): string {
  const { before, table, after } = split(page);
  const lines = rows.map((row) => render(row) ?? lineOf(table, row.name));
  return `${before}${START}\n${HEAD}${lines.filter((line) => line !== undefined).join('')}${END}${after}`;
}

/** The differences from docs/installing.md, one sentence each. Versions count only if they are pinned. */
export function disagreements(page: string, rows: readonly Row[]): readonly string[] {
  const { table } = split(page);
  return rows.flatMap((row) => {
    const rendered = render(row);
    if (rendered === undefined) return [];
    const line = lineOf(table, row.name);
    if (line === undefined) return [`docs/installing.md has no row for ${row.name}.`];
    const [said, is] = [line, rendered].map((text) =>
      row.isPinned ? text : text.split('|').toSpliced(2, 1).join('|'),
    );
    return said === is ? [] : [`docs/installing.md says “${line.trim()}”, it is “${rendered.trim()}”.`];
  });
}

function render({ name, report }: Row): string | undefined {
  if (report === undefined) return undefined;
  const passed = report.checks.filter(({ error }) => error === undefined).length;
  return `| ${name} | ${report.version} | ${passed} of ${report.checks.length} |\n`;
}

function lineOf(table: string, name: string): string | undefined {
  return table.match(new RegExp(`^\\| ${name} \\|.*\\n`, 'm'))?.[0];
}

function split(page: string): { before: string; table: string; after: string } {
  const [start, end] = [page.indexOf(START), page.indexOf(END)];
  if (start === -1 || end < start)
    throw new Error(`docs/installing.md needs the lines ${START} and ${END}, in this order.`);
  return {
    before: page.slice(0, start),
    table: page.slice(start + START.length, end),
    after: page.slice(end + END.length),
  };
}
