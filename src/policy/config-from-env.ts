/** Options from the environment of a process, for programs whose operators set limits and not code. */

import type { RetryConfig } from './config.ts';

/**
 * Reads `MAX_RETRY_ATTEMPTS`, `MAX_RETRY_DELAY_MS`, `MAX_PROVIDER_RETRY_AFTER_MS` and `RETRY_IRREVERSIBLE`, each behind
 * `prefix`. What is unset or empty is left out, so that the result can be spread over any other options.
 *
 * - `MAX_RETRY_ATTEMPTS`: attempts in all, the first included; 0 = no cap from here.
 * - `MAX_RETRY_DELAY_MS`: the longest wait of our own; 0 = no cap. Hints are held to the same unless the next one is set.
 * - `MAX_PROVIDER_RETRY_AFTER_MS`: the longest hint that is obeyed; 0 = no cap.
 * - `RETRY_IRREVERSIBLE`: `true` retries whatever the operation is labelled; a rollback is still awaited where there is one.
 *
 * @param prefix @default ''
 * @throws TypeError that names every variable that cannot be read
 */
export function retryConfigFromEnv(env: Readonly<Record<string, string | undefined>>, prefix = ''): RetryConfig {
  const wrong: string[] = [];
  const number = (name: string): number | undefined => {
    const text = env[prefix + name]?.trim() ?? '';
    if (text === '') return undefined;
    if (/^\d{1,15}$/.test(text)) return Number(text);
    wrong.push(`Expected ${prefix}${name} to be a whole number ≥ 0 (0 = no cap), got ${JSON.stringify(text)}.`);
    return undefined;
  };
  const flag = (name: string): boolean => {
    const text = env[prefix + name]?.trim().toLowerCase() ?? '';
    if (!['', 'true', 'false'].includes(text)) {
      wrong.push(`Expected ${prefix}${name} to be true or false, got ${JSON.stringify(text)}.`);
    }
    return text === 'true';
  };
  const attempts = number('MAX_RETRY_ATTEMPTS');
  const delayMs = number('MAX_RETRY_DELAY_MS');
  const hintMs = number('MAX_PROVIDER_RETRY_AFTER_MS');
  const irreversible = flag('RETRY_IRREVERSIBLE');
  if (wrong.length > 0) throw new TypeError(wrong.join(' '));
  return {
    ...(attempts !== undefined && attempts > 0 && { maxRetries: attempts - 1 }),
    ...(delayMs !== undefined && { maxDelayMs: delayMs === 0 ? Number.POSITIVE_INFINITY : delayMs }),
    ...(hintMs !== undefined && { maxRetryAfterMs: hintMs === 0 ? Number.POSITIVE_INFINITY : hintMs }),
    ...(irreversible && { retryIrreversible: true }),
  };
}
