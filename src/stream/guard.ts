/**
 * The guard holds a streamed answer back until its first content, because that is the last moment at which a failure can
 * be retried without showing output twice. LLM servers say 200 first and "overloaded" as the first event, or
 * close the connection after the head; to everything above, that is an answer that breaks, and no SDK retries it.
 *
 * It reads a clone. From the first content on, the original goes to the caller, the same object with every byte still in
 * it, and nothing of ours is on its way any more. It lets go early rather than late: after a bounded time, a bounded
 * number of bytes, or an event that it does not know.
 */

import type { ErrorContent } from '../classify/index.ts';
import { startTimer } from '../runtime.ts';
import { protocolOf, StreamReader } from './protocol.ts';
import { bodyOfClone } from './response-body.ts';

/** How long and how much may be held. */
export interface HoldLimits {
  /** From the response head. */
  readonly maxHoldMs: number;
  readonly maxHoldBytes: number;
}

/** A stream that failed before its first content. `interrupted`: it ended, or broke with `cause`. */
export type HeldFailure = ErrorContent | { readonly interrupted: true; readonly cause: unknown };

/**
 * Reads until the stream has decided itself. null: it is the caller's now. Rejects with the signal's reason when that
 * aborts first.
 */
export async function holdStream(
  response: Response,
  limits: HoldLimits,
  signal: AbortSignal | undefined,
): Promise<HeldFailure | null> {
  // A signal that has aborted already tells no listener.
  throwIfAborted(signal);
  const framing = protocolOf(response.headers.get('content-type'));
  const clone = framing === null ? null : bodyOfClone(response);
  if (framing === null || clone === null) return null;
  const reader = clone.getReader();
  const events = new StreamReader(framing);
  let isTimeUp = false;
  let clearTimer: (() => void) | undefined;
  // Cancelling settles a pending read, which ends the loop.
  const stop = (): void => void reader.cancel().catch(() => {});
  const onTime = (): void => {
    isTimeUp = true;
    stop();
  };
  signal?.addEventListener('abort', stop);
  try {
    for (let heldBytes = 0; heldBytes <= limits.maxHoldBytes;) {
      const reading = reader.read().catch((cause: unknown) => ({ cause }));
      if (clearTimer === undefined && !(await isHere(reading))) clearTimer = startTimer(limits.maxHoldMs, onTime);
      const part = await reading;
      throwIfAborted(signal);
      if (isTimeUp) return null;
      if ('cause' in part) return { interrupted: true, cause: part.cause };
      // A stream of anything but bytes breaks where the caller reads it.
      if (!part.done && !ArrayBuffer.isView(part.value)) return null;
      const answer = part.done ? events.end() : events.feed(part.value);
      if (answer === 'interrupted') return { interrupted: true, cause: undefined };
      if (typeof answer === 'object') return answer;
      if (part.done || answer !== 'hold') return null;
      heldBytes += part.value.byteLength;
    }
    return null;
  } finally {
    clearTimer?.();
    signal?.removeEventListener('abort', stop);
    stop();
  }
}

/** What came with the head is read within a few turns of the microtask queue. A timer would cost more than they do. */
const PROMPT_TURNS = 8;

async function isHere(reading: Promise<unknown>): Promise<boolean> {
  const seen = { settled: false };
  void reading.then(() => (seen.settled = true));
  for (let turn = 0; turn < PROMPT_TURNS && !seen.settled; turn += 1) await Promise.resolve();
  return seen.settled;
}

/** A signal of another package may have no `throwIfAborted` of its own. */
function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw signal.reason;
}
