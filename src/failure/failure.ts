/**
 * The taxonomy as one table: what can go wrong with a call to an LLM API, whether a retry can help, how to retry with a
 * strategy per type, and what a person can do if it cannot. A second table has the name and meaning of each type.
 */

import { expectObject, nearest } from '../runtime/expect.ts';

/** Every type of failure. `unknown` is never retried. */
export type FailureType =
  | 'rate_limit'
  | 'overloaded'
  | 'server_error'
  | 'timeout'
  | 'connection_error'
  | 'stream_interrupted'
  | 'cache_error'
  | 'provider_unavailable'
  | 'auth_invalid'
  | 'permission_denied'
  | 'context_too_long'
  | 'invalid_request'
  | 'content_policy'
  | 'quota_exhausted'
  | 'billing_error'
  | 'model_not_found'
  | 'model_deprecated'
  | 'unsupported_feature'
  | 'account_suspended'
  | 'aborted'
  | 'unknown';

/** `conditional`: if waiting does not help, another target may. */
export type FailureCategory = 'retryable' | 'non-retryable' | 'conditional';

/** The source of a hint, in order of precedence. */
export type HintSource = 'retry-after-ms' | 'retry-after' | 'body' | 'message' | 'reset-header';

/** How jitter changes a wait `d` with factor `f`: `symmetric` d ± d·f, `full` 0..d, `down` d·(1−f)..d. */
export type Jitter = 'none' | 'symmetric' | 'full' | 'down';

/** The failure of an attempt. Frozen, plain and serialisable; secrets of the request are masked. */
export interface Failure {
  /** What went wrong, as one of 21 words. */
  readonly type: FailureType;
  /** Whether this failure may be retried. The type decides, unless the server, the body, the phase or `classify` differs. */
  readonly retryable: boolean;
  /** Whether a retry helps with this type, in general. */
  readonly category: FailureCategory;
  /** The HTTP status, if there was a response. 200 for an error inside a stream or a JSON body. */
  readonly status?: number;
  /** The most specific code in the body, a header or the thrown error: `insufficient_quota`, `ECONNRESET`. */
  readonly code?: string;
  /** Set if the response shows its provider: `anthropic`, `openai`, `google`, … */
  readonly provider?: string;
  /** The message of the server or the runtime. */
  readonly message: string;
  /** The wait that the server asked for, in milliseconds. */
  readonly retryAfterMs?: number;
  /** Where the server said `retryAfterMs`. */
  readonly hintSource?: HintSource;
  /** `connect`: no response head. `response`: a failed status. `stream`: inside a body that began as a success. */
  readonly phase: 'connect' | 'response' | 'stream';
  /** What a person must do, if waiting does not help. */
  readonly action?: string;
  /** The server's own id of the request, for its support: `x-request-id`, `request-id`, `x-amzn-requestid`, `cf-ray`, … */
  readonly requestId?: string;
}

/**
 * The waits without a hint, in milliseconds: a list, whose last one repeats if `maxRetries` is larger, or a function of
 * the number of the retry, from 0; `undefined` stops.
 */
export type Backoff = readonly number[] | ((retry: number, failure: Failure) => number | undefined);

/**
 * The options of one type of failure, under the names that they have for all. What is left out is that of the call.
 * `maxRetries` and `maxDelayMs` of the call, where they are given, are caps of every type. Where `maxRetries` of the call
 * is not given, a type with a strategy has a count of its own, and all others share the default of 3.
 */
export interface Strategy {
  /** The retries of one call that may follow this type. */
  readonly maxRetries?: number | undefined;
  /** The wait before the first of them, without a hint. */
  readonly baseDelayMs?: number | undefined;
  /** The longest wait without a hint. */
  readonly maxDelayMs?: number | undefined;
  /** Each wait without a hint is this many times as long as the one before. */
  readonly backoffMultiplier?: number | undefined;
  /** The random part of a wait without a hint. */
  readonly jitter?: Jitter | undefined;
  /** The waits without a hint, in place of those that grow. */
  readonly backoff?: Backoff | undefined;
  /** Whether hints of the server count. */
  readonly retryAfter?: 'obey' | 'ignore' | undefined;
  /** Whether another target of `fallback` may follow. @default as in `FAILURES` */
  readonly fallback?: boolean | undefined;
}

