/** Turns events into lines. Pure functions: the log decides where and when a line is written. */

import { describeEvent, describeFailure, type RetryEvent } from '../../index.ts';
import { INDENT, layOut, type Look, type Tone } from './layout.ts';

type EventOf<T extends RetryEvent['type']> = Extract<RetryEvent, { readonly type: T }>;

/** The lines that show an event; none for an attempt, whose wait was shown. */
export function linesOf(event: RetryEvent, look: Look): string[] {
  if (event.type === 'attempt') return [];
  const tone = toneOf(event);
  const lines = layOut(`${SIGNS[tone]} ${describeEvent(event)}`, tone, look);
  return event.type === 'failed' ? [...lines, ...adviceLines(event, look)] : lines;
}

const SIGNS = { waiting: '⚠', good: '✓', bad: '✗' } as const;

export function toneOf({ type }: RetryEvent): keyof typeof SIGNS & Tone {
  if (type === 'recovered') return 'good';
  return type === 'failed' || type === 'cancelled' || type === 'broken' ? 'bad' : 'waiting';
}

/** What the failure means, what to do, and when. */
function adviceLines({ failure, possibleAt = 0, at }: EventOf<'failed'>, look: Look): string[] {
  const { explanation, actions } = describeFailure(failure);
  const lines = [explanation, ...actions.map((action) => `→ ${action}`)];
  return [
    ...lines.flatMap((text) => layOut(text, 'plain', look, INDENT)),
    ...(possibleAt > at ? layOut(`possible again at ${secondOf(possibleAt)}`, 'quiet', look, INDENT) : []),
  ];
}

const secondOf = (at: number): string => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z');

export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // fetch reports "terminated" or "fetch failed"; the cause says what happened.
  return error.cause instanceof Error && error.cause.message !== ''
    ? `${error.message}: ${error.cause.message}`
    : error.message;
}
