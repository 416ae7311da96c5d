/**
 * The guard holds a streamed answer back until its first content, because that is the last moment at which a failure can
 * be retried without anybody having seen output twice. LLM servers say 200 first and "overloaded" as the first event, or
 * close the connection after the head; to everything above, that is an answer that breaks, and no SDK retries it.
 *
 * It reads a clone. From the first content on, the original goes to the caller, the same object with every byte still in
 * it, and nothing of ours is on its way any more. It lets go early rather than late: after a bounded time, a bounded
 * number of bytes, or an event that it does not know.
 */

import { startTimer } from '../runtime.ts';
import { type StreamError, StreamReader, protocolOf } from './protocol.ts';

/** How long and how much may be held. */
export interface HoldLimits {
  /** From the response head. */
  readonly maxHoldMs: number;
  readonly maxHoldBytes: number;
}

/** A stream that failed before its first content. `interrupted`: it ended, or broke with `cause`. */
export type HeldFailure = StreamError | { readonly interrupted: true; readonly cause: unknown };

/**
 * Reads until the stream has decided itself. null: it is the caller's now. Rejects with the signal's reason when that
 * aborts first.
 */
export async function holdStream(
  response: Response,
  limits: HoldLimits,
  signal: AbortSignal | undefined,
): Promise<HeldFailure | null> {
  const framing = protocolOf(response.headers.get('content-type'));
  const clone = framing === null ? null : response.clone().body;
  if (framing === null || clone === null) return null;
  const reader = clone.getReader();
  const events = new StreamReader(framing);
  // Cancelling settles a pending read, which ends the loop.
  const stop = (): void => void reader.cancel().catch(() => {});
  let heldBytes = 0;
  let isTimeUp = false;
  const clearTimer = startTimer(limits.maxHoldMs, () => {
    isTimeUp = true;
    stop();
  });
  signal?.addEventListener('abort', stop);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      signal?.throwIfAborted();
      if (isTimeUp) return null;
      if (done) {
        const end = events.end();
        if (end === 'interrupted') return { interrupted: true, cause: undefined };
        return typeof end === 'object' ? end : null;
      }
      const answer = events.feed(value);
      if (answer !== 'hold') {
        stop();
        return answer === 'release' ? null : answer;
      }
      heldBytes += value.byteLength;
      if (heldBytes > limits.maxHoldBytes) {
        stop();
        return null;
      }
    }
  } catch (cause) {
    signal?.throwIfAborted();
    return { interrupted: true, cause };
  } finally {
    clearTimer();
    signal?.removeEventListener('abort', stop);
  }
}
