/** A schedule in lines for a person: a summary, the table, the plot. */

import { formatDelay } from '../../index.ts';
import { layOut, type Look, paint, widthOf } from '../display/layout.ts';
import { hasJitter, type PlannedRetry } from './schedule.ts';
import { plotLines } from './schedule-plot.ts';

const GAP = '  ';

/** `21 retries, 7h 31m 45s of waiting in all`, with the bounds if there is jitter. */
export function summaryOf(retries: readonly PlannedRetry[]): string {
  const last = retries.at(-1);
  if (last === undefined) return 'no retries: a failure is returned at once';
  const count = retries.length === 1 ? '1 retry' : `${retries.length} retries`;
  const all = `${count}, ${formatDelay(last.elapsedMs)} of waiting in all`;
  if (!hasJitter(retries)) return all;
  return `${all}, with jitter ${formatDelay(last.minElapsedMs)} to ${formatDelay(last.maxElapsedMs)}`;
}

/** Summary, table and plot in the given columns; a pipe has 80. */
export function scheduleLines(title: string, retries: readonly PlannedRetry[], look: Look): string[] {
  const lines = layOut([`${title}:`, summaryOf(retries)], 'plain', look);
  if (retries.length === 0) return lines;
  lines.push('', ...tableLines(retries, look), '', ...plotLines(retries, look), '');
  const notes = ['A wait that the server asks for is used instead of the one in the table.'];
  if (hasJitter(retries)) notes.unshift('The shaded part is where jitter may put a wait.');
  for (const note of notes) lines.push(...layOut([note], 'quiet', look));
  return lines;
}

function tableLines(retries: readonly PlannedRetry[], look: Look): string[] {
  const columns: [heading: string, cell: (retry: PlannedRetry) => string][] = [
    ['retry', ({ retry }) => String(retry)],
    ['wait', ({ delayMs }) => formatDelay(delayMs)],
    ['in all', ({ elapsedMs }) => formatDelay(elapsedMs)],
  ];
  if (hasJitter(retries)) {
    columns.push([
      'with jitter',
      ({ minDelayMs, maxDelayMs }) => `${formatDelay(minDelayMs)} to ${formatDelay(maxDelayMs)}`,
    ]);
  }
  const rows = [columns.map(([heading]) => heading), ...retries.map((retry) => columns.map(([, cell]) => cell(retry)))];
  const widths = columns.map((_, index) => Math.max(...rows.map((row) => widthOf(row[index] ?? ''))));
  // A narrow table leaves columns out; the plot still shows them.
  while (widths.length > 1 && widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length) > look.columns)
    widths.pop();
  return rows.map((row, index) => {
    const cells = widths.map((width, column) =>
      column === 0 ? (row[column] ?? '').padStart(width) : (row[column] ?? '').padEnd(width),
    );
    return paint(cells.join(GAP).trimEnd(), index === 0 ? 'quiet' : 'plain', look.colour);
  });
}
