/**
 * Writes the tables of docs/waiting.md by running each preset against a server that is down, for good or for a while, with a
 * clock that jumps. Run `npm run pages` after changing a preset; a test compares the two.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createDice } from '../bench/dice.ts';
import { withTable } from './embed-examples.ts';
import { createRetryFetch, formatDelay, presets, type RetryConfig } from '../src/index.ts';

/** One preset against one failure. */
export interface Schedule {
  readonly name: string;
  /** The shortest and the longest wait before each retry. */
  readonly waits: readonly (readonly [shortestMs: number, longestMs: number])[];
}

const SHOWN: readonly (readonly [name: string, config: RetryConfig, status: number])[] = [
  ['defaults', {}, 503],
  ['recommended', presets.recommended, 503],
  ['agent', presets.agent, 503],
  ['fleet', presets.fleet, 503],
  ['taxonomy, 429', presets.taxonomy, 429],
  ['taxonomy, 529', presets.taxonomy, 529],
  ['background', presets.background, 503],
  ['patient', presets.patient, 503],
];

/** A wait at the longest one is spread below it, so the longest is drawn in the middle. */
const CHANCES = [0, 0.5, 1];

/** The waits of the presets. */
export async function readSchedules(): Promise<readonly Schedule[]> {
  return Promise.all(
    SHOWN.map(async ([name, config, status]) => {
      const drawn = await Promise.all(CHANCES.map((chance) => waitsOf(config, status, chance)));
      const waits = (drawn[0] ?? []).map((_ms, retry) => drawn.map((all) => all[retry] ?? 0));
      return { name, waits: waits.map((all) => [Math.min(...all), Math.max(...all)] as const) };
    }),
  );
}

async function waitsOf(config: RetryConfig, status: number, chance: number): Promise<readonly number[]> {
  const waits: number[] = [];
  let now = 0;
  const runtime = { now: () => now, random: () => chance, sleep: async (ms: number) => void (now += ms) };
  const onRetry = (_attempt: number, _error: Error, delayMs: number): void => void waits.push(delayMs);
  const down = createRetryFetch({ fetch: async () => new Response(null, { status }), ...config, runtime, onRetry });
  await down('https://api.example.com/');
  return waits;
}

/** The table, one row per schedule. */
export function scheduleTable(schedules: readonly Schedule[]): string {
  const rows = schedules.map(({ name, waits }) => {
    return `| \`${name.replace(/,.*/, '')}\`${/,.*/.exec(name)?.[0] ?? ''} | ${waits.length} | ${wordsOf(waits)} | ${range(sumOf(waits))} |`;
  });
  return ['| preset | retries | waits | in all |', '| --- | --- | --- | --- |', ...rows, ''].join('\n');
}

const OUTLASTS = ['defaults', 'recommended', 'fleet', 'agent', 'background', 'patient'];
const OUTAGES_MS = [20_000, 45_000, 60_000, 90_000];
const CALLS = 100;

/** How many of the calls that begin with a trouble are answered, what they cost, and when the error comes if none is. */
export async function outlastTable(schedules: readonly Schedule[]): Promise<string> {
  const rows = SHOWN.filter(([name]) => OUTLASTS.includes(name)).map(async ([name, config]) => {
    const outages = await Promise.all(
      OUTAGES_MS.map((ms) => endsOf(config, ms, () => new Response(null, { status: 503 }))),
    );
    const window = await endsOf(
      config,
      60_000,
      (leftMs) => new Response(null, { status: 429, headers: { 'retry-after-ms': String(leftMs) } }),
    );
    const waits = schedules.find((schedule) => schedule.name === name)?.waits ?? [];
    const cells = [...outages, window].map(({ answered }) => `${answered} %`);
    return `| \`${name}\` | ${cells.join(' | ')} | ${outages[2]?.requests} | ${range(sumOf(waits))} |`;
  });
  const head =
    '| preset | 20 s | 45 s | 60 s | 90 s | a window of a minute | requests in 60 s | the error comes after |';
  return [head, `|${' --- |'.repeat(8)}`, ...(await Promise.all(rows)), ''].join('\n');
}

/** Calls that all begin with a trouble of `ms`. */
async function endsOf(
  config: RetryConfig,
  ms: number,
  refuse: (leftMs: number) => Response,
): Promise<{ readonly answered: number; readonly requests: string }> {
  let [answered, requests] = [0, 0];
  const random = createDice(1);
  for (let call = 0; call < CALLS; call += 1) {
    let now = 0;
    const runtime = { now: () => now, random, sleep: async (delayMs: number) => void (now += delayMs) };
    const fetch = async (): Promise<Response> => {
      requests += 1;
      return now < ms ? refuse(ms - now) : new Response();
    };
    const { status } = await createRetryFetch({ ...config, fetch, runtime })('https://api.example.com/');
    answered += status === 200 ? 1 : 0;
  }
  return { answered: Math.round((100 * answered) / CALLS), requests: (requests / CALLS).toFixed(1) };
}

const sumOf = (waits: Schedule['waits']): [number, number] => [
  waits.reduce((total, [shortest]) => total + shortest, 0),
  waits.reduce((total, [, longest]) => total + longest, 0),
];

/** Joins equal waits that follow each other, with their count. */
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

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const page = new URL('../docs/waiting.md', import.meta.url);
  const schedules = await readSchedules();
  const written = withTable(readFileSync(page, 'utf8'), 'schedules', scheduleTable(schedules));
  writeFileSync(page, withTable(written, 'outlasts', await outlastTable(schedules)));
}
