/** Limits the bytes of request bodies and held answers that all calls of the proxy together keep in memory. */

import type { HoldBudget } from '../http/repeats.ts';
import { busy } from './problem.ts';

/** What one call keeps. */
export interface Share extends HoldBudget {
  /** Takes the bytes of a request body. @throws RefusedError if all calls would exceed the limit */
  readonly keep: (bytes: number) => void;
  /** Gives everything back; later bytes are not taken. */
  readonly end: () => void;
}

/** Returns what makes a share. */
export function createByteBudget(maxBytes: number): () => Share {
  let total = 0;
  return () => {
    let isOver = false;
    let kept = 0;
    /** Of the answer of the present attempt. */
    let held = 0;
    const giveBack = (): void => {
      total -= held;
      held = 0;
    };
    return {
      keep: (bytes) => {
        if (total + bytes > maxBytes)
          throw busy(
            'The bodies of all running calls together are over the limit; raise maxBufferedBytes (--max-buffer).',
          );
        total += bytes;
        kept += bytes;
      },
      take: (bytes) => {
        // A held answer is in memory twice: for the hold, and for the client. Half of the limit is left for requests.
        const hasRoom = total + 2 * bytes <= maxBytes / 2;
        if (isOver || !hasRoom) return false;
        total += 2 * bytes;
        held += 2 * bytes;
        return true;
      },
      giveBack,
      end: () => {
        isOver = true;
        giveBack();
        total -= kept;
        kept = 0;
      },
    };
  };
}
