/**
 * The watch over a stream that the caller reads. A server that goes silent, or closes the connection in the middle of
 * an answer, looks like a slow model or like a short answer, and most SDKs cannot tell them apart. The watch makes the
 * body fail in both cases. Nothing is repeated, because the caller has seen a part of the answer. An error that the
 * server sends in the stream is only reported, and the reader gets it as it came. What follows the end of the answer, a
 * reset too, is no failure.
 *
 * Two clocks may run, and only while a read is pending, so that a slow reader is never blamed. Each event of a known
 * protocol counts as output, thinking included; only pings do not. A protocol that is not known has no clocks and may
 * end anywhere.
 */

import { isBytes } from '../body/bytes.ts';
import { type BodyController, bodyFrom, endBody, replaceBody } from '../body/remake-response.ts';
import { type BodyPart, type BodyReader, isByteStream, isReadableTwice } from '../body/response-body.ts';
import { readError, readFailure } from '../classify/index.ts';
import type { BreakReason } from '../events/events.ts';
import type { Failure } from '../failure/failure.ts';
import { protocolOf } from '../protocol/event-kinds.ts';
import type { Framing } from '../protocol/split-events.ts';
import { doNothing } from '../runtime/runtime.ts';
import { canParseUrl, get, hasMethod } from '../runtime/values.ts';
import type { HttpCall } from './http-call.ts';
import { interrupted } from './look.ts';
import { asksForText, isModelRequest } from './model-request.ts';
import { hasLimits, StallClocks, type StallLimits } from './stall-clocks.ts';
import { StalledStreamError, TruncatedStreamError } from './stream-errors.ts';
import { WatchedEvents } from './watched-events.ts';

/** Called once: before the body fails, or when a stream with an error of the server is over. */
type OnBreak = (because: BreakReason, error: unknown, failure: Failure) => void;

/**
 * Puts the watch of the options over a response: the same object, with another `body`. It fails with a
 * {@link StalledStreamError} when it goes silent, and with a {@link TruncatedStreamError} when it ends before the answer
 * is complete.
 */
export function watchStream(face: HttpCall, response: unknown, onBreak: OnBreak): void {
  const { watch } = face.policy;
  // A custom transport may return less than a response.
  if (watch === null || !isReadableTwice(response) || !hasMethod(response.headers, 'get')) return;
  const checkEnd = watch.checkEnd === true || (watch.checkEnd !== false && isModelRequest(face) === true);
  const framing = checkEnd || watch.coversAll ? protocolOf(response.headers.get('content-type')) : null;
  if (framing === null) return;
  const { body, status, headers, url } = response;
  // Without the response: a connection keeps its body, and would keep a response that the program drops unread.
  const watched: Watched = { face, body, status, headers, url, framing, limits: watch, checkEnd, onBreak };
  replaceBody(
    response,
    (excuse) => watchedBody(watched, excuse),
    () => isAborted(face),
  );
}

interface Watched extends Pick<Response, 'status' | 'headers' | 'url'> {
  readonly face: HttpCall;
  readonly body: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly framing: Framing;
  readonly limits: StallLimits;
  /** Whether it must end with the last event of its protocol. */
  readonly checkEnd: boolean;
  readonly onBreak: OnBreak;
}

/**
 * Reads the original body only when it is read itself, and no further.
 *
 * @param excuse called before the body fails where it would not have failed without the watch
 */
function watchedBody(
  { face, body, status, headers, url, framing, limits, checkEnd, onBreak }: Watched,
  excuse: () => void,
): ReadableStream<Uint8Array> {
  const events = new WatchedEvents(framing);
  // A stream without any event is watched too if the request is known to ask a model for text.
  const isForText = asksForText(face);
  let controller: BodyController | undefined;
  let reader: BodyReader | undefined;
  let isOpen = true;

  const close = (): void => {
    isOpen = false;
    clocks?.stop();
    // The reader may have left at the error, which was not looked for before.
    const isFailed = events.isOver && (events.isKnown ?? isForText);
    if (!isFailed || events.error === undefined) return;
    const read = { status, headers, nowMs: face.policy.runtime.now(), secrets: face.secrets };
    onBreak('error-event', undefined, readFailure(read, events.error, 'stream').failure);
  };
  const fail = (because: BreakReason | undefined, error: unknown): void => {
    if (!isOpen) return;
    close();
    if (because !== undefined) onBreak(because, error, failureOf(status, error, face.secrets));
    if (because !== 'cut') excuse();
    controller?.error(error);
  };
  const clocks = !hasLimits(limits)
    ? undefined
    : new StallClocks(limits, (kind, afterMs) => {
        // After the end of the answer there is nothing to wait for.
        if (events.isOver) return;
        const error = new StalledStreamError(kind, afterMs, events.position(face.secrets));
        fail('stalled', error);
        void reader?.cancel(error).catch(doNothing);
      });
  const end = (): void => {
    if (checkEnd && events.endsTooEarly(isForText)) {
      const host = hostOf(url || face.url);
      return fail('truncated', new TruncatedStreamError(events.position(face.secrets), host));
    }
    close();
    if (controller !== undefined) endBody(controller);
  };
  const cut = (error: unknown): void => {
    if (!isOpen) return;
    // The error of an abort is the caller's own.
    if (isAborted(face)) return fail(undefined, error);
    if (!events.isOver) {
      addPosition(error, events);
      return fail('cut', error);
    }
    // The whole answer has come, so that a break of the connection is no loss.
    if (events.error === undefined) end();
    else fail(undefined, error);
  };
  const pass = (part: BodyPart): void => {
    if (!isOpen) return;
    if (part.done) return end();
    // Before it is handed on, because that takes the memory of the chunk.
    const hasOutput = isBytes(part.value) && events.feed(part.value, clocks !== undefined);
    clocks?.arrive(hasOutput);
    controller?.enqueue(part.value);
  };
  /** Without `async`, which would cost another promise for each chunk. */
  const pull = (given: BodyController): Promise<void> => {
    controller = given;
    if (reader === undefined) {
      reader = body.getReader();
      // A break between two reads is told at once, as it is without a watch.
      reader.closed.catch(cut);
    }
    // Another protocol has no clocks.
    if (events.isKnown ?? isForText) clocks?.begin();
    return reader.read().then(pass, cut);
  };
  const cancel = (reason: unknown): Promise<void> => {
    if (isOpen) close();
    return (reader ?? body).cancel(reason);
  };
  // A stream of bytes takes over the memory of its chunks, which the source of any other stream may share.
  return bodyFrom({ pull, cancel }, isByteStream(body));
}

const isAborted = ({ signal }: HttpCall): boolean => signal?.aborted === true;

/** An error of the connection gets what an application needs to attach again. */
function addPosition(error: unknown, events: WatchedEvents): void {
  const { responseId, sequenceNumber } = events.position();
  const mayChange = error instanceof Error && Object.isExtensible(error);
  if (mayChange && responseId !== undefined && sequenceNumber !== undefined)
    Object.assign(error, { responseId, sequenceNumber });
}

function hostOf(url: string): string {
  return canParseUrl(url) ? new URL(url).host : '';
}

function failureOf(status: number, error: unknown, secrets: readonly string[]): Failure {
  const read = readError(error, { secrets });
  // An error of the watch has its failure.
  if (read.type === 'aborted' || read === get(error, 'failure')) return read;
  return interrupted(status, error, secrets, 'The stream broke after its first content').failure;
}
