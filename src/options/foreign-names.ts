/**
 * The names that options have in other libraries: p-retry, async-retry, fetch-retry, axios-retry, got, ky, undici's
 * RetryAgent, exponential-backoff, ai, bottleneck and cockatiel. In JavaScript an unknown option would pass silently, and
 * the program would believe that it is set.
 */

import type { ForeignNames } from '../runtime/expect.ts';

/** By what to write here. `docs/options.md` shows this table. */
export const FOREIGN_NAMES: ForeignNames = {
  maxRetries:
    'retries retry limit attempts maxAttempts maxRetry maxRetryAttempts numOfAttempts retryCount forever streamRetries',
  baseDelayMs: 'minTimeout retryDelay delay delayMs initialDelay initialDelayMs startingDelay minDelay',
  maxDelayMs: 'maxTimeout backoffLimit maxBackoff',
  backoffMultiplier: 'factor timeoutFactor exponent multiplier timeMultiple',
  jitter: 'randomize noise',
  backoff: 'calculateDelay generator backoffStrategy',
  attemptTimeoutMs: 'timeout timeoutMs requestTimeout firstChunkMs hedgeMs shouldResetTimeout',
  maxElapsedMs: 'maxRetryTime totalTimeout totalMs maxElapsedTime deadline deadlineMs',
  retryableStatusCodes: 'retryOn statusCodes statuses afterStatusCodes',
  classify: 'errorCodes',
  shouldRetry: 'retryIf retryCondition shouldConsumeRetry validateResponse',
  onRetry: 'onFailedAttempt beforeRetry',
  onExhausted: 'onMaxRetryTimesExceeded onGiveUp',
  onEvent: 'onAttempt',
  throwOnExhausted: 'throwOnError',
  'streamWatch: createStreamWatch()': 'chunkTimeoutMs chunkMs stepMs idleTimeout idleTimeoutMs streamTimeoutMs',
  'gate: createGate({ limits })':
    'limits rpm tpm concurrency maxConcurrent minTime reservoir requestsPerSecond requestsPerMinute requestsPerDay tokensPerMinute',
  'gate: createGate({ circuitBreaker })': 'circuitBreaker breaker halfOpenAfter',
};
