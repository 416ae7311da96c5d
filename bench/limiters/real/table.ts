/** The rows of the judge as text. */

import type { CallerName } from './callers.ts';
import type { Row } from './judge.ts';
import type { Result } from './measure.ts';

const NAME = 66;
const CELL = 32;

export const legend = (callers: readonly CallerName[]): string =>
  [
    'answered of begun, half and 99 in 100 of the times, refusals, requests per call',
    `${''.padEnd(NAME)}${callers.map((name) => name.padEnd(CELL)).join('')}`,
  ].join('\n');

export function rowText({ limiter, load, group, seed, results, missed }: Row, callers: readonly CallerName[]): string {
  const name = `${limiter}, ${load}${group === '' ? '' : `, ${group}`} #${seed}`;
  const cells = callers.map((caller) => cellText(results[caller]).padEnd(CELL));
  const missing = missed.length === 0 ? '' : ` MISSES ${missed.join('; ')}`;
  return `${name.padEnd(NAME)}${cells.join('')}${missing}`;
}

const cellText = (result: Result | undefined): string =>
  result === undefined
    ? '-'
    : [
        `${result.answered}/${result.begun}`.padEnd(10),
        time(result.p50Ms).padStart(6),
        time(result.p99Ms).padStart(6),
        String(result.refusals).padStart(6),
      ].join('');

const time = (ms: number): string => (ms === Number.POSITIVE_INFINITY ? '∞' : (ms / 1_000).toFixed(1));