/** One row of {@link FAILURES}. */
export interface FailureRow {
  /** Whether a retry helps, in general. */
  readonly category: FailureCategory;
  /** The statuses that have this type if the response shows no other type. */
  readonly http: readonly number[];
  /** The waits of `presets.taxonomy`; null: not retried. */
  readonly strategy: Strategy | null;
  /** Whether another target may help. */
  readonly fallback: boolean;
  /** What a person must do; null if waiting helps. */
  readonly action: string | null;
}

/** What the library itself reads of a row: the waits of `presets.taxonomy` come in with {@link FAILURES}. */
type TypeRow = Omit<FailureRow, 'strategy'> & { readonly isRetried: boolean };

const retried = (
  fallback: boolean,
  http: readonly number[] = [],
  category: FailureCategory = 'retryable',
): TypeRow => ({ category, http, isRetried: true, fallback, action: null });

const permanent = (
  action: string | null,
  http: readonly number[] = [],
  fallback = false,
  category: FailureCategory = 'non-retryable',
): TypeRow => ({ category, http, isRetried: false, fallback, action });

/**
 * The types. No status is in two rows. If a response shows several types, the first row counts. A function builds
 * the table, because bundlers would keep a table with function calls in its rows even if it is unused.
 */
export const TYPES: Readonly<Record<FailureType, TypeRow>> = /* @__PURE__ */ makeTypes();

function makeTypes(): typeof TYPES {
  return {
    account_suspended: permanent('Contact the provider about the account.'),
    billing_error: permanent('Add credits or a payment method to the account.', [402], true, 'conditional'),
    quota_exhausted: permanent('Add credits, raise the limit or the plan, or wait for the quota to renew.'),
    auth_invalid: permanent('Check the API key: it is missing, wrong, expired or revoked.', [401]),
    permission_denied: permanent('Ask the provider for access, or use a key that has it.', [403, 451]),
    content_policy: permanent('Change the prompt: a content policy refused it.'),
    context_too_long: permanent('Shorten the input, or use a model with a larger context.', [413], true),
    model_deprecated: permanent('Move to a newer model.'),
    model_not_found: permanent('Use a model that exists and that this key may use.', [404]),
    unsupported_feature: permanent('Leave out what this model does not support, or use another model.', [501, 505]),
    // 529 is Anthropic's "overloaded", 498 Groq's flex tier at capacity; RFC 9110 knows neither.
    overloaded: retried(true, [503, 529, 498]),
    rate_limit: retried(false, [429]),
    provider_unavailable: retried(true, [502, 520, 521, 523, 525, 526, 527, 530], 'conditional'),
    stream_interrupted: retried(false),
    // Cloudflare's 522 and 524: the origin was reached too late, or answered too late.
    timeout: retried(false, [408, 504, 522, 524]),
    connection_error: retried(false),
    server_error: retried(true, [500]),
    invalid_request: permanent(
      'Correct the request.',
      [400, 405, 406, 409, 410, 411, 412, 414, 415, 416, 417, 421, 422, 423, 424, 425, 426, 428, 431],
    ),
    cache_error: retried(false),
    aborted: permanent(null, [499]),
    unknown: permanent(null),
  };
}

/** The taxonomy. */
export const FAILURES: Readonly<Record<FailureType, FailureRow>> = /* @__PURE__ */ makeFailures();

