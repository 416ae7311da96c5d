/**
 * The meaning of a status without further evidence: by the statuses of the taxonomy, and by RFC 9110 for all others.
 */

import { type FailureType, failureTypes, TYPES } from '../failure/failure.ts';
import type { HeaderReader } from '../hints/header-reader.ts';

/** The statuses of the retryable types. {@link isRetryableStatusCode} decides about all others. */
export const RETRYABLE_STATUS_CODES: readonly number[] = /* @__PURE__ */ Object.freeze([
  408, 429, 498, 500, 502, 503, 504, 520, 521, 522, 523, 524, 525, 527, 529, 530,
]);

/** 5xx that a retry cannot change: loops, missing extensions, a login page, a wrong certificate (Cloudflare's 526). */
const FINAL_SERVER_ERRORS: readonly number[] = [506, 508, 510, 511, 526];

/**
 * Whether a status alone is retryable. With `codes`, that list decides. Otherwise the taxonomy decides, and an unknown
 * 5xx counts as a 500 (RFC 9110, section 15).
 */
export function isRetryableStatusCode(status: number, codes?: readonly number[]): boolean {
  if (codes !== undefined) return codes.includes(status);
  if (!(status >= 400 && status < 600) || FINAL_SERVER_ERRORS.includes(status)) return false;
  return TYPES[typeOfStatus(status)].isRetried;
}

let typesByStatus: ReadonlyMap<number, FailureType> | undefined;

/** The type of a failed status. An unknown one counts as the x00 of its class. */
export function typeOfStatus(status: number): FailureType {
  typesByStatus ??= new Map(failureTypes().flatMap((type) => TYPES[type].http.map((code) => [code, type] as const)));
  return typesByStatus.get(status) ?? (status >= 500 ? 'server_error' : 'invalid_request');
}

/** `x-should-retry` (Anthropic, OpenAI, Groq). */
export function wordOnRetrying(header: HeaderReader): 'retry' | 'stop' | null {
  const word = header('x-should-retry').toLowerCase();
  return word === 'true' ? 'retry' : word === 'false' ? 'stop' : null;
}
