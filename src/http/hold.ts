/**
 * Holds a streamed response until its first content, its first text, or its end. Up to that moment a failure can be
 * retried without output that comes twice. LLM servers answer 200 and then send "overloaded" as the first event, or
 * close the connection after the headers or in the middle of an answer; SDKs report that as an answer that broke, or as
 * a short one.
 *
 * Until the content or the text, a clone is read. Then the caller gets the original, the same object with every byte,
 * and nothing of ours remains between the two. Until the end, the body itself is read and replayed, because a clone that
 * fails drops what was not read; the caller gets a re-made response. In doubt a stream is released early: after a limited
 * time, a limited number of bytes, or an unknown event.
 */

import { Bytes, inParts } from '../body/bytes.ts';
import { type BodyController, bodyFrom, endBody, remakeResponse } from '../body/remake-response.ts';
import { type BodyPart, BodyReading, cancelClone, isByteStream, readerOfClone } from '../body/response-body.ts';
import type { Attempt } from '../loop/face.ts';
import { errorOf } from '../protocol/event-kinds.ts';
import { EventReader } from '../protocol/event-reader.ts';
import type { ErrorContent } from '../protocol/in-band-error.ts';
import type { Framing } from '../protocol/split-events.ts';
import { reasonOf, throwIfAborted } from '../runtime/abort.ts';
import { doNothing, startTimer } from '../runtime/runtime.ts';
import type { HttpCall } from './http-call.ts';
import type { HoldLimits } from './http-policy.ts';
import { isModelRequest, type SentRequest } from './model-request.ts';
import { type OnStall, StallClocks, type StallLimits } from './stall-clocks.ts';
import { StalledStreamError, TruncatedStreamError } from './stream-errors.ts';

/** A stream that failed while it was held. `interrupted`: it ended, or broke with `cause`. */
export type HeldFailure = ErrorContent | { readonly interrupted: true; readonly cause: unknown };

/** What a hold has come to. */
export interface Held {
  readonly response: Response;
  /** null: the caller gets the response. */
  readonly failure: HeldFailure | null;
  /** Whether the response holds the whole answer, which has ended as it should. */
  readonly isWhole: boolean;
}

/** A server may keep the connection open after the last event, and a break there is no loss. */
const GRACE: StallLimits = { idleTimeoutMs: Infinity, outputTimeoutMs: 1_000 };

/**
 * Reads until the stream has what is waited for, or has ended, or has failed. Rejects with the signal's reason, and with
 * a {@link StalledStreamError} if the stream goes silent.
 */
export async function holdStream(
  face: SentRequest & Pick<HttpCall, 'signal' | 'secrets' | 'holdBudget'>,
  response: Response,
  framing: Framing,
  limits: HoldLimits,
  attempt: Pick<Attempt, 'signal' | 'begun' | 'arrived'>,
): Promise<Held> {
  const signal = attempt.signal ?? face.signal;
  throwIfAborted(signal);
  const { until, maxHoldBytes, maxHoldMs } = limits;
  const given = until === 'end' ? response.body : null;
  // Not every runtime has streams of bytes.
  const isOfBytes = given !== null && isByteStream(given);
  const reader = given?.getReader() ?? readerOfClone(response);
  if (reader === null) return { response, failure: null, isWhole: false };

  const kept = new Bytes();
  let hasBegun = false;
  let decision: 'release' | HeldFailure | undefined;
  let stall: Parameters<OnStall> | undefined;
  const events = new EventReader(framing, (kind, event) => {
    if (kind === 'error') decision = errorOf(event);
    // A ping with a name is an event of an answer; a comment or an empty line may come from any server.
    else if (kind === 'preamble' || kind === 'ping') hasBegun ||= event.name !== '' || event.data !== '';
    else {
      // Thinking included: then the time limit of the attempt ends.
      attempt.begun();
      const isAwaited = until === 'content' || (until === 'text' && kind !== 'thinking');
      // Nothing is known about where another protocol ends.
      if (isAwaited || events.isKnown !== true) decision = 'release';
    }
    return decision !== undefined;
  });
  const reading = new BodyReading(reader);
  const onStall: OnStall = (...told) => {
    stall = told;
    reading.stop();
  };
  const clocks = new StallClocks(limits, onStall, startTimer);
  clocks.begin();
  const end = await reading.run(signal, maxHoldBytes, maxHoldMs, (chunk) => {
    // Until its first content only pings and preamble arrive, which are no progress.
    if (until !== 'content') attempt.arrived();
    if (until === 'end') kept.add(chunk);
    const wasOver = events.isOver;
    clocks.arrive(inParts(chunk, (part) => decision === undefined && events.feed(part)));
    if (events.isOver !== wasOver) clocks.change(events.isOver ? GRACE : limits);
    clocks.begin();
    return decision !== undefined || face.holdBudget?.take(chunk.byteLength) === false;
  });
  clocks.stop();

  const cancel = (reason?: unknown): void => {
    if (until === 'end') void reader.cancel(reason).catch(doNothing);
    else cancelClone(reader, response, signal);
  };
  if (signal?.aborted === true) {
    cancel(reasonOf(signal));
    throw reasonOf(signal);
  }
  if (stall !== undefined && !events.isOver) {
    const error = new StalledStreamError(...stall, events.position(face.secrets));
    void reader.cancel(error).catch(doNothing);
    throw error;
  }
  const hasEnded = end !== 'stopped' || stall !== undefined;
  if (hasEnded) {
    const cause = typeof end === 'object' ? end.cause : undefined;
    const isCut = end === 'end' ? events.end() : true;
    const isBegun = hasBegun || isCut || (events.isKnown ?? (until !== 'content' && isModelRequest(face) === true));
    if (isBegun && !events.isOver) decision ??= { interrupted: true, cause };
  }
  const failure = typeof decision === 'object' ? decision : null;
  if (until !== 'end') {
    if (!hasEnded) cancel();
    return { response, failure, isWhole: false };
  }
  const isWhole = hasEnded && events.isOver && failure === null;
  if (isWhole) cancel();
  const isInterrupted = failure !== null && 'interrupted' in failure;
  let { pending } = reading;
  /** The bytes that were kept, and what follows them. */
  const next = async (): Promise<BodyPart> => {
    if (kept.length > 0) {
      const value = kept.view.slice();
      kept.drop(value.length);
      return { done: false, value };
    }
    if (isWhole) return { done: true, value: undefined };
    if (isInterrupted) throw failure.cause ?? new TruncatedStreamError(events.position(face.secrets));
    const part = pending ?? reader.read();
    pending = undefined;
    return part;
  };
  const source = {
    async pull(controller: BodyController): Promise<void> {
      const part = await next();
      if (part.done) endBody(controller);
      else controller.enqueue(part.value);
    },
    cancel: (reason: unknown) => (isInterrupted ? undefined : reader.cancel(reason)),
  };
  return { response: remakeResponse(response, bodyFrom(source, isOfBytes)), failure, isWhole };
}
