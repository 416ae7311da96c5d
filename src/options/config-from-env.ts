/** Options from environment variables, for programs whose operators set the limits. */

import { expectObject } from '../runtime/expect.ts';
import type { RetryPolicy } from './config.ts';

/**
 * Reads `MAX_RETRY_ATTEMPTS`, `MAX_RETRY_DELAY_MS`, `MAX_PROVIDER_RETRY_AFTER_MS` and `RETRY_IRREVERSIBLE`, each behind
 * `prefix`. A variable that is unset or empty is left out, so that the result can be spread over other options.
 *
 * - `MAX_RETRY_ATTEMPTS`: all attempts, the first included; 0 = not set, so the default or a preset decides.
 * - `MAX_RETRY_DELAY_MS`: the longest backoff, and the longest hint unless the next variable is set; 0 = no limit.
 * - `MAX_PROVIDER_RETRY_AFTER_MS`: the longest hint that is obeyed; 0 = no limit.
 * - `RETRY_IRREVERSIBLE`: `true` retries operations of every label; a rollback is still awaited.
 *
 * @param prefix @default ''
 * @throws TypeError if a variable is invalid; the message names each of them
 */
export function retryConfigFromEnv(env: Readonly<Record<string, string | undefined>>, prefix = ''): RetryPolicy {
  expectObject('env', env, 'an object such as process.env');
  const wrong: string[] = [];
  const read = (name: string, pattern: RegExp, expected: string): string => {
    const text = env[prefix + name]?.trim() ?? '';
    if (text === '' || pattern.test(text)) return text;
    wrong.push(`Expected ${prefix}${name} to be ${expected}, got ${JSON.stringify(text)}.`);
    return '';
  };
  const number = (name: string): number | undefined => {
    const text = read(name, /^\d{1,15}$/, 'a whole number ≥ 0 (0 = no cap)');
    return text === '' ? undefined : Number(text);
  };
  const attempts = number('MAX_RETRY_ATTEMPTS');
  const delayMs = number('MAX_RETRY_DELAY_MS');
  const hintMs = number('MAX_PROVIDER_RETRY_AFTER_MS');
  const irreversible = /^true$/i.test(read('RETRY_IRREVERSIBLE', /^(?:true|false)$/i, 'true or false'));
  if (wrong.length > 0) throw new TypeError(wrong.join(' '));
  return {
    ...(attempts !== undefined && attempts > 0 && { maxRetries: attempts - 1 }),
    ...(delayMs !== undefined && { maxDelayMs: delayMs === 0 ? Infinity : delayMs }),
    ...(hintMs !== undefined && { maxRetryAfterMs: hintMs === 0 ? Infinity : hintMs }),
    ...(irreversible && { retryIrreversible: true }),
  };
}
