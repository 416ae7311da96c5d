/** Turns events into lines. Pure functions: the displays decide where and when a line is written. */

import { describeFailure, type Failure, formatDelay, type RetryEvent } from '../../index.ts';
import { INDENT, layOut, type Look, type Tone } from './layout.ts';
import { attemptsMade, failureList, retriesMade, stopReason, waitedMs, waitReason } from './wording.ts';

type EventOf<T extends RetryEvent['type']> = Extract<RetryEvent, { readonly type: T }>;
type WaitEvent = EventOf<'retry' | 'delayed'>;

/** The lines that show an event; none for an attempt, whose wait was shown. */
export function linesOf(event: RetryEvent, look: Look): string[] {
  switch (event.type) {
    case 'retry':
    case 'delayed':
      return waitLines(event, look);
    case 'fallback':
      return layOut(
        [`⚠ ${headline(event.failure)}`, `— falling back from ${event.from} to ${event.to}`],
        'waiting',
        look,
      );
    case 'attempt':
      return [];
    case 'recovered':
      return recoveredLines(event, look);
    case 'failed':
      return failedLines(event, look);
    case 'cancelled':
      return layOut(
        ['✗ cancelled', ...(event.attempts === 0 ? [] : [`after ${attemptsMade(event.attempts)}`])],
        'bad',
        look,
      );
    case 'broken':
      return layOut(
        [`✗ ${BREAKS[event.because]} after ${formatDelay(roundUp(event.afterMs))}`, `— ${event.failure.message}`],
        'bad',
        look,
      );
  }
}

const TONES: Readonly<Partial<Record<RetryEvent['type'], Tone>>> = {
  retry: 'waiting',
  delayed: 'waiting',
  fallback: 'waiting',
  recovered: 'good',
};

export function toneOf({ type }: RetryEvent): Tone {
  return TONES[type] ?? 'bad';
}

function waitLines(event: WaitEvent, look: Look): string[] {
  const verb = event.type === 'retry' || event.attempt > 1 ? 'retrying' : 'sending';
  const when = event.delayMs > 0 ? `${verb} in ${formatDelay(event.delayMs)}…` : `${verb} now…`;
  return layOut([`⚠ ${reasonForWait(event)}`, `— ${when}`, ...countOf(event)], 'waiting', look);
}

function reasonForWait(event: WaitEvent): string {
  return event.type === 'retry' ? headline(event.failure) : waitReason(event.because);
}

/** The n-th retry follows the n-th failed attempt. */
function countOf(event: WaitEvent): readonly string[] {
  if (event.type === 'delayed') return event.attempt > 1 ? [`retry ${event.attempt - 1}`] : [];
  const { attempt, maxRetries } = event;
  const isLimited = maxRetries !== null && Number.isFinite(maxRetries);
  return [isLimited ? `retry ${attempt} of ${maxRetries}` : `retry ${attempt}`];
}

const BREAKS: Readonly<Record<EventOf<'broken'>['because'], string>> = {
  stalled: 'stream went silent',
  truncated: 'stream ended too early',
  cut: 'stream was cut',
};

function recoveredLines({ attempts, history }: EventOf<'recovered'>, look: Look): string[] {
  const ms = waitedMs(history);
  const parts = [`✓ answered after ${retriesMade(attempts - 1)}:`, failureList(history)];
  return layOut(ms > 0 ? [...parts, `— waited ${formatDelay(ms)}`] : parts, 'good', look);
}

function failedLines({ attempts, because, failure, possibleAt, at, history }: EventOf<'failed'>, look: Look): string[] {
  const { explanation, actions } = describeFailure(failure);
  const made = attempts <= 1 ? [] : [`after ${retriesMade(attempts - 1)}:`, failureList(history)];
  const lines = layOut([`✗ ${headline(failure)}`, `— ${stopReason(because)}`, ...made], 'bad', look);
  lines.push(...layOut([explanation], 'plain', look, INDENT));
  for (const action of actions) lines.push(...layOut([`→ ${action}`], 'plain', look, INDENT));
  if (possibleAt !== undefined && possibleAt > at) {
    const date = new Date(possibleAt).toISOString().replace(/\.\d+Z$/, 'Z');
    lines.push(
      ...layOut([`possible again in ${formatDelay(roundUp(possibleAt - at))}`, `at ${date}`], 'quiet', look, INDENT),
    );
  }
  return lines;
}

/** Rounds up to whole seconds, so that a countdown never shows 0 early. */
export function roundUp(ms: number): number {
  return Math.ceil(ms / 1_000) * 1_000;
}

function headline(failure: Failure): string {
  return describeFailure(failure).headline;
}

export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // fetch reports "terminated" or "fetch failed"; the cause says what happened.
  return error.cause instanceof Error && error.cause.message !== ''
    ? `${error.message}: ${error.cause.message}`
    : error.message;
}
