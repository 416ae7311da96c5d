/** Turns events into lines. Pure functions: the displays decide where and when a line is written. */

import { describeFailure, type Failure, formatDelay, type RetryEvent } from '../../index.ts';
import { INDENT, layOut, type Look } from './layout.ts';
import { attemptsMade, failureList, retriesMade, stopReason, waitedMs, waitReason } from './wording.ts';

export type EventOf<T extends RetryEvent['type']> = Extract<RetryEvent, { readonly type: T }>;

/** How a session ended. `event` is the last event of the call, if there was one. */
export type Ending =
  | { readonly how: 'answered'; readonly event: EventOf<'recovered'> | undefined }
  | { readonly how: 'given-up'; readonly event: EventOf<'failed'> }
  | { readonly how: 'cancelled'; readonly event: EventOf<'cancelled'> | undefined }
  /** The answer broke off, or an error happened that no event reports. */
  | { readonly how: 'broken'; readonly error: unknown };

/** An event that announces a wait. */
export type WaitEvent = EventOf<'retry' | 'delayed'>;

/** A wait in progress. `remainingMs` is shown unchanged: round it up for a countdown. */
export function waitLines(event: WaitEvent, remainingMs: number, look: Look): string[] {
  const verb = event.type === 'retry' || event.attempt > 1 ? 'retrying' : 'sending';
  const when = remainingMs > 0 ? `${verb} in ${formatDelay(remainingMs)}…` : `${verb} now…`;
  const head = [`⚠ ${reasonForWait(event)}`, `— ${when}`];
  const count = countOf(event);
  if (!look.keys) return layOut([...head, ...count], 'waiting', look);
  const keys = remainingMs > 0 ? ['esc to cancel,', 'enter to retry now'] : ['esc to cancel'];
  return layOut([...head, ...count.map((text) => `${text},`), ...keys], 'waiting', look);
}

/** A wait that is over. */
export function waitedLines(event: WaitEvent, ms: number, look: Look): string[] {
  return layOut([`⚠ ${reasonForWait(event)}`, `— waited ${formatDelay(ms)}`], 'quiet', look);
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

/** The next attempt goes to another target. */
export function fallbackLines({ failure, from, to }: EventOf<'fallback'>, look: Look): string[] {
  return layOut([`⚠ ${headline(failure)}`, `— falling back from ${from} to ${to}`], 'waiting', look);
}

/** A stream has broken after a part of the answer was handed on. */
export function brokenLines({ because, afterMs, failure }: EventOf<'broken'>, look: Look): string[] {
  return layOut([`✗ ${BREAKS[because]} after ${formatDelay(roundUp(afterMs))}`, `— ${failure.message}`], 'bad', look);
}

const BREAKS: Readonly<Record<EventOf<'broken'>['because'], string>> = {
  stalled: 'stream went silent',
  truncated: 'stream ended too early',
  cut: 'stream was cut',
};

/** The last lines of a session; none if the first attempt was answered. */
export function endingLines(ending: Ending, look: Look): string[] {
  if (ending.how === 'answered') return ending.event === undefined ? [] : recoveredLines(ending.event, look);
  if (ending.how === 'given-up') return failedLines(ending.event, look);
  if (ending.how === 'broken') return layOut([`✗ ${reasonOf(ending.error)}`], 'bad', look);
  const attempts = ending.event?.attempts ?? 0;
  const after = attempts === 0 ? [] : [`after ${attemptsMade(attempts)}`];
  return layOut(['✗ cancelled', ...after], 'bad', look);
}

function recoveredLines({ attempts, history }: EventOf<'recovered'>, look: Look): string[] {
  const ms = waitedMs(history);
  const parts = [`✓ answered after ${retriesMade(attempts - 1)}:`, failureList(history)];
  return layOut(ms > 0 ? [...parts, `— waited ${formatDelay(ms)}`] : parts, 'good', look);
}

/** A call that got the answer of an earlier call again, by its id. */
export function storedLines({ failure }: EventOf<'failed'>, answerOf: string, look: Look): string[] {
  return layOut([`✗ ${headline(failure)}`, `— the stored answer of #${answerOf},`, 'nothing was sent'], 'bad', look);
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

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // fetch reports "terminated" or "fetch failed"; the cause says what happened.
  return error.cause instanceof Error && error.cause.message !== ''
    ? `${error.message}: ${error.cause.message}`
    : error.message;
}
