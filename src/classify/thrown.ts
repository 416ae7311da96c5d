/**
 * Reads thrown values of any kind, without throwing. Runtimes, SDKs and wrappers put the same thing in many places, so a
 * rule says which members are causes, which hold a response and which hold texts; no list names the libraries.
 */

import { type Failure, isFailureType } from '../failure/failure.ts';
import { readWords } from '../hints/body.ts';
import { readHeaders } from '../hints/header-reader.ts';
import { findHint, type Hint } from '../hints/retry-hint.ts';
import type { HeadersLike } from '../transport.ts';
import { get, isObject, parseJson } from '../runtime/values.ts';
import { failedStatus } from './envelope.ts';

/** How many errors in a chain are read, and how many members of an object. */
const MAX_ERRORS = 16;
const MAX_MEMBERS = 48;
/** How many values of an object are copied. */
const MAX_VALUES = 512;
/** As much as is read of a response. */
const MAX_BODY = 65_536;
/** The depth of an object that a wrapper keeps beside its message. */
const MAX_DEPTH = 4;

/** The members in which an error without a status keeps what was said to it, or a process has printed. The deepest says most. */
const SAID = 'data error details detail info reason stderr stdout body responseBody responseText'.split(' ');
/** Before the innermost error that a text prints: Java's and LM Studio's, Rust's (in numbered lines), Node's, .NET's. */
const PRINTED_CAUSE =
  /(?:^|\n)[ \t-]{0,16}Caused by:(?:\s{1,16}\d{1,2}:)?|\n\s{1,16}\d{1,2}: |\n\s{1,16}\[?cause\]?: |\n ---> /;
/** Behind it, in a text of Python. */
const PRINTED_BEFORE =
  /\n\s{0,8}(?:The above exception was the direct cause of|During handling of the above exception)/;

/** Whether it is an error of the program itself, by its name. */
export function isProgramError(error: unknown): boolean {
  return /^(?:Type|Syntax|Reference|Range|Eval|URI|Assertion)Error$/.test(textIn(error, 'name'));
}

/**
 * An error and what it wraps, nearest first, each with its depth: its causes, its aggregated errors, what it keeps beside its
 * message, and the text inside a text that is JSON.
 */
export function chainOf(error: unknown): ReadonlyMap<unknown, number> {
  const found = new Map<unknown, number>([[error, 0]]);
  for (const [link, depth] of found)
    for (const next of [get(link, 'cause'), get(link, 'originalError'), ...wrappedIn(link), ...saidIn(link)])
      if (next !== undefined && next !== null && found.size < MAX_ERRORS && !found.has(next))
        found.set(next, depth + 1);
  return found;
}

/** The errors that an object keeps, in members of any name, in objects one level down and in lists. */
function wrappedIn(link: unknown): readonly unknown[] {
  const members = membersOf(link);
  const lists = members.flatMap(([name, list]) =>
    Array.isArray(list) ? list.slice(0, MAX_ERRORS).filter((item) => name === 'errors' || isError(item)) : [],
  );
  return [...members.map(([, value]) => value).filter(isError), ...lists];
}

/** A parsed body has a message too, but no stack. */
const isError = (value: unknown): boolean => value instanceof Error || textIn(value, 'stack') !== '';

/** What was said to an error without a status: the texts and the objects that it keeps, and what its message quotes. */
function saidIn(link: unknown): readonly unknown[] {
  if (statusOf(link) > 0) return [];
  const kept = isObject(link) ? SAID.map((name) => get(link, name)) : [];
  return [...kept.filter((value) => typeof value === 'string' || isPlain(value)), ...within(textOf(link))].filter(
    (value) => value !== '',
  );
}

/** An object that is no error. */
export const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !isError(value);

/**
 * What an error says; an object that is none, such as `{ code, message }` in a stream, says its only text, or all of itself as
 * JSON. Programs throw objects that say `cancelled` or `unknown` for reasons of their own.
 */
export function textOf(link: unknown): string {
  const isOfProgram = /^(?:cancel|unknown)/i.test(textIn(link, 'code') || textIn(link, 'type'));
  if (!isPlain(link) || isOfProgram) return messageOf(link);
  const copy = boundedCopy(link);
  return onlyTextIn(copy) ?? JSON.stringify(copy);
}

