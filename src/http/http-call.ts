/** One request, as those who judge it see it. */

import type { Operation } from '../options/operation.ts';
import type { HttpPolicy } from './http-policy.ts';
import type { HoldBudget } from './repeats.ts';
import type { Words } from './request-words.ts';

export interface HttpCall {
  readonly policy: HttpPolicy;
  readonly signal: AbortSignal | undefined;
  readonly method: string;
  /** As the caller gave it. Never shown unscrubbed. */
  readonly url: string;
  readonly body: unknown;
  /** What the body says; undefined until it has been read with `readWords`. */
  readonly words: Words | undefined;
  /** Reads a body that is not in memory as text or bytes. Never rejects. */
  readWords(): Promise<void>;
  /** Whether it can be sent again. */
  readonly replayable: boolean;
  /** Limits what is held; undefined: only the limits of the answer itself do. */
  readonly holdBudget?: HoldBudget | undefined;
  /** Texts that nothing of ours may show. */
  readonly secrets: readonly string[];
  /** What it does, which says whether it may run twice. */
  readonly operation: Operation;
}
