/**
 * `retry-transport/retry-after`: how long a server asks to wait, read from its headers, its body and its words.
 */

export type { HintSource } from '../failure/failure.ts';
export type { HeadersLike } from '../transport.ts';
export { parseRetryAfterHeader } from './retry-after.ts';
export { type Hint, type HintEvidence, retryHint } from './retry-hint.ts';
