// Draws the pictures of docs/fleets.md and docs/batch.md: `node bench/limiters/real/pictures.ts`. Each follows the reader's
// light or dark theme.
import { writeFileSync } from 'node:fs';
import * as library from '../../../src/index.ts';
import type { CallerName } from './callers.ts';
import { judge, type Row } from './judge.ts';
import { loadSubjects } from './matrix.ts';
import type { Result } from './measure.ts';
import { perSecond, type Subject } from './limiter.ts';

const FOLDER = new URL('../../../docs/images/', import.meta.url);
const BATCH_LIMITER = 'Azure OpenAI, 300 a minute kept as 50 in 10 s';
const WIDTH = 760;

const STYLE = `<style>
text { font: 12px system-ui, sans-serif; fill: #57606a }
.title { font-size: 14px; fill: #1f2328 }
.grid { stroke: #d0d7de }
.page { fill: #fff }
.plain { stroke: #bc4c00; fill: #bc4c00 }
.gate { stroke: #0969da; fill: #0969da }
.stated { stroke: #1a7f37; fill: #1a7f37 }
.rule { stroke: #6e7781; fill: #6e7781 }
.line { fill: none; stroke-width: 2 }
.ideal { fill: none; stroke: #8c959f; stroke-dasharray: 2 4 }
.pair { stroke: #8c959f; stroke-opacity: 0.6 }
@media (prefers-color-scheme: dark) {
text { fill: #9198a1 } .title { fill: #f0f6fc } .grid { stroke: #3d444d } .page { fill: #0d1117 }
.plain { stroke: #f0883e; fill: #f0883e } .gate { stroke: #58a6ff; fill: #58a6ff }
.stated { stroke: #3fb950; fill: #3fb950 } .rule { stroke: #9198a1; fill: #9198a1 } .line { fill: none }
}
</style>`;

const text = (x: number, y: number, content: string, anchor = 'start', kind = ''): string =>
  `<text x="${x}" y="${y}" text-anchor="${anchor}"${kind === '' ? '' : ` class="${kind}"`}>${content}</text>`;

function picture(name: string, height: number, label: string, parts: readonly string[]): void {
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${label}">`,
    STYLE,
    `<rect class="page" width="${WIDTH}" height="${height}" rx="6"/>`,
    ...parts,
    '</svg>',
    '',
  ];
  writeFileSync(new URL(name, FOLDER), svg.join('\n'));
}

const round = (value: number): number => Math.round(value * 10) / 10;

interface Look {
  readonly caller: CallerName;
  readonly kind: string;
  readonly label: string;
}

const BATCH_LOOKS: readonly Look[] = [
  { caller: 'stated', kind: 'stated', label: 'fleet({ limits })' },
  { caller: 'gate', kind: 'gate', label: 'fleet()' },
  { caller: 'defaults', kind: 'plain', label: 'the default options' },
  { caller: "openai's rule", kind: 'rule', label: 'the retries of OpenAI’s SDK' },
];

/** Answers over time, for calls that begin at once. */
function drawBatch({ results }: Row, subject: Subject): void {
  const [left, right, top, bottom, height] = [52, 190, 58, 40, 330];
  const calls = results.plain?.begun ?? 0;
  const rate = perSecond(subject.limit);
  const untilS = Math.ceil((1.15 * calls) / rate / 10) * 10;
  const x = (seconds: number): number => round(left + (seconds / untilS) * (WIDTH - left - right));
  const y = (answered: number): number => round(height - bottom - (answered / calls) * (height - top - bottom));
  const lines = BATCH_LOOKS.flatMap(({ caller, kind, label }) => {
    const result = results[caller];
    if (result === undefined) return [];
    const points = result.answersMs
      .filter((ms) => ms / 1_000 <= untilS)
      .map((ms, index) => `${x(ms / 1_000)},${y(index + 1)}`);
    const last = result.answered;
    const end = `${x(untilS)},${y(last)}`;
    return [{ kind, label, last, svg: `<polyline class="line ${kind}" points="${[...points, end].join(' ')}"/>` }];
  });
  // Names at the ends of the lines, pushed apart where the lines end together.
  let lowest = Number.NEGATIVE_INFINITY;
  const names = lines
    .toSorted((one, other) => other.last - one.last)
    .map(({ kind, label, last }) => {
      lowest = Math.max(y(last) - 2, lowest + 32);
      return `<circle class="${kind}" cx="${WIDTH - right + 12}" cy="${lowest}" r="4"/>${text(WIDTH - right + 22, lowest + 4, label)}${text(WIDTH - right + 22, lowest + 18, `${last} answered`)}`;
    });
  const seconds = Array.from({ length: untilS / 20 + 1 }, (_, index) => 20 * index);
  picture('limits-batch.svg', height, `${calls} calls at once under a limit of ${rate} a second`, [
    text(
      left,
      26,
      `${calls} calls at once, and a server that admits ${rate} a second: calls answered`,
      'start',
      'title',
    ),
    ...[0, 0.2, 0.4, 0.6, 0.8, 1].map(
      (share) =>
        `<line class="grid" x1="${left}" x2="${WIDTH - right}" y1="${y(share * calls)}" y2="${y(share * calls)}"/>${text(left - 8, y(share * calls) + 4, String(share * calls), 'end')}`,
    ),
    ...seconds.map((second) => text(x(second), height - bottom + 20, `${second} s`, 'middle')),
    `<polyline class="ideal" points="${x(0)},${y(0)} ${x(calls / rate)},${y(calls)}"/>`,
    ...lines.map(({ svg }) => svg),
    ...names,
  ]);
}

