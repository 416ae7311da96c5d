/** The attempts of a call as a list that can be read, and as a strip that can be seen: attempts to scale, waits between. */

import { type AttemptRecord, describeFailure, formatDelay } from 'retry-transport';
import { element } from './element.ts';
import { counted, waitsOf } from './words.ts';

export function timeline(history: readonly AttemptRecord[], elapsedMs: number): HTMLElement {
  const waits = waitsOf(history);
  const strip = element('div', { class: 'strip', 'aria-hidden': 'true' });
  const list = element('ol');
  for (const [index, record] of history.entries()) {
    const waitedMs = waits[index] ?? null;
    const result = record.failure === null ? 'success' : 'failure';
    strip.append(segment(result, record.durationMs));
    if (waitedMs !== null) strip.append(segment('wait', waitedMs));
    list.append(
      element(
        'li',
        { class: result },
        element('span', {}, record.failure === null ? 'Answered' : describeFailure(record.failure).headline),
        element('span', { class: 'soft' }, detailOf(record, waitedMs)),
      ),
    );
  }
  const summary = `${counted(history.length, 'attempt')} in ${formatDelay(elapsedMs)}`;
  return element('details', { class: 'timeline', open: '' }, element('summary', {}, summary), strip, list);
}

function segment(kind: string, ms: number): HTMLElement {
  const made = element('span', { class: kind });
  made.style.flexGrow = String(Math.max(1, ms));
  return made;
}

/** A wait that was cut short names both: `after 350ms, then 1.2s of 5s`. */
function detailOf({ durationMs, delayMs }: AttemptRecord, waitedMs: number | null): string {
  const took = formatDelay(durationMs);
  if (waitedMs === null || delayMs === null) return took;
  const isWhole = waitedMs >= delayMs;
  return `${took}, then waited ${isWhole ? formatDelay(delayMs) : `${formatDelay(waitedMs)} of ${formatDelay(delayMs)}`}`;
}
