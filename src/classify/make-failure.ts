/** The one place where a failure is put together: frozen, bounded, scrubbed. */

import { FAILURES, type Failure, type FailureType, type HintSource } from '../failure.ts';
import { redact } from '../redact.ts';

const MAX_MESSAGE = 2_048;
const MAX_CODE = 128;

/** What is known of a failure; what is absent stays absent. */
export interface FailureParts {
  readonly type: FailureType;
  readonly phase: Failure['phase'];
  readonly message: string;
  /** @default the rule of the type */
  readonly retryable?: boolean | undefined;
  readonly status?: number | undefined;
  readonly code?: string | undefined;
  readonly provider?: string | undefined;
  readonly hint?: { readonly ms: number; readonly source: HintSource } | null;
}

export function makeFailure(parts: FailureParts, secrets?: readonly string[]): Failure {
  const { type, phase, status, code, provider, hint } = parts;
  const { category, strategy, action } = FAILURES[type];
  const retryable = parts.retryable ?? strategy !== null;
  return Object.freeze({
    type,
    retryable,
    category,
    ...(status === undefined ? {} : { status }),
    ...(code === undefined ? {} : { code: clip(code, MAX_CODE, secrets) }),
    ...(provider === undefined ? {} : { provider }),
    message: clip(parts.message, MAX_MESSAGE, secrets),
    ...(hint === undefined || hint === null ? {} : { retryAfterMs: hint.ms, hintSource: hint.source }),
    phase,
    ...(retryable || action === null ? {} : { action }),
  });
}

/** Scrubbed with room to spare and cut after, so that the cut leaves no half of a secret that nobody recognises. */
function clip(text: string, length: number, secrets: readonly string[] | undefined): string {
  return redact(text.slice(0, length * 2).trim(), secrets).slice(0, length);
}
