/**
 * Prints for each row of prose in `src/classify/words` the judged cases that are read wrongly without it. Fails for a row that no
 * case needs, but for those that are marked in their file as ordinary English: `// Ordinary English: …` before the row.
 */

import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { readWords, rulebookText, type Words } from '../../scripts/rulebook.ts';
import { type Case, readCases, SAMPLES } from './sample.ts';

const CLASSIFY = new URL('../../src/classify/', import.meta.url).href;
const WORDS = new URL('words/', CLASSIFY);
/** What is said of a model and of a request. The words for errors of programs are no prose: they guard against retries. */
const FILES = ['prose.ts'];
/** A pattern that matches nothing. */
const NOTHING = `'(?!)'`;
const MARK = '// Ordinary English: ';
const MOST_MARKED = 15;

/** One row: a text in a list, in one line or in several that are joined. */
export interface Row {
  readonly file: string;
  readonly line: number;
  readonly source: string;
  /** The reason why it stays without a case. */
  readonly reason: string | undefined;
}

/** A judged text and its sample. */
export interface Judged extends Case {
  readonly sample: string;
}

/** The rows of a file, in order. */
export function rowsIn(file: string, text: string): readonly Row[] {
  const lines = text.split('\n');
  const rows: Row[] = [];
  let reason: string | undefined;
  for (let line = 0; line < lines.length; line++) {
    const said = lines[line]?.trim() ?? '';
    if (said.startsWith(MARK)) reason = said.slice(MARK.length);
    if (!/^['`].*(?:['`],|['`] \+)$/.test(said)) continue;
    const first = line;
    while (lines[line]?.endsWith('+') === true) line++;
    // Neither a constant that rows share nor the name of a type.
    if (lines[line]?.endsWith(',') === true && !/^'[a-z_]+',$/.test(said))
      rows.push({ file, line: first, source: lines.slice(first, line + 1).join('\n'), reason });
    reason = undefined;
  }
  return rows;
}

export const allRows = (): readonly Row[] =>
  FILES.flatMap((file) => rowsIn(file, readFileSync(new URL(file, WORDS), 'utf8')));

export const allCases = (): readonly Judged[] =>
  SAMPLES.flatMap((sample) =>
    (['texts', 'programs'] as const).flatMap((name) =>
      readCases(sample, name)
        .filter(({ retryable }) => retryable !== undefined)
        .map((each) => ({ ...each, sample })),
    ),
  );

type Classify = (outcome: { error: unknown }) => { readonly retryable: boolean } | null;

let without: readonly Row[] = [];
let round = 0;

/** The files of words, with a pattern that matches nothing in place of the rows that are left out, and the rulebook of them. */
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    const query = /\?round=\d+$/.exec(context.parentURL ?? '')?.[0] ?? '';
    return found.url.startsWith(CLASSIFY) && query !== '' ? { ...found, url: `${found.url}${query}` } : found;
  },
  load(url, context, next) {
    const [, words, rulebook] = /\/(?:words\/([^/?]+)|(generated-rulebook)\.ts)\?round=\d+$/.exec(url) ?? [];
    if (rulebook !== undefined) return { format: 'module-typescript', source: rulebookOfRound, shortCircuit: true };
    if (words === undefined) return next(url, context);
    let source = readFileSync(fileURLToPath(url.replace(/\?.*$/, '')), 'utf8');
    for (const row of without) if (row.file === words) source = source.replace(row.source, () => `${NOTHING},`);
    return { format: 'module-typescript', source, shortCircuit: true };
  },
});

let rulebookOfRound = '';

/** The classification without some rows. */
export async function classifyWithout(rows: readonly Row[]): Promise<Classify> {
  without = rows;
  round += 1;
  const modules = FILES.map((file) => import(`${WORDS.href}${file}?round=${round}`) as Promise<Words>);
  rulebookOfRound = rulebookText(Object.assign({}, readWords(), ...(await Promise.all(modules))));
  const { classify } = (await import(`${CLASSIFY}classify.ts?round=${round}`)) as { classify: Classify };
  // The tables are read at the first text.
  classify({ error: new Error('The model did not answer, for a reason in no language') });
  return classify;
}

export const isRight = (classify: Classify, { text, retryable }: Case): boolean =>
  (classify({ error: new Error(text) })?.retryable ?? false) === (retryable ?? false);

if (import.meta.main) {
  const cases = allCases();
  const whole = await classifyWithout([]);
  const right = cases.filter((each) => isRight(whole, each));
  let unneeded = 0;
  let marked = 0;
  for (const row of allRows()) {
    const classify = await classifyWithout([row]);
    const lost = right.filter((each) => !isRight(classify, each));
    const samples = new Set(lost.map(({ sample }) => sample)).size;
    process.stdout.write(
      `${row.file}:${row.line + 1}: ${lost.length} cases of ${samples} samples${row.reason === undefined ? '' : ' (ordinary English)'}\n`,
    );
    for (const { address } of lost.slice(0, 3)) process.stdout.write(`    ${address}\n`);
    if (row.reason !== undefined) marked += 1;
    else if (lost.length === 0) unneeded += 1;
  }
  process.stdout.write(
    `${unneeded} rows that no case needs, ${marked} marked as ordinary English (at most ${MOST_MARKED})\n`,
  );
  if (unneeded > 0 || marked > MOST_MARKED) process.exitCode = 1;
}
