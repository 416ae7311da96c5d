// Node prints the source line of an uncaught error. In a file of one line that line would be the whole file, so each
// top-level statement gets its own line, and the source map follows.
import { parseSync } from 'rolldown/utils';

interface Mappings {
  readonly mappings: string;
}

/** @returns the same code and map with a line break before each top-level statement */
export function breakLines<M extends Mappings>(code: string, map: M): { readonly code: string; readonly map: M } {
  const { program } = parseSync('bundle.js', code);
  const breaks = new Set(
    program.body.map(({ start }) => start).filter((start) => start > 0 && code[start - 1] !== '\n'),
  );
  const lines = code.split('\n');
  const lineMappings = map.mappings.split(';');
  let lineStart = 0;
  const broken = lines.map((line, index) => {
    const columns = [0];
    for (let column = 1; column < line.length; column++) if (breaks.has(lineStart + column)) columns.push(column);
    lineStart += line.length + 1;
    return {
      code: columns.map((column, at) => line.slice(column, columns[at + 1])).join('\n'),
      mappings: splitMappings(lineMappings[index] ?? '', columns),
    };
  });
  return {
    code: broken
      .map((line) => line.code)
      .join('\n')
      .trimEnd(),
    map: { ...map, mappings: broken.map((line) => line.mappings).join(';') },
  };
}

/** The first field of a segment is its column, relative to the segment before it on the same line; the others stay. */
function splitMappings(mappings: string, columns: readonly number[]): string {
  const lines: string[][] = columns.map(() => []);
  let column = 0;
  let line = 0;
  let last = 0;
  for (const segment of mappings === '' ? [] : mappings.split(',')) {
    const { value, rest } = readNumber(segment);
    column += value;
    for (let next = columns[line + 1]; next !== undefined && next <= column; next = columns[line + 1]) {
      line++;
      last = next;
    }
    lines[line]?.push(writeNumber(column - last) + rest);
    last = column;
  }
  return lines.map((segments) => segments.join(',')).join(';');
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

function readNumber(segment: string): { readonly value: number; readonly rest: string } {
  let value = 0;
  let length = 0;
  let digit: number;
  do {
    digit = DIGITS.indexOf(segment.charAt(length));
    value += (digit & 31) << (5 * length++);
  } while (digit & 32);
  return { value: value & 1 ? -(value >> 1) : value >> 1, rest: segment.slice(length) };
}

function writeNumber(value: number): string {
  let text = '';
  let left = value < 0 ? (-value << 1) | 1 : value << 1;
  do {
    text += DIGITS.charAt((left & 31) | (left > 31 ? 32 : 0));
    left >>= 5;
  } while (left > 0);
  return text;
}
