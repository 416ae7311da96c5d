/**
 * What a provider adds to the caller's retry options. A completion has not begun when its request throws, so under the
 * patient policy an error that nobody knows is waited out like a broken connection, which it mostly is. A bug in the
 * program is not: it would be run again for hours.
 */

import { type Failure, presets, type RetryConfig } from '../index.ts';

/** The options of the transport of completions. */
export function completionRetryConfig(retry: RetryConfig): RetryConfig {
  // Completions are small, and an error inside a 200 can only be retried where it is looked for.
  const config = { ...retry, guardJson: retry.guardJson ?? true };
  if (retry.backoff !== presets.patient.backoff) return config;
  return {
    ...config,
    classify: (failure, outcome) => {
      const named = retry.classify?.(failure, outcome);
      if (named !== undefined || !('error' in outcome) || !isWorthWaiting(failure, outcome.error)) return named;
      return { ...failure, type: 'connection_error', category: 'retryable', retryable: true };
    },
  };
}

/** Words by which an error that has no status says that waiting does not help. */
const FINAL_WORDS =
  /\b(?:invalid|unauthori[sz]ed|forbidden|not found|bad request|api key|authentication|permission|certificate|(?:insufficient_)?quota|billing|context length)\b/i;

const BUGS: ReadonlySet<string> = /* @__PURE__ */ new Set([
  'AssertionError',
  'EvalError',
  'InternalError',
  'RangeError',
  'ReferenceError',
  'SyntaxError',
  'TypeError',
  'URIError',
]);
const MAX_CAUSES = 8;

function isWorthWaiting(failure: Failure, error: unknown): boolean {
  // What has a status was a response: that one is known.
  if (failure.type !== 'unknown' || failure.status !== undefined || FINAL_WORDS.test(failure.message)) return false;
  let link = error;
  for (let depth = 0; depth < MAX_CAUSES && link !== undefined && link !== null; depth += 1) {
    if (isBug(link) || saysFinal(link)) return false;
    link = property(link, 'cause');
  }
  return true;
}

/** A bug that a network broke is known as such and never comes here. */
function isBug(error: unknown): boolean {
  if (error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError) return true;
  const name = property(error, 'name');
  return typeof name === 'string' && BUGS.has(name);
}

/** Errors of SDKs and of this library say for themselves whether asking again helps. */
function saysFinal(error: unknown): boolean {
  return ['retryable', 'isRetryable'].some(
    (name) => property(error, name) === false || property(property(error, 'failure'), name) === false,
  );
}

function property(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
