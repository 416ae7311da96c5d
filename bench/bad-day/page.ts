/** Writes docs/bad-day.md, one page for each trouble, and the pictures. */

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Client } from './client.ts';
import { inCell, logLines } from './lines.ts';
import { clients } from './list-clients.ts';
import { troubles } from './list-troubles.ts';
import { pictureOf, type Row } from './picture.ts';
import { type Cell, type Score, scoreOf } from './score.ts';
import type { Trouble } from './trouble.ts';

const DOCS = new URL('../../docs/', import.meta.url);
const HERE = new URL('.', import.meta.url);

/** The settings of the picture: what each documentation recommends. */
const RECOMMENDED: readonly string[] = ['best', 'as README prints it', 'proxy'];

interface Entry {
  readonly client: Client;
  readonly setting: string;
  readonly scores: ReadonlyMap<string, Score>;
}

export async function writePages(cells: readonly Cell[], unseen: readonly Cell[]): Promise<void> {
  const all = await troubles();
  const entries = entriesOf(await clients(), all, cells);
  const names = [...all.values()].map(({ name }) => name);
  const shown = entries.filter(({ setting }) => RECOMMENDED.includes(setting));
  mkdirSync(new URL('images/', DOCS), { recursive: true });
  mkdirSync(new URL('bad-day/', DOCS), { recursive: true });
  for (const theme of ['light', 'dark'] as const)
    writeFileSync(
      new URL(`images/bad-day-${theme}.svg`, DOCS),
      pictureOf(rowsOf(shown, all), names, theme, sourceOf(cells)),
    );
  writeFileSync(
    new URL('bad-day.md', DOCS),
    mainPage(entries, entriesOf(await clients(), all, unseen), all, cells, unseen),
  );
  for (const [file, trouble] of all)
    writeFileSync(new URL(`bad-day/${file}.md`, DOCS), troublePage(file, trouble, entries, cells));
}

function entriesOf(
  list: readonly Client[],
  all: ReadonlyMap<string, Trouble>,
  cells: readonly Cell[],
): readonly Entry[] {
  const ofClient = Map.groupBy(cells, ({ client, setting, trouble }) => `${client}|${setting}|${trouble}`);
  return list.flatMap((client) =>
    client.settings.map(({ name: setting }) => ({
      client,
      setting,
      scores: new Map(
        [...all].map(([file, { endsWellWith }]) => [
          file,
          scoreOf(ofClient.get(`${client.name}|${setting}|${file}`) ?? [], endsWellWith),
        ]),
      ),
    })),
  );
}

const harmOf = ({ wrong, shownTwice, early, afterPermanent, toolsTwice }: Score): number =>
  wrong + shownTwice + early + afterPermanent + toolsTwice;

function rowsOf(entries: readonly Entry[], all: ReadonlyMap<string, Trouble>): readonly Row[] {
  return entries.map(({ client, scores }) => ({
    name: client.name,
    isOurs: client.isOurs === true,
    cells: [...all.keys()].map((file) => {
      const score = scores.get(file);
      return { share: score?.endedWell.mean ?? 0, isHarmful: score !== undefined && harmOf(score) > 0 };
    }),
  }));
}

const sourceOf = (cells: readonly Cell[]): string =>
  `Unmodified clients against one simulated provider, in virtual time; the mean of the days of ${new Set(cells.map(({ seed }) => seed)).size} seeds.`;

const percent = (share: number): string => String(Math.round(share * 100));
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

/** All settings by trouble; a cross marks harm. */
function shareTable(entries: readonly Entry[], all: ReadonlyMap<string, Trouble>): string {
  const head = ['client', 'setting', ...[...all].map(([file, { name }]) => `[${name}](bad-day/${file}.md)`)];
  const rows = entries.map(({ client, setting, scores }) => [
    client.isOurs === true ? `**${client.name}**` : client.name,
    setting,
    ...[...scores.values()].map((score) => `${percent(score.endedWell.mean)}${harmOf(score) > 0 ? ' ✗' : ''}`),
  ]);
  return table(head, rows);
}

/** The columns that are sums over all troubles. */
function sumTable(entries: readonly Entry[]): string {
  const head = [
    'client',
    'setting',
    'requests per call',
    'output billed per answer',
    'too early',
    'after a final failure',
    'cut, but reported as whole',
    'tools run twice',
    'shown twice',
  ];
  const rows = entries.map(({ client, setting, scores }) => {
    const list = [...scores.values()];
    const sum = (of: (score: Score) => number): string => String(list.reduce((total, score) => total + of(score), 0));
    const mean = (of: (score: Score) => number): string =>
      (list.reduce((total, score) => total + of(score), 0) / Math.max(1, list.length)).toFixed(2);
    const billed = list.filter(({ outputPerAnswer }) => outputPerAnswer > 0);
    return [
      client.isOurs === true ? `**${client.name}**` : client.name,
      setting,
      mean(({ requestsPerCall }) => requestsPerCall.mean),
      (billed.reduce((total, { outputPerAnswer }) => total + outputPerAnswer, 0) / Math.max(1, billed.length)).toFixed(
        2,
      ),
      ...[
        ({ early }: Score) => early,
        ({ afterPermanent }: Score) => afterPermanent,
        ({ wrong }: Score) => wrong,
        ({ toolsTwice }: Score) => toolsTwice,
        ({ shownTwice }: Score) => shownTwice,
      ].map(sum),
    ];
  });
  return table(head, rows);
}

