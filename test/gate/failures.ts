/** Failures as the classification gives them. */

import { classify, type Failure } from '../../src/index.ts';

function failureOf(status: number, headers: Record<string, string> = {}, body?: string): Failure {
  const failure = classify({ status, headers, ...(body !== undefined && { body }) });
  if (failure === null) throw new Error(`Expected ${status} to be a failure.`);
  return failure;
}

export const unavailable: Failure = failureOf(503);

export const serverError: Failure = failureOf(500);

export const badRequest: Failure = failureOf(400);

export function rateLimited(retryAfterMs: number): Failure {
  return failureOf(429, { 'retry-after-ms': String(retryAfterMs) });
}
