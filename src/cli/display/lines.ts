/**
 * Events as lines: pure, so that a table can hold every one of them at every width. Who writes them where, and when
 * again, is the displays' business.
 */

import { describeFailure, type Failure, formatDelay, type RetryEvent } from '../../index.ts';
import { INDENT, layOut, type Look } from './layout.ts';
import { attemptsMade, failureList, stopReason, waitedMs } from './wording.ts';

export type EventOf<T extends RetryEvent['type']> = Extract<RetryEvent, { readonly type: T }>;

/** How a session ended. `event` is the last one of the call, where there was any. */
export type Ending =
  | { readonly how: 'answered'; readonly event: EventOf<'recovered'> | undefined }
  | { readonly how: 'given-up'; readonly event: EventOf<'failed'> }
  | { readonly how: 'cancelled'; readonly event: EventOf<'cancelled'> | undefined }
  /** The answer stopped before its end, or there was an error that no event tells of. */
  | { readonly how: 'broken'; readonly error: unknown };

/** A wait in progress. The remaining time is shown as it is: round it for a countdown. */
export function waitLines(event: EventOf<'retry'>, remainingMs: number, look: Look): string[] {
  const { attempt, maxRetries, failure } = event;
  const count = Number.isFinite(maxRetries) ? `attempt ${attempt} of ${maxRetries}` : `attempt ${attempt}`;
  const when = remainingMs > 0 ? `retrying in ${formatDelay(remainingMs)}…` : 'retrying now…';
  const head = [`⚠ ${headline(failure)}`, `— ${when}`];
  if (!look.keys) return layOut([...head, count], 'waiting', look);
  const keys = remainingMs > 0 ? ['esc to cancel,', 'enter to retry now'] : ['esc to cancel'];
  return layOut([...head, `${count},`, ...keys], 'waiting', look);
}

/** A wait that is over. */
export function waitedLines({ failure }: EventOf<'retry'>, ms: number, look: Look): string[] {
  return layOut([`⚠ ${headline(failure)}`, `— waited ${formatDelay(ms)}`], 'quiet', look);
}

/** Another target is asked. */
export function fallbackLines({ failure, from, to }: EventOf<'fallback'>, look: Look): string[] {
  return layOut([`⚠ ${headline(failure)}`, `— falling back from ${from} to ${to}`], 'waiting', look);
}

/** The last lines of a session; none for an answer at the first attempt. */
export function endingLines(ending: Ending, look: Look): string[] {
  if (ending.how === 'answered') return ending.event === undefined ? [] : recoveredLines(ending.event, look);
  if (ending.how === 'given-up') return failedLines(ending.event, look);
  if (ending.how === 'broken') return layOut([`✗ ${reasonOf(ending.error)}`], 'bad', look);
  const after = ending.event === undefined ? [] : [`after ${attemptsMade(ending.event.attempts)}`];
  return layOut(['✗ cancelled', ...after], 'bad', look);
}

function recoveredLines({ attempts, history }: EventOf<'recovered'>, look: Look): string[] {
  const parts = [
    `✓ answered after ${attemptsMade(attempts)}:`,
    failureList(history),
    `— waited ${formatDelay(waitedMs(history))}`,
  ];
  return layOut(parts, 'good', look);
}

function failedLines({ attempts, because, failure, possibleAt, at, history }: EventOf<'failed'>, look: Look): string[] {
  const { explanation, actions } = describeFailure(failure);
  const made = attempts === 1 ? [] : [`after ${attemptsMade(attempts)}:`, failureList(history)];
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

/** Whole seconds, and never 0 while there is something left. */
export function roundUp(ms: number): number {
  return Math.ceil(ms / 1_000) * 1_000;
}

function headline(failure: Failure): string {
  return describeFailure(failure).headline;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // fetch says "terminated" or "fetch failed"; what happened is in the cause.
  return error.cause instanceof Error && error.cause.message !== ''
    ? `${error.message}: ${error.cause.message}`
    : error.message;
}
