/**
 * Reads the events of a stream that is watched, only where they matter. Once the protocol is known, the watch has three
 * questions: is this chunk more than a ping, was the answer complete when the stream ended, and where did it break? So
 * the last chunks are kept unread. Older ones are let go, unread if they contain no word of an end or an error.
 */

import { systemRuntime } from '../runtime/runtime.ts';
import { EventReader, type StreamPosition } from '../protocol/event-reader.ts';
import { errorOf, readEvent } from '../protocol/event-kinds.ts';
import type { ErrorContent } from '../protocol/in-band-error.ts';
import { createSplitter, type Framing } from '../protocol/split-events.ts';

/** So much of a short stream is kept before it is searched, and of a longer one, because each search has its own cost. */
const FIRST_BYTES = 4_096;
const MOST_BYTES = 32_768;
/** How much of the end is read, or kept, if it has no word of an end or an error: the last event. */
const END_BYTES = 1_024;
/** A longer chunk is more than a ping. */
const LONGEST_PING = 256;
/** What follows output so soon counts as output unread, because the look costs more than the rest of a watch. */
const FRESH_MS = 5;
/** How the names of pings end. */
const PINGS = /(?:ping|alive|heartbeat)["\r\n]/;
/** A comment, or a line that may become the name of a ping. */
const BEGINNINGS = /^(?::|e[^\r\n]*$)/;
/** A longer event is not kept. */
const LONGEST_EVENT = 262_144;
const PART_BYTES = 4_096;
const LINE_FEED = 10;
const NO_BYTES = new Uint8Array(0);

/**
 * Parts of the words that each end and each error contains, and the beginning of an error in several lines. The text of
 * an answer may contain them too.
 */
const MARKERS =
  /\{\s*"error|rror["'_:\r\n]|RROR|failed["'\r\n]|base_resp|(?:finish|stop|done)_reason"\s*:\s*"|DONE\]|message_stop|-end["\r\n]|(?:response|interaction)\.(?:completed|incomplete|cancel|done)|finishReason|expires_at|blockReason|done"\s*:\s*t/;

/**
 * The same in what is let go of the most frequent protocols. Every byte of an answer is searched, and this pattern takes an
 * eighth of the time: measure it after each change, because another word in it may cost as much as the other pattern.
 */
const FREQUENT = /"(?:choices"|content_block_delta"|candidates"|response\.)/;
const FREQUENT_MARKERS =
  /_(?:reason"\s*:\s*"|resp|at"|stop["\r\n])|DONE\]|Reason"|rror["_\r\n]|response\.(?:com|inc|can|don|fai|err)/;
/** How much of a part shows its protocol. */
const PROTOCOL_LENGTH = 1_024;

export class WatchedEvents {
  /** The first event that is an error. */
  error: ErrorContent | undefined;
  readonly #events: EventReader;
  readonly #isBinary: boolean;
  #freshUntil = -Infinity;
  /** What is not read yet; empty while the reader is in an event. */
  #kept = NO_BYTES;
  /** How much of it is in use. */
  #length = 0;

  constructor(framing: Framing) {
    this.#isBinary = framing === 'frames';
    this.#events = new EventReader(
      framing,
      (kind, event) => {
        if (kind === 'error') this.error ??= errorOf(event);
        return false;
      },
      { maxLength: LONGEST_EVENT, markers: MARKERS },
    );
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
  position(secrets?: readonly string[]): StreamPosition {
    return this.#readKept().position(secrets);
  }

