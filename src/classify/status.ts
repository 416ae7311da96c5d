/** What a status means when nothing else in the response tells: the statuses of the taxonomy, and RFC 9110 for the rest. */

import { FAILURES, failureTypes, type FailureType } from '../failure/failure.ts';
import type { HeaderReader } from '../hints/header-reader.ts';

/** The statuses that the taxonomy retries by name. All others are judged by {@link isRetryableStatusCode}. */
export const RETRYABLE_STATUS_CODES: readonly number[] = /* @__PURE__ */ Object.freeze([
  408, 429, 498, 500, 502, 503, 504, 520, 521, 522, 523, 524, 525, 527, 529, 530,
]);

/** 5xx that asking again cannot change: loops, missing extensions, a login page, a wrong certificate (Cloudflare's 526). */
const FINAL_SERVER_ERRORS: readonly number[] = [506, 508, 510, 511, 526];

/**
 * Whether a status alone calls for a retry. With `codes` that list decides. Without it the taxonomy does, and a 5xx that
 * it does not know counts as a 500 (RFC 9110, section 15).
 */
export function isRetryableStatusCode(status: number, codes?: readonly number[]): boolean {
  if (codes !== undefined) return codes.includes(status);
  if (!(status >= 400 && status < 600) || FINAL_SERVER_ERRORS.includes(status)) return false;
  return FAILURES[typeOfStatus(status)].strategy !== null;
}

let typesByStatus: ReadonlyMap<number, FailureType> | undefined;

/** The type of a failed status. An unknown one counts as the x00 of its class. */
export function typeOfStatus(status: number): FailureType {
  typesByStatus ??= new Map(failureTypes().flatMap((type) => FAILURES[type].http.map((code) => [code, type] as const)));
  return typesByStatus.get(status) ?? (status >= 500 ? 'server_error' : 'invalid_request');
}

/** `x-should-retry` (Anthropic, OpenAI, Groq). */
export function wordOnRetrying(header: HeaderReader): 'retry' | 'stop' | null {
  const word = header('x-should-retry').toLowerCase();
  return word === 'true' ? 'retry' : word === 'false' ? 'stop' : null;
}
