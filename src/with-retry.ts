/** Retries for any asynchronous operation, with the same decisions, waits and events. */

import { progress } from './loop/progress.ts';
import { run } from './loop/retry-loop.ts';
import { resolveFunction } from './operation/function-policy.ts';
import { OperationFace, type OperationContext } from './operation/operation-face.ts';
import type { OperationRetryConfig } from './options/config.ts';
import { givenOptions } from './runtime/expect.ts';

/** What `withRetry` calls, once for each attempt. It may return a value or a promise. */
export type Operation<T> = (context: OperationContext) => T | Promise<T>;

/**
 * Runs an operation, and retries it while a retry can help. A thrown error is classified by its `status`, `code`,
 * `cause` and message. The first execution is never refused, whatever its label.
 *
 * @throws what the operation threw last, or the reason of an abort; TypeError if an option is invalid
 */
export function withRetry<T>(operation: Operation<T>, config: OperationRetryConfig<NoInfer<T>> = {}): Promise<T> {
  if (typeof operation !== 'function')
    throw new TypeError(`Expected \`operation\` to be a function, got ${typeof operation}.`);
  const policy = resolveFunction('withRetry', config);
  const { signal, errorIn } = givenOptions<OperationRetryConfig<T>>(config);
  return run(policy, new OperationFace(policy, operation, signal ?? undefined, errorIn), undefined, progress);
}
