/**
 * Reads the chunks of a stream and follows its events. A chunk of a fast server has hundreds of events: once the
 * protocol is known, a run of whole events that contains no marker word is passed over without being split, because
 * each of them is output.
 */

import { createSplitter, type EventSplitter, type Framing, type StreamEvent } from './split-events.ts';
import { type EventProgress, MARKERS, StreamProgress } from './stream-progress.ts';

/** Called for each event that is not passed over; true ends the splitting. */
export type FollowVisit = (event: StreamEvent, progress: EventProgress) => boolean;

/** Shorter texts are split faster than they are searched. */
const SHORTEST_RUN = 1_024;
/** An unfinished event that is longer than any ping. */
const LONG_PART = 1_024;

export class StreamFollower {
  readonly progress: StreamProgress = new StreamProgress();
  readonly #splitter: EventSplitter;
  readonly #decoder: TextDecoder | undefined;
  readonly #visit: FollowVisit;
  readonly #passesOver: boolean;
  #hasOutput = false;

  /** `passesOver`: whether events without marker words need no visit. */
  constructor(framing: Framing, passesOver: boolean, visit: FollowVisit) {
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

  /** Ends the body. Whether it ended inside an event, whose data could not be parsed. */
  endsInsideEvent(): boolean {
    const rest = this.#decoder?.decode() ?? '';
    if (rest !== '') this.#splitter.feed(rest, this.#see);
    let isCut = this.#splitter.isInsideEvent;
    this.#splitter.end((event) => {
      isCut = this.progress.seeLast(event);
      return false;
    });
    return isCut;
  }

  /** Whether a comment of OpenRouter, or a part of a frame, has arrived. */
  get isAnnounced(): boolean {
    return this.#splitter.isAnnounced;
  }

  #feedText(text: string): void {
    const run = this.#runIn(text);
    if (run === null) {
      this.#splitter.feed(text, this.#see);
      return;
    }
    const [start, last] = run;
    // The first event has begun before this text, and the last is visited, because it is where the stream stands.
    if (this.#splitter.feed(text.slice(0, start), this.#see)) return;
    this.#hasOutput = true;
    this.#splitter.feed(text.slice(last), this.#see);
  }

  /** Where whole events begin that may be passed over, and where the last of them begins; null if there are none. */
  #runIn(text: string): readonly [start: number, last: number] | null {
    const { protocol, isOver } = this.progress;
    if (!this.#passesOver || text.length < SHORTEST_RUN || isOver) return null;
    if (protocol === 'unknown' || protocol === 'foreign') return null;
    const gap = protocol === 'ollama' ? '\n' : '\n\n';
    const start = text.indexOf(gap) + gap.length;
    const end = text.lastIndexOf(gap);
    const last = text.lastIndexOf(gap, end - 1) + gap.length;
    if (start < gap.length || last <= start || MARKERS[protocol].test(text)) return null;
    return [start, last];
  }

  readonly #see = (event: StreamEvent): boolean => {
    const step = this.progress.see(event);
    if (step !== 'ping') this.#hasOutput = true;
    return this.#visit(event, step);
  };
}