/** What a text prints: the innermost of several errors; of JSON, the errors in it, or its text if it has no other. */
function within(text: string): readonly unknown[] {
  if (/\n|^Caused by/.test(text)) {
    const [first = '', ...others] = text.slice(0, MAX_BODY).split(PRINTED_BEFORE);
    if (others.length > 0) return [first];
    const causes = first.split(PRINTED_CAUSE);
    if (causes.length > 1) return causes.slice(-1);
  }
  const quoted = text.trim();
  if (quoted.length > MAX_BODY || !/^(?:".*"|\{.*\})$/s.test(quoted)) return [];
  const value = parseJson(quoted);
  return typeof value === 'string' ? [value] : [...wrappedIn(value), onlyTextIn(boundedCopy(value)) ?? ''];
}

/** The single text of an object that has no name and no status beside it. */
function onlyTextIn(value: unknown): string | undefined {
  const texts: string[] = [];
  const visit = (each: unknown): void => {
    if (typeof each === 'object' && each !== null) Object.values(each).forEach(visit);
    // A status counts as a second text.
    else if (typeof each === 'string' || failedStatus(each) > 0) texts.push(String(each));
  };
  visit(value);
  return texts.length === 1 ? texts[0] : undefined;
}

const COLOURS = /\u001B\[[\d;]{0,16}m/g;

/** Of a message of many megabytes, its ends. */
export function messageOf(error: unknown): string {
  const message = typeof error === 'string' ? error : get(error, 'message');
  if (typeof message === 'string') return endsOf(message, MAX_BODY).replace(COLOURS, '');
  return ['number', 'boolean', 'bigint'].includes(typeof error) ? String(error) : '';
}

/** The beginning and the end of a long text; not as slices, which would keep the whole text in memory. */
export function endsOf(text: string, most: number): string {
  return text.length > 2 * most ? `${text.slice(0, most)}\n${text.slice(-most)}` : text;
}

/** The words with which wrappers say that a step failed, or which step it was, and nothing of the reason; and their endings. */
const STEP_WORDS =
  ' a an the to in of from while during with after ai agent api assistant chat llm model query request response step task turn workflow occurred something went internal unable unexpected unhandled unknown not error exception failed failure could cannot wrong call complet execut generat get gett handl infer invoc invok operat process run runn stream ';
const ENDING = /(?:e|ing|ence|a?tion)$/;
/** No sentence of a wrapper is longer. */
const MAX_HEAD = 160;

const isStepWord = (word: string): boolean =>
  /^\d{1,2}$/.test(word) || [word, word.replace(ENDING, '')].some((each) => STEP_WORDS.includes(` ${each} `));

/** A text without the words of wrappers before it. A code of gRPC is a reason: `13 INTERNAL: …`. */
export function withoutHeads(text: string, most: number = MAX_DEPTH): string {
  const head = text.slice(0, Math.max(0, text.slice(0, MAX_HEAD).indexOf(': ')));
  const isHead = most > 0 && /^[a-z]/i.test(head) && head.toLowerCase().split(' ').every(isStepWord);
  return isHead ? withoutHeads(text.slice(head.length + 2), most - 1) : text;
}

export function textIn(value: unknown, name: string): string {
  const text = get(value, name);
  return typeof text === 'string' ? text : '';
}

/** Strings and numbers of an object of any size, which may contain itself. */
function boundedCopy(value: unknown, depth = MAX_DEPTH, left = { values: MAX_VALUES }): unknown {
  left.values -= 1;
  if (left.values < 0) return null;
  if (typeof value === 'string') return value.slice(0, MAX_BODY / MAX_ERRORS);
  if (typeof value === 'number' || typeof value === 'boolean') return value;
  if (depth === 0 || typeof value !== 'object' || value === null) return null;
  if (Array.isArray(value)) return value.slice(0, MAX_ERRORS).map((item) => boundedCopy(item, depth - 1, left));
  const names = Object.keys(value)
    .slice(0, MAX_MEMBERS)
    .filter((name) => !SENT.test(name));
  return Object.fromEntries(names.map((name) => [name, boundedCopy(get(value, name), depth - 1, left)]));
}

const STATUS = /^(?:http_?)?status(?:_?code)?$/i;
const HEADERS = /headers$/i;
const BODY = /^(?:error|data|(?:(?:raw|parsed|response|error)_?)?(?:body|text|data)|body_?as_?text|details?|raw)$/i;
/** What was sent, and a stack. */
const SENT = /^(?:.*request(?!id).*|config|options|stack)$/i;
/** Of a prototype: a `Response` lists none of its members, and some errors have getters. */
const KNOWN = 'status statusCode headers response $response body code errors retryAfterMs retryAfter'.split(' ');

type Members = readonly (readonly [name: string, value: unknown])[];

/** An object's own members, of a prototype too where they are known, without what was sent. */
function ownMembers(value: unknown): Members {
  if (!isObject(value)) return [];
  const names = new Set([...Object.keys(value).slice(0, MAX_MEMBERS), ...KNOWN]);
  return [...names]
    .filter((name) => !SENT.test(name))
    .map((name) => [name, get(value, name)] as const)
    .filter(([, member]) => member !== undefined);
}

/** The members of an object and of the objects one level down, in which SDKs keep a response. */
function membersOf(error: unknown): Members {
  const own = ownMembers(error);
  return [...own, ...own.flatMap(([, value]) => (isError(value) ? [] : ownMembers(value)))];
}

/** The failed status of an error; 0 if it has none. */
export function statusOf(error: unknown): number {
  for (const [name, value] of membersOf(error)) {
    const status = STATUS.test(name) ? failedStatus(value) : 0;
    if (status > 0) return status;
  }
  // Google's errors have it as the code, beside a name as the status; the error that a stream reports has only a code.
  return textIn(error, 'status') !== '' || isPlain(error) ? failedStatus(get(error, 'code')) : 0;
}

/** The headers of the response that an error has kept. */
export function headersOf(error: unknown): HeadersLike | undefined {
  const [, found] = membersOf(error).find(([name, value]) => HEADERS.test(name) && isObject(value)) ?? [];
  if (found !== undefined) return found as Record<string, string>;
  // Of Connect and gRPC.
  const metadata = get(error, 'metadata');
  return typeof get(metadata, 'get') === 'function' ? (metadata as HeadersLike) : undefined;
}

/** The wait that an error names in the headers it has kept, or in a member such as `retryAfterMs`. */
export function hintIn(error: unknown, status: number | undefined, nowMs: number): Hint | null {
  const named = ownMembers(error).filter(([name]) => /^retry/i.test(name));
  const headers = headersOf(error);
  if (headers === undefined && named.length === 0) return null;
  return findHint(readHeaders(headers), nowMs, status, () => readWords(Object.fromEntries(named)));
}

/** The body that an error has kept. JSON in a text is whole; of an object, an SDK may have dropped what it does not know. */
export function bodyOf(error: unknown): unknown {
  const kept = membersOf(error)
    // Of JSON-RPC: `data` is the response itself.
    .filter(([name, body]) => BODY.test(name) && get(body, 'body') === undefined)
    .map(([, body]) => (ArrayBuffer.isView(body) ? beginningOf(body) : body));
  const texts = kept.filter((body): body is string => typeof body === 'string' && body !== '');
  const whole = texts.map((text) => (text.length <= MAX_BODY && /^\s*\{/.test(text) ? parseJson(text) : undefined));
  // A stream has no members of its own, and superagent's body of a text neither.
  const parsed = kept.find((body) => isPlain(body) && Object.keys(body).length > 0);
  return whole.find(isObject) ?? parsed ?? texts[0];
}

function beginningOf({ buffer, byteOffset, byteLength }: ArrayBufferView): string {
  return new TextDecoder().decode(new Uint8Array(buffer, byteOffset, Math.min(byteLength, MAX_BODY)));
}

/** The failure in an error of this library. */
export function failureIn(error: unknown): Failure | null {
  const failure = get(error, 'failure');
  const isOne = isFailureType(get(failure, 'type')) && typeof get(failure, 'retryable') === 'boolean';
  return isOne ? (failure as Failure) : null;
}
