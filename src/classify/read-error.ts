/**
 * Classifies an error that was thrown instead of a response. The evidence has one order, which {@link read} shows, and in
 * each step the innermost error that says something decides: wrapping an error never changes what it means. An unknown
 * error is not retried: a bug in the caller's own code must not run again for hours.
 */

import type { Failure } from '../failure/failure.ts';
import { get } from '../runtime/values.ts';
import { systemNow } from '../hints/retry-after.ts';
import type { Reading } from './family.ts';
import { findReading, readEvidenceType } from './find-type.ts';
import { evidenceFailure, makeFailure, statusFailure } from './make-failure.ts';
import {
  abortType,
  isOfProgram,
  isOfTool,
  type NetworkReading,
  readCode,
  readNetworkWords,
  readTunnel,
} from './network-error.ts';
import { overruled } from './overrules.ts';
import { type Quote, readQuote, type TextReader } from './quote.ts';
import { applyRules, readFailure, type Verdict } from './read-failure.ts';
import {
  bodyOf,
  chainOf,
  failureIn,
  headersOf,
  hintIn,
  isPlain,
  isProgramError,
  messageOf,
  statusOf,
  textIn,
  textOf,
} from './thrown.ts';

/** What the errors of operations say besides: {@link read} asks it in each step. */
export interface Wording extends TextReader {
  /** Reads the text that decided again, where the first reading rests on what many causes share. */
  readonly readAgain: (text: string, failure: Failure, chain: readonly unknown[]) => Failure;
  /** Applies the rules on retrying to the response in an error. */
  readonly ofResponse: (verdict: Verdict, link: unknown, headers: unknown, context: ErrorContext) => Failure;
  /** The words of the innermost text that says something; undefined if none does. */
  readonly byWords: (thrown: Thrown) => Failure | undefined;
  /** Applies what the errors of a chain say of themselves. */
  readonly judge: (error: unknown, chain: readonly unknown[], failure: Failure) => Failure;
}

/** The context for reading an error. */
export interface ErrorContext {
  /** Texts that must not appear in the failure, in addition to keys of known forms. */
  readonly secrets?: readonly string[] | undefined;
  readonly wording?: Wording | undefined;
  /** For hints with a date. */
  readonly nowMs?: number | undefined;
  /** The statuses that are retried; they count only with `wording`. @default the taxonomy decides */
  readonly codes?: readonly number[] | undefined;
}

/**
 * Classifies any thrown value. Never throws. Below a transport, a message alone makes an error retryable only if it is
 * one of a network or a timeout. With `wording`, for operations of any kind, the messages of providers, other runtimes
 * and command lines count too.
 */
export function readError(error: unknown, context: ErrorContext = {}): Failure {
  try {
    const thrown = new Thrown(error, context);
    const failure = read(thrown);
    return context.wording?.judge(error, thrown.chain, failure) ?? failure;
  } catch {
    return makeFailure({ type: 'unknown', phase: 'connect', message: 'An error that cannot be read' });
  }
}

/** The order of evidence. `docs/classification.md` has it as a table. */
function read(thrown: Thrown): Failure {
  const { wording } = thrown.context;
  return (
    bySelf(thrown) ?? // (a) what the error says of itself
    byProgram(thrown) ?? // (b) an error of the language or of the program
    withHint(
      thrown,
      byResponse(thrown) ?? // (c) a status with its body, or a quoted response
        byNetwork(thrown) ?? // (d) codes and words of the network
        wording?.byWords(thrown) ?? // (e) words of the innermost text that says something; (f) an outer one that names no cause says nothing
        thrown.failure(UNKNOWN),
    )
  );
}

const UNKNOWN: NetworkReading = { type: 'unknown', message: '' };
/** No name is longer. */
const MAX_NAME = 128;

