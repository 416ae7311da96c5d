import {
  classify,
  classifyOperation,
  createRetryFetch,
  DEFAULT_RETRY_CONFIG,
  describeFailure,
  type Failure,
  type FailureCategory,
  FAILURES,
  type FailureType,
  failureBody,
  type HeadersLike,
  HttpStatusError,
  isRetryableError,
  isRetryableStatusCode,
  type OperationLabel,
  type OperationSafety,
  type AttemptResult,
  parseRetryAfterHeader,
  redact,
  RETRYABLE_STATUS_CODES,
  type HintSource,
} from 'retry-transport';
import { retryHint } from 'retry-transport/retry-after';

// #region classify
const failure: Failure | null = classify({
  status: 429,
  body: '{"error":{"type":"insufficient_quota","message":"You exceeded your current quota."}}',
});
console.log(failure?.type, failure?.retryable); // → quota_exhausted false
// #endregion

// #region the types of failure
const type: FailureType = 'overloaded';
const row = FAILURES[type];
const category: FailureCategory = row.category;
console.log(category, row.http.join()); // → retryable 503,529,498
// #endregion

// #region what to tell a person
const reset = classify({ error: Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }) });
if (reset !== null) {
  const { headline } = describeFailure(reset);
  console.log(headline); // → Connection failed (ECONNRESET)
}
// #endregion

// #region the body of a failure
const withBody = createRetryFetch({
  fetch: async () => new Response('{"error":"out of tape"}', { status: 503 }),
  maxRetries: 1,
  baseDelayMs: 0,
  onEvent: (event) => {
    if (event.type === 'failed') console.log(failureBody(event.failure)); // → {"error":"out of tape"}
  },
});
await withBody('https://api.example.com/');
// #endregion

// #region your own rule
const withRule = createRetryFetch({
  fetch: async () => new Response('come back', { status: 409 }),
  maxRetries: 1,
  baseDelayMs: 0,
  classify: (found: Failure, result: AttemptResult) => (result.body === 'come back' ? 'retry' : undefined),
  onRetry: (attempt) => console.log('retry', attempt), // → retry 1
});
await withRule('https://api.example.com/');
// #endregion

// #region which statuses
console.log(RETRYABLE_STATUS_CODES.includes(429), isRetryableStatusCode(404)); // → true false
// #endregion

// #region a thrown error
console.log(isRetryableError(new TypeError('fetch failed')), isRetryableError(new TypeError('x is undefined'))); // → true false
// #endregion

// #region an error made of a status
const quota = classify({ status: 402, body: 'Payment required' });
if (quota !== null) console.log(new HttpStatusError(402, 'Payment required', quota).status); // → 402
// #endregion

// #region what may run twice
const label: OperationLabel = 'payment';
const safety: OperationSafety = classifyOperation(label);
console.log(safety); // → irreversible
// #endregion

// #region how long a server asks to wait
const headers: HeadersLike = { 'retry-after': '20' };
const hint = retryHint({ headers });
const source: HintSource | undefined = hint?.source;
console.log(hint?.ms, source); // → 20000 retry-after
// #endregion

// #region one header
console.log(parseRetryAfterHeader('120'), parseRetryAfterHeader('soon')); // → 120000 null
// #endregion

// #region without secrets
console.log(redact('key sk-1234567890abcdef1234 was refused', ['sk-1234567890abcdef1234'])); // → key [redacted] was refused
// #endregion

// #region the defaults
console.log(DEFAULT_RETRY_CONFIG.maxRetries, DEFAULT_RETRY_CONFIG.baseDelayMs); // → 3 1000
// #endregion
