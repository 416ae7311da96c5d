/** The error of a failed completion, with the failure as data. */

import type { GivenUp } from '../failure/http-status-error.ts';
import {
  type AttemptRecord,
  classify,
  type Failure,
  GateRefusedError,
  outcomeOf,
  redact,
  STOP_REASONS,
  type StopReason,
} from '../index.ts';

/** The details of an error besides its failure. */
export interface LLMErrorDetails extends GivenUp {
  readonly history?: readonly AttemptRecord[] | undefined;
  readonly isPartial?: boolean | undefined;
  readonly cause?: unknown;
}

/**
 * Thrown, or the last event of a stream. It holds no request, no headers and no key; its `cause` is the object that the
 * transport threw, unchanged.
 */
export class LLMError extends Error {
  override readonly name = 'LLMError';
  readonly failure: Failure;
  /** The attempts that were made; empty without `retry`. */
  readonly history: readonly AttemptRecord[];
  /** Whether output had begun. The answer is then incomplete, and the request was not retried. */
  readonly isPartial: boolean;
  /** Why the retries ended; undefined without `retry`, and for a failure that came after they had ended. */
  readonly because: StopReason | undefined;
  /** When the server would accept the request again, if it said so. Milliseconds since the epoch. */
  readonly possibleAt: number | undefined;

  constructor(failure: Failure, details: LLMErrorDetails = {}) {
    const { history = [], isPartial = false, because, possibleAt, cause } = details;
    super(messageOf(failure, details), cause === undefined ? undefined : { cause });
    this.failure = failure;
    this.history = history;
    this.isPartial = isPartial;
    this.because = because;
    this.possibleAt = possibleAt;
  }
}

/**
 * Turns the error of a transport into an `LLMError` with the original as its cause. Returns an abort unchanged, even if
 * the caller's signal did not cause it.
 */
export function errorOfThrown(thrown: unknown, secrets: readonly string[]): unknown {
  if (thrown instanceof LLMError) return thrown;
  const end = outcomeOf(thrown);
  const history = end?.history ?? [];
  const failure = history.at(-1)?.failure ?? classify({ error: thrown });
  if (failure === null || failure.type === 'aborted') return thrown;
  // A call that a gate refuses before its first attempt has no history.
  const refusal = thrown instanceof GateRefusedError ? thrown : undefined;
  const { because, possibleAt } =
    end?.type === 'failed' ? end : { because: refusal?.because, possibleAt: refusal?.possibleAt ?? undefined };
  const message = redact(failure.message, secrets);
  return new LLMError({ ...failure, message }, { history, because, possibleAt, cause: thrown });
}

/** The last instant that a `Date` can hold. */
const LAST_INSTANT = 8.64e15;

function messageOf(
  { type, status, message, action }: Failure,
  { history = [], isPartial, because, possibleAt }: LLMErrorDetails,
): string {
  const facts = [
    ...(status === undefined ? [] : [`HTTP ${status}`]),
    type,
    ...(history.length > 1 ? [`after ${history.length} attempts`] : []),
  ];
  const broken = isPartial === true ? 'The answer broke off after output had begun and was not retried: ' : '';
  const sentences = [
    `${broken}${message.replace(/\.$/, '') || 'no reason was given'} (${facts.join(', ')})`,
    ...(because === undefined ? [] : [STOP_REASONS[because]]),
    ...(possibleAt === undefined
      ? []
      : [`Possible again at ${new Date(Math.min(possibleAt, LAST_INSTANT)).toISOString()}`]),
    ...(action === undefined ? [] : [action]),
  ];
  return sentences.map((sentence) => sentence.replace(/\.$/, '')).join('. ') + (sentences.length > 1 ? '.' : '');
}