/** A thrown value while it is read. */
export class Thrown {
  readonly error: unknown;
  readonly context: ErrorContext;
  /** The error, its causes and its aggregated errors, nearest first. */
  readonly chain: readonly unknown[];
  /** The same, the innermost first. */
  readonly inward: readonly unknown[];
  readonly #quotes = new Map<unknown, Quote | null>();

  constructor(error: unknown, context: ErrorContext) {
    this.error = error;
    this.context = context;
    const links = [...chainOf(error)];
    this.chain = links.map(([link]) => link);
    // Of several at one depth, the first counts first. Older runtimes have no method that sorts a copy.
    links.sort(([, one], [, other]) => other - one);
    this.inward = links.map(([link]) => link);
  }

  get nowMs(): number {
    return this.context.nowMs ?? systemNow();
  }

  /** What a link of the chain says. */
  quoteOf(link: unknown): Quote | null {
    let quote = this.#quotes.get(link);
    if (quote === undefined) {
      quote = readQuote(saidBy(link), this.nowMs, this.context.wording);
      this.#quotes.set(link, quote);
    }
    return quote;
  }

  /** A failure of this error. The message is that of the error that decided, after the outermost one. */
  failure({ type, retryable, code, message, action }: NetworkReading): Failure {
    const parts = { type, retryable, code, action, phase: 'connect', message: this.shown(message) } as const;
    return makeFailure(parts, this.context.secrets);
  }

  shown(message: string): string {
    const outer = messageOf(this.error);
    if (message === '' || outer.includes(message)) return outer;
    return outer === '' ? message : `${outer}: ${message}`;
  }
}

/** An error of this library, of an abort, of a tunnel or of a tool. */
function bySelf(thrown: Thrown): Failure | undefined {
  const { chain, error, context } = thrown;
  const tunnel = firstOf(chain, readTunnel);
  if (tunnel !== undefined) return thrown.failure(tunnel);
  const aborted = abortType(error, context.wording !== undefined);
  if (aborted !== undefined) return thrown.failure({ type: aborted, retryable: false, message: '' });
  const own = isProgramError(error) ? failureIn(error) : firstOf(chain, failureIn);
  if (own !== null && own !== undefined) return own;
  return chain.some((link) => isOfTool(saidBy(link))) ? thrown.failure(UNKNOWN) : undefined;
}

/** A bug stays a bug in any wrapper, but for one that has a failed status: its body was no JSON. */
function byProgram(thrown: Thrown): Failure | undefined {
  const { chain } = thrown;
  const index = chain.findIndex(isOfProgram);
  if (index === -1 || chain.slice(0, index + 1).some((link) => statusOf(link) > 0)) return undefined;
  const coded = firstOf(chain, readCode);
  if (coded?.type === 'invalid_request') return thrown.failure(coded);
  return thrown.failure({ type: 'unknown', message: messageOf(chain[index]) });
}

/** The innermost response: one that an error carries, or one that its text quotes. */
function byResponse(thrown: Thrown): Failure | undefined {
  return firstOf(thrown.inward, (link) => {
    if (statusOf(link) > 0) return responseFailure(thrown, link);
    if (readCode(link) !== undefined) return undefined;
    const quote = thrown.quoteOf(link);
    const reading = quote === null ? undefined : readResponseIn(quote);
    return reading && quote && quotedFailure(thrown, quote, reading, 'response');
  });
}

/** The innermost code of a system, a runtime or a client, or message about the network. */
function byNetwork(thrown: Thrown): Failure | undefined {
  const { wording } = thrown.context;
  const readingOf = (link: unknown): NetworkReading | undefined =>
    readCode(link) ?? readNetworkWords(link, wording?.clean ?? ((text) => text));
  return firstOf(thrown.inward, (link) => {
    const reading = readingOf(link);
    if (reading !== undefined) {
      const failure = thrown.failure(reading);
      return wording?.readAgain(textOf(link), failure, thrown.chain) ?? failure;
    }
    const inner = abortType(link, wording !== undefined);
    // An SDK ends a request that takes too long by an abort, and only the error around that says why.
    if (
      inner === 'aborted' &&
      wording !== undefined &&
      thrown.chain.some((outer) => readingOf(outer)?.type === 'timeout')
    )
      return thrown.failure({ type: 'timeout', message: '' });
    return inner && thrown.failure({ type: inner, retryable: false, message: '' });
  });
}

