/** Reads thrown values of any kind, without throwing: runtimes and libraries put the same thing in many places. */

import { type Failure, isFailureType } from '../failure/failure.ts';
import { readWords } from '../hints/body.ts';
import { readHeaders } from '../hints/header-reader.ts';
import { findHint, type Hint } from '../hints/retry-hint.ts';
import type { HeadersLike } from '../transport.ts';
import { get } from '../runtime/values.ts';
import { failedStatus } from './envelope.ts';

/** How many errors in `cause` and `errors` are read. */
const MAX_ERRORS = 16;

/** As much as is read of a response. */
const MAX_BODY = 65_536;

/** Whether it is an error of the program itself. */
export function isProgramError(error: unknown): boolean {
  return /^(?:Type|Syntax|Reference|Range|Eval|URI|Assertion)Error$/.test(textIn(error, 'name'));
}

/** An error, its causes and its aggregated errors, nearest first. */
export function chainOf(error: unknown): readonly unknown[] {
  const chain = new Set<unknown>([error]);
  for (const link of chain) {
    const errors = get(link, 'errors');
    for (const next of [get(link, 'cause'), ...(Array.isArray(errors) ? errors.slice(0, MAX_ERRORS) : [])]) {
      if (next !== undefined && next !== null && chain.size < MAX_ERRORS) chain.add(next);
    }
  }
  return [...chain];
}

export function messageOf(error: unknown): string {
  const message = typeof error === 'string' ? error : get(error, 'message');
  if (typeof message === 'string') return message;
  return ['number', 'boolean', 'bigint'].includes(typeof error) ? String(error) : '';
}

export function textIn(value: unknown, name: string): string {
  const text = get(value, name);
  return typeof text === 'string' ? text : '';
}

/** The headers of the response that an error has kept: SDKs; the AI SDK; axios, ky, got. */
export function headersIn(error: unknown): HeadersLike | undefined {
  const kept = [get(error, 'headers'), get(error, 'responseHeaders'), get(get(error, 'response'), 'headers')];
  return kept.find((value): value is Record<string, string> => typeof value === 'object' && value !== null);
}

/** The wait that an error names in the headers it has kept, or in a member such as `retryAfterMs`. */
export function hintIn(error: unknown, status: number | undefined, nowMs: number): Hint | null {
  const members = Object.fromEntries(WAIT_MEMBERS.map((name) => [name, get(error, name)]));
  const wordsOf = () => ({ waits: readWords(members).waits, text: '' });
  return findHint(readHeaders(headersIn(error)), nowMs, status, wordsOf);
}

const WAIT_MEMBERS = ['retryAfterMs', 'retryAfter', 'retryAfterSeconds', 'retryDelay', 'retry_after'];

/**
 * The body that an error has kept: parsed, as text or as bytes. Without one, the message of the error contains its
 * text.
 */
export function bodyOf(error: unknown, response: unknown, message: string): unknown {
  // In order: SDKs, ofetch, undici, the AI SDK; axios, got, superagent.
  const kept = [
    ...['error', 'data', 'body', 'responseBody'].map((name) => get(error, name)),
    ...['data', 'body', 'text'].map((name) => get(response, name)),
  ].map((body) => (ArrayBuffer.isView(body) ? beginningOf(body) : body));
  // A stream has no members of its own, and superagent's body of a text neither.
  const parsed = kept.find((body) => typeof body === 'object' && body !== null && Object.keys(body).length > 0);
  const raw = kept.find((body) => typeof body === 'string')?.slice(0, MAX_BODY);
  return parsed ?? { message, raw };
}

function beginningOf({ buffer, byteOffset, byteLength }: ArrayBufferView): string {
  return new TextDecoder().decode(new Uint8Array(buffer, byteOffset, Math.min(byteLength, MAX_BODY)));
}

/** The failure in an error of this library. */
export function failureIn(error: unknown): Failure | null {
  const failure = get(error, 'failure');
  return isFailure(failure) ? failure : null;
}

function isFailure(value: unknown): value is Failure {
  return isFailureType(get(value, 'type')) && typeof get(value, 'retryable') === 'boolean';
}

/**
 * The failed status of an error, of the response in it (ky, got, older axios) or of its metadata (the AWS SDK); 0 if
 * there is none.
 */
export function statusOf(error: unknown): number {
  for (const source of [error, get(error, 'response'), get(error, '$metadata'), get(error, 'httpResponse')]) {
    for (const name of ['status', 'statusCode', 'httpStatusCode']) {
      const status = failedStatus(get(source, name));
      if (status > 0) return status;
    }
  }
  return 0;
}
