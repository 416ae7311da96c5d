/**
 * Writes the table of waits in docs/waiting.md by running each preset against a server that is down, with a clock that
 * jumps. Run `npm run pages` after changing a preset; a test compares the two.
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
  ['defaults', {}, 503],
  ['recommended', presets.recommended, 503],
  ['agent', presets.agent, 503],
  ['fleet', presets.fleet, 503],
  ['taxonomy, 429', presets.taxonomy, 429],
  ['taxonomy, 529', presets.taxonomy, 529],
  ['background', presets.background, 503],
  ['patient', presets.patient, 503],
];

/** The waits of the presets. */
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
  const down = createRetryFetch({ fetch: async () => new Response(null, { status }), ...config, runtime, onRetry });
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

/** The page with the new table. */
export function withTable(page: string, table: string): string {
  return page.replace(/(<!-- schedules -->\n)[\s\S]*?(<!-- \/schedules -->)/, (_all, open: string, close: string) => {
    return `${open}${table}${close}`;
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const page = new URL('../docs/waiting.md', import.meta.url);
  writeFileSync(page, withTable(readFileSync(page, 'utf8'), scheduleTable(await readSchedules())));
}
