/**
 * What came of a request: a success, or a failure with its ending. First the classification, then the caller's list of
 * statuses and `classify`, and `x-should-retry` of the server.
 */

import {
  applyRules,
  found,
  mayMeanLock,
  nothingWasSent,
  readError,
  type RuledFailure,
  type Verdict,
  withLock,
} from '../classify/index.ts';
import { readResponse } from '../classify/classify.ts';
import { MISPLACED, OTHER_METHOD } from '../classify/find-type.ts';
import { ownTimeout, statusFailure } from '../classify/make-failure.ts';
import { isHeard } from '../events/announce.ts';
import type { Failure } from '../failure/failure.ts';
import { rememberEndOf } from '../events/outcome-of.ts';
import type { AttemptRecord } from '../failure/history.ts';
import { rememberBody } from '../failure/failure-body.ts';
import { HttpStatusError, RetryExhaustedError } from '../failure/http-status-error.ts';
import type { StopReason } from '../failure/reasons.ts';
import type { Attempt, Failed, Judged, Settled, StopDetails } from '../loop/face.ts';
import { isIrreversible } from '../options/operation.ts';
import { excerpt } from '../redact/redact.ts';
import { firstBytes, textOf } from '../runtime/first-bytes.ts';
import type { HeadersLike } from '../transport.ts';
import type { HttpCall } from './http-call.ts';
import type { HttpPolicy } from './http-policy.ts';
import { type Look, lookFor } from './look.ts';
import { markFinal } from './mark-final.ts';
import { isModelRequest, type SentRequest } from './model-request.ts';
import { failBody } from './page.ts';
import { discard, type Peek, peekBody } from '../body/response-body.ts';
import { headersOf, isResponse, isSuccess, type ResponseLike } from './response-like.ts';
import { watchStream } from './watch.ts';

/** Whether a value is a success that need not be looked into. */
export function isPlain(policy: HttpPolicy, request: SentRequest, value: unknown): boolean {
  return isSuccess(value) && lookFor(policy, request, value) === null;
}

export function judge<R>(face: HttpCall, settled: Settled<R>, attempt: Attempt<R>): Judged<R> | Promise<Judged<R>> {
  if ('error' in settled) return new FailedRequest(face, settled.error, false);
  const { value } = settled;
  const nowMs = face.policy.runtime.now();
  if (!isSuccess(value)) return refused(face, value, nowMs);
  const look = lookFor(face.policy, face, value);
  if (look === null) return settled;
  // Whether it is looked into may depend on whether the request goes to a model.
  if (isModelRequest(face) !== undefined) return looked(face, value, nowMs, attempt, look);
  return face.readWords().then(() => {
    const known = lookFor(face.policy, face, value);
    return known === null ? settled : looked(face, value, nowMs, attempt, known);
  });
}

/** A response with a status of failure: reads the beginning of its body. */
function refused<R>(face: HttpCall, response: R, nowMs: number): Judged<R> | Promise<Judged<R>> {
  const peeking = face.policy.readsBodies && isResponse(response) ? peekBody(response, face.signal) : undefined;
  const judged = (peek?: Peek): Judged<R> | Promise<Judged<R>> => {
    const verdict = verdictOf(face, response, peek?.body, nowMs);
    const failed = (): FailedResponse<R> => new FailedResponse(face, response, verdict, peek);
    // Whether the status means a lock depends on where the request goes.
    const isUnknown = mayMeanLock(verdict.failure.status) && isModelRequest(face) === undefined;
    return isUnknown ? face.readWords().then(failed) : failed();
  };
  return peeking?.then(judged) ?? judged();
}

/** A response that looks like a success. */
async function looked<R>(
  face: HttpCall,
  response: R,
  nowMs: number,
  attempt: Attempt<R>,
  look: Look<R>,
): Promise<Judged<R>> {
  let seen: Awaited<ReturnType<Look<R>>>;
  try {
    seen = await look(face, nowMs, attempt);
  } catch (error) {
    face.holdBudget?.giveBack();
    discard(response);
    return new FailedRequest(face, error, true);
  }
  const { inBand, isPage, isWhole, response: value } = seen;
  if (inBand !== undefined) {
    face.holdBudget?.giveBack();
    const peek = { body: inBand.body, drained: false };
    return new FailedResponse(face, value, inBand.verdict, peek, isPage === true ? 'page' : 'answer');
  }
  if (isWhole !== true) {
    const sinceMs = face.policy.runtime.now();
    watchStream(face, value, (because, error, failure) => {
      if (failure.type !== 'aborted') attempt.broke(because, value, error, failure, sinceMs);
    });
  }
  return { value };
}

function verdictOf(face: HttpCall, response: unknown, body: Peek['body'], nowMs: number): Verdict {
  const { status = 500, headers, redirected }: ResponseLike = isResponse(response) ? response : {};
  // Without a body there is nothing to scrub.
  const secrets = body === undefined || body.length === 0 ? undefined : face.secrets;
  const verdict = readResponse({ status, headers, body, nowMs, secrets });
  const isTurned = status === 404 && redirected === true && face.method === 'POST';
  if (isTurned && verdict?.failure.action === MISPLACED)
    return { ...verdict, failure: Object.freeze({ ...verdict.failure, action: OTHER_METHOD }) };
  if (verdict !== null) return verdict;
  // A custom transport may give a status that is no number, such as NaN.
  const message = `No valid HTTP status: ${status}`;
  return found(statusFailure({ type: 'unknown', status, message, phase: 'response' }));
}

