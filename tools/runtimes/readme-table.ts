/** The table of runtimes in README.md, between two markers. */

import type { Outcome } from './inside/check.ts';

export interface Row {
  readonly name: string;
  readonly isPinned: boolean;
  /** undefined: the runtime was left out, and its row in the README stays. */
  readonly report: { readonly version: string; readonly checks: readonly Outcome[] } | undefined;
}

const START = '<!-- runtimes:start -->';
const END = '<!-- runtimes:end -->';
const HEAD = '| runtime | version | checks passed |\n| --- | --- | ---: |\n';

/** README.md with the table as it is now. */
export function withTable(readme: string, rows: readonly Row[]): string {
  const { before, table, after } = split(readme);
  const lines = rows.map((row) => render(row) ?? lineOf(table, row.name));
  return `${before}${START}\n${HEAD}${lines.filter((line) => line !== undefined).join('')}${END}${after}`;
}

/** The differences from README.md, one sentence each. Versions count only if they are pinned. */
export function disagreements(readme: string, rows: readonly Row[]): readonly string[] {
  const { table } = split(readme);
  return rows.flatMap((row) => {
    const rendered = render(row);
    if (rendered === undefined) return [];
    const line = lineOf(table, row.name);
    if (line === undefined) return [`README.md has no row for ${row.name}.`];
    const [said, is] = [line, rendered].map((text) =>
      row.isPinned ? text : text.split('|').toSpliced(2, 1).join('|'),
    );
    return said === is ? [] : [`README.md says “${line.trim()}”, it is “${rendered.trim()}”.`];
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

function split(readme: string): { before: string; table: string; after: string } {
  const [start, end] = [readme.indexOf(START), readme.indexOf(END)];
  if (start === -1 || end < start) throw new Error(`README.md needs the lines ${START} and ${END}, in this order.`);
  return {
    before: readme.slice(0, start),
    table: readme.slice(start + START.length, end),
    after: readme.slice(end + END.length),
  };
}
