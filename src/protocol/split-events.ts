/**
 * Splits a body into its events as it arrives: SSE, NDJSON, plain JSON between or after SSE events (Gemini), and the
 * binary frames of an AWS event stream. Bytes may be cut anywhere. A visitor gets each event once and stops the
 * splitting by returning true, because nothing matters after the first decisive event.
 */

import { parseJson } from '../runtime/values.ts';

/** One event of a stream. */
export interface StreamEvent {
  /** The `event:` field, or a frame's `:event-type`; '' if it is missing. */
  readonly name: string;
  /** The `data:` lines, the line of JSON, or a frame's payload. */
  readonly data: string;
  /** The parsed data, if the splitting had to parse it. */
  readonly value?: unknown;
  /** The `:exception-type` of a frame with an exception. */
  readonly exception?: string;
}

/** Called for each event in order; true ends the splitting. */
export type Visit = (event: StreamEvent) => boolean;

export interface EventSplitter {
  /** Reads the next part of the body. Returns true once the visitor has stopped. */
  feed(chunk: Uint8Array | string, visit: Visit): boolean;
  /** Ends the body; an unfinished event counts as an event. */
  end(visit: Visit): boolean;
  /** Whether a comment of OpenRouter has arrived, which shows before any event that the stream works. */
  readonly isAnnounced: boolean;
  /** The length of an event or line that has begun. */
  readonly pendingLength: number;
  /** Whether an event has begun, or a part of a frame has arrived. */
  readonly isInsideEvent: boolean;
}

/** How the bodies of a content type are split into events. */
export type Framing = 'text' | 'frames';

export function createSplitter(framing: Framing): EventSplitter {
  return framing === 'frames' ? new FrameSplitter() : new TextSplitter();
}

const FIELD = /^(?:data|event|id|retry)(?:$|:)/;
const FIELDS = ['data:', 'event:', 'id:', 'retry:'];
/** JSON over several lines ends in the column in which it began; JSON on one line is complete. */
const MAY_BE_WHOLE = /^[}\]]|^\s*[{[].*[}\]]\s*$/;
/** Parsing at every line would take quadratic time. JSON that has not ended by then is probably something else. */
const MAX_ATTEMPTS = 32;

class TextSplitter implements EventSplitter {
  isAnnounced = false;
  #decoder: TextDecoder | undefined;
  /**
   * The text after the last complete line. It is only appended to until a line ends, because reading it would copy it
   * each time.
   */
  #rest = '';
  #endsInCr = false;
  #name = '';
  /** The data of an event, or the beginning of JSON outside of any field. */
  #lines: string[] = [];
  #isBare = false;
  #attempts = 0;

