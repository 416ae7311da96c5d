/**
 * The retry options that a provider adds to the caller's. There is no output yet when a request throws, so with
 * `retryUnknownErrors`, the default with the patient schedule, an unknown error is retried like a broken connection, its usual
 * cause. A bug in the program is not retried: it would run again for hours.
 */

import { type AnswerOptions, type Failure, presets, type RetryConfig } from '../index.ts';

/** The options of a provider's retries. */
export interface LLMRetryConfig extends RetryConfig {
  /** Also retries an error that nothing recognises; a bug in the program never. @default true with `presets.patient` */
  readonly retryUnknownErrors?: boolean | undefined;
}

/** The limits on silence. */
export const COMPLETION_ANSWERS: AnswerOptions = { idleTimeoutMs: 180_000, outputTimeoutMs: 300_000 };

/** The retry options of completions. */
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

/** Words in errors without a status that no wait can fix. */
const FINAL_WORDS =
  /\b(?:invalid|unauthori[sz]ed|forbidden|not found|bad request|api key|authentication|permission|certificate|(?:insufficient_)?quota|billing|context length)\b/i;

const BUG_NAME = /^(?:Assertion|Eval|Internal|Range|Reference|Syntax|Type|URI)Error$/;
const MAX_CAUSES = 8;

function isWorthWaiting(failure: Failure, error: unknown): boolean {
  // An error with a status quotes a response, which is classified already.
  if (failure.type !== 'unknown' || failure.status !== undefined || FINAL_WORDS.test(failure.message)) return false;
  let link = error;
  for (let depth = 0; depth < MAX_CAUSES && link !== undefined && link !== null; depth += 1) {
    if (isBug(link) || saysFinal(link)) return false;
    link = property(link, 'cause');
  }
  return true;
}

/** A `TypeError` of a broken network is classified as `connection_error` before this. */
function isBug(error: unknown): boolean {
  if (error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError) return true;
  const name = property(error, 'name');
  return typeof name === 'string' && BUG_NAME.test(name);
}

/** Errors of SDKs and of this library report whether a retry helps. */
function saysFinal(error: unknown): boolean {
  return ['retryable', 'isRetryable'].some(
    (name) => property(error, name) === false || property(property(error, 'failure'), name) === false,
  );
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
