/**
 * Reads the chunks of a stream, event by event, and knows whether the answer is complete. A protocol whose end is not
 * known here is foreign, and nothing is said about its end.
 *
 * A stream has many thousands of events, and a chunk of a fast server has hundreds of them. So an event of a known
 * protocol is parsed only if it contains one of a few marker words, and a run of events without them is not even split.
 */

import { memberAt, own, ownText } from '../runtime/values.ts';
import { type EventKind, type EventReading, readEvent, valueOf } from './event-kinds.ts';
import { createSplitter, type EventSplitter, type Framing, type StreamEvent } from './split-events.ts';

/** Where a stream broke: what an application needs to report it, or to attach to the response again. */
export interface StreamPosition {
  /** The name or type of the last complete event; null if there was none. */
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
/** Shorter texts are split faster than they are searched. */
const SHORTEST_RUN = 1_024;
/** An unfinished event that is longer than any ping. */
const LONG_PART = 1_024;

/** No event of SSE or NDJSON begins with this: some servers send plain text, which may never have the end of a line. */
const PLAIN_TEXT = /^[^\s:{[deir\uFEFF]/;

/**
 * Words without which an event is content. The text of an answer may have them too, although seldom: its quotes are
 * escaped.
 */
const MARKERS =
  /["'][\w.]{0,40}(?:error|ERROR|failed)|"(?:Error|base_resp)|error: ?\{|\[(?:ERROR|DONE)|(?:event: ?|")(?:error|ping|keep-?alive|heartbeat|message_stop|(?:message|stream)-end|response\.(?:completed|incomplete|cancel|failed|error))|finish_reason"\s*:\s*"|"(?:finish|block)Reason|"done"\s*:\s*true/;

/** Any choice of OpenAI Chat but the first: it must end too. A call of a tool may have the same index. */
const OTHER_CHOICE = /"index"\s*:\s*[1-9]/;

export class EventReader {
  /** Whether the end of the protocol is known here; undefined until an event shows it. */
  isKnown: boolean | undefined;
  /** Whether the answer is complete, or has failed with an event that says so. */
  isOver = false;
  readonly #splitter: EventSplitter;
  readonly #decoder: TextDecoder | undefined;
  readonly #visit: VisitEvent;
  readonly #passesOver: boolean;
  #isAtStart = true;
  /** What ends an event in the text: an empty line, or the end of the line in NDJSON. */
  #gap = '\n\n';
  #hasOutput = false;
  #unproven = 0;
  #last: StreamEvent | undefined;
  #responseId = '';
  /** The choices of OpenAI Chat that have begun, and whether they have ended. */
  readonly #choices = new Map<number, boolean>();

  /** `passesOver`: whether content may be passed over without a visit. */
  constructor(framing: Framing, passesOver: boolean, visit: VisitEvent) {
    this.#splitter = createSplitter(framing);
    this.#decoder = framing === 'text' ? new TextDecoder() : undefined;
    this.#passesOver = passesOver;
    this.#visit = visit;
  }

  /** Reads the next part of the body. Whether it brought output, or a long part of an event. */
  feed(chunk: Uint8Array): boolean {
    this.#hasOutput = false;
    if (this.#decoder === undefined) this.#splitter.feed(chunk, this.#see);
    else this.#feedText(this.#decoder.decode(chunk, { stream: true }));
    return this.#hasOutput || this.#splitter.pendingLength > LONG_PART;
  }

  /**
   * Ends the body. An unfinished event counts only if its JSON can be parsed. Whether the body was cut inside an event,
   * or before the first one that was announced.
   */
  end(): boolean {
    let isCut = false;
    if (this.#decoder !== undefined) this.#feedText(this.#decoder.decode());
    this.#splitter.end((event) => {
      if (event.data.trim() === '[DONE]' || valueOf(event) !== undefined) return this.#see(event);
      isCut = event.data === '' ? event.name !== '' : /^\s*[{[]/.test(event.data);
      const { kind } = readEvent(event);
      return kind === 'error' && this.#visit(kind, event);
    });
    return isCut || this.#splitter.isAnnounced;
  }

  /** Whether any event has arrived that is no ping. */
  get hasBegun(): boolean {
    return this.#last !== undefined;
  }

  /** Whether the body stands inside a line or a frame. */
  get isInside(): boolean {
    return this.#splitter.pendingLength > 0;
  }

  get position(): StreamPosition {
    const last = this.#last;
    if (last === undefined) return { lastEvent: null };
    const value = valueOf(last);
    const sequenceNumber = own(value, 'sequence_number');
    const id = this.#responseId || memberAt(value, 'response.id');
    return {
      lastEvent: last.name || ownText(value, 'type') || ownText(value, 'object') || last.data.slice(0, 64),
      ...(typeof id === 'string' && { responseId: id }),
      ...(typeof sequenceNumber === 'number' && { sequenceNumber }),
    };
  }

  #feedText(text: string): void {
    if (text === '') return;
    const isPlain = this.#isAtStart && PLAIN_TEXT.test(text);
    this.#isAtStart = false;
    if (isPlain) {
      this.isKnown = false;
      this.#visit('unknown', { name: '', data: text });
      return;
    }
    const [start, last] = this.#runIn(text);
    if (last <= start) {
      this.#splitter.feed(text, this.#see);
      return;
    }
    // The first event has begun before this text, and the last is read, because it is where the stream stands.
    if (this.#splitter.feed(text.slice(0, start), this.#see)) return;
    this.#hasOutput = true;
    this.#splitter.feed(text.slice(last), this.#see);
  }

  /** Where whole events begin that may be passed over, and where the last of them begins. */
  #runIn(text: string): readonly [start: number, last: number] {
    if (text.length < SHORTEST_RUN || !this.#mayPassOver(text)) return [0, 0];
    const gap = this.#gap;
    const start = text.indexOf(gap) + gap.length;
    return [start, text.lastIndexOf(gap, text.lastIndexOf(gap) - 1) + gap.length];
  }

  #mayPassOver(text: string): boolean {
    if (!this.#passesOver || this.isKnown !== true || this.isOver || MARKERS.test(text)) return false;
    return this.#choices.size === 0 || !OTHER_CHOICE.test(text);
  }

  readonly #see = (event: StreamEvent): boolean => {
    const { name, data } = event;
    // A name that is not repeated in the data must be read.
    const isWhole = data.startsWith('{') && data.includes(name);
    const isPlain = this.#decoder !== undefined && isWhole && this.#mayPassOver(data);
    const reading: EventReading = isPlain ? { kind: 'content' } : readEvent(event);
    if (reading.kind !== 'ping') {
      this.#hasOutput = true;
      this.#last = event;
      if (!isPlain) this.#follow(event, reading);
    }
    return this.#visit(reading.kind, event);
  };

  #follow(event: StreamEvent, { kind, isProof, choices, goesOn }: EventReading): void {
    if (isProof === true && this.isKnown === undefined) {
      this.isKnown = true;
      if (event.value !== undefined) this.#gap = '\n';
      this.#responseId = ownText(own(valueOf(event), 'response'), 'id');
    }
    this.#unproven += 1;
    const isOther = (kind !== 'preamble' && kind !== 'error') || this.#unproven >= MAX_UNPROVEN_EVENTS;
    if (isOther) this.isKnown ??= false;
    for (const [index, hasEnded] of choices ?? [])
      if (hasEnded || !this.#choices.has(index)) this.#choices.set(index, hasEnded);
    const isEnd = kind === 'end' && (choices === undefined || [...this.#choices.values()].every(Boolean));
    this.isOver = this.isKnown !== false && (isEnd || kind === 'error' || (this.isOver && goesOn !== true));
  }
}
