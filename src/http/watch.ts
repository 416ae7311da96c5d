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

import { type BodyController, bodyFrom, endBody, replaceBody } from '../body/remake-response.ts';
import { isBytes } from '../body/bytes.ts';
import { type BodyPart, type BodyReader, isByteStream, isReadableTwice } from '../body/response-body.ts';
import { protocolOf } from '../protocol/event-kinds.ts';
import type { ErrorContent } from '../protocol/in-band-error.ts';
import type { Framing } from '../protocol/split-events.ts';
import { doNothing } from '../runtime/runtime.ts';
import { hasMethod } from '../runtime/values.ts';
import type { BreakReason } from '../events/events.ts';
import { hasLimits, StallClocks, type StallLimits } from './stall-clocks.ts';
import { type StallKind, StalledStreamError, TruncatedStreamError } from './stream-errors.ts';
import { WatchedEvents } from './watched-events.ts';

/** The limits of a watch. */
export interface StreamLimits extends StallLimits {
  /** Whether a stream must end with the last event of its protocol. */
  readonly checkEnd: boolean;
}

/** What a watch knows of the call, and whom it tells. */
export interface WatchedCall {
  /** Whether the request is known to ask a model for text, so that a stream without any event is watched too. */
  readonly asksForText: boolean;
  /** Whether the caller has aborted: then the error of the body is the caller's own. */
  readonly isAborted: () => boolean;
  /** Texts that no error may show. */
  readonly secrets: () => readonly string[];
  /** The host that answers; '' if it is not known. */
  readonly host: () => string;
  /** Called once, before the body fails. */
  readonly onBreak: (because: Exclude<BreakReason, 'error-event'>, error: unknown) => void;
  /** Called once, when the stream is over in which the server has sent an error. */
  readonly onErrorEvent: (error: ErrorContent) => void;
}

/**
 * Watches the body of a response: the same object, with another `body`. It fails with a {@link StalledStreamError} when
 * it goes silent, and with a {@link TruncatedStreamError} when it ends before the answer is complete.
 */
export function watchBody(response: Response, limits: StreamLimits, call: WatchedCall): void {
  // A custom transport may return less than a response.
  const { headers } = response;
  if (!isReadableTwice(response) || !hasMethod(headers, 'get')) return;
  const framing = protocolOf(headers.get('content-type'));
  const body = framing && response.body;
  if (framing && body)
    replaceBody(response, (excuse) => new WatchedBody(body, framing, limits, call, excuse).open(), call.isAborted);
}

/** Reads the original body only when it is read itself, and no further. */
class WatchedBody {
  readonly #source: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly #events: WatchedEvents;
  readonly #checkEnd: boolean;
  readonly #call: WatchedCall;
  readonly #clocks: StallClocks | undefined;
  readonly #excuse: () => void;
  #reader: BodyReader | undefined;
  #controller: BodyController | undefined;
  #isOpen = true;

  constructor(
    body: ReadableStream<Uint8Array<ArrayBuffer>>,
    framing: Framing,
    limits: StreamLimits,
    call: WatchedCall,
    excuse: () => void,
  ) {
    this.#source = body;
    this.#events = new WatchedEvents(framing);
    this.#checkEnd = limits.checkEnd;
    this.#call = call;
    this.#excuse = excuse;
    if (hasLimits(limits)) this.#clocks = new StallClocks(limits, (kind, afterMs) => this.#stall(kind, afterMs));
  }

  open(): ReadableStream<Uint8Array> {
    const source = {
      pull: (controller: BodyController) => this.#pull(controller),
      cancel: (reason: unknown) => this.#cancel(reason),
    };
    // A stream of bytes takes over the memory of its chunks, which the source of any other stream may share.
    return bodyFrom(source, isByteStream(this.#source));
  }

  /** Without `async`, which would cost another promise for each chunk. */
  #pull(controller: BodyController): Promise<void> {
    this.#controller = controller;
    const reader = (this.#reader ??= this.#openSource());
    this.#wait();
    return reader.read().then(this.#pass, this.#cut);
  }

  readonly #pass = (part: BodyPart): void => {
    if (!this.#isOpen) return;
    if (part.done) return this.#end();
    // Before it is handed on, because that takes the memory of the chunk.
    this.#look(part.value);
    this.#controller?.enqueue(part.value);
  };

  /** A read has begun. Another protocol has no clocks. */
  #wait(): void {
    if (this.#events.isKnown ?? this.#call.asksForText) this.#clocks?.begin();
  }

  /** The read has brought a chunk. */
  #look(chunk: Uint8Array): void {
    const hasOutput = isBytes(chunk) && this.#events.feed(chunk, this.#clocks !== undefined);
    this.#clocks?.arrive(hasOutput);
  }

  #openSource(): BodyReader {
    const reader = this.#source.getReader();
    // A break between two reads is told at once, as it is without a watch.
    reader.closed.catch(this.#cut);
    return reader;
  }

  /** The body has ended. */
  #end(): void {
    if (this.#checkEnd && this.#events.endsTooEarly(this.#call.asksForText)) {
      const position = this.#events.position(this.#call.secrets());
      return this.#break('truncated', new TruncatedStreamError(position, this.#call.host()));
    }
    this.#close();
    if (this.#controller !== undefined) endBody(this.#controller);
  }

  /** An error of the connection gets what an application needs to attach again. */
  #place(error: unknown): void {
    const { responseId, sequenceNumber } = this.#events.position();
    const mayChange = error instanceof Error && Object.isExtensible(error);
    if (mayChange && responseId !== undefined && sequenceNumber !== undefined)
      Object.assign(error, { responseId, sequenceNumber });
  }

  readonly #cut = (error: unknown): void => {
    if (!this.#isOpen) return;
    const { isOver } = this.#events;
    // The error of an abort is the caller's own.
    const isAborted = this.#call.isAborted();
    // After the whole answer a break of the connection is no loss.
    if (isOver && this.#events.error === undefined && !isAborted) return this.#end();
    if (isOver || isAborted) return this.#break(undefined, error);
    this.#place(error);
    this.#break('cut', error);
  };

  #stall(kind: StallKind, afterMs: number): void {
    // After the end of the answer there is nothing to wait for.
    if (this.#events.isOver) return;
    const error = new StalledStreamError(kind, afterMs, this.#events.position(this.#call.secrets()));
    this.#break('stalled', error);
    void this.#reader?.cancel(error).catch(doNothing);
  }

  #break(because: Parameters<WatchedCall['onBreak']>[0] | undefined, error: unknown): void {
    if (!this.#isOpen) return;
    this.#close();
    if (because !== undefined) this.#call.onBreak(because, error);
    // Without the watch the body would not have failed.
    if (because !== 'cut') this.#excuse();
    this.#controller?.error(error);
  }

  #cancel(reason: unknown): Promise<void> {
    this.#close();
    return this.#reader === undefined ? this.#source.cancel(reason) : this.#reader.cancel(reason);
  }

  #close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#clocks?.stop();
    // The reader may have left at the error, which was not looked for before.
    const events = this.#events;
    const isFailed = events.isOver && (events.isKnown ?? this.#call.asksForText);
    if (isFailed && events.error !== undefined) this.#call.onErrorEvent(events.error);
  }
}
