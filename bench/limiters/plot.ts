/** Draws the requests per call for each limiter and load, without the gate and with it. */

import type { Comparison } from './comparison.ts';

const WIDTH = 760;
const LEFT = 250;
const ROW = 18;
const TOP = 64;
const INK = '#777';

/** One line per limiter and load, the average over its hints. */
export function drawRefusals(compared: readonly Comparison[]): string {
  const groups = Object.entries(
    Object.groupBy(compared, ({ scenario }) => `${scenario.name}, ${scenario.offered.toFixed(1)}/s`),
  ).map(([name, group = []]) => ({
    name,
    without: mean(group.map(({ without }) => without.requestsPerCall)),
    gated: mean(group.map(({ gated }) => gated.requestsPerCall)),
  }));
  const most = Math.max(2, ...groups.flatMap(({ without, gated }) => [without, gated]));
  const x = (value: number): number => Math.round(LEFT + ((value - 1) / (most - 1)) * (WIDTH - LEFT - 30));
  const lines = groups.map(({ name, without, gated }, index) => {
    const y = TOP + index * ROW;
    return [
      `<text x="${LEFT - 10}" y="${y + 4}" text-anchor="end">${name}</text>`,
      `<line x1="${x(without)}" x2="${x(gated)}" y1="${y}" y2="${y}" stroke="${INK}" stroke-opacity="0.5"/>`,
      `<circle cx="${x(without)}" cy="${y}" r="4" fill="#d9822b"/>`,
      `<circle cx="${x(gated)}" cy="${y}" r="4" fill="#2a78d6"/>`,
    ].join('');
  });
  const height = TOP + groups.length * ROW + 20;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="Requests per call" font-family="system-ui, sans-serif" font-size="11" fill="${INK}">`,
    `<text x="10" y="22" font-size="12">Requests per call at limits, orange: without the gate, blue: with it</text>`,
    `<text x="${x(1)}" y="46" text-anchor="middle">1</text><text x="${x(2)}" y="46" text-anchor="middle">2</text>`,
    ...lines,
    '</svg>',
    '',
  ].join('\n');
}

const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;
