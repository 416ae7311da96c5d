/** The error of a completion that failed, with what is known of the failure as data. */

import { type AttemptRecord, classify, type Failure, redact, retryHistory } from '../index.ts';

/** What is known beside the failure itself. */
export interface LLMErrorDetails {
  readonly history?: readonly AttemptRecord[] | undefined;
  readonly isPartial?: boolean | undefined;
  readonly cause?: unknown;
}

/**
 * Thrown, or the last event of a stream. Has no request, no headers and no key in it; its `cause` is what the transport
 * threw, as it was.
 */
export class LLMError extends Error {
  override readonly name = 'LLMError';
  readonly failure: Failure;
  /** The attempts behind it; empty where nothing was to be retried. */
  readonly history: readonly AttemptRecord[];
  /** Output had begun when it broke: what was delivered is not the whole answer, and it was not asked for again. */
  readonly isPartial: boolean;

  constructor(failure: Failure, { history = [], isPartial = false, cause }: LLMErrorDetails = {}) {
    super(messageOf(failure, history.length, isPartial), cause === undefined ? undefined : { cause });
    this.failure = failure;
    this.history = history;
    this.isPartial = isPartial;
  }
}

/** What a transport threw as an error of ours, the original its cause. An abort, whoever's it is, stays what it is. */
export function errorOfThrown(thrown: unknown, secrets: readonly string[]): unknown {
  if (thrown instanceof LLMError) return thrown;
  const history = typeof thrown === 'object' && thrown !== null ? retryHistory(thrown) : [];
  const failure = history.at(-1)?.failure ?? classify({ error: thrown });
  if (failure === null || failure.type === 'aborted') return thrown;
  return new LLMError({ ...failure, message: redact(failure.message, secrets) }, { history, cause: thrown });
}

function messageOf({ type, status, message, action }: Failure, attempts: number, isPartial: boolean): string {
  const facts = [
    ...(status === undefined ? [] : [`HTTP ${status}`]),
    type,
    ...(attempts > 1 ? [`after ${attempts} attempts`] : []),
  ];
  const broken = isPartial ? 'The answer broke off after output had begun, and was not asked for again: ' : '';
  return `${broken}${message || 'no reason was given'} (${facts.join(', ')})${action === undefined ? '' : `. ${action}`}`;
}