  feed(chunk: Uint8Array | string, visit: Visit): boolean {
    const text =
      typeof chunk === 'string' ? chunk : (this.#decoder ??= new TextDecoder()).decode(chunk, { stream: true });
    const mayEnd = this.#endsInCr || /[\r\n]/.test(text);
    this.#rest += text;
    if (!mayEnd || text === '') return false;
    this.#endsInCr = text.endsWith('\r');
    // A CR at the end may be the first half of a CR LF.
    const lines = this.#rest.split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? '';
    return lines.some((line) => this.#take(line, visit));
  }

  end(visit: Visit): boolean {
    const last = this.#rest + (this.#decoder?.decode() ?? '');
    const isNamed = this.#name !== '';
    if (last !== '' && last.split('\r').some((line) => this.#take(line, visit))) return true;
    // A complete name identifies an event whose data was cut off.
    if (isNamed && this.#lines.length === 0) this.#lines.push('');
    return this.#dispatch(visit);
  }

  get pendingLength(): number {
    return this.#rest.length;
  }

  get isInsideEvent(): boolean {
    const rest = this.#rest;
    const isField = FIELDS.some((field) => field.startsWith(rest) || rest.startsWith(field));
    return this.#name !== '' || this.#lines.length > 0 || (rest !== '' && isField);
  }

  #take(line: string, visit: Visit): boolean {
    if (line === '') return !this.#isBare && this.#dispatch(visit);
    if (line.startsWith(':')) {
      this.isAnnounced ||= /openrouter/i.test(line);
      return false;
    }
    // llama.cpp sent errors in this form for a while. It is not a field of SSE; the line contains the whole error.
    if (/^error: ?\{/.test(line)) return visit({ name: 'error', data: line.slice(line.indexOf('{')) });
    if (!FIELD.test(line)) return this.#takeBare(line, visit);
    if (this.#isBare && this.#dispatch(visit)) return true;
    const value = line.replace(/^\w+(?:: ?)?/, '');
    if (line.startsWith('data')) this.#lines.push(value);
    else if (line.startsWith('event')) this.#name = value;
    return false;
  }

  /** JSON outside of any field: a line of NDJSON, or an error that was written into an SSE stream unchanged. */
  #takeBare(line: string, visit: Visit): boolean {
    if (!this.#isBare) {
      if (!/^\s*[{[]/.test(line)) return false;
      if (this.#dispatch(visit)) return true;
      this.#isBare = true;
    }
    this.#lines.push(line);
    if (!MAY_BE_WHOLE.test(line) || this.#attempts >= MAX_ATTEMPTS) return false;
    const value = parseJson(this.#lines.join('\n'));
    this.#attempts = value === undefined ? this.#attempts + 1 : 0;
    return value !== undefined && this.#dispatch(visit, value);
  }

  #dispatch(visit: Visit, value?: unknown): boolean {
    const event = { name: this.#name, data: this.#lines.join('\n'), ...(value !== undefined && { value }) };
    const hasData = this.#lines.length > 0;
    this.#name = '';
    this.#lines = [];
    this.#isBare = false;
    return hasData && visit(event);
  }
}

const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;
/** AWS allows 16 MiB of payload and 128 KiB of headers. */
const MAX_FRAME_BYTES = 0x1_02_00_00;
/** The sizes of header values by type; values of the missing types include their length. */
const VALUE_BYTES: readonly (number | undefined)[] = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16];

class FrameSplitter implements EventSplitter {
  #bytes = new Uint8Array(1_024);
  #length = 0;

  /** A part of a frame shows that the stream works, too. */
  get isAnnounced(): boolean {
    return this.isInsideEvent;
  }

  get pendingLength(): number {
    return this.#length;
  }

  get isInsideEvent(): boolean {
    return this.#length > 0;
  }

  feed(chunk: Uint8Array | string, visit: Visit): boolean {
    this.#append(typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk);
    let start = 0;
    let stopped = false;
    while (!stopped && this.#length - start >= PRELUDE_BYTES) {
      const view = new DataView(this.#bytes.buffer, start, this.#length - start);
      const total = view.getUint32(0);
      const headersEnd = PRELUDE_BYTES + view.getUint32(4);
      // The checksums are left to the reader: here they would only protect the moment of the release.
      if (total > MAX_FRAME_BYTES || headersEnd + CHECKSUM_BYTES > total) return visit({ name: '', data: '' });
      if (total > view.byteLength) break;
      stopped = visit(readFrame(this.#bytes.subarray(start, start + total), headersEnd));
      start += total;
    }
    this.#bytes.copyWithin(0, start, this.#length);
    this.#length -= start;
    return stopped;
  }

  end(): boolean {
    return false;
  }

  #append(chunk: Uint8Array): void {
    const length = this.#length + chunk.byteLength;
    if (length > this.#bytes.byteLength) {
      const larger = new Uint8Array(length * 2);
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = larger;
    }
    this.#bytes.set(chunk, this.#length);
    this.#length = length;
  }
}

function readFrame(frame: Uint8Array, headersEnd: number): StreamEvent {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.byteLength);
  const decoder = new TextDecoder();
  const headers = new Map<string, string>();
  let at = PRELUDE_BYTES;
  while (at < headersEnd) {
    const nameEnd = at + 1 + (frame[at] ?? 0);
    const name = decoder.decode(frame.subarray(at + 1, nameEnd));
    const fixed = VALUE_BYTES[frame[nameEnd] ?? 0];
    if (nameEnd + 3 > frame.byteLength) break;
    const valueStart = nameEnd + (fixed === undefined ? 3 : 1);
    const valueEnd = valueStart + (fixed ?? view.getUint16(nameEnd + 1));
    if (fixed === undefined) headers.set(name, decoder.decode(frame.subarray(valueStart, valueEnd)));
    at = valueEnd;
  }
  const data = decoder.decode(frame.subarray(headersEnd, frame.byteLength - CHECKSUM_BYTES));
  const name = headers.get(':event-type') ?? '';
  const messageType = headers.get(':message-type');
  if (messageType === 'exception') return { name, data, exception: headers.get(':exception-type') ?? 'exception' };
  if (messageType !== 'error') return { name, data };
  const value = { message: headers.get(':error-message') ?? data };
  return { name, data, value, exception: headers.get(':error-code') ?? 'error' };
}
