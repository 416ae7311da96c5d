/**
 * Delivers a streamed answer in parts, with two rules. A failure before any output is thrown; a failure after output is
 * the last part, because the output cannot be taken back. And unreadable data is a failure: if it were skipped, the
 * answer would look complete.
 */

import type { Failure } from '../index.ts';
import { createSplitter, type StreamEvent as SplitEvent } from '../protocol/split-events.ts';
import { isObject, own, parseJson } from '../runtime/values.ts';
import type { Answer } from './answer.ts';
import type { CompletionEvent } from './completion.ts';
import { LLMError } from './llm-error.ts';
import type { StreamEvent, StreamTranslator } from './stream-translator.ts';

export class StreamedAnswer {
  /** Whether the last part was delivered. */
  isOver = false;
  readonly #answer: Answer;
  readonly #translator: StreamTranslator;
  readonly #splitter = createSplitter('text');
  #hasEvents = false;
  #length = 0;

  constructor(answer: Answer, translator: StreamTranslator) {
    this.#answer = answer;
    this.#translator = translator;
  }

  /**
   * The parts in the next chunk of the body, often none.
   *
   * @throws LLMError before any output, the reason of the signal after an abort, or what the translator throws
   */
  async next(): Promise<readonly CompletionEvent[]> {
    const parts: CompletionEvent[] = [];
    const visit = (event: SplitEvent): boolean => this.#take(event, parts);
    let chunk: Uint8Array | undefined;
    try {
      chunk = await this.#answer.body.read();
    } catch (cause) {
      const error = this.#answer.errorOfBreak(cause, this.#translator.hasContent);
      if (!(error instanceof LLMError)) throw error;
      this.#fail(error, parts);
      return parts;
    }
    this.#length += chunk?.byteLength ?? 0;
    if (chunk !== undefined) this.#splitter.feed(chunk, visit);
    // Some servers omit the empty line after the last event.
    else if (!this.#splitter.end(visit)) this.#finish(parts);
    return parts;
  }

  /** Adds the parts of an event. Whether the answer is over. */
  #take({ name, data }: SplitEvent, parts: CompletionEvent[]): boolean {
    const event: StreamEvent = { name, data, value: parseJson(data) };
    this.#hasEvents = true;
    const before = parts.length;
    parts.push(...this.#translator.translate(event));
    const failure = this.#failureIn(event, parts.length > before);
    if (failure !== null) this.#fail(this.#answer.error(failure, this.#translator.hasContent), parts);
    else if (this.#translator.isOver) this.#finish(parts);
    return this.isOver;
  }

  #failureIn(event: StreamEvent, wasTranslated: boolean): Failure | null {
    const named = mayFail(event) ? this.#answer.findFailure(errorIn(event)) : null;
    if (named !== null || wasTranslated || this.#translator.isOver || isReadable(event)) return named;
    return this.#answer.interruption('A part of the answer could not be read, because it is not a JSON object');
  }

  #finish(parts: CompletionEvent[]): void {
    const last = this.#translator.end();
    if (last !== null) {
      this.isOver = true;
      parts.push(...last);
      return;
    }
    const found =
      this.#hasEvents || this.#answer.isEventStream
        ? this.#answer.interruption('The stream ended before the answer was complete')
        : this.#answer.noCompletion(this.#length);
    this.#fail(this.#answer.error(found, this.#translator.hasContent), parts);
  }

  #fail(error: LLMError, parts: CompletionEvent[]): void {
    if (!error.isPartial) throw error;
    this.isOver = true;
    parts.push({ type: 'error', error });
  }
}

/** Servers send empty events to keep the connection open. */
function isReadable({ data, value }: StreamEvent): boolean {
  return data.trim() === '' || isObject(value);
}

/** Classifying every event would cost more than everything else. An event without these words reports no failure. */
function mayFail({ name, data }: StreamEvent): boolean {
  return /error|fail/i.test(name) || /error|fail/i.test(data);
}

/** The error of an event as a JSON body. Most events hold a whole one; of some only the name says that it is one. */
function errorIn(event: StreamEvent): string {
  const { name, data, value } = event;
  if (!/error|fail/i.test(name) || own(value, 'error') !== undefined) return data;
  return JSON.stringify({ error: isObject(value) ? value : { type: name, message: data } });
}
