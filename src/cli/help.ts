/** What is printed when somebody asks what there is, and how it is made to fit a narrow terminal. */

import type { CliCommand } from './command.ts';
import { widthOf } from './layout.ts';

const NAME_WIDTH = 12;
/** Where a description goes that has no room beside its option. */
const UNDER = '      ';
const NARROWEST = 20;

/** The list of commands. */
export function overview(commands: readonly CliCommand[]): string {
  const rows = commands.map(({ name, summary }) => `  ${name.padEnd(NAME_WIDTH)}${summary}`);
  return `Asks an LLM API again when asking again can help, and shows the wait.

Usage: retry-transport <command> [options]

${rows.join('\n')}

  help <command>    its options and examples; <command> --help does the same
  --version         the version

In a clone, npm start -- <command> does the same; npm start alone is the demo.
`;
}

/**
 * Breaks the lines that do not fit. A description beside an option then goes below it; what is indented far belongs to
 * the description above.
 */
export function fitHelp(text: string, columns: number = Number.POSITIVE_INFINITY): string {
  const width = Math.max(NARROWEST, columns);
  if (text.split('\n').every((line) => widthOf(line) <= width)) return text;
  return text
    .split('\n')
    .flatMap((line) => fitLine(line, width))
    .join('\n');
}

function fitLine(line: string, width: number): string[] {
  const option = /^( {2,6}\S.*?) {2,}(\S.*)$/.exec(line);
  if (option !== null) {
    const [, name = '', description = ''] = option;
    return [...fill(name, name.search(/\S/), UNDER, width), ...fill(description, UNDER.length, UNDER, width)];
  }
  const indent = line.search(/\S|$/);
  if (indent > 12) return fill(line.trim(), UNDER.length, UNDER, width);
  return fill(line.trim(), indent, ' '.repeat(indent === 0 ? 0 : indent + 2), width);
}

/** A line of words in lines of a width; a word that is longer stands alone. */
function fill(text: string, indent: number, hanging: string, width: number): string[] {
  const lines: string[] = [];
  let line = ' '.repeat(indent);
  for (const word of text.trim().split(' ')) {
    const longer = line.trim() === '' ? line + word : `${line} ${word}`;
    if (widthOf(longer) > width && line.trim() !== '') {
      lines.push(line);
      line = hanging + word;
    } else line = longer;
  }
  lines.push(line.trimEnd());
  return lines;
}