const seedsOf = (cells: readonly Cell[]): string => [...new Set(cells.map(({ seed }) => seed))].join(', ');

function mainPage(
  entries: readonly Entry[],
  unseenEntries: readonly Entry[],
  all: ReadonlyMap<string, Trouble>,
  cells: readonly Cell[],
  unseen: readonly Cell[],
): string {
  const words = readFileSync(new URL('words.md', HERE), 'utf8');
  const versions = [...new Set(entries.map(({ client }) => `${client.package} ${versionOf(client.package)}`))].join(
    ', ',
  );
  const parts: Readonly<Record<string, string>> = {
    SHARES: shareTable(entries, all),
    SUMS: sumTable(entries),
    UNSEEN: unseen.length === 0 ? 'Not run yet.' : shareTable(unseenEntries, all),
    SEEDS: seedsOf(cells),
    UNSEEN_SEEDS: seedsOf(unseen),
    VERSIONS: versions,
  };
  return words.replace(/<!-- ([A-Z_]+) -->/g, (_, name: string) => parts[name] ?? '');
}

function versionOf(name: string): string {
  const file = name === 'retry-transport' ? '../../package.json' : `node_modules/${name}/package.json`;
  const { version }: { version: string } = JSON.parse(readFileSync(new URL(file, HERE), 'utf8'));
  return version;
}

const seconds = (ms: number | null): string => (ms === null ? 'never' : `${(ms / 1_000).toFixed(1)} s`);

function troublePage(file: string, trouble: Trouble, entries: readonly Entry[], cells: readonly Cell[]): string {
  const head = [
    'client',
    'setting',
    'ended well',
    'answered',
    'requests per call',
    'time to the answer, p50',
    'p99',
    'harm',
    'what a program could print',
  ];
  const rows = entries.map(({ client, setting, scores }) => {
    const score = scores.get(file);
    if (score === undefined || score.calls === 0) return [client.name, setting, ...head.slice(2).map(() => '')];
    const { endedWell, answered, requestsPerCall, p50Ms, p99Ms, messages } = score;
    const { wrong, shownTwice, early, afterPermanent, toolsTwice } = score;
    const harm = Object.entries({
      'cut, but reported as whole': wrong,
      'shown twice': shownTwice,
      'too early': early,
      'after a final failure': afterPermanent,
      'tools run twice': toolsTwice,
    });
    const range = ({ mean, low, high }: typeof answered): string =>
      `${percent(mean)} (${percent(Math.max(0, low))}–${percent(Math.min(1, high))})`;
    return [
      client.isOurs === true ? `**${client.name}**` : client.name,
      setting,
      range(endedWell),
      range(answered),
      requestsPerCall.mean.toFixed(2),
      seconds(p50Ms),
      seconds(p99Ms),
      harm
        .filter(([, count]) => count > 0)
        .map(([kind, count]) => `${kind} ${count}`)
        .join(', '),
      inCell(messages[0] ?? ''),
    ];
  });
  const firstSeed = cells[0]?.seed ?? 1;
  const placeOf = (cell: Cell): number =>
    entries.findIndex(({ client, setting }) => client.name === cell.client && setting === cell.setting);
  const firstCalls = cells
    .filter((cell) => cell.trouble === file && cell.seed === firstSeed)
    .toSorted((a, b) => placeOf(a) - placeOf(b))
    .map((cell) => ({ ...cell, calls: cell.calls.slice(0, 2) }));
  return `# ${trouble.name}

${trouble.what} Source: ${trouble.source} Each call has ${trouble.deadlineMs / 1_000} s to get its answer.

*Ended well* and *answered* are percentages of the calls, with the 95 % interval over the seeds in brackets. [How to read this page: settings, columns, harm](../bad-day.md#how-to-read-it).

${table(head, rows)}

## The requests

The first two calls of the day that seed ${firstSeed} draws. \`npm run bench:bad-day -- --troubles ${file} --clients openai --log\` prints all requests of one client.

\`\`\`text
${logLines(firstCalls)
  .map((line) => line.trimEnd().slice(0, 150))
  .join('\n')}
\`\`\`
`;
}
