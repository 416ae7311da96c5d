/** A value as one line of JSON that is safe to print: on a terminal, in a log and in a file. */

/** Characters that a terminal or log viewer may interpret: C1 controls, DEL, direction marks, line separators. */
const UNSAFE = /[\u007F-\u009F\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Without a line break. Any JSON parser reads the same value from it as from plain JSON. */
export function jsonLine(value: unknown): string {
  return JSON.stringify(value).replace(UNSAFE, escaped);
}

function escaped(character: string): string {
  return Array.from({ length: character.length }, (_, index) => {
    const code = character.charCodeAt(index).toString(16).padStart(4, '0');
    return `\\u${code}`;
  }).join('');
}

/** The object in a line; undefined if it is damaged. */
export function parse(line: string): unknown {
  // An error of the parser takes fifteen microseconds, and a file may have millions of lines that were cut.
  if (!line.trimEnd().endsWith('}')) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
