/** What a trouble is: the calls of a program over some minutes, and how the server answers each request. */

import type { Dice } from '../dice.ts';
import type { Api } from '../apis.ts';
import type { Reason } from './protocol.ts';

/** One call of the program. */
export interface PlannedCall {
  readonly atMs: number;
  /** `tool`: a tool of an MCP server that runs once for each request, such as one that sends a mail. */
  readonly kind: 'json' | 'stream' | 'tool';
}

/** One request that has reached the server. */
export interface Asked {
  readonly call: number;
  readonly kind: PlannedCall['kind'];
  readonly api: Api;
  /** The requests of this call so far, this one included. */
  readonly nth: number;
  readonly atMs: number;
}

/** How the server answers a request. */
export type Reply =
  | { readonly kind: 'answer'; readonly headers?: Readonly<Record<string, string>>; readonly afterMs?: number }
  /** `hintMs`: the provider says how long to wait, where and as it does so. */
  | {
      readonly kind: 'refusal';
      readonly reason: Reason;
      readonly hintMs?: number;
      readonly headers?: Readonly<Record<string, string>>;
    }
  /** The page of a gateway. With a 504 after the time in which the model worked: that is billed. */
  | { readonly kind: 'page'; readonly status?: 504; readonly afterMs?: number }
  | { readonly kind: 'reset'; readonly at: 'before-headers' | 'after-headers' }
  /** A JSON body that breaks in its middle, or says nothing more. */
  | { readonly kind: 'body'; readonly how: 'breaks' | 'stalls' }
  /** An error inside a stream that began as a success, before its first content. */
  | { readonly kind: 'error-event' }
  /** A stream after its first content: cut, silent for ever, or ended without its end. */
  | { readonly kind: 'stream'; readonly how: 'cut' | 'stalls' | 'ends' };

export interface Day {
  readonly calls: readonly PlannedCall[];
  /** Until then connections are refused. */
  readonly isClosedForMs?: number;
  reply(asked: Asked): Reply;
}

/** An entry of `troubles.ts`. */
export interface Trouble {
  /** Two or three words, for the table. */
  readonly name: string;
  /** One sentence: what the server does. */
  readonly what: string;
  /** Where such failures were seen, or how they are documented. */
  readonly source: string;
  /**
   * How a call ends well. `answer`: with the whole answer within the deadline. `told`: with the whole answer or with an
   * error, and not with a part of the answer that looks whole. `once`: with an error after one request; `twice`: after
   * at most two.
   */
  readonly endsWellWith: 'answer' | 'told' | 'once' | 'twice';
  /** A call that has no answer by then counts as failed. */
  readonly deadlineMs: number;
  /** Draws a day of about so many calls. The same dice give the same day to every client. */
  plan(dice: Dice, calls: number): Day;
}

/** `count` calls of the given kinds in turn, at random moments within `withinMs`. */
export function callsOver(
  dice: Dice,
  count: number,
  withinMs: number,
  kinds: readonly PlannedCall['kind'][] = ['json', 'stream'],
): readonly PlannedCall[] {
  const moments = Array.from({ length: count }, () => Math.round(dice() * withinMs)).toSorted((a, b) => a - b);
  return moments.map((atMs, index) => ({ atMs, kind: kinds[index % kinds.length] ?? 'json' }));
}

/** A whole number from `least` to `most`. */
export const draw = (dice: Dice, least: number, most: number): number =>
  least + Math.floor(dice() * (most - least + 1));

/** How many requests of each call fail. */
export function failuresPerCall(dice: Dice, calls: number, least: number, most: number): (call: number) => number {
  const counts = Array.from({ length: calls }, () => draw(dice, least, most));
  return (call) => counts[call] ?? 0;
}
