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

/** How much is kept at least, if there is so much. */
const KEPT_BYTES = 8_192;
/** How much of it is read at first: the end of most answers, and the last event before it. */
const END_BYTES = 256;
/** How much of it is read if that is no end: the last event. */
const READ_BYTES = 1_024;
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
/** Long chunks are read in parts, so that what is left of them is not much more. */
const PART_BYTES = 65_536;
/** The same before the protocol is known, because such a part is read whole. */
export const UNKNOWN_BYTES = 4_096;
const LINE_FEED = 10;
const BREAKS: readonly number[] = [LINE_FEED, 13];
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
  #kept = NO_BYTES;
  /** How much of it is in use. */
  #length = 0;
  /** Whether the kept bytes do not follow what was read. */
  #hasGap = false;

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
    const partBytes = events.isKnown === undefined ? UNKNOWN_BYTES : PART_BYTES;
    if (chunk.length > partBytes) return inParts(chunk, (part) => this.feed(part, isTimed), partBytes);
    if (this.#isBinary || events.isKnown === undefined || events.isInLongEvent) return events.feed(chunk);
    this.#keep(chunk);
    return isTimed && (chunk.byteLength > LONGEST_PING || this.#isOutput(chunk));
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

  /** A copy, because the reader of the stream takes the memory of the chunk. */
  #keep(chunk: Uint8Array): void {
    const start = startOfEnd(chunk);
    if (start === 0) return this.#add(chunk);
    this.#add(chunk.subarray(0, start));
    // Otherwise a long event was read.
    if (this.#length > 0) this.#letGo(this.#kept.subarray(0, this.#length));
    this.#length = 0;
    const rest = chunk.subarray(start);
    if (this.#events.isInLongEvent) this.#events.feed(rest);
    else this.#add(rest);
  }

  #add(added: Uint8Array): void {
    if (this.#length + added.length > this.#kept.length) this.#makeRoom(added.length);
    if (this.#length + added.length > LONGEST_EVENT) return this.#readLong(added);
    this.#kept.set(added, this.#length);
    this.#length += added.length;
  }

  /** Reads an event that is too long to be kept, of which a part has arrived. */
  #readLong(added: Uint8Array): void {
    if (this.#hasGap) this.#events.restart();
    this.#hasGap = false;
    const kept = this.#kept.subarray(0, this.#length);
    const start = Math.max(...BREAKS.map((byte) => kept.lastIndexOf(byte))) + 1;
    const ends = BREAKS.map((byte) => added.indexOf(byte)).filter((at) => at >= 0);
    const feed = (part: Uint8Array): boolean => this.#events.feed(part);
    inParts(kept.subarray(0, start), feed);
    // Before it is read, because its text would be in memory too.
    if (kept.length - start + Math.min(...ends, added.length) > LONGEST_EVENT) this.#events.skip();
    inParts(kept.subarray(start), feed);
    feed(added);
    this.#length = 0;
  }

  #makeRoom(bytes: number): void {
    const kept = this.#kept.subarray(0, this.#length);
    const start = startOfEnd(kept);
    if (start > 0) this.#letGo(kept.subarray(0, start));
    this.#length -= start;
    const needed = this.#length + bytes;
    // Without a line to begin with, it is a single long event, and may be the last.
    const spare = Math.min(needed, KEPT_BYTES);
    if (needed + spare > this.#kept.length) this.#kept = new Uint8Array(Math.min(needed + 3 * spare, LONGEST_EVENT));
    this.#kept.set(kept.subarray(start));
  }

  /** Reads on in an event that has begun. Returns what follows it. */
  #readOn(part: Uint8Array): Uint8Array {
    let start = 0;
    while (!this.#hasGap && this.#events.isInEvent && start < part.length) {
      const end = part.indexOf(LINE_FEED, start) + 1 || part.length;
      this.#events.feed(part.subarray(start, end));
      start = end;
    }
    return part.subarray(start);
  }

  /** Lets go of a part that ends with a line. It is read first if the answer may end in it. */
  #letGo(whole: Uint8Array): void {
    const part = this.#readOn(whole);
    if (part.length === 0) return;
    const text = latin1(part);
    const first = text.search(FREQUENT.test(text.slice(0, PROTOCOL_LENGTH)) ? FREQUENT_MARKERS : MARKERS);
    // From the line before, which has the name of the event or begins its JSON.
    if (first >= 0) this.#readFrom(part, text.lastIndexOf('\n', first) - 1);
    this.#hasGap = first < 0;
  }

  /** Reads the kept bytes: their end, or from the first word that may be of an end or an error. */
  #readKept(): EventReader {
    const kept = this.#readOn(this.#kept.subarray(0, this.#length));
    const end = kept.lastIndexOf(LINE_FEED);
    // Without a search, which takes longer than the rest, if the last lines say that the answer is complete.
    if (!this.#hasGap || !this.#readFrom(kept, end - END_BYTES)) {
      const marker = latin1(kept).search(MARKERS);
      this.#readFrom(kept, Math.min(marker < 0 ? Infinity : marker, end - READ_BYTES));
    }
    this.#hasGap = false;
    this.#length = 0;
    return this.#events;
  }

  /** Reads from the line that an offset is in. Whether the answer is complete. */
  #readFrom(kept: Uint8Array, offset: number): boolean {
    const start = offset > 0 ? kept.lastIndexOf(LINE_FEED, offset) + 1 : 0;
    if (start > 0 || this.#hasGap) this.#events.restart();
    this.#events.feed(kept.subarray(start));
    return this.#events.isOver;
  }
}

/** Calls `feed` with each part of bytes. Whether one of them returned true. */
export function inParts(
  bytes: Uint8Array,
  feed: (part: Uint8Array) => boolean,
  partBytes: number = PART_BYTES,
): boolean {
  let isAny = false;
  for (let at = 0; at < bytes.length; at += partBytes) if (feed(bytes.subarray(at, at + partBytes))) isAny = true;
  return isAny;
}

/** Where the last lines of a long part begin; 0 if it is short, or a line is too long. */
function startOfEnd(part: Uint8Array): number {
  const from = part.length - KEPT_BYTES;
  const start = from > 0 ? part.indexOf(LINE_FEED, from) + 1 : 0;
  return start > part.length - KEPT_BYTES / 2 ? 0 : start;
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
