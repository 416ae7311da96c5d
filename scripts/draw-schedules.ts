/**
 * Writes docs/schedules.svg and the table in docs/waiting.md: when the attempts of each preset come while every one of
 * them fails. Both are made by running the presets against a server that is down and a clock that jumps, so they cannot
 * say anything that is not so. Run `npm run pages` after changing a preset; a test holds them to it.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createRetryFetch, formatDelay, presets, type RetryConfig } from '../src/index.ts';

/** One preset against one failure. */
export interface Schedule {
  readonly name: string;
  /** The shortest and the longest wait before each retry. */
  readonly waits: readonly (readonly [shortestMs: number, longestMs: number])[];
}

const SHOWN: readonly (readonly [name: string, config: RetryConfig, status: number])[] = [
  ['standard', presets.standard, 503],
  ['agent', presets.agent, 503],
  // The gate only ever adds to what is planned here.
  ['fleet()', { ...presets.fleet(), gate: undefined }, 503],
  ['taxonomy, 429', presets.taxonomy, 429],
  ['taxonomy, 529', presets.taxonomy, 529],
  ['background', presets.background, 503],
  ['patient', presets.patient, 503],
];

/** What the presets do. */
export async function readSchedules(): Promise<readonly Schedule[]> {
  return Promise.all(
    SHOWN.map(async ([name, config, status]) => {
      const shortest = await waitsOf(config, status, 0);
      const longest = await waitsOf(config, status, 1);
      return { name, waits: shortest.map((ms, i) => [ms, longest[i] ?? ms] as const) };
    }),
  );
}

async function waitsOf(config: RetryConfig, status: number, chance: number): Promise<readonly number[]> {
  const waits: number[] = [];
  let now = 0;
  const runtime = { now: () => now, random: () => chance, sleep: async (ms: number) => void (now += ms) };
  const onRetry = (_attempt: number, _error: Error, delayMs: number): void => void waits.push(delayMs);
  const down = createRetryFetch(async () => new Response(null, { status }), { ...config, runtime, onRetry });
  await down('https://api.example.com/');
  return waits;
}

/** The table, one row per schedule. */
export function scheduleTable(schedules: readonly Schedule[]): string {
  const rows = schedules.map(({ name, waits }) => {
    const sums = [0, 1].map((end) => waits.reduce((total, wait) => total + (wait[end] ?? 0), 0));
    return `| \`${name.replace(/,.*/, '')}\`${/,.*/.exec(name)?.[0] ?? ''} | ${waits.length} | ${wordsOf(waits)} | ${range(sums)} |`;
  });
  return ['| preset | retries | waits | in all |', '| --- | --- | --- | --- |', ...rows, ''].join('\n');
}

/** Equal waits that follow each other are counted. */
function wordsOf(waits: Schedule['waits']): string {
  const words: string[] = [];
  let count = 0;
  for (const [i, wait] of waits.entries()) {
    const next = waits[i + 1];
    count += 1;
    if (next !== undefined && range(next) === range(wait)) continue;
    words.push(count === 1 ? range(wait) : `${range(wait)} × ${count}`);
    count = 0;
  }
  return words.join(', ');
}

function range([shortestMs = 0, longestMs = 0]: readonly number[]): string {
  const [shortest, longest] = [formatDelay(shortestMs), formatDelay(longestMs)];
  return shortest === longest ? shortest : `${shortest} to ${longest}`;
}

const WIDTH = 760;
const LEFT = 122;
const RIGHT = 20;
const TOP = 44;
const ROW = 40;
const INK = '#777';
const LAST_MS = 8 * 3_600_000;
const TICKS_MS = [0, 1_000, 3_000, 10_000, 30_000, 60_000, 300_000, 1_800_000, 7_200_000, LAST_MS];

/** Seconds and hours on one axis: even near its beginning, logarithmic further on. */
function x(ms: number): number {
  return round(LEFT + (Math.log1p(ms / 1_000) / Math.log1p(LAST_MS / 1_000)) * (WIDTH - LEFT - RIGHT));
}

/** A line for each schedule, a dot for each attempt, and how far jitter can move it, as one SVG without a style sheet. */
export function drawSchedules(schedules: readonly Schedule[]): string {
  const bottom = TOP + schedules.length * ROW;
  const title = 'When the attempts of a call come while every one of them fails';
  const ticks = TICKS_MS.map((ms) => {
    const line = `<line x1="${x(ms)}" x2="${x(ms)}" y1="${TOP}" y2="${bottom}" stroke="${INK}" stroke-opacity="0.3"/>`;
    return line + text(x(ms), bottom + 18, ms === 0 ? '0' : formatDelay(ms), 'middle');
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${bottom + 28}" role="img" aria-label="${title}" font-family="system-ui, sans-serif" font-size="12" fill="${INK}">`,
    text(16, 22, `${title}. Bars: how far jitter can move them, summed up.`),
    ...ticks,
    ...schedules.map((schedule, row) => drawRow(schedule, TOP + row * ROW + ROW / 2)),
    '</svg>',
    '',
  ].join('\n');
}

function drawRow({ name, waits }: Schedule, y: number): string {
  let [earliestMs, latestMs] = [0, 0];
  const bars: string[] = [];
  const dots = [dot(0, y)];
  for (const [shortestMs, longestMs] of waits) {
    earliestMs += shortestMs;
    latestMs += longestMs;
    dots.push(dot((earliestMs + latestMs) / 2, y));
    if (earliestMs === latestMs) continue;
    const width = round(x(latestMs) - x(earliestMs));
    bars.push(
      `<rect x="${x(earliestMs)}" y="${y - 7}" width="${width}" height="14" rx="7" fill="#2a78d6" fill-opacity="0.18"/>`,
    );
  }
  return [text(16, y + 4, name), ...bars, ...dots].join('');
}

const dot = (ms: number, y: number): string => `<circle cx="${x(ms)}" cy="${y}" r="4" fill="#2a78d6"/>`;

function text(at: number, y: number, content: string, anchor?: 'middle'): string {
  return `<text x="${at}" y="${y}"${anchor === undefined ? '' : ` text-anchor="${anchor}"`}>${content}</text>`;
}

function round(number: number): number {
  return Math.round(number * 10) / 10;
}

/** The page with the table in its place. */
export function withTable(page: string, table: string): string {
  return page.replace(/(<!-- schedules -->\n)[\s\S]*?(<!-- \/schedules -->)/, (_all, open: string, close: string) => {
    return `${open}${table}${close}`;
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const schedules = await readSchedules();
  const page = new URL('../docs/waiting.md', import.meta.url);
  writeFileSync(new URL('../docs/schedules.svg', import.meta.url), drawSchedules(schedules));
  writeFileSync(page, withTable(readFileSync(page, 'utf8'), scheduleTable(schedules)));
}
