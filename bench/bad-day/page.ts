/** Writes the tables of docs/bad-day.md, and the pictures. */

import { readFileSync, writeFileSync } from 'node:fs';
import type { Client } from './client.ts';
import { clients } from './list-clients.ts';
import { troubles } from './troubles.ts';
import { pictureOf, type Row } from './picture.ts';
import { type Cell, type Score, scoreOf } from './score.ts';

const DOCS = new URL('../../docs/', import.meta.url);
const HERE = new URL('.', import.meta.url);

/** The settings of the picture: what each documentation recommends. */
const RECOMMENDED: readonly string[] = ['best', 'as README prints it', 'proxy'];

interface Entry {
  readonly client: Client;
  readonly setting: string;
  readonly scores: ReadonlyMap<string, Score>;
}

export async function writePages(
  cells: readonly Cell[],
  unseen: readonly Cell[],
  busy: readonly Cell[],
): Promise<void> {
  const list = await clients();
  const entries = entriesOf(list, cells);
  const names = [...troubles.values()].map(({ name }) => name);
  const shown = entries.filter(({ setting }) => RECOMMENDED.includes(setting));
  for (const theme of ['light', 'dark'] as const)
    writeFileSync(
      new URL(`images/bad-day-${theme}.svg`, DOCS),
      pictureOf(rowsOf(shown), names, theme, sourceOf(cells)),
    );
  const parts: Readonly<Record<string, string>> = {
    shares: `\n\n${shareTable(entries)}\n\n`,
    sums: `\n\n${sumTable(entries)}\n\n`,
    seeds: seedsOf(cells),
    versions: [...new Set(entries.map(({ client }) => `${client.package} ${versionOf(client.package)}`))].join(', '),
    ...(busy.length > 0 && { busy: `\n\n${shareTable(entriesOf(list, busy))}\n\n` }),
    ...(unseen.length > 0 && {
      unseen: `${seedsOf(unseen)}: ${differences(entries, entriesOf(list, unseen))}`,
    }),
  };
  const page = new URL('bad-day.md', DOCS);
  const written = readFileSync(page, 'utf8').replaceAll(
    /(<!-- (\w+) -->)[^]*?(<!-- \/\2 -->)/g,
    (before, start: string, name: string, end: string) => {
      const part = parts[name];
      return part === undefined ? before : start + part + end;
    },
  );
  writeFileSync(page, written);
}

function entriesOf(list: readonly Client[], cells: readonly Cell[]): readonly Entry[] {
  const ran = new Set(cells.map(({ client }) => client));
  const ofClient = Map.groupBy(cells, ({ client, setting, trouble }) => `${client}|${setting}|${trouble}`);
  return list
    .filter(({ name }) => ran.has(name))
    .flatMap((client) =>
      client.settings.map(({ name: setting }) => ({
        client,
        setting,
        scores: new Map(
          [...troubles].map(([file, { endsWellWith }]) => [
            file,
            scoreOf(ofClient.get(`${client.name}|${setting}|${file}`) ?? [], endsWellWith),
          ]),
        ),
      })),
    );
}

const harmOf = ({ wrong, shownTwice, early, afterPermanent, toolsTwice }: Score): number =>
  wrong + shownTwice + early + afterPermanent + toolsTwice;

function rowsOf(entries: readonly Entry[]): readonly Row[] {
  return entries.map(({ client, scores }) => ({
    name: client.name,
    isOurs: client.isOurs === true,
    cells: [...scores.values()].map((score) => ({ share: score.endedWell, isHarmful: harmOf(score) > 0 })),
  }));
}

const sourceOf = (cells: readonly Cell[]): string =>
  `Unmodified clients against one simulated provider, in virtual time; the mean of the days of ${new Set(cells.map(({ seed }) => seed)).size} seeds.`;

const percent = (share: number): string => String(Math.round(share * 100));
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');

/** All settings by trouble; a cross marks harm. */
function shareTable(entries: readonly Entry[]): string {
  const head = ['client', 'setting', ...[...troubles.values()].map(({ name }) => name)];
  const rows = entries.map(({ client, setting, scores }) => [
    client.isOurs === true ? `**${client.name}**` : client.name,
    setting,
    ...[...scores.values()].map((score) => `${percent(score.endedWell)}${harmOf(score) > 0 ? ' ✗' : ''}`),
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
      mean(({ requestsPerCall }) => requestsPerCall),
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

/** How far the shares of the calls that end well are from those of other seeds, at most. */
function differences(entries: readonly Entry[], others: readonly Entry[]): string {
  const most = (isOurs: boolean): number =>
    Math.max(
      ...entries.flatMap(({ client, scores }, index) =>
        (client.isOurs === true) === isOurs
          ? [...scores].map(([file, { endedWell }]) =>
              Math.abs(Number(percent(endedWell)) - Number(percent(others[index]?.scores.get(file)?.endedWell ?? 0))),
            )
          : [],
      ),
    );
  return `the figures of this library are at most ${most(true)} apart, those of the others ${most(false)}`;
}

function versionOf(name: string): string {
  const file = name === 'retry-transport' ? '../../package.json' : `node_modules/${name}/package.json`;
  const { version }: { version: string } = JSON.parse(readFileSync(new URL(file, HERE), 'utf8'));
  return version;
}
