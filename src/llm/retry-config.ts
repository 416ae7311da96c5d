/**
 * The retry options that a provider adds to the caller's. There is no output yet when a request throws, so with
 * `retryUnknownErrors`, the default with the patient schedule, an unknown error is retried like a broken connection, its usual
 * cause. A bug in the program is not retried: it would run again for hours.
 */

import { type AnswerOptions, classify, type Failure, presets, type RetryConfig } from '../index.ts';
import { get } from '../runtime/values.ts';

/** The options of a provider's retries. */
export interface LLMRetryConfig extends RetryConfig {
  /** Also retries an error that nothing recognises; a bug in the program never. @default true with `presets.patient` */
  readonly retryUnknownErrors?: boolean | undefined;
}

export const COMPLETION_ANSWERS: AnswerOptions = { idleTimeoutMs: 180_000, outputTimeoutMs: 300_000 };

export function completionRetryConfig({ retryUnknownErrors, ...retry }: LLMRetryConfig): RetryConfig {
  // Completions are small, and an error inside a 200 is found only if the body is held.
  const answers = retry.answers === false ? false : { ...COMPLETION_ANSWERS, holdJson: true, ...retry.answers };
  const config: RetryConfig = { ...retry, answers };
  if (!(retryUnknownErrors ?? retry.backoff === presets.patient.backoff)) return config;
  return {
    ...config,
    classify: (failure, outcome) => {
      const named = retry.classify?.(failure, outcome);
      if (named !== undefined || !('error' in outcome) || !isWorthWaiting(failure, outcome.error)) return named;
      return { ...failure, type: 'connection_error', category: 'retryable', retryable: true };
    },
  };
}

const BUG = /^(?:Type|Syntax|Reference|Range|Eval|URI|Assertion)Error$/;
/** An error and its causes. */
const MAX_LINKS = 8;

/** Whether no rule knows the error, nor says that a retry cannot help. */
function isWorthWaiting(failure: Failure, error: unknown): boolean {
  // An error with a status quotes a response, which is classified already.
  if (failure.type !== 'unknown' || failure.status !== undefined) return false;
  // The words of an error count too, as in `withRetry`.
  if (classify({ error: error ?? failure.message })?.type !== 'unknown') return false;
  const links = [error];
  while (links.length < MAX_LINKS) links.push(get(links.at(-1), 'cause'));
  return !links.some(
    (link) => BUG.test(String(get(link, 'name'))) || saysFinal(link) || saysFinal(get(link, 'failure')),
  );
}

/** Errors of SDKs and of this library report whether a retry helps. */
const saysFinal = (said: unknown): boolean => [get(said, 'retryable'), get(said, 'isRetryable')].includes(false);