function makeFailures(): typeof FAILURES {
  const strategies: {
    readonly [T in FailureType]?: readonly [retries: number, first: number, most: number, by: number];
  } = {
    overloaded: [4, 5_000, 120_000, 2],
    rate_limit: [4, 1_000, 60_000, 2],
    provider_unavailable: [2, 1_000, 10_000, 2],
    stream_interrupted: [1, 1_000, 5_000, 1.5],
    timeout: [1, 0, 0, 1],
    connection_error: [2, 500, 5_000, 1.5],
    server_error: [2, 1_000, 30_000, 2],
    cache_error: [1, 0, 0, 1],
  };
  const rows = failureTypes().map((type): [FailureType, FailureRow] => {
    const { category, http, fallback, action } = TYPES[type];
    const waits = strategies[type];
    const [maxRetries, baseDelayMs, maxDelayMs, backoffMultiplier] = waits ?? [];
    const strategy: Strategy = { maxRetries, baseDelayMs, maxDelayMs, backoffMultiplier, jitter: 'full', fallback };
    const row = {
      category,
      http: Object.freeze(http),
      strategy: waits ? Object.freeze(strategy) : null,
      fallback,
      action,
    };
    return [type, Object.freeze(row)];
  });
  return Object.freeze(Object.fromEntries(rows) as Record<FailureType, FailureRow>);
}

/** The advice of a `context_too_long` that is about the size in bytes, not about tokens. */
export const TOO_MANY_BYTES = 'Send less at once: the request is too large in bytes, whatever the model admits.';

/** The members of an object whose keys are types. @throws TypeError for any other key, and for no object */
export function expectTypes(
  name: string,
  value: unknown,
  expected: string,
): readonly (readonly [FailureType, unknown])[] {
  return Object.entries(expectObject(name, value, expected)).map(([type, member]) => {
    if (isFailureType(type)) return [type, member];
    const meant = nearest(type, failureTypes());
    const hint = meant === undefined ? '' : ` Did you mean "${meant}"?`;
    throw new TypeError(`Expected the keys of \`${name}\` to be failure types, got "${type}".${hint}`);
  });
}

/** Own properties only, so that `toString` is not a type. */
export function isFailureType(name: unknown): name is FailureType {
  return typeof name === 'string' && Object.hasOwn(TYPES, name);
}

/** Every type, in the order of {@link TYPES}. */
export function failureTypes(): readonly FailureType[] {
  return Object.keys(TYPES).filter(isFailureType);
}

/** The name and meaning of each type. Separate from {@link FAILURES}, because a transport does not need it. */
export const FAILURE_TEXTS: Readonly<Record<FailureType, readonly [headline: string, meaning: string]>> =
  /* @__PURE__ */ Object.freeze({
    rate_limit: ['Rate limit reached', 'More requests or tokens were sent than the provider accepts in this time.'],
    overloaded: ['Service overloaded', 'The provider has more requests than it can serve. It is not your limit.'],
    server_error: ['Server error', 'Something went wrong on the side of the provider.'],
    timeout: ['Request timed out', 'There was no answer in time.'],
    connection_error: ['Connection failed', 'The connection to the server could not be made, or broke.'],
    stream_interrupted: ['Stream interrupted', 'The answer broke off before it was complete.'],
    cache_error: ['Prompt cache failed', 'The provider could not use its prompt cache.'],
    provider_unavailable: [
      'Provider unavailable',
      'Something in front of the provider answered that it cannot be reached.',
    ],
    auth_invalid: ['API key not accepted', 'The provider does not know the key, or knows it no longer.'],
    permission_denied: ['Access denied', 'The key is known, but not allowed to do this.'],
    context_too_long: [
      'Input too long',
      'The request is larger than the model or the limit of the account admits at once.',
    ],
    invalid_request: ['Request not accepted', 'The request is refused as it stands.'],
    content_policy: ['Blocked by content policy', 'A filter of the provider has stopped the prompt or the answer.'],
    quota_exhausted: ['Quota used up', 'A quota or spending limit is used up. Retrying soon does not help.'],
    billing_error: ['Billing problem', 'The account has no credits, or its payment did not work.'],
    model_not_found: ['Model not found', 'There is no such model, or not for this key.'],
    model_deprecated: ['Model withdrawn', 'The provider has taken this model out of service.'],
    unsupported_feature: ['Feature not supported', 'The model or endpoint does not have what the request asks for.'],
    account_suspended: ['Account suspended', 'The provider has closed the account or the organization.'],
    aborted: ['Cancelled', 'The request was cancelled before it was answered.'],
    unknown: ['Unknown error', 'Nothing in this failure tells what it is, so it is not retried.'],
  });
