export type { HintSource } from '../failure.ts';
export type { HeadersLike } from '../transport.ts';
export { parseRetryAfterHeader } from './retry-after.ts';
export { type Hint, type HintEvidence, retryHint } from './retry-hint.ts';