/** The failure of a response that a text quotes. */
export function quotedFailure(thrown: Thrown, quote: Quote, reading: Reading, phase: Failure['phase']): Failure {
  const { evidence, hint, text } = quote;
  const { secrets, wording } = thrown.context;
  // Of JSON, its message.
  const said = (/^[[{]/.test(text) && evidence.message) || text;
  const parts = { ...reading, status: evidence.status || undefined, hint, message: thrown.shown(said), phase };
  const failure = evidenceFailure(evidence, () => '', parts, secrets);
  return wording?.readAgain(quote.words, failure, thrown.chain) ?? failure;
}

/** Reads an error with a status like a response, with the parts of the body and headers that it kept. */
function responseFailure(thrown: Thrown, link: unknown): Failure {
  const { nowMs } = thrown;
  const { secrets, wording } = thrown.context;
  const status = statusOf(link);
  const headers = headersOf(link);
  const body = bodyOf(link);
  const said = messageOf(link);
  const code = get(link, 'code');
  const value = {
    // Without a body, the message contains its text. With one, a client's sentence about the status says nothing more.
    error:
      typeof body === 'object' ? body : { message: body && said.includes(String(status)) ? body : said, raw: body },
    details: get(link, 'errorDetails'),
    // What a stream reports is known by its code, which may be a number.
    code: isPlain(link) && typeof code === 'number' ? String(code) : code,
    type: get(link, 'type'),
  };
  // The AWS SDK's errors are named after their exception, and `$fault` says whether the client or the server is to
  // blame.
  const exception = get(link, '$fault') === undefined ? null : textIn(link, 'name') || null;
  const content = { value, text: '', exception, message: thrown.shown(said) };
  const verdict = readFailure({ status, headers, nowMs, secrets }, content, 'response');
  return wording === undefined
    ? applyRules(verdict, null).failure
    : wording.ofResponse(verdict, link, headers, thrown.context);
}

/** A wrapper often keeps less than what it wraps: the wait is then in a cause, or in members without a status. */
function withHint({ chain, nowMs }: Thrown, failure: Failure): Failure {
  if (failure.retryAfterMs !== undefined || failure.type === 'aborted') return failure;
  const hint = firstOf(chain, (link) => hintIn(link, failure.status, nowMs));
  return hint ? statusFailure({ ...failure, hint }) : failure;
}

/** The type of a quoted response, by its status or the names in its body; undefined if the text quotes none. */
function readResponseIn({ evidence, isQuoted, hint }: Quote): Reading | undefined {
  if (!isQuoted) return undefined;
  const waitMs = hint?.ms ?? 0;
  if (evidence.status > 0) return readEvidenceType(evidence, waitMs);
  const found = findReading({ ...evidence, text: '' }, 0) && findReading(evidence, waitMs);
  return found && overruled(evidence, found, waitMs);
}

/** What a link says, after its name. Empty for an error of the program, which quotes no response. */
function saidBy(link: unknown): string {
  if (isProgramError(link) || typeof link === 'number') return '';
  const name = textIn(link, 'name');
  const text = textOf(link);
  // Connect's errors have the name of those of other clients, and begin with the name of their code.
  return name === '' || name === 'Error' || /^[[{]/.test(text) ? text : `${name.slice(0, MAX_NAME)}: ${text}`;
}

export function firstOf<T, R>(list: readonly T[], readOne: (item: T) => R | undefined | null): R | undefined {
  for (const item of list) {
    const result = readOne(item);
    if (result !== undefined && result !== null) return result;
  }
  return undefined;
}
