/**
 * Splits a body into its events as it arrives: SSE, NDJSON, plain JSON between or after SSE events (Gemini), and the
 * binary frames of an AWS event stream. Bytes may be cut anywhere. A visitor gets each event once and stops the
 * splitting by returning true, because nothing matters after the first decisive event.
 */

import { Bytes } from '../body/bytes.ts';
import { fromBase64 } from '../redact/redact.ts';
import { detached, isObject, ownText, parseJson } from '../runtime/values.ts';

/** One event of a stream. */
export interface StreamEvent {
  /** The `event:` field, or a frame's `:event-type`; '' if it is missing, or if the frame has a model's own event. */
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
}

/** How the bodies of a content type are split into events. */
export type Framing = 'text' | 'frames';

/** @param maxLength of the longest event that is kept whole, in characters or bytes */
export function createSplitter(framing: Framing, maxLength: number = Infinity): EventSplitter {
  return framing === 'frames' ? new FrameSplitter(maxLength) : new TextSplitter(maxLength);
}

const FIELD = /^(?:data|event|id|retry)(?:$|:)/;
/** JSON over several lines ends in the column in which it began; JSON on one line is complete, also with U+2028 in it. */
const MAY_BE_WHOLE = /^[}\]]|^\s*[{[].*[}\]]\s*$/s;
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
  /** The length of `#lines`. */
  #length = 0;
  readonly #maxLength: number;
  /** How long the event that has begun may become before it is shortened, again too. */
  #mostPending: number;

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
    this.#mostPending = maxLength;
  }

  feed(chunk: Uint8Array | string, visit: Visit): boolean {
    const given =
      typeof chunk === 'string' ? chunk : (this.#decoder ??= new TextDecoder()).decode(chunk, { stream: true });
    // The second half of a CR LF.
    const text = this.#endsInCr && given.startsWith('\n') ? given.slice(1) : given;
    if (given !== '') this.#endsInCr = text.endsWith('\r');
    this.#rest += text;
    let isStopped = false;
    if (/[\r\n]/.test(text)) {
      const lines = this.#rest.split(/\r\n|\n|\r/);
      this.#rest = lines.pop() ?? '';
      isStopped = lines.some((line) => this.#take(line, visit));
    }
    if (this.pendingLength > this.#mostPending) this.#shorten();
    return isStopped;
  }

  /** The event that has begun is too long to be kept. One of several lines cannot be read then. */
  #shorten(): void {
    this.#lines = this.#lines.slice(0, 1);
    this.#length = this.#lines.join('').length;
    this.#rest = shortened(this.#rest, this.#maxLength / 2);
    this.#mostPending = Math.max(LEAST_ADDED, 2 * this.pendingLength);
  }

  end(visit: Visit): boolean {
    const last = this.#rest + (this.#decoder?.decode() ?? '');
    const isNamed = this.#name !== '';
    // Some servers send the name after the data. One that was cut would be that of another event.
    const isCutName = this.#lines.length > 0 && last.startsWith('e');
    if (last !== '' && !isCutName && this.#take(last, visit)) return true;
    // A complete name identifies an event whose data was cut off.
    if (isNamed && this.#lines.length === 0) this.#lines.push('');
    return this.#dispatch(visit);
  }

  get pendingLength(): number {
    return this.#name.length + this.#length + this.#rest.length;
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
    if (line.startsWith('data')) {
      if (this.#lines.length === 1 && this.#isWholeJson() && this.#dispatch(visit)) return true;
      this.#add(value);
    } else if (line.startsWith('event')) this.#name = value;
    return false;
  }

  /** Some servers send no blank line between events: what is JSON already is an event, and does not go on in another line. */
  #isWholeJson(): boolean {
    const [line = ''] = this.#lines;
    return /^\s*\{.*\}\s*$/s.test(line) && parseJson(line) !== undefined;
  }

  /** JSON outside of any field: a line of NDJSON, or an error that was written into an SSE stream unchanged. */
  #takeBare(line: string, visit: Visit): boolean {
    if (!this.#isBare) {
      if (!/^\s*[{[]/.test(line)) return false;
      if (this.#dispatch(visit)) return true;
      this.#isBare = true;
    }
    this.#add(line);
    if (!MAY_BE_WHOLE.test(line) || this.#attempts >= MAX_ATTEMPTS) return false;
    const value = parseJson(this.#lines.join('\n'));
    this.#attempts = value === undefined ? this.#attempts + 1 : 0;
    return value !== undefined && this.#dispatch(visit, value);
  }

  #add(line: string): void {
    this.#lines.push(line);
    // An empty line takes memory too.
    this.#length += line.length + 1;
  }

  #dispatch(visit: Visit, value?: unknown): boolean {
    const event = { name: this.#name, data: this.#lines.join('\n'), value };
    const hasData = this.#lines.length > 0;
    this.#mostPending = this.#maxLength;
    this.#name = '';
    this.#lines = [];
    this.#length = 0;
    this.#isBare = false;
    return hasData && visit(event);
  }
}

/** A text, with its end if it has come, or a long list of numbers. */
const VALUES = /"[^"\\]*(?:\\.[^"\\]*)*("?)|\d[\d\s,.eE+-]{64,}/g;
const LONGEST_TEXT = 64;
/** So much comes before an event is shortened again. */
const LEAST_ADDED = 16_384;

/** The same JSON without its long values, although more of the last one may come; if it is long even so, its beginning. */
function shortened(json: string, maxLength: number): string {
  const short = json.replace(VALUES, (value, quote: string | undefined) => {
    if (quote === undefined) return /,\s*$/.test(value) ? '1,' : '1';
    return value.length > LONGEST_TEXT ? `"-${quote}` : value;
  });
  return detached(short.slice(0, maxLength));
}

const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;
/** AWS allows 16 MiB of payload and 128 KiB of headers. */
const MAX_FRAME_BYTES = 0x1_02_00_00;

class FrameSplitter implements EventSplitter {
  readonly #bytes = new Bytes();
  readonly #maxLength: number;
  /** The bytes to come of a frame that is too long to be kept. */
  #skipped = 0;

  constructor(maxLength: number) {
    this.#maxLength = maxLength;
  }

  /** A part of a frame shows that the stream works, too. */
  get isAnnounced(): boolean {
    return this.#bytes.length > 0;
  }

  get pendingLength(): number {
    return this.#skipped + this.#bytes.length;
  }

  feed(chunk: Uint8Array | string, visit: Visit): boolean {
    const given = typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk;
    this.#bytes.add(given.subarray(this.#skipped));
    this.#skipped = Math.max(0, this.#skipped - given.length);
    let isStopped = false;
    while (!isStopped && this.#bytes.length >= PRELUDE_BYTES) {
      const bytes = this.#bytes.view;
      const view = new DataView(bytes.buffer, bytes.byteOffset);
      const total = view.getUint32(0);
      const headersEnd = PRELUDE_BYTES + view.getUint32(4);
      // The checksums are left to the reader: here they would only protect the moment of the release.
      const isFrame = total <= MAX_FRAME_BYTES && headersEnd + CHECKSUM_BYTES <= total;
      const isKept = isFrame && total <= this.#maxLength;
      if (isKept && total > bytes.length) break;
      isStopped = visit(isKept ? readFrame(bytes.subarray(0, total), headersEnd) : { name: '', data: 'not a frame' });
      if (isFrame) this.#skipped = Math.max(0, total - bytes.length);
      this.#bytes.drop(isFrame ? total : bytes.length);
    }
    return isStopped;
  }

  end(): boolean {
    return false;
  }
}

function readFrame(frame: Uint8Array, headersEnd: number): StreamEvent {
  const decoder = new TextDecoder();
  const headers = frame.subarray(0, headersEnd);
  // One character for each byte.
  const names = new TextDecoder('latin1').decode(headers);
  /** A header with a text: its name, its type, two bytes of its length, its value. */
  const header = (name: string): string | undefined => {
    const at = names.indexOf(`${name}\u0007`) + name.length + 1;
    if (at === name.length) return undefined;
    const start = at + 2;
    const length = (headers[at] ?? 0) * 256 + (headers[at + 1] ?? 0);
    return decoder.decode(headers.subarray(start, start + length));
  };
  const data = decoder.decode(frame.subarray(headersEnd, frame.byteLength - CHECKSUM_BYTES));
  const name = header(':event-type') ?? '';
  const messageType = header(':message-type');
  if (messageType === 'exception') return { name, data, exception: header(':exception-type') ?? 'exception' };
  if (messageType !== 'error') return name === 'chunk' ? readChunk({ name, data }) : { name, data };
  const value = { message: header(':error-message') ?? data };
  return { name, data, value, exception: header(':error-code') ?? 'error' };
}

/** The model's own event, which Bedrock sends in base64 without Converse. That of Amazon Nova is a member with its name. */
function readChunk(event: StreamEvent): StreamEvent {
  const data = fromBase64(ownText(parseJson(event.data), 'bytes'));
  const value = parseJson(data);
  if (!isObject(value)) return event;
  const name = Object.keys(value).find((key) => NOVA.test(key)) ?? '';
  return { name, data, value: name === '' ? value : value[name] };
}

/** docs.aws.amazon.com/nova/latest/nova2-userguide/streaming-responses.html */
const NOVA = /^(?:messageSt|contentBlock|metadata)/;
