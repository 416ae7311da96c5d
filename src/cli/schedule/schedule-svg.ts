/** Draws a schedule as SVG for a page: the same bars as in the terminal, in light or dark colours. */

import { formatDelay } from '../../index.ts';
import { ticksTo } from './axis.ts';
import { hasJitter, type PlannedRetry } from './schedule.ts';
import { summaryOf } from './schedule-lines.ts';

const WIDTH = 760;
const HEIGHT = 320;
const LEFT = 72;
const RIGHT = WIDTH - 16;
const TOP = 56;
const BOTTOM = HEIGHT - 44;
const MOST_STEPS = 5;
const MOST_NUMBERS = 24;
const WIDEST_BAR = 56;

const STYLE = `.page { fill: #ffffff } text { fill: #57606a; font: 12px system-ui, sans-serif } .title { fill: #1f2328; font-size: 14px }
.grid { stroke: #d0d7de } .wait { fill: #bf8700 } .band { fill: #bf8700; fill-opacity: 0.3 } .middle { stroke: #7d4e00; stroke-width: 2 }
@media (prefers-color-scheme: dark) {
  .page { fill: #0d1117 } text { fill: #9198a1 } .title { fill: #f0f6fc } .grid { stroke: #3d444d }
  .wait { fill: #d29922 } .band { fill: #d29922 } .middle { stroke: #f2cc60 }
}`;

/** Ends in a line break. */
export function scheduleSvg(title: string, retries: readonly PlannedRetry[]): string {
  const heading = escaped(`${title}: ${summaryOf(retries)}`);
  const ticks = ticksTo(Math.max(1, ...retries.map(({ maxDelayMs }) => maxDelayMs)), MOST_STEPS);
  const topMs = ticks.at(-1) ?? 1;
  const y = (ms: number): number => rounded(BOTTOM - (ms / topMs) * (BOTTOM - TOP));
  const slot = (RIGHT - LEFT) / Math.max(1, retries.length);
  const width = rounded(Math.min(WIDEST_BAR, slot * 0.72));
  const numbered = Math.ceil(retries.length / MOST_NUMBERS);
  const parts = ticks.map(
    (ms) =>
      `<line class="grid" x1="${LEFT}" x2="${RIGHT}" y1="${y(ms)}" y2="${y(ms)}"/><text x="${LEFT - 8}" y="${y(ms) + 4}" text-anchor="end">${formatDelay(ms)}</text>`,
  );
  for (const [index, { retry, delayMs, minDelayMs, maxDelayMs, elapsedMs }] of retries.entries()) {
    const middle = rounded(LEFT + slot * (index + 0.5));
    const x = rounded(middle - width / 2);
    const said = `retry ${retry}: ${formatDelay(delayMs)}, ${formatDelay(elapsedMs)} in all`;
    const bar = (name: string, fromMs: number, toMs: number): string =>
      `<rect class="${name}" x="${x}" y="${y(toMs)}" width="${width}" height="${rounded(y(fromMs) - y(toMs))}"/>`;
    const jitter =
      minDelayMs === maxDelayMs
        ? ''
        : `${bar('band', minDelayMs, maxDelayMs)}<line class="middle" x1="${x}" x2="${rounded(x + width)}" y1="${y(delayMs)}" y2="${y(delayMs)}"/>`;
    parts.push(`<g><title>${said}</title>${bar('wait', 0, minDelayMs)}${jitter}</g>`);
    if (index % numbered === 0)
      parts.push(`<text x="${middle}" y="${BOTTOM + 18}" text-anchor="middle">${retry}</text>`);
  }
  const legend = hasJitter(retries) ? 'retry; the lighter part is where jitter may put the wait' : 'retry';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${heading}">
<style>${STYLE}</style>
<rect class="page" width="${WIDTH}" height="${HEIGHT}"/>
<text class="title" x="${LEFT}" y="26">${heading}</text>
${parts.join('\n')}
<text x="${(LEFT + RIGHT) / 2}" y="${HEIGHT - 8}" text-anchor="middle">${legend}</text>
</svg>
`;
}

const rounded = (value: number): number => Math.round(value * 10) / 10;

const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