interface Panel {
  readonly title: string;
  readonly from: number;
  readonly to: number;
  readonly most: number;
  readonly least: number;
  readonly ticks: readonly number[];
  readonly value: (result: Result) => number;
  readonly show: (value: number) => string;
}

const SHORT_NAMES = / #.*|, so that.*/;

/** How many calls are answered, and with how many requests, for each limiter. */
function drawUnknown(rows: readonly Row[]): void {
  const [top, step] = [84, 24];
  const most = Math.max(
    ...rows.flatMap(({ results }) =>
      [results.defaults, results.gate].flatMap((result) => (result === undefined ? [] : [requestsPerCall(result)])),
    ),
  );
  const panels: readonly Panel[] = [
    {
      title: 'calls answered',
      from: 372,
      to: 540,
      least: 0,
      most: 1,
      ticks: [0, 0.5, 1],
      value: ({ answered, begun }) => answered / begun,
      show: (value) => `${100 * value} %`,
    },
    {
      title: 'requests per call',
      from: 580,
      to: 735,
      least: 0,
      most: Math.ceil(most),
      ticks: Array.from({ length: Math.ceil(most) + 1 }, (_, index) => index),
      value: requestsPerCall,
      show: String,
    },
  ];
  const height = top + rows.length * step + 16;
  const lower = top + (rows.length - 1) * step + 12;
  const drawn = panels.flatMap(({ title, from, to, least, most: largest, ticks, value, show }) => {
    const x = (of: number): number => round(from + ((of - least) / (largest - least)) * (to - from));
    return [
      text((from + to) / 2, 44, title, 'middle'),
      ...ticks.map(
        (tick) =>
          `<line class="grid" x1="${x(tick)}" x2="${x(tick)}" y1="${top - 14}" y2="${lower}"/>${text(x(tick), top - 20, show(tick), 'middle')}`,
      ),
      ...rows.map(({ results }, index) => {
        const y = top + index * step;
        if (results.defaults === undefined || results.gate === undefined) return '';
        const [plain, gate] = [x(value(results.defaults)), x(value(results.gate))];
        return `<line class="pair" x1="${plain}" x2="${gate}" y1="${y}" y2="${y}"/><circle class="plain" cx="${plain}" cy="${y}" r="4.5"/><circle class="gate" cx="${gate}" cy="${y}" r="3.5"/>`;
      }),
    ];
  });
  picture('limits-unknown.svg', height, 'Calls answered and requests per call at 1.2 times the limit', [
    text(16, 26, 'A fifth more calls than the limit admits', 'start', 'title'),
    `<circle class="plain" cx="22" cy="45" r="4.5"/>${text(34, 49, 'the default options')}`,
    `<circle class="gate" cx="168" cy="45" r="3.5"/>${text(180, 49, 'fleet()')}`,
    ...drawn,
    ...rows.map(({ limiter }, index) => text(16, top + index * step + 4, limiter.replace(SHORT_NAMES, ''))),
  ]);
}

const requestsPerCall = ({ requests, begun }: Result): number => requests / begun;

const subjects = (await loadSubjects((line) => console.warn(line))).filter(({ clock }) => clock === 'simulated');
const usual = subjects.filter(({ judged = 'usual' }) => judged === 'usual');
const run = (chosen: readonly Subject[], load: string, callers: readonly CallerName[]): Promise<readonly Row[]> =>
  judge({ subjects: chosen, load, callers, seeds: [1], library }, () => {});

const batchSubject = subjects.find(({ name }) => name === BATCH_LIMITER);
if (batchSubject === undefined) throw new Error(`There is no ${BATCH_LIMITER}.`);
const [batch] = await run([batchSubject], 'batch', ['plain', 'defaults', 'gate', 'stated', "openai's rule"]);
if (batch !== undefined) drawBatch(batch, batchSubject);
// A limiter whose bucket holds all calls of the run shows nothing.
const unknown = (await run(usual, '1.2', ['plain', 'defaults', 'gate'])).filter(
  ({ results }) => (results.defaults?.refusals ?? 0) > 0,
);
drawUnknown(unknown);
process.exit(0);
