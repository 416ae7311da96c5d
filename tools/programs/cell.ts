/** One cell of the matrix: one program under one plan in one way, and its result. */

import type { PlanName } from './plans.ts';
import type { SeenRequest } from './played-server.ts';
import { REPLY } from './protocols.ts';

/**
 * - `alone`: the unchanged program
 * - `proxy`: its base URL is the proxy's
 * - `proxy-end`: the same, with `--hold end`
 * - `fetch`: with the options that README recommends for the global fetch, and its own retries
 * - `fetch-only`: with the options of its page, and its own retries off
 * - `watched`: the same, with `streamWatch`: as README prints it
 * - `to-the-end`: the same as `fetch-only`, with `guardStreams: { until: 'end' }`
 */
export type Way = 'alone' | 'proxy' | 'proxy-end' | 'fetch' | 'fetch-only' | 'watched' | 'to-the-end';

export const WAYS: readonly Way[] = ['alone', 'proxy', 'proxy-end', 'fetch', 'fetch-only', 'watched', 'to-the-end'];

/** What only matters to streams. */
const OF_STREAMS: readonly Way[] = ['proxy-end', 'watched', 'to-the-end'];

/** The ways in which a program can send its requests. `takesFetch`: whether it can be given a `fetch`. */
export function waysOf(isStreamed: boolean, takesFetch: boolean): readonly Way[] {
  return WAYS.filter(
    (way) => (isStreamed || !OF_STREAMS.includes(way)) && (takesFetch || way === 'alone' || throughProxy(way)),
  );
}

export function throughProxy(way: Way): boolean {
  return way === 'proxy' || way === 'proxy-end';
}

/**
 * - `answer`: the whole reply
 * - `repeated`: the whole reply, with a part of it twice
 * - `cut`: a part of the reply, presented as an answer
 * - `empty`: nothing, presented as an answer
 * - `error`: the program says that it failed
 * - `late`: the program had not ended when the cell was ended
 */
export type Outcome = 'answer' | 'repeated' | 'cut' | 'empty' | 'error' | 'late';

export interface Line {
  readonly atMs: number;
  readonly text: string;
}

export interface Cell {
  readonly program: string;
  readonly plan: PlanName;
  readonly way: Way;
  readonly outcome: Outcome;
  /** From the start of the program to its end. */
  readonly tookMs: number;
  readonly requests: readonly SeenRequest[];
  /** The text that a person saw: the program's output, or the error that a library threw. */
  readonly seen: readonly Line[];
  readonly exitCode?: number | null;
}

/** Reads the text that a program presented as its answer, without an error. */
export function outcomeOf(text: string): Outcome {
  if (text.trim() === '') return 'empty';
  if (!text.includes(REPLY)) return 'cut';
  const [opening = ''] = REPLY.split(' ');
  return text.split(opening).length > 2 ? 'repeated' : 'answer';
}

/** Requests that came earlier than a hint to the same conversation allowed. */
export function hintsBeaten({ requests }: Cell): number {
  return requests.filter(({ earlyByMs }) => earlyByMs !== undefined).length;
}

export function modelRequests({ requests }: Cell): number {
  return requests.filter(({ api }) => api !== undefined).length;
}

/**
 * The best outcome for a person first: an answer, one after a first part that was already shown, a reported failure, no
 * end in time, a wrong answer.
 */
const RANK: Readonly<Record<Outcome, number>> = { answer: 4, repeated: 3, error: 2, late: 1, cut: 0, empty: 0 };

/** 1: better than alone; -1: worse. */
export function compare(cell: Cell, alone: Cell): -1 | 0 | 1 {
  const difference = RANK[cell.outcome] - RANK[alone.outcome];
  return difference > 0 ? 1 : difference < 0 ? -1 : 0;
}
