/**
 * `retry-transport/retry-after`: how long a server asks to wait, from the headers, the body and the message.
 */

export type { HintSource } from '../failure/failure.ts';
export type { HeadersLike } from '../transport.ts';
export { parseRetryAfterHeader } from './retry-after.ts';
export { type Hint, type HintEvidence, retryHint } from './retry-hint.ts';
