/**
 * Prints the accuracy on the newest frozen sample next to the rules of others. `--write` puts it into the table of
 * `docs/accuracy.md`, above the first runs over the earlier samples; `--misses` lists every misread case of all samples.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { classify } from '../../src/index.ts';
import { RIVALS } from './rivals.ts';
import { type Case, readCases, SAMPLES } from './sample.ts';

const OURS = 'retry-transport';
const SHOWN = 'twenty-third';
/** The rows of earlier samples, which are not measured again. */
const FIRST_RUN = '| First run over the ';
const texts = readCases(SHOWN, 'texts');
const responses = readCases(SHOWN, 'responses');
const programs = readCases(SHOWN, 'programs');

/** null: a success. */
const read = (failure: Case): ReturnType<typeof classify> =>
  failure.status > 0
    ? classify({ status: failure.status, headers: failure.headers, body: failure.text })
    : classify({ error: new Error(failure.text) });

/** The ordinary way of wrapping an error. */
const wrapped = (text: string): Error => new Error('Request failed', { cause: new Error(text) });

const isRetryable = async (failure: Case): Promise<boolean> => read(failure)?.retryable ?? false;
const isRetryableWrapped = async ({ text }: Case): Promise<boolean> =>
  classify({ error: wrapped(text) })?.retryable ?? false;

/** How many judged cases a rule gets right. */
async function right(cases: readonly Case[], rule: (failure: Case) => Promise<boolean>): Promise<string> {
  const judged = cases.filter((failure) => failure.retryable !== undefined);
  const said = await Promise.all(judged.map(rule));
  const count = judged.filter((failure, index) => failure.retryable === said[index]).length;
  return `${((100 * count) / judged.length).toFixed(1)} % (${count}/${judged.length})`;
}

async function row(name: string, rule: (failure: Case) => Promise<boolean>, inCause = rule): Promise<string> {
  const cells = [
    await right(responses, rule),
    await right(texts, rule),
    await right(texts, inCause),
    await right(programs, rule),
    await right(programs, inCause),
  ];
  return `| \`${name}\` | ${cells.join(' | ')} |`;
}

const rows = [
  await row(OURS, isRetryable, isRetryableWrapped),
  ...(await Promise.all(RIVALS.map(({ name, isRetryable: rule }) => row(name, rule)))),
  await row('retry everything', async () => true),
];
const report = [
  `| The ${SHOWN} sample | Responses | Texts | Texts as a cause | Errors of programs | Errors of programs as a cause |`,
  '| --- | --- | --- | --- | --- | --- |',
  ...rows,
].join('\n');

process.stdout.write(`${report}\n`);

if (process.argv.includes('--misses')) {
  const all = SAMPLES.flatMap((sample) =>
    (['texts', 'responses', 'programs'] as const).flatMap((name) => readCases(sample, name)),
  );
  for (const failure of all) {
    const { type = 'none', retryable = false } = read(failure) ?? {};
    const isRight =
      failure.retryable === undefined ||
      (failure.retryable === retryable && (failure.types.length === 0 || failure.types.includes(type)));
    if (isRight) continue;
    const judged = `${failure.retryable ? 'retryable' : 'final'} ${failure.types.join(' or ')}`;
    process.stdout.write(
      `\n${failure.address}: ${judged}; read as ${retryable ? 'retryable' : 'final'} ${type}\n${failure.text.slice(0, 300)}\n`,
    );
  }
}

if (process.argv.includes('--write')) {
  const page = new URL('../../docs/accuracy.md', import.meta.url);
  const parts = readFileSync(page, 'utf8').split(/(<!-- \/?figures -->)/);
  const earlier = (parts[2] ?? '').split('\n').filter((line) => line.startsWith(FIRST_RUN));
  parts[2] = `\n\n${[report, ...earlier].join('\n')}\n\n`;
  writeFileSync(page, parts.join(''));
}
