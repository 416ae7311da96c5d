/** The overview of the commands, and the layout of help for a narrow terminal. */

import type { CliCommand } from './command.ts';
import { widthOf } from './display/layout.ts';

const NAME_WIDTH = 12;
const NARROWEST = 20;
/** A description that would begin further to the right goes below its option. */
const MOST_BESIDE = 14;
const HANG = '  ';

/** The list of commands. */
export function overview(commands: readonly CliCommand[]): string {
  const rows = commands.map(({ name, summary }) => `  ${name.padEnd(NAME_WIDTH)}${summary}`);
  return `Retries calls of LLM APIs, and shows each wait.

Usage: retry-transport <command> [options]

${rows.join('\n')}

  help <command>    options and examples; <command> --help does the same
  --version         the version

In a clone, npm start -- <command> does the same; npm start alone is the demo.
`;
}

/**
 * Breaks lines that are too long: paragraphs between words, descriptions below their options, examples so that they can
 * still be copied. Lines with a deep indent belong to the description above them.
 */
export function fitHelp(text: string, columns: number = Number.POSITIVE_INFINITY): string {
  const width = Math.max(NARROWEST, columns);
  const lines = text.split('\n');
  if (lines.every((line) => widthOf(line) <= width)) return text;
  const examples = lines.findIndex((line) => line === 'Examples:');
  const end = examples === -1 ? lines.length : examples;
  return [
    ...joined(lines.slice(0, end)).flatMap((line) => fitLine(line, width)),
    ...lines.slice(end).flatMap((line) => fitExample(line, width)),
  ].join('\n');
}

/** Joins each paragraph, and each option with its whole description, into one line. */
function joined(lines: readonly string[]): string[] {
  const blocks: string[] = [];
  for (const line of lines) {
    const before = blocks.at(-1) ?? '';
    const isDescription = /^ {13,}\S/.test(line);
    const isParagraph = /^\S/.test(line) && /^\S/.test(before) && !before.endsWith(':');
    if (isDescription || isParagraph) blocks[blocks.length - 1] = `${before} ${line.trim()}`;
    else blocks.push(line);
  }
  return blocks;
}

function fitLine(line: string, width: number): string[] {
  const indent = / */.exec(line)?.[0] ?? '';
  const [beginning = '', name = ''] = /^ {2,6}(\S+(?: \S+)*) {2,}(?=\S)/.exec(line) ?? [];
  const words = line.slice(beginning.length).trim().split(' ');
  if (beginning === '') return fill(words, indent, /^(?:Usage| )/.test(line) ? indent + HANG : indent, width);
  if (beginning.length <= MOST_BESIDE) return fill(words, beginning, ' '.repeat(beginning.length), width);
  const below = indent + HANG + HANG;
  return [indent + name, ...fill(words, below, below, width)];
}

/** Breaks an example between its arguments, with a backslash at the end of each line. */
function fitExample(line: string, width: number): string[] {
  if (widthOf(line) <= width) return [line];
  const indent = / */.exec(line)?.[0] ?? '';
  const continues = line.endsWith(' \\');
  const parts = line.replace(/ \\$/, '').match(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g) ?? [];
  const lines = fill(parts, indent, `${indent}${HANG}`, width - ' \\'.length);
  return lines.map((text, index) => (continues || index < lines.length - 1 ? `${text} \\` : text));
}

/** Fills lines up to a width; a longer word gets a line of its own. */
function fill(words: readonly string[], first: string, hanging: string, width: number): string[] {
  const lines: string[] = [];
  let line = first;
  let isEmpty = true;
  for (const word of words) {
    const longer = isEmpty ? line + word : `${line} ${word}`;
    if (isEmpty || widthOf(longer) <= width) line = longer;
    else {
      lines.push(line);
      line = hanging + word;
    }
    isEmpty = false;
  }
  return [...lines, line.trimEnd()];
}
