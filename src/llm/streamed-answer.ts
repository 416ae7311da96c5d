/**
 * Delivers a streamed answer in parts, with two rules. A failure before any output is thrown; a failure after output is
 * the last part, because the output cannot be taken back. And unreadable data is a failure: if it were skipped, the
 * answer would look complete.
 */

import { isObject, own } from '../runtime/values.ts';
import { createParser, type EventSourceParser } from 'eventsource-parser';
import type { Failure } from '../index.ts';
import type { Answer } from './answer.ts';
import type { CompletionEvent } from './completion.ts';
import { parse } from './json.ts';
import { LLMError } from './llm-error.ts';
import type { StreamEvent, StreamTranslator } from './stream-translator.ts';

/** Some servers append an error as plain JSON, outside of any event. This much of the end is searched for it. */
const TAIL_LENGTH = 65_536;

export class StreamedAnswer {
  /** Whether the last part was delivered. */
  isOver = false;
  readonly #answer: Answer;
  readonly #translator: StreamTranslator;
  readonly #parser: EventSourceParser;
  readonly #decoder: TextDecoder = new TextDecoder();
  #events: StreamEvent[] = [];
  #tail = '';
  #hasEvents = false;
  /** The length of the text so far. */
  #length = 0;

  constructor(answer: Answer, translator: StreamTranslator) {
    this.#answer = answer;
    this.#translator = translator;
    this.#parser = createParser({
      onEvent: ({ event: name = '', data }) => void this.#events.push({ name, data, value: parse(data) }),
    });
  }

  /**
   * The parts in the next chunk of the body, often none.
   *
   * @throws LLMError before any output, or the reason of the signal after an abort
   */
  async next(): Promise<readonly CompletionEvent[]> {
    let chunk: Uint8Array | undefined;
    try {
      chunk = await this.#answer.body.read();
    } catch (cause) {
      const error = this.#answer.errorOfBreak(cause, this.#translator.hasContent);
      if (error instanceof LLMError) return [this.#fail(error)];
      throw error;
    }
    const text = this.#decoder.decode(chunk, { stream: chunk !== undefined });
    this.#length += text.length;
    if (chunk !== undefined) return this.#take(text);
    // Some servers omit the empty line after the last event.
    const parts = this.#take(`${text}\n\n`);
    return this.isOver ? parts : [...parts, ...this.#finish()];
  }

  #take(text: string): readonly CompletionEvent[] {
    this.#parser.feed(text);
    const events = this.#events;
    this.#events = [];
    this.#hasEvents ||= events.length > 0;
    this.#tail = events.length > 0 ? text : (this.#tail + text).slice(-TAIL_LENGTH);
    const parts: CompletionEvent[] = [];
    for (const event of events) {
      const added = [...this.#translator.translate(event)];
      parts.push(...added);
      const failure = this.#failureIn(event, added.length > 0);
      if (failure !== null) return [...parts, this.#fail(this.#answer.error(failure, this.#translator.hasContent))];
      if (this.#translator.isOver) return [...parts, ...this.#finish()];
    }
    return parts;
  }

  #failureIn(event: StreamEvent, wasTranslated: boolean): Failure | null {
    const named = mayFail(event) ? this.#answer.findFailure(errorIn(event)) : null;
    if (named !== null || wasTranslated || this.#translator.isOver || isReadable(event)) return named;
    return this.#answer.interruption('A part of the answer could not be read, because it is not a JSON object');
  }

  /** The stream has ended. A failure may be outside of its events. */
  #finish(): readonly CompletionEvent[] {
    const { hasContent, isOver } = this.#translator;
    const failure = isOver ? null : this.#answer.findFailure(this.#tail);
    const parts = failure === null ? this.#translator.end() : null;
    if (parts !== null) {
      this.isOver = true;
      return parts;
    }
    const found =
      failure ??
      (this.#hasEvents || this.#answer.isEventStream
        ? this.#answer.interruption('The stream ended before the answer was complete')
        : this.#answer.noCompletion(this.#length));
    return [this.#fail(this.#answer.error(found, hasContent))];
  }

  #fail(error: LLMError): CompletionEvent {
    if (!error.isPartial) throw error;
    this.isOver = true;
    return { type: 'error', error };
  }
}

/** Servers send empty events to keep the connection open. */
function isReadable({ data, value }: StreamEvent): boolean {
  return data.trim() === '' || (typeof value === 'object' && value !== null && !Array.isArray(value));
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
