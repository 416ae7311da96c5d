/**
 * Reads the events of a stream that is watched, only where they matter. Once the protocol is known, the watch has three
 * questions: is this chunk more than a ping, was the answer complete when the stream ended, and where did it break? So
 * the last chunks are kept unread. Older ones are let go, unread if they contain no word of an end or an error.
 */

import { Bytes, inParts } from '../body/bytes.ts';
import { systemRuntime } from '../runtime/runtime.ts';
import { EventReader, type StreamPosition, type VisitEvent } from '../protocol/event-reader.ts';
import { errorOf, readEvent } from '../protocol/event-kinds.ts';
import type { ErrorContent } from '../protocol/in-band-error.ts';
import { createSplitter, type Framing } from '../protocol/split-events.ts';

/** So much is kept before it is searched, because each search has its own cost. */
const SEARCHED_BYTES = 32_768;
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
/** A longer chunk is taken in parts, because only the first of them may have to be read. */
const LONGEST_PART = 4_096;
const LINE_FEED = 10;

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
/** A choice of OpenAI Chat other than the first. */
const OTHER_CHOICE = /"index"\s*:\s*[1-9]/;
/** How much of a part shows its protocol. */
const PROTOCOL_LENGTH = 1_024;

export class WatchedEvents {
  /** The first event that is an error. */
  error: ErrorContent | undefined;
  readonly #events: EventReader;
  readonly #isBinary: boolean;
  #freshUntil = -Infinity;
  /** What is not read yet; empty while the reader is in an event. */
  readonly #kept = new Bytes();
  /** How much is kept when it is searched. A long line is not searched again with each of its chunks. */
  #mostKept = SEARCHED_BYTES;

  constructor(framing: Framing) {
    this.#isBinary = framing === 'frames';
    const see: VisitEvent = (kind, event) => {
      if (kind === 'error') this.error ??= errorOf(event);
      return false;
    };
    this.#events = new EventReader(framing, see, LONGEST_EVENT);
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
    if (chunk.length > LONGEST_PART) return inParts(chunk, (part) => this.feed(part, isTimed));
    if (this.#isBinary || events.isKnown === undefined) return events.feed(chunk);
    // A copy, because the reader of the stream takes the memory of the chunk.
    this.#kept.add(events.isInEvent ? this.#readOn(chunk) : chunk);
    if (this.#kept.length > this.#mostKept) this.#letGo(false);
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

  #readKept(): EventReader {
    this.#letGo(true);
    return this.#events;
  }

  /**
   * Lets go of all but the last lines, and of these too if they are read: all may be asked for, and what may be an end or
   * an error is read with what follows it.
   */
  #letGo(isRead: boolean): void {
    const bytes = this.#kept.view;
    const text = latin1(bytes);
    const marker = text.search(FREQUENT.test(text.slice(0, PROTOCOL_LENGTH)) ? FREQUENT_MARKERS : MARKERS);
    // From the line before, which has the name of the event or begins its JSON.
    const before = marker < 0 ? bytes.length - END_BYTES : startOfLine(bytes, marker) - 2;
    // Where one choice ends, those that have begun have to be known.
    const choice = marker < 0 ? -1 : text.search(OTHER_CHOICE);
    const start = startOfLine(bytes, choice < 0 ? before : Math.min(before, choice));
    const mayStay = marker < 0 && bytes.length - start <= LONGEST_EVENT;
    if (isRead || !mayStay) this.#events.feed(bytes.subarray(start));
    this.#kept.drop(isRead || !mayStay ? bytes.length : start);
    this.#mostKept = Math.max(SEARCHED_BYTES, 2 * this.#kept.length);
  }
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