  /**
   * Takes the next part of the body. Whether it brought output, or a long part of an event; `isTimed`: whether that is
   * asked.
   */
  feed(chunk: Uint8Array, isTimed = true): boolean {
    const events = this.#events;
    if (events.isKnown === false) return false;
    if (chunk.length > PART_BYTES) return inParts(chunk, (part) => this.feed(part, isTimed));
    if (this.#isBinary || events.isKnown === undefined) return events.feed(chunk);
    if (this.#length + chunk.length > this.#kept.length) this.#makeRoom(chunk.length);
    // A copy, because the reader of the stream takes the memory of the chunk.
    const added = events.isInEvent ? this.#readOn(chunk) : chunk;
    this.#kept.set(added, this.#length);
    this.#length += added.length;
    return isTimed && (chunk.length > LONGEST_PING || this.#isOutput(chunk));
  }

  /** Whether a short chunk of an answer is more than pings. */
  #isOutput(chunk: Uint8Array): boolean {
    const now = systemRuntime.monotonic();
    if (now < this.#freshUntil) return true;
    if (!hasMoreThanPings(latin1(chunk))) return false;
    this.#freshUntil = now + FRESH_MS;
    return true;
  }

  /** Ends the body. Whether the answer is incomplete. `isOfModel`: even if no event has shown what answers. */
  endsTooEarly(isOfModel: boolean): boolean {
    const events = this.#readKept();
    const isCut = events.end();
    if (events.isOver || events.isKnown === false) return false;
    return events.isKnown === true || isCut || isOfModel;
  }

  /** Reads on in an event that has begun. Returns what follows it. */
  #readOn(chunk: Uint8Array): Uint8Array {
    let start = 0;
    while (this.#events.isInEvent && start < chunk.length) {
      const end = chunk.indexOf(LINE_FEED, start) + 1 || chunk.length;
      this.#events.feed(chunk.subarray(start, end));
      start = end;
    }
    return chunk.subarray(start);
  }

  #makeRoom(bytes: number): void {
    const last = this.#letGo(this.#unread);
    // A long line is not searched again with each of its chunks.
    const room = Math.max(2 * (last.length + bytes), Math.min(4 * this.#kept.length, MOST_BYTES), FIRST_BYTES);
    if (room > this.#kept.length) this.#kept = new Uint8Array(room);
    this.#kept.set(last);
    this.#length = last.length;
  }

  get #unread(): Uint8Array {
    return this.#kept.subarray(0, this.#length);
  }

  #readKept(): EventReader {
    this.#events.feed(this.#letGo(this.#unread));
    this.#length = 0;
    return this.#events;
  }

  /** Reads what may be an end or an error, and what follows it. Otherwise returns the last lines. */
  #letGo(bytes: Uint8Array): Uint8Array {
    const text = latin1(bytes);
    const marker = text.search(FREQUENT.test(text.slice(0, PROTOCOL_LENGTH)) ? FREQUENT_MARKERS : MARKERS);
    // From the line before, which has the name of the event or begins its JSON.
    const before = marker < 0 ? bytes.length - END_BYTES : startOfLine(bytes, marker) - 2;
    const last = bytes.subarray(startOfLine(bytes, before));
    if (marker < 0 && last.length <= LONGEST_EVENT) return last;
    this.#events.feed(last);
    return NO_BYTES;
  }
}

/** Calls `feed` with each short part of bytes, so that a long chunk is read no further than needed. Whether one of them returned true. */
export function inParts(bytes: Uint8Array, feed: (part: Uint8Array) => boolean): boolean {
  let isAny = false;
  for (let at = 0; at < bytes.length; at += PART_BYTES) if (feed(bytes.subarray(at, at + PART_BYTES))) isAny = true;
  return isAny;
}

/** Where the line begins that an offset is in. */
function startOfLine(bytes: Uint8Array, offset: number): number {
  // A negative index would count from the end.
  return offset < 0 ? 0 : bytes.lastIndexOf(LINE_FEED, offset) + 1;
}

/** One character for each byte. */
export function latin1(bytes: Uint8Array): string {
  return (latin1Decoder ??= new TextDecoder('latin1')).decode(bytes);
}

let latin1Decoder: TextDecoder | undefined;

/** Whether a short text is a part of an answer, and not only comments, empty lines and pings. */
function hasMoreThanPings(text: string): boolean {
  const start = text.trimStart();
  if (start !== '' && !BEGINNINGS.test(start) && !PINGS.test(text)) return true;
  let hasOutput = false;
  createSplitter('text').feed(text, (event) => (hasOutput = readEvent(event).kind !== 'ping'));
  return hasOutput;
}