/** An attempt that threw. */
class FailedRequest<R> implements Failed<R> {
  readonly read: RuledFailure;
  readonly isThrown = true;
  readonly isFoundLater: boolean;
  readonly #face: HttpCall;
  readonly #thrown: unknown;

  constructor(face: HttpCall, error: unknown, isFoundLater: boolean) {
    const read = readError(error, { secrets: face.secrets, nowMs: face.policy.runtime.now() });
    // A list of statuses is about responses. A status in a thrown error is read like any other evidence.
    this.read = applyRules(found(ownTimeout(read, error)), null);
    this.#face = face;
    this.#thrown = error;
    this.isFoundLater = isFoundLater;
  }

  result(): ReturnType<Failed<R>['result']> {
    return { error: this.#thrown };
  }

  /** Callbacks get the object that was thrown, whatever it is, although their type says `Error`. */
  errorFor(): Error | undefined {
    return this.#thrown as Error | undefined;
  }

  obstacle(): StopReason | null | Promise<StopReason | null> {
    // By what was read, because `classify` may name another failure.
    return obstacleTo(this.#face, nothingWasSent(this.#thrown, this.read.failure));
  }

  end(): R {
    throw this.#thrown;
  }

  discard(): void {}
}

/** A response that is a failure. */
class FailedResponse<R> implements Failed<R> {
  readonly read: RuledFailure;
  readonly isThrown = false;
  readonly isFoundLater: boolean;
  readonly #face: HttpCall;
  readonly #response: R;
  readonly #peek: Peek | undefined;
  readonly #isPage: boolean;

  /** `foundIn`: what looked like a success. */
  constructor(face: HttpCall, response: R, verdict: Verdict, peek: Peek | undefined, foundIn?: 'answer' | 'page') {
    const codes = face.policy.retryableStatusCodes;
    this.read = applyRules(codes === null ? withLock(verdict, () => isModelRequest(face) === true) : verdict, codes);
    this.#face = face;
    this.#response = response;
    this.#peek = peek;
    this.isFoundLater = foundIn !== undefined;
    this.#isPage = foundIn === 'page';
  }

  get headers(): HeadersLike | undefined {
    return headersOf(this.#response);
  }

  result(): ReturnType<Failed<R>['result']> {
    const response = this.#response;
    if (!isResponse(response)) return { error: response };
    const body = textOf(this.#peek?.body);
    return { response, ...(body !== undefined && { body }) };
  }

  /** The error that stands for the response; undefined if no listener would get it. */
  errorFor(failure: Failure): Error | undefined {
    const face = this.#face;
    const { policy } = face;
    if (!isHeard(policy) && policy.onRetry.length === 0 && policy.onExhausted.length === 0) return undefined;
    const body = textOf(this.#peek?.body) ?? '';
    const text = body === '' ? '' : firstBytes(excerpt(body, EXCERPT_BYTES, face.secrets), EXCERPT_BYTES);
    if (text !== '') rememberBody(failure, text);
    return new HttpStatusError(failure.status ?? 0, text, failure);
  }

  obstacle(): StopReason | null | Promise<StopReason | null> {
    return obstacleTo(this.#face, false);
  }

  /** Returns the response, or throws a `RetryExhaustedError` with `exhausted: 'throw'`. */
  end(failure: Failure, stop: StopDetails, history: readonly AttemptRecord[]): R {
    const face = this.#face;
    const { exhausted } = face.policy.config;
    const isMarked = exhausted === 'mark' || (exhausted === 'mark-permanent' && !failure.retryable);
    const response = isMarked ? markFinal(this.#response) : this.#response;
    const onError = (error: unknown): void => rememberEndOf(response, error);
    if (this.#isPage && isResponse(response)) failBody(response as R & Response, failure, onError);
    else if (this.isFoundLater) watchStream(face, response, (_because, error) => onError(error));
    if (exhausted !== 'throw' || !failure.retryable) return response;
    throw new RetryExhaustedError(failure.status ?? 0, response, history, stop);
  }

  discard(): void {
    // A body that was read to its end has freed its connection.
    if (this.#peek?.drained === false) discard(this.#response);
  }
}

/** The part of a body that is shown. */
const EXCERPT_BYTES = 2_048;

/** Why a request may not be repeated, whatever the failure is. */
function obstacleTo(face: HttpCall, wasNotSent: boolean): StopReason | null | Promise<StopReason | null> {
  const { config, repeats } = face.policy;
  // The label may be in a body that has to be read first.
  if (repeats && config.operation === undefined && face.words === undefined)
    return face.readWords().then(() => labelledObstacle(face, wasNotSent));
  return labelledObstacle(face, wasNotSent);
}

function labelledObstacle(face: HttpCall, wasNotSent: boolean): StopReason | null {
  // Even if nothing was sent, a body stream may have been read.
  if (!face.replayable) return 'body-not-replayable';
  return !wasNotSent && isIrreversible(face.operation, face.policy.config.retryIrreversible)
    ? 'irreversible-operation'
    : null;
}
