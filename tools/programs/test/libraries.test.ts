/**
 * A small matrix of all libraries, in real time and over real sockets: what the pages promise of `createRetryFetch`,
 * with the options that they recommend, and of the proxy holds for each of them.
 */

import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Cell, compare, hintsBeaten, type Way, WAYS } from '../cell.ts';
import { libraries } from '../libraries/index.ts';
import type { PlanName } from '../plans.ts';

const PLANS: readonly PlanName[] = ['calm', 'hint-2', 'error-event', 'broken-json', 'reset-head', 'reset-content'];
/** One for each API: a proxy is a process of its own, which costs more than the cell. */
const THROUGH_THE_PROXY = [
  'openai chat stream',
  'openai responses stream',
  'anthropic messages stream',
  'google genai stream',
  'cohere chat stream',
  'ollama chat stream',
  'bedrock converse stream http1',
];

let cells: readonly Cell[] = [];

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'programs-test-'));
  const files = await Promise.all([
    run(join(folder, 'own-off.jsonl'), ['libraries'], PLANS, ['alone', 'fetch-only']),
    run(join(folder, 'own-on.jsonl'), ['libraries'], ['hint-2'], ['fetch']),
    run(join(folder, 'proxy.jsonl'), THROUGH_THE_PROXY, ['hint-2', 'error-event'], ['proxy']),
  ]);
  cells = files.flat();
  await rm(folder, { recursive: true });
});

async function run(
  out: string,
  programs: readonly string[],
  plans: readonly PlanName[],
  ways: readonly Way[],
): Promise<readonly Cell[]> {
  const start = fileURLToPath(new URL('../start.ts', import.meta.url));
  const args = [...programs, '--plans', plans.join(','), '--ways', ways.join(','), '--out', out, '--quiet'];
  const child = spawn(process.execPath, [start, ...args], { stdio: ['ignore', 'ignore', 'inherit'] });
  const code = await new Promise((resolve) => child.on('exit', resolve));
  if (code !== 0) throw new Error(`The matrix ended with ${String(code)}.`);
  const lines = (await readFile(out, 'utf8')).trimEnd().split('\n');
  return lines.map((line): Cell => JSON.parse(line));
}

function cellsOf(program: string, ways: readonly Way[]): readonly Cell[] {
  return cells.filter((cell) => cell.program === program && ways.includes(cell.way));
}

function labelOf({ plan, way, outcome }: Cell): string {
  return `${plan}, ${way}: ${outcome}`;
}

describe.each(libraries)('the library $name', ({ name }) => {
  test('answers when nothing fails, alone and with createRetryFetch', () => {
    const calm = cellsOf(name, ['alone', 'fetch-only']).filter(({ plan }) => plan === 'calm');
    expect(calm.length).toBeGreaterThan(0);
    expect(calm.filter(({ outcome }) => outcome !== 'answer').map(labelOf)).toEqual([]);
  });

  test('is never worse with createRetryFetch or through the proxy than alone', () => {
    const alone = cellsOf(name, ['alone']);
    const worse = cellsOf(name, ['fetch', 'fetch-only', 'proxy']).filter((cell) => {
      const other = alone.find(({ plan }) => plan === cell.plan);
      return other !== undefined && compare(cell, other) < 0;
    });
    expect(worse.map(labelOf)).toEqual([]);
  });

  test('repeats no part of an answer', () => {
    expect(
      cellsOf(name, WAYS)
        .filter(({ outcome }) => outcome === 'repeated')
        .map(labelOf),
    ).toEqual([]);
  });

  test('sends nothing earlier than a hint through us', () => {
    const ours = cellsOf(name, ['fetch', 'fetch-only', 'proxy']).filter((cell) => hintsBeaten(cell) > 0);
    expect(ours.map(labelOf)).toEqual([]);
  });
});

test('with the recommended options every library answers after a JSON body that broke off', () => {
  const whole = cells.filter(({ plan, way }) => plan === 'broken-json' && way === 'fetch-only');
  expect(whole.length).toBeGreaterThan(0);
  expect(whole.filter(({ outcome }) => outcome !== 'answer').map(({ program }) => program)).toEqual([]);
});

test('with createRetryFetch or the proxy every library answers after a hint of 2 s', () => {
  const failed = cells.filter(({ plan, way, outcome }) => plan === 'hint-2' && way !== 'alone' && outcome !== 'answer');
  expect(failed.map(({ program }) => program)).toEqual([]);
});
