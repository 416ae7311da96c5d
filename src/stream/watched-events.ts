/**
 * Reads the events of a stream that is watched, only where they matter. Once the protocol is known, the watch has three
 * questions: is this chunk more than a ping, was the answer complete when the stream ended, and where did it break? So
 * chunks are kept unread, and the oldest are let go unread: no answer goes on for long after its end.
 */

import { concat } from '../fetch/response-body.ts';
import { EventReader, type StreamPosition } from '../protocol/event-reader.ts';
import { readEvent } from '../protocol/event-kinds.ts';
import { createSplitter, type Framing } from '../protocol/split-events.ts';

/** What is kept at least, if there is so much. */
const KEPT_BYTES = 16_384;
/** A longer chunk is more than a ping. */
const LONGEST_PING = 256;
/** How the names of pings end. */
const PINGS = /(?:ping|alive|heartbeat)["\r\n]/;
const LINE_FEED = 10;

export class WatchedEvents {
  readonly #events: EventReader;
  readonly #isBinary: boolean;
  readonly #decoder = new TextDecoder();
  #kept: Uint8Array[] = [];
  #length = 0;
  /** How much may be kept. */
  #limit = 2 * KEPT_BYTES;
  /** Whether what came before the kept chunks was let go. */
  #hasLetGo = false;

  constructor(framing: Framing) {
    this.#events = new EventReader(framing, () => this.#events.isKnown === false);
    this.#isBinary = framing === 'frames';
  }

  /** Whether the end of the protocol is known; undefined until an event shows it. */
  get isKnown(): boolean | undefined {
    return this.#events.isKnown;
  }

  /** Whether the answer is complete, or has failed with an event that says so. */
  get isOver(): boolean {
    return this.#readKept().isOver;
  }

  /** Where the stream stands. */
  get position(): StreamPosition {
    return this.#readKept().position;
  }

  /** Takes the next part of the body. Whether it brought output, or a long part of an event. */
  feed(chunk: Uint8Array): boolean {
    const { isKnown } = this.#events;
    if (isKnown === false) return false;
    if (isKnown === undefined || this.#isBinary) return this.#readKept().feed(chunk);
    const hasOutput = chunk.byteLength > LONGEST_PING || hasMoreThanPings(this.#decoder.decode(chunk));
    this.#keep(chunk);
    return hasOutput;
  }

  /** Ends the body. Whether the answer is incomplete. `isOfModel`: even if no event has shown what answers. */
  endsTooEarly(isOfModel: boolean): boolean {
    const events = this.#readKept();
    const { isInside } = events;
    const isCut = events.end();
    if (events.isOver || events.isKnown === false) return false;
    return events.isKnown === true || isCut || (isOfModel && (isInside || !events.hasBegun));
  }

  #keep(chunk: Uint8Array): void {
    if (this.#keepEndOf(chunk)) return;
    // A copy, because the reader of the stream takes the memory of the chunk.
    this.#kept.push(new Uint8Array(chunk));
    this.#length += chunk.byteLength;
    if (this.#length <= this.#limit) return;
    const whole = concat(this.#kept, Infinity);
    if (this.#keepEndOf(whole)) return;
    // A single event is as long, and may be the last.
    this.#kept = [whole];
    this.#limit = 2 * this.#length;
  }

  /** Keeps only the last lines of a long part. False if it has no line that begins early enough. */
  #keepEndOf(part: Uint8Array): boolean {
    if (part.byteLength < KEPT_BYTES) return false;
    const end = part.subarray(-KEPT_BYTES);
    const start = end.indexOf(LINE_FEED) + 1;
    if (start === 0 || start > KEPT_BYTES / 2) return false;
    this.#kept = [end.slice(start)];
    this.#length = KEPT_BYTES - start;
    this.#limit = 2 * KEPT_BYTES;
    this.#hasLetGo = true;
    return true;
  }

  #readKept(): EventReader {
    const events = this.#events;
    if (this.#hasLetGo) events.restart();
    this.#hasLetGo = false;
    for (const chunk of this.#kept.splice(0)) events.feed(chunk);
    this.#length = 0;
    return events;
  }
}

/** Whether a short text is a part of an answer, and not only comments, empty lines and pings. */
function hasMoreThanPings(text: string): boolean {
  const start = text.trimStart();
  if (start !== '' && !start.startsWith(':') && !PINGS.test(text)) return true;
  let hasOutput = false;
  createSplitter('text').feed(text, (event) => (hasOutput = readEvent(event).kind !== 'ping'));
  return hasOutput;
}
