/** From what the classification found to what this call makes of it: the caller's list and last word, the server's say. */

import { readError, type Verdict } from '../classify/index.ts';
import { readResponse } from '../stream/classify.ts';
import type { Outcome } from '../policy/config.ts';
import type { Policy } from '../policy/policy.ts';
import { isResponse, type Settled } from './exchange.ts';
import type { Failure } from '../failure/failure.ts';
import { textOf } from '../failure/first-bytes.ts';
import type { HeadersLike } from '../transport.ts';

/** The failure of an attempt, as the decision needs it. */
export interface Judgement {
  readonly failure: Failure;
  /** `x-should-retry: false` on a failure that would otherwise be retried. */
  readonly serverSaidStop: boolean;
}

/** Reads a failed response or a thrown error under a policy. */
export function judge(
  settled: Settled<unknown>,
  body: Uint8Array | string | undefined,
  nowMs: number,
  policy: Policy,
  announcer: { readonly secrets: readonly string[] },
): Judgement {
  const verdict = read(settled, body, nowMs, announcer);
  // The list speaks of responses: a status that a thrown error names is evidence like any other.
  const judgement = applyPolicy(verdict, 'error' in settled ? null : policy.retryableStatusCodes);
  const { classify } = policy.config;
  const named = classify?.(judgement.failure, outcomeOf(settled, body));
  if (named === undefined) return judgement;
  // The status stays said, whatever the caller calls the failure.
  const { status } = judgement.failure;
  const failure = Object.freeze({ ...(status !== undefined && { status }), ...named });
  return { failure, serverSaidStop: judgement.serverSaidStop && !named.retryable };
}

/** What a caller's `classify` is shown. */
function outcomeOf(settled: Settled<unknown>, body: Uint8Array | string | undefined): Outcome {
  if ('error' in settled) return settled;
  return isResponse(settled.response)
    ? { response: settled.response, body: textOf(body) }
    : { error: settled.response };
}

function read(
  settled: Settled<unknown>,
  body: Uint8Array | string | undefined,
  nowMs: number,
  announcer: { readonly secrets: readonly string[] },
): Verdict {
  if ('error' in settled)
    return { failure: readError(settled.error, announcer.secrets), basis: 'evidence', serverSaid: null };
  if (settled.inBand !== undefined) return settled.inBand.verdict;
  const { status = 500, headers }: { status?: number; headers?: HeadersLike } = isResponse(settled.response)
    ? settled.response
    : {};
  // Without words of the server there is nothing to scrub.
  const secrets = body === undefined || body.length === 0 ? undefined : announcer.secrets;
  const response = { status, headers, body, nowMs, secrets };
  const verdict = readResponse(response);
  // A transport may call a status below 400 a failure; it is one that nobody knows.
  return verdict ?? { failure: unknownFailure(status), basis: 'evidence', serverSaid: null };
}

function applyPolicy({ failure, basis, serverSaid }: Verdict, codes: readonly number[] | null): Judgement {
  const status = failure.status ?? 0;
  const listed = codes?.includes(status) === true || serverSaid === 'retry';
  let { retryable } = failure;
  if (listed && basis === 'status') retryable = true;
  if (codes !== null && status >= 400 && !listed) retryable = false;
  const serverSaidStop = serverSaid === 'stop' && retryable;
  if (serverSaidStop) retryable = false;
  return {
    failure: retryable === failure.retryable ? failure : Object.freeze({ ...failure, retryable }),
    serverSaidStop,
  };
}

function unknownFailure(status: number): Failure {
  return Object.freeze({
    type: 'unknown',
    retryable: false,
    category: 'non-retryable',
    status,
    message: `HTTP ${status} without \`ok\``,
    phase: 'response',
  });
}
