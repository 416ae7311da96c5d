/** The attempts and waits of a call: as a list to read, and as a strip to scale. Together they take the whole time. */

import { type AttemptRecord, describeFailure, formatDelay } from 'retry-transport';
import { element } from './element.ts';
import { counted, waitsOf } from './words.ts';

/** A call that has ended. `sentAt`: when its last attempt was sent, if the call ended before the answer. */
export interface TimelineCall {
  readonly history: readonly AttemptRecord[];
  readonly attempts: number;
  readonly elapsedMs: number;
  readonly endedAt: number;
  readonly sentAt: number | undefined;
}

export function timeline({ history, attempts, elapsedMs, endedAt, sentAt }: TimelineCall): HTMLElement {
  // An attempt that was stopped has no record of its own.
  const stoppedAt = attempts > history.length ? (sentAt ?? endedAt - elapsedMs) : endedAt;
  const waits = waitsOf(history, stoppedAt);
  const strip = element('div', { class: 'strip', 'aria-hidden': 'true' });
  const list = element('ol');
  const add = (result: 'success' | 'failure' | 'stopped', title: string, detail: string, durationMs: number): void => {
    strip.append(segment(result, durationMs));
    list.append(
      element('li', { class: result }, element('span', {}, title), element('span', { class: 'soft' }, detail)),
    );
  };
  for (const [index, record] of history.entries()) {
    const { failure, durationMs } = record;
    const waitedMs = waits[index] ?? null;
    const title = failure === null ? 'Answered' : describeFailure(failure).headline;
    add(failure === null ? 'success' : 'failure', title, detailOf(record, waitedMs), durationMs);
    if (waitedMs !== null) strip.append(segment('wait', waitedMs));
  }
  if (attempts > history.length) {
    const durationMs = Math.max(0, endedAt - stoppedAt);
    add('stopped', 'Stopped before the answer', formatDelay(durationMs), durationMs);
  }
  const summary = `${counted(attempts, 'attempt')} in ${formatDelay(elapsedMs)}`;
  return element('details', { class: 'timeline', open: '' }, element('summary', {}, summary), strip, list);
}

function segment(kind: string, ms: number): HTMLElement {
  const made = element('span', { class: kind });
  made.style.flexGrow = String(Math.max(1, ms));
  return made;
}

/** A wait that was cut short shows both lengths: `350ms, then waited 1.2s of 5s`. */
function detailOf({ durationMs, delayMs }: AttemptRecord, waitedMs: number | null): string {
  const took = formatDelay(durationMs);
  if (waitedMs === null || delayMs === null) return took;
  const planned = waitedMs < delayMs ? ` of ${formatDelay(delayMs)}` : '';
  return `${took}, then waited ${formatDelay(waitedMs)}${planned}`;
}
