/**
 * The example of a public name: a short piece of code in examples/ that imports it and few others. A file of examples/api has
 * several pieces, between `// #region` and `// #endregion`.
 */

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

interface Piece {
  readonly file: string;
  readonly code: string;
  /** `name` of `import { name } from 'entry'`, as `entry name`. */
  readonly uses: ReadonlySet<string>;
}

export interface Example {
  readonly file: string;
  readonly code: string;
}

export type Examples = (entry: string, name: string) => Example | undefined;

const IMPORT = /^import (?:(?<all>[\w$*, ]+?)(?:, )?)?(?:\{(?<names>[^}]*)\} )?(?:from )?'(?<from>[^']+)';$/gm;
const REGION = /^\/\/ #region.*\n(?<code>[\s\S]*?)^\/\/ #endregion$/gm;

export function readExamples(root: string): Examples {
  const files = globSync(['examples/*.ts', 'examples/api/*.ts'], { cwd: root }).sort();
  const pieces = files
    .flatMap((file) => piecesOf(file, readFileSync(join(root, file), 'utf8')))
    .sort((one, other) => effortOf(one) - effortOf(other));
  return (entry, name) => pieces.find(({ uses }) => uses.has(`${entry} ${name}`));
}

/** Of a reader: each further name that a piece imports counts as much as some lines. */
function effortOf({ code, uses }: Piece): number {
  return code.length + 400 * uses.size;
}

function piecesOf(file: string, text: string): readonly Piece[] {
  const imports = [...text.matchAll(IMPORT)].map(({ groups }) => ({
    from: groups?.['from'] ?? '',
    names: (groups?.['names'] ?? '')
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== ''),
  }));
  const regions = [...text.matchAll(REGION)].map(({ groups }) => groups?.['code'] ?? '');
  const isWhole = regions.length === 0;
  return (isWhole ? [text.replaceAll(IMPORT, '')] : regions).map((body) => {
    const needed = imports
      .map(({ from, names }) => ({ from, names: names.filter((name) => isNamedIn(body, name)) }))
      .filter(({ names }) => names.length > 0);
    const head = needed.map(({ from, names }) => importOf(names, from)).join('\n');
    const uses = new Set(needed.flatMap(({ from, names }) => names.map((name) => `${from} ${bareName(name)}`)));
    return { file, code: isWhole ? text : `${head}\n\n${body.trim()}\n`, uses };
  });
}

/** `type Failure` and `replay as play` stand for `Failure` and `play`. */
function bareName(name: string): string {
  return name.replace(/^type /, '').replace(/ as .*$/, '');
}

function isNamedIn(body: string, name: string): boolean {
  const code = body.replaceAll(/\/\/.*$/gm, '');
  return new RegExp(`\\b${bareName(name)}\\b`).test(code);
}

function importOf(names: readonly string[], from: string): string {
  const line = `import { ${names.join(', ')} } from '${from}';`;
  return line.length <= 100 ? line : `import {\n${names.map((name) => `  ${name},\n`).join('')}} from '${from}';`;
}
