/**
 * The guard holds a streamed response until its first content. Up to that moment a failure can be retried without
 * output that comes twice. LLM servers answer 200 and then send "overloaded" as the first event, or close the
 * connection after the headers; SDKs report that as an answer that broke.
 *
 * The guard reads a clone. At the first content the caller gets the original, the same object with every byte, and
 * nothing of ours remains between the two. In doubt it releases the stream early: after a limited time, a limited
 * number of bytes, or an unknown event.
 */

import type { ErrorContent } from '../classify/index.ts';
import { startTimer } from '../runtime.ts';
import { protocolOf, StreamReader } from './protocol.ts';
import { bodyOfClone, cancelClone } from './response-body.ts';

/** The limits on holding a stream. */
export interface HoldLimits {
  /** From the response headers. */
  readonly maxHoldMs: number;
  readonly maxHoldBytes: number;
}

/** A stream that failed before its first content. `interrupted`: it ended, or broke with `cause`. */
export type HeldFailure = ErrorContent | { readonly interrupted: true; readonly cause: unknown };

/**
 * Reads until the stream is known to be good or failed. null: it is released to the caller. Rejects with the signal's
 * reason if the signal aborts first.
 */
export async function holdStream(
  response: Response,
  limits: HoldLimits,
  signal: AbortSignal | undefined,
): Promise<HeldFailure | null> {
  // A signal that has aborted already does not call its listeners.
  throwIfAborted(signal);
  const framing = protocolOf(response.headers.get('content-type'));
  const clone = framing === null ? null : bodyOfClone(response);
  if (framing === null || clone === null) return null;
  const reader = clone.getReader();
  const events = new StreamReader(framing);
  let isTimeUp = false;
  let clearTimer: (() => void) | undefined;
  // Cancelling settles a pending read, and that ends the loop.
  const stop = (): void => void reader.cancel().catch(() => {});
  // Fetch makes the body fail first. Where the clone is cancelled before, Node 22 leaves a rejection unhandled.
  const onAbort = (): void => queueMicrotask(stop);
  const onTime = (): void => {
    isTimeUp = true;
    stop();
  };
  signal?.addEventListener('abort', onAbort);
  try {
    for (let heldBytes = 0; heldBytes <= limits.maxHoldBytes;) {
      const reading = reader.read().catch((cause: unknown) => ({ cause }));
      if (clearTimer === undefined && !(await isHere(reading))) clearTimer = startTimer(limits.maxHoldMs, onTime);
      const part = await reading;
      throwIfAborted(signal);
      if (isTimeUp) return null;
      if ('cause' in part) return { interrupted: true, cause: part.cause };
      // A stream that is not of bytes fails where the caller reads it.
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
    signal?.removeEventListener('abort', onAbort);
    cancelClone(reader, response, signal);
  }
}

/** A chunk that came with the headers is read within a few microtasks, which cost less than a timer. */
const PROMPT_TURNS = 8;

async function isHere(reading: Promise<unknown>): Promise<boolean> {
  const seen = { settled: false };
  void reading.then(() => (seen.settled = true));
  for (let turn = 0; turn < PROMPT_TURNS && !seen.settled; turn += 1) await Promise.resolve();
  return seen.settled;
}

/** A signal of another package may not have `throwIfAborted`. */
function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw signal.reason;
}
