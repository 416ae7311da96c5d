/** From what happened to figures: counts over all calls of a client under a trouble, and means over the seeds. */

import type { CallResult } from './day.ts';
import { PIECES } from './protocol.ts';
import type { LoggedRequest } from './server.ts';
import type { Trouble } from './trouble.ts';

/** One client, one setting, one trouble, one seed. */
export interface Cell {
  readonly client: string;
  readonly setting: string;
  readonly trouble: string;
  readonly seed: number;
  readonly calls: readonly CallResult[];
  readonly requests: readonly LoggedRequest[];
}

export interface Score {
  /** Calls that the client can make. */
  readonly calls: number;
  /** The share of them with the whole answer within the deadline. */
  readonly answered: number;
  /** The share of them that ended as well as the trouble allows. */
  readonly endedWell: number;
  /** Answers that were not whole, and passed as a success. */
  readonly wrong: number;
  /** Answers of which a person saw a piece twice. */
  readonly shownTwice: number;
  readonly requestsPerCall: number;
  /** Pieces of output that were made, and are billed, for each piece that was used. */
  readonly outputPerAnswer: number;
  /** Requests that came before the wait was over which the server had asked for. */
  readonly early: number;
  /** Requests after the server had failed the call for good. */
  readonly afterPermanent: number;
  readonly toolsTwice: number;
  /** Time to the answer in milliseconds; null if that call had none. */
  readonly p50Ms: number | null;
  readonly p99Ms: number | null;
}

type EndsWellWith = Trouble['endsWellWith'];

export function scoreOf(cells: readonly Cell[], endsWellWith: EndsWellWith): Score {
  const calls = cells.flatMap((cell) => cell.calls).filter(({ end }) => end !== 'unable');
  const requests = cells.flatMap((cell) => cell.requests);
  const whole = calls.filter(({ end }) => end === 'whole');
  const times = calls
    .map(({ end, tookMs }) => (end === 'whole' ? tookMs : Number.POSITIVE_INFINITY))
    .toSorted((a, b) => a - b);
  const pieces = requests.reduce((sum, request) => sum + request.pieces, 0);
  const models = whole.filter(({ kind }) => kind !== 'tool').length;
  return {
    calls: calls.length,
    answered: meanOf(cells.map((cell) => shareOf(able(cell), ({ end }) => end === 'whole'))),
    endedWell: meanOf(cells.map((cell) => shareOf(able(cell), (call) => hasEndedWell(call, cell, endsWellWith)))),
    wrong: calls.filter(({ end }) => end === 'wrong').length,
    shownTwice: calls.filter(({ isShownTwice }) => isShownTwice).length,
    requestsPerCall: meanOf(cells.map((cell) => cell.requests.length / Math.max(1, able(cell).length))),
    outputPerAnswer: models === 0 ? 0 : pieces / PIECES / models,
    early: requests.filter(({ earlyByMs }) => earlyByMs !== undefined).length,
    afterPermanent: requests.filter(({ isAfterPermanent }) => isAfterPermanent).length,
    toolsTwice: cells.reduce((sum, cell) => sum + toolsTwiceIn(cell), 0),
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
  };
}

function hasEndedWell({ end, call, kind }: CallResult, { requests }: Cell, endsWellWith: EndsWellWith): boolean {
  const sent = requests.filter((request) => request.call === call).length;
  // A tool has run when its connection is reset, so an error after one request is right.
  if (kind === 'tool') return sent === 1;
  switch (endsWellWith) {
    case 'answer':
      return end === 'whole';
    case 'told':
      return end === 'whole' || end === 'failed';
    case 'once':
      return end === 'failed' && sent === 1;
    case 'twice':
      return end === 'failed' && sent <= 2;
  }
}

const able = (cell: Cell): readonly CallResult[] => cell.calls.filter(({ end }) => end !== 'unable');

const shareOf = <T>(list: readonly T[], is: (item: T) => boolean): number =>
  list.length === 0 ? 0 : list.filter(is).length / list.length;

function toolsTwiceIn({ calls, requests }: Cell): number {
  const tools = calls.filter(({ kind }) => kind === 'tool');
  return tools.filter(({ call }) => requests.filter((request) => request.call === call).length > 1).length;
}

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

function quantile(sorted: readonly number[], share: number): number | null {
  const value = sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)];
  return value === undefined || value === Number.POSITIVE_INFINITY ? null : value;
}
