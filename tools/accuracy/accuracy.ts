/**
 * Prints the accuracy on the frozen samples: on the newest complete one next to the rules of others, on the others alone.
 * `--write` puts the tables into `docs/accuracy.md`, `--misses` lists every misread case.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { classify } from '../../src/index.ts';
import { RIVALS } from './rivals.ts';
import { type Case, readCases, SAMPLES } from './sample.ts';

const OURS = 'retry-transport';
/** The newest whose draw was finished. */
const SHOWN = 'twenty-first';
const texts = readCases(SHOWN, 'texts');
const responses = readCases(SHOWN, 'responses');
const programs = readCases(SHOWN, 'programs');

/** Wilson's interval, at 95 %. */
function rate(right: number, all: number): string {
  if (all === 0) return '';
  const z = 1.96;
  const share = right / all;
  const middle = share + (z * z) / (2 * all);
  const width = z * Math.sqrt((share * (1 - share)) / all + (z * z) / (4 * all * all));
  const [low, high] = [middle - width, middle + width].map((edge) => percent(edge / (1 + (z * z) / all)));
  return `${percent(share)} % (${right}/${all}; ${low}–${high} %)`;
}

const percent = (share: number): string => Math.max(0, 100 * share).toFixed(1);

/** null: a success. */
const read = (failure: Case): ReturnType<typeof classify> =>
  failure.status > 0
    ? classify({ status: failure.status, headers: failure.headers, body: failure.text })
    : classify({ error: new Error(failure.text) });

/** One row of a table: a rule, and its results for the judged cases. */
async function row(
  name: string,
  cases: readonly Case[],
  isRetryable: (failure: Case) => Promise<boolean>,
): Promise<string> {
  const judged = cases.filter((failure) => failure.retryable !== undefined);
  const said = await Promise.all(judged.map(isRetryable));
  const count = (judgement: boolean, answer: boolean): number =>
    judged.filter((failure, index) => failure.retryable === judgement && said[index] === answer).length;
  const [hits, misses, falseHits, rejections] = [
    count(true, true),
    count(true, false),
    count(false, true),
    count(false, false),
  ];
  return `| \`${name}\` | ${rate(hits + rejections, judged.length)} | ${falseHits} of ${falseHits + rejections} | ${misses} of ${hits + misses} |`;
}

async function table(title: string, cases: readonly Case[]): Promise<string> {
  const rows = [
    await row(OURS, cases, async (failure) => read(failure)?.retryable ?? false),
    ...(await Promise.all(RIVALS.map(({ name, isRetryable }) => row(name, cases, isRetryable)))),
    await row('retry everything', cases, async () => true),
  ];
  return [
    `### ${title}`,
    '',
    '| Rule | Right | Final, called retryable | Retryable, called final |',
    '| --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}

function types(cases: readonly Case[] = []): string {
  const typed = cases.filter((failure) => failure.retryable !== undefined && failure.types.length > 0);
  return rate(typed.filter((failure) => failure.types.includes(read(failure)?.type ?? 'none')).length, typed.length);
}

/** The results for the other samples, one line each. */
function earlier(): string {
  const rows = SAMPLES.filter((sample) => sample !== SHOWN).map((sample) => {
    const [said, answered, thrown] = (['texts', 'responses', 'programs'] as const).map((name) =>
      readCases(sample, name),
    );
    return `| ${sample} | ${retries(said)} | ${types(said)} | ${retries(answered)} | ${types(answered)} | ${retries(thrown)} |`;
  });
  return [
    '| Sample | Texts: retry | type | Responses: retry | type | Errors of programs |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}

function retries(cases: readonly Case[] = []): string {
  const judged = cases.filter((failure) => failure.retryable !== undefined);
  return rate(
    judged.filter((failure) => (read(failure)?.retryable ?? false) === failure.retryable).length,
    judged.length,
  );
}

/** A table and the line on types, or nothing where the sample has no such cases. */
async function section(title: string, cases: readonly Case[]): Promise<readonly string[]> {
  return cases.length === 0 ? [] : [await table(title, cases), `The type is right in ${types(cases)}.`];
}

/** How many cases there are, and how many of them say enough to be judged. */
function counted(cases: readonly Case[], name: string): string {
  const judged = cases.filter(({ retryable }) => retryable !== undefined).length;
  return `${cases.length} ${name}, ${judged} of which can be judged`;
}

const report = [
  `These tables show the ${SHOWN} sample, the newest that is complete:`,
  ...(await section(counted(texts, 'texts'), texts)),
  ...(await section(counted(responses, 'responses with a status of 500 or above'), responses)),
  await table(`${programs.length} errors of programs, none of which a retry fixes`, programs),
  '### The other samples',
  earlier(),
].join('\n\n');

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
  parts[2] = `\n\n${report}\n\n`;
  writeFileSync(page, parts.join(''));
}
