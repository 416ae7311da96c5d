/**
 * Draws a schedule with characters: one bar per retry, solid up to the shortest wait, shaded where jitter may put it.
 */

import { formatDelay } from '../../index.ts';
import { ticksTo } from './axis.ts';
import { paint, widthOf } from '../display/layout.ts';
import type { PlannedRetry } from './schedule.ts';

/** Divisible by every number of steps that the axis can have. */
const ROWS = 12;
const MOST_STEPS = 4;
const WIDEST_BAR = 4;
/** Characters filled from below, in eighths. */
const EIGHTHS = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'] as const;

export interface PlotLook {
  readonly columns: number;
  readonly colour: boolean;
}

/** The lines of the plot; none if all waits are 0. */
export function plotLines(retries: readonly PlannedRetry[], { columns, colour }: PlotLook): string[] {
  const longestMs = Math.max(0, ...retries.map(({ maxDelayMs }) => maxDelayMs));
  if (longestMs === 0) return [];
  const ticks = ticksTo(longestMs, MOST_STEPS);
  const topMs = ticks.at(-1) ?? longestMs;
  const labels = ticks.map((tickMs) => formatDelay(tickMs));
  const margin = Math.max(...labels.map(widthOf));
  const room = Math.max(1, columns - margin - 2);
  const bars = thinned(retries, room);
  const slot = Math.max(1, Math.min(WIDEST_BAR + 1, Math.floor(room / bars.length)));
  const rowMs = topMs / ROWS;
  const lines: string[] = [];
  for (let row = ROWS - 1; row >= 0; row -= 1) {
    const tick = ticks.indexOf((row + 1) * rowMs);
    const label = (labels[tick] ?? '').padStart(margin);
    const cells = bars.map((bar) => {
      const cell = cellOf(bar, row * rowMs, rowMs);
      // Leaves a gap after each bar that is wide enough.
      return slot === 1 ? cell : `${cell.repeat(slot - 1)} `;
    });
    lines.push(`${label} ${tick === -1 ? '│' : '┤'}${paint(cells.join('').trimEnd(), 'waiting', colour)}`);
  }
  lines.push(`${(labels[0] ?? '').padStart(margin)} └${'─'.repeat(bars.length * slot)}`);
  lines.push(`${' '.repeat(margin + 2)}${numbersBelow(bars, slot, room)}`);
  return lines.map((line) => line.trimEnd());
}

/** As many retries as fit, the last one included. */
function thinned(retries: readonly PlannedRetry[], room: number): readonly PlannedRetry[] {
  const every = Math.ceil(retries.length / room);
  return retries.filter((_, index) => (retries.length - 1 - index) % every === 0);
}

function cellOf({ delayMs, minDelayMs, maxDelayMs }: PlannedRetry, fromMs: number, rowMs: number): string {
  const toMs = fromMs + rowMs;
  if (maxDelayMs - minDelayMs < rowMs) {
    const eighths = Math.round(((delayMs - fromMs) / rowMs) * 8);
    // A short wait next to long ones stays visible.
    return EIGHTHS[Math.max(fromMs === 0 && delayMs > 0 ? 1 : 0, Math.min(8, eighths))] ?? ' ';
  }
  const middleMs = fromMs + rowMs / 2;
  if (middleMs < minDelayMs) return '█';
  if (middleMs > maxDelayMs) return ' ';
  return delayMs >= fromMs && delayMs < toMs ? '▒' : '░';
}

/** The numbers of the retries below their bars, at equal distances, as many as fit. */
function numbersBelow(bars: readonly PlannedRetry[], slot: number, room: number): string {
  const widest = String(bars.at(-1)?.retry ?? '').length;
  const every = Math.ceil((widest + 1) / slot);
  let line = '';
  for (const [index, { retry }] of bars.entries()) {
    const longer = line.padEnd(index * slot) + String(retry);
    if (index % every === 0 && longer.length <= room) line = longer;
  }
  return line;
}
