/**
 * Classifies a failed response. A verdict also has the basis of the type (`basis`: the response itself or only its
 * status), and the server's statement on retrying.
 */

import type { Failure, FailureType } from '../failure/failure.ts';
import type { StopReason } from '../failure/reasons.ts';
import { type HeaderReader, readHeaders } from '../hints/header-reader.ts';
import { isQuotaUsedUp } from '../hints/reset-headers.ts';
import { findHint, type Hint } from '../hints/retry-hint.ts';
import type { HeadersLike } from '../transport.ts';
import { PAGE_ADVICE, readEvidence, wordsOfPage } from './envelope.ts';
import type { ErrorContent } from '../protocol/in-band-error.ts';
import { LONGEST_WAIT_MS } from './limits.ts';
import { requestIdIn, evidenceFailure, statusFailure, withRetryable } from './make-failure.ts';
import { signatureOf } from './signatures.ts';
import { findReading, readEvidenceType } from './find-type.ts';
import { isRetryableStatusCode, typeOfStatus, wordOnRetrying } from './status.ts';

/** The known parts of a response. */
export interface ResponseEvidence {
  readonly status: number;
  readonly headers?: HeadersLike | undefined;
  /** The body or its beginning. Binary bodies are ignored. */
  readonly body?: string | Uint8Array | undefined;
  readonly nowMs: number;
  /** Texts that must not appear in the failure, in addition to keys of known forms. */
  readonly secrets?: readonly string[] | undefined;
}

/** A classification and its basis. */
export interface Verdict {
  readonly failure: Failure;
  /** `evidence`: the body or the headers show the type. `status`: only the status does. */
  readonly basis: 'status' | 'evidence';
  /** The value of `x-should-retry`, not yet applied. */
  readonly serverSaid: ReturnType<typeof wordOnRetrying>;
}

/** The verdict on a failure that was found otherwise than in what the server says of it. */
export const found = (failure: Failure): Verdict => ({ failure, basis: 'evidence', serverSaid: null });

/** Classifies a failed response by its status, its headers and its body. `x-should-retry` is not applied. */
export function readFailure(
  response: ResponseEvidence,
  { value, text, exception, message }: ErrorContent,
  phase: Failure['phase'],
  header: HeaderReader = readHeaders(response.headers),
  isAfterContent = false,
): Verdict {
  const { status, nowMs, secrets } = response;
  const serverSaid = wordOnRetrying(header);
  const named = exception ?? (header('x-amzn-errortype') || null);
  if (value === undefined && text === '' && named === null && status >= 400 && status !== 404) {
    // A status and its hint need no rulebook, and contain no secret.
    const hint = findHint(header, nowMs, status, () => undefined);
    const type = withQuota(typeOfStatus(status), header, hint);
    const failure = statusFailure({
      type,
      retryable: isRetryableStatusCode(status) && type !== 'quota_exhausted',
      status,
      provider: signatureOf(status, header),
      message: `HTTP ${status}`,
      hint,
      phase: 'response',
      requestId: requestIdIn(header, secrets),
    });
    return { failure, basis: 'status', serverSaid };
  }
  const evidence = readEvidence(status, value, text, named);
  const hint = findHint(header, nowMs, evidence.status, () => evidence.words);
  const judged = readEvidenceType(evidence, hint?.ms ?? 0);
  const type = withQuota(judged.type, header, hint);
  const isQuota = type !== judged.type;
  // An error inside a success whose JSON was cut, and whose words say nothing, may be any.
  const isCut = status < 400 && value === undefined && named === null && /^\s*\[?\{/.test(text);
  const isUnreadable = isCut && findReading(evidence, 0) === undefined;
  const retryable = isAfterContent || isUnreadable || isQuota ? false : judged.retryable;
  const isHtml = evidence.isPage && HTML.test(text);
  const words = message || (isHtml ? wordsOfPage(text) : evidence.message) || `HTTP ${status}`;
  const action = judged.action ?? (isHtml ? PAGE_ADVICE : undefined);
  const parts = { type, action, retryable, status, hint, message: words, phase };
  return { failure: evidenceFailure(evidence, header, parts, secrets), basis: judged.basis, serverSaid };
}

const HTML = /<!doctype html|<html/i;

/** The headers say that the quota of a subscription is used up, where the body shows only a rate limit. */
function withQuota(type: FailureType, header: HeaderReader, hint: Hint | null): FailureType {
  const isQuota = type === 'rate_limit' && (hint?.ms ?? 0) > LONGEST_WAIT_MS && isQuotaUsedUp(header);
  return isQuota ? 'quota_exhausted' : type;
}

/**
 * Whether a status means for a model request what it does not mean for others: such a request creates nothing that could
 * exist already, so a 409 means that another request holds a lock, and a 425 that this one came too early.
 */
export const mayMeanLock = (status: number | undefined): boolean => status === 409 || status === 425;

/** The verdict on what may be a model request. The SDKs of OpenAI and Anthropic retry a 409 too. */
export function withLock(verdict: Verdict, isModel: () => boolean): Verdict {
  const { basis, failure } = verdict;
  if (basis !== 'status' || !mayMeanLock(failure.status) || !isModel()) return verdict;
  return { ...verdict, failure: withRetryable({ ...failure, type: 'server_error' }, true) };
}

/** A failure after the rules on retrying were applied. */
export interface RuledFailure {
  readonly failure: Failure;
  /** Why it is not retried, not even a quota whose reset is known; `stop`, of `classify`, also rules out other targets. */
  readonly ruledOut: Extract<StopReason, 'server-said-no' | 'not-retryable'> | 'stop' | null;
}

/**
 * Applies `x-should-retry` and the caller's list of statuses: `false` stops; `true`, or a listed status, counts only
 * if only the status shows the type; with a list, a status that is not in it is not retried.
 */
export function applyRules({ failure, basis, serverSaid }: Verdict, codes: readonly number[] | null): RuledFailure {
  const status = failure.status ?? 0;
  const listed = codes?.includes(status) === true || serverSaid === 'retry';
  const isLeftOut = codes !== null && status >= 400 && !listed;
  const retryable = !isLeftOut && (failure.retryable || (listed && basis === 'status'));
  if (serverSaid !== 'stop')
    return { failure: withRetryable(failure, retryable), ruledOut: isLeftOut ? 'not-retryable' : null };
  return { failure: withRetryable(failure, false), ruledOut: retryable ? 'server-said-no' : 'not-retryable' };
}
