/**
 * A page of HTML in place of a model's answer, with status 200: a proxy that blocks the host, a portal or a login page
 * after a redirect. SDKs read it as a stream without events, or as an answer without its members.
 */

import { bodyFrom, replaceBody } from '../body/remake-response.ts';
import { PEEK_BYTES, readStart } from '../body/response-body.ts';
import { makeFailure } from '../classify/make-failure.ts';
import { PAGE_ADVICE, PAGE_CODE, wordsOfPage } from '../classify/envelope.ts';
import type { Failure } from '../failure/failure.ts';
import { textOf } from '../runtime/first-bytes.ts';
import { NotAnAnswerError } from './not-an-answer-error.ts';

export const HTML_TYPE: RegExp = /^\s*(?:text\/html|application\/xhtml\+xml)\s*(?:;|$)/i;

/** JSON, or an event of a stream: some servers give an answer the type of a page. */
const ANSWER = /^\s*(?:[[{]|(?:data|event|id|retry)?:)/;
const NOT_BLANK = /\S/;

/** The failure of a page; null if it is an answer after all, or if nothing of it comes in time. */
export async function readPage(
  response: Response,
  signal: AbortSignal | undefined,
  maxMs: number,
  secrets: () => readonly string[],
): Promise<Failure | null> {
  let hasBegun = false;
  let isAnswer = false;
  const decoder = new TextDecoder();
  const arrive = (chunk: Uint8Array): boolean => {
    // The first words decide.
    if (hasBegun) return false;
    const text = decoder.decode(chunk, { stream: true });
    hasBegun = NOT_BLANK.test(text);
    isAnswer = ANSWER.test(text);
    return isAnswer;
  };
  const { body, drained } = await readStart(response, signal, PEEK_BYTES, maxMs, { arrive });
  if (body === undefined || isAnswer || (!hasBegun && !drained)) return null;
  const message = wordsOfPage(textOf(body) ?? '');
  const { status } = response;
  const failure = makeFailure(
    { type: 'provider_unavailable', status, code: PAGE_CODE, message, phase: 'response' },
    secrets(),
  );
  return Object.freeze({ ...failure, action: PAGE_ADVICE });
}

/** Makes the body fail, so that no SDK takes the page for an answer. `onRead`: called with the error. */
export function failBody(response: Response, failure: Failure, onRead: (error: unknown) => void): void {
  const original = response.body;
  const open = (excuse: () => void): ReadableStream<Uint8Array> => {
    const error = new NotAnAnswerError(failure);
    const pull = async (): Promise<never> => {
      onRead(error);
      void original?.cancel(error).catch(() => {});
      // After the promise of this read is known.
      await Promise.resolve();
      excuse();
      throw error;
    };
    return bodyFrom({ pull, cancel: () => undefined }, false);
  };
  replaceBody(response, open, () => false);
}
