/**
 * Draws the load of the server: requests per second over time, as one SVG without a style sheet that suits a dark page.
 */

import { type Scenario, TROUBLE_FROM_S, TROUBLE_UNTIL_S } from './scenarios.ts';
import type { Timeline } from './simulate.ts';

export interface Line {
  readonly label: string;
  readonly look: 'plain' | 'dashed' | 'strong';
  readonly result: Timeline;
}

const WIDTH = 760;
const HEIGHT = 300;
const LEFT = 64;
const RIGHT = 16;
const TOP = 64;
const BOTTOM = 34;
const FIRST_S = 20;
const INK = '#777';
const LOOKS = {
  plain: 'stroke="#d9822b" stroke-width="1.5"',
  dashed: 'stroke="#888" stroke-width="1.5" stroke-dasharray="4 3"',
  strong: 'stroke="#2a78d6" stroke-width="2.5"',
} as const;

/** The load of each line as a share of the capacity, with the time of trouble shaded. */
export function drawLoad(scenario: Scenario, lines: readonly Line[]): string {
  const lastS = Math.max(...lines.map(({ result }) => result.requests.length)) - 1;
  const most = Math.max(
    1.2,
    ...lines.map(({ result }) => Math.max(...result.requests.slice(FIRST_S)) / result.capacityPerS),
  );
  const x = (second: number): number => round(LEFT + ((second - FIRST_S) / (lastS - FIRST_S)) * (WIDTH - LEFT - RIGHT));
  const y = (share: number): number => round(HEIGHT - BOTTOM - (share / most) * (HEIGHT - TOP - BOTTOM));

  const drawn = lines.map(({ look, result }) => {
    const points = result.requests
      .slice(FIRST_S)
      .map((count, i) => `${x(FIRST_S + i)},${y(count / result.capacityPerS)}`);
    return `<polyline fill="none" ${LOOKS[look]} points="${points.join(' ')}"/>`;
  });
  const legend = lines.map(({ label, look }, i) => {
    const at = LEFT + i * 240;
    return `<line x1="${at}" x2="${at + 24}" y1="44" y2="44" ${LOOKS[look]}/>${text(at + 30, 48, label)}`;
  });
  const shares = Array.from({ length: Math.floor(most) + 1 }, (_, share) => share);
  const grid = shares.map((share) => {
    const strong = share === 1 ? ' stroke-width="1.5"' : ' stroke-opacity="0.3"';
    const line = `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(share)}" y2="${y(share)}" stroke="${INK}"${strong}/>`;
    return line + text(LEFT - 8, y(share) + 4, share === 1 ? 'capacity' : `${share}×`, 'end');
  });
  const seconds = Array.from({ length: Math.floor((lastS - FIRST_S) / 10) + 1 }, (_, i) => FIRST_S + 10 * i);
  const times = seconds.map((second) =>
    text(x(second), HEIGHT - BOTTOM + 18, `${second - TROUBLE_FROM_S} s`, 'middle'),
  );
  const trouble = `<rect x="${x(TROUBLE_FROM_S)}" y="${TOP}" width="${round(x(TROUBLE_UNTIL_S) - x(TROUBLE_FROM_S))}" height="${HEIGHT - TOP - BOTTOM}" fill="#d64545" fill-opacity="0.1"/>`;
  const title = `Requests per second: ${scenario.what}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}" font-family="system-ui, sans-serif" font-size="12" fill="${INK}">`,
    text(LEFT, 22, title),
    trouble,
    ...grid,
    ...times,
    ...drawn,
    ...legend,
    '</svg>',
    '',
  ].join('\n');
}

function text(x: number, y: number, content: string, anchor?: 'end' | 'middle'): string {
  return `<text x="${x}" y="${y}"${anchor === undefined ? '' : ` text-anchor="${anchor}"`}>${content}</text>`;
}

const round = (number: number): number => Math.round(number * 10) / 10;
