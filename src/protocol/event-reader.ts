/**
 * Reads the chunks of a stream, event by event, and knows whether the answer is complete. A protocol whose end is not
 * known here is foreign, and nothing is said about its end.
 */

import { excerpt } from '../redact/redact.ts';
import { own, ownText } from '../runtime/values.ts';
import { type EventKind, type EventReading, readEvent, valueOf } from './event-kinds.ts';
import { createSplitter, type EventSplitter, type Framing, type StreamEvent } from './split-events.ts';

/** Where a stream broke: what an application needs to report it, or to attach to the response again. */
export interface StreamPosition {
  /** The name or type of the last complete event, or else its data; null if there was none. */
  readonly lastEvent: string | null;
  /** The id of the response, where the protocol has one. */
  readonly responseId?: string;
  /** The `sequence_number` of the last event, where the protocol has one. */
  readonly sequenceNumber?: number;
}

/** Called for each event in order; true ends the reading. */
export type VisitEvent = (kind: EventKind, event: StreamEvent) => boolean;

/** After so many events without a proof, a stream is foreign. */
const MAX_UNPROVEN_EVENTS = 8;
/** An unfinished event that is longer than any ping. */
const LONG_PART = 1_024;

/**
 * No event of SSE or NDJSON begins with this: some servers send plain text, which may never have the end of a line. Bytes
 * are read as Latin-1, so `ï` is the first byte of a byte order mark.
 */
const PLAIN_TEXT = /^[^\s:{[deirï\uFEFF]/;

export class EventReader {
  /** Whether the end of the protocol is known here; undefined until an event shows it. */
  isKnown: boolean | undefined;
  /** Whether the answer is complete, or has failed with an event that says so. */
  isOver = false;
  readonly #splitter: EventSplitter;
  readonly #visit: VisitEvent;
  readonly #maxLength: number;
  #mayBePlainText: boolean;
  #hasOutput = false;
  #unproven = 0;
  #last: StreamEvent | undefined;
  #responseId = '';
  /** The choices of OpenAI Chat that have begun, and whether they have ended. */
  readonly #choices = new Map<number, boolean>();

  /** `maxLength`: of longer events, long values are not kept. */
  constructor(framing: Framing, visit: VisitEvent, maxLength: number = Infinity) {
    this.#maxLength = maxLength;
    this.#splitter = createSplitter(framing, maxLength);
    this.#visit = visit;
    this.#mayBePlainText = framing === 'text';
  }

  /** Reads the next part of the body. Whether it brought output, or a long part of an event. */
  feed(chunk: Uint8Array | string): boolean {
    this.#hasOutput = false;
    if (this.#mayBePlainText && chunk.length > 0) {
      this.#mayBePlainText = false;
      const start = typeof chunk === 'string' ? chunk : String.fromCharCode(chunk[0] ?? 0);
      if (PLAIN_TEXT.test(start) && this.#see({ name: '', data: start })) return true;
    }
    this.#splitter.feed(chunk, this.#see);
    return this.#hasOutput || this.#splitter.pendingLength > LONG_PART;
  }

  /** Whether an event has begun. */
  get isInEvent(): boolean {
    return this.#splitter.pendingLength > 0;
  }

  /**
   * Ends the body. An unfinished event counts only if its JSON can be parsed. Whether the body was cut inside an event,
   * or before the first one that was announced.
   */
  end(): boolean {
    let isCut = false;
    this.#splitter.end((event) => {
      if (event.data.trim() === '[DONE]' || valueOf(event) !== undefined) return this.#see(event);
      isCut = event.data === '' ? event.name !== '' : /^\s*[{[]/.test(event.data);
      const { kind } = readEvent(event);
      return kind === 'error' && this.#visit(kind, event);
    });
    return isCut || this.#splitter.isAnnounced;
  }

  /** @param secrets masked in what is told of the last event */
  position(secrets?: readonly string[]): StreamPosition {
    const last = this.#last;
    if (last === undefined) return { lastEvent: null };
    const value = valueOf(last);
    const sequenceNumber = own(value, 'sequence_number');
    const id = this.#responseId || responseIdOf(last);
    return {
      lastEvent: excerpt(last.name || ownText(value, 'type') || ownText(value, 'object') || last.data, 64, secrets),
      ...(id !== '' && { responseId: id }),
      ...(typeof sequenceNumber === 'number' && { sequenceNumber }),
    };
  }

  readonly #see = (event: StreamEvent): boolean => {
    const reading = readEvent(event);
    if (reading.kind !== 'ping') {
      this.#hasOutput = true;
      this.#last = event;
      this.#follow(event, reading);
    }
    return this.#visit(reading.kind, event);
  };

  #follow(event: StreamEvent, { kind, isProof, choices, goesOn }: EventReading): void {
    if (isProof === true && this.isKnown === undefined) {
      this.isKnown = true;
      // Not parsed again in vain.
      if (event.data.includes('"response"')) this.#responseId = responseIdOf(event);
    }
    this.#unproven += 1;
    const isOther = (kind !== 'preamble' && kind !== 'error') || this.#unproven >= MAX_UNPROVEN_EVENTS;
    if (isOther) this.isKnown ??= false;
    // What was not kept may have been the end.
    if (kind === 'content' && event.data.length > this.#maxLength / 4 && valueOf(event) === undefined)
      this.isKnown = false;
    let hasBegun = false;
    for (const [index, hasEnded] of choices ?? []) {
      hasBegun ||= !hasEnded && !this.#choices.has(index);
      if (hasEnded || !this.#choices.has(index)) this.#choices.set(index, hasEnded);
    }
    const isEnd = kind === 'end' && (choices === undefined || [...this.#choices.values()].every(Boolean));
    // Another choice may begin after the end of the first.
    const wasOver = this.isOver && goesOn !== true && !hasBegun;
    this.isOver = this.isKnown !== false && (isEnd || kind === 'error' || wasOver);
  }
}

function responseIdOf(event: StreamEvent): string {
  return ownText(own(valueOf(event), 'response'), 'id');
}
