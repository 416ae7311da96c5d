/**
 * Finds the response that a text quotes. SDKs, agents and logs print failed responses in messages, each in its own way:
 * `Error: 429 {"type":"error",…}`, `Error code: 503 - {'error': …}`, `Request failed with status code 502`. The quote
 * is read like a response, by the same rulebook. Every text is cut before the first search, and every pattern is
 * linear.
 */

import { parseJson } from '../runtime/values.ts';
import { type Hint, wordedHint } from '../hints/retry-hint.ts';
import { normalise, readEvidence } from './envelope.ts';
import type { Evidence } from './family.ts';
import { statusesIn } from './quoted-status.ts';
import { endsOf, withoutHeads } from './thrown.ts';

/** The important part of a message is at its beginning, that of a Python or Java stack trace at its end. */
const MAX_EDGE = 6_144;

/** A body that a text prints, and the text around it. */
interface PrintedBody {
  readonly value: unknown;
  readonly around: string;
}

/** The cause of an error that does not come from a server. */
export type Blame = 'program' | 'process' | null;

/** How to read the texts of operations, which may be the output of a command or of a library in another language. */
export interface TextReader {
  /** Removes parts of the text that no server sent. */
  readonly clean: (text: string) => string;
  /** Finds out whether the program or a process caused the error. A body is never an error of a program. */
  readonly blame: (text: string) => Blame;
  /** Finds an object that the text prints in a form other than JSON. */
  readonly bodyIn: (text: string) => PrintedBody | undefined;
}

/** The contents of a text. */
export interface Quote {
  /** The searched text. */
  readonly text: string;
  /** Of a body in it only the messages: other members may be an echo of the request. */
  readonly words: string;
  readonly blamed: Blame;
  /** Whether it quotes a response: by its status, or by a body with a name or a status. */
  readonly isQuoted: boolean;
  /** Evidence of the quoted response, with the whole text as wording. */
  readonly evidence: Evidence;
  readonly hint: Hint | null;
}

/**
 * Reads a text. null if it contains nothing useful. In an error of a program nothing counts; in one of a process only a
 * body, or a status with its reason: other numbers are lines, ports and exit codes. A hint with a moment counts from
 * `nowMs`.
 */
export function readQuote(given: string, nowMs: number, wording?: TextReader): Quote | null {
  const ends = endsOf(withoutHeads(given), MAX_EDGE);
  const text = (wording?.clean(ends) ?? ends).trim();
  if (text === '') return null;
  const blamed = wording?.blame(text) ?? null;
  const body = blamed === 'program' ? undefined : (jsonIn(text) ?? wording?.bodyIn(text));
  const [status = 0] = blamed === 'program' ? [] : statusesIn(text, blamed === null);
  const evidence = readEvidence(status, body?.value, body === undefined && status > 0 ? text : '', null);
  const words = body === undefined || evidence.message === '' ? text : `${body.around} ${evidence.message}`;
  const isQuoted = status > 0 || (body !== undefined && (evidence.status > 0 || /[a-z]/.test(evidence.names)));
  return {
    text,
    words,
    blamed,
    isQuoted,
    evidence: { ...evidence, text: normalise(words), isInBand: false, isPage: false },
    // A program on this machine, such as the command line of Codex, prints the time by the clock of this machine.
    hint: wordedHint({ waits: evidence.words.waits, text }, nowMs, isQuoted ? 'unknown' : 'local'),
  };
}

/** The JSON in a text; undefined if there is none, or if it was cut. */
function jsonIn(text: string): PrintedBody | undefined {
  const start = text.search(/[{[]\s{0,8}["{[]/);
  const end = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'));
  const value = start >= 0 && end > start ? parseJson(text.slice(start, end + 1)) : undefined;
  return value === undefined ? undefined : { value, around: `${text.slice(0, start)} ${text.slice(end + 1)}` };
}
