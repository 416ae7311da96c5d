/**
 * A streamed answer in the parts in which it is delivered. The rule that counts is kept here: a failure before any output
 * is an error like any other, and one after it is the last part, because the output cannot be taken back.
 */

import { createParser, type EventSourceParser } from 'eventsource-parser';
import type { Answer } from './answer.ts';
import type { CompletionEvent } from './completion.ts';
import { parse } from './json.ts';
import { LLMError } from './llm-error.ts';
import type { StreamEvent, StreamTranslator } from './stream-translator.ts';

/** An error that a server puts behind its events as it is, without a field, is looked for in this much of the end. */
const TAIL_LENGTH = 65_536;

export class StreamedAnswer {
  /** The last part has been given. */
  isOver = false;
  readonly #answer: Answer;
  readonly #translator: StreamTranslator;
  readonly #parser: EventSourceParser;
  readonly #decoder: TextDecoder = new TextDecoder();
  #events: StreamEvent[] = [];
  #tail = '';

  constructor(answer: Answer, translator: StreamTranslator) {
    this.#answer = answer;
    this.#translator = translator;
    this.#parser = createParser({
      onEvent: ({ event: name = '', data }) => void this.#events.push({ name, data, value: parse(data) }),
    });
  }

  /** The parts in the next piece of the body; often none. @throws LLMError before any output, or the reason of an abort */
  async next(): Promise<readonly CompletionEvent[]> {
    let chunk: Uint8Array | undefined;
    try {
      chunk = await this.#answer.body.read();
    } catch (cause) {
      const error = this.#answer.errorOfBreak(cause, this.#translator.hasContent);
      if (error instanceof LLMError) return [this.#fail(error)];
      throw error;
    }
    if (chunk !== undefined) return this.#take(this.#decoder.decode(chunk, { stream: true }));
    // Servers forget the empty line behind the last event.
    const parts = this.#take(`${this.#decoder.decode()}\n\n`);
    return this.isOver ? parts : [...parts, ...this.#finish()];
  }

  #take(text: string): readonly CompletionEvent[] {
    this.#parser.feed(text);
    const events = this.#events;
    this.#events = [];
    this.#tail = events.length > 0 ? text : (this.#tail + text).slice(-TAIL_LENGTH);
    const parts: CompletionEvent[] = [];
    for (const event of events) {
      parts.push(...this.#translator.translate(event));
      const failure = mayFail(event) ? this.#answer.findFailure(rewrite(event)) : null;
      if (failure !== null) return [...parts, this.#fail(this.#answer.error(failure, this.#translator.hasContent))];
      if (this.#translator.isOver) return [...parts, ...this.#finish()];
    }
    return parts;
  }

  /** The stream is over. A failure may have been said without any of its fields. */
  #finish(): readonly CompletionEvent[] {
    const { hasContent, isOver } = this.#translator;
    const failure = isOver ? null : this.#answer.findFailure(this.#tail);
    const parts = failure === null ? this.#translator.end() : null;
    if (parts !== null) {
      this.isOver = true;
      return parts;
    }
    const found = failure ?? this.#answer.interruption('The stream ended before the answer was complete');
    return [this.#fail(this.#answer.error(found, hasContent))];
  }

  #fail(error: LLMError): CompletionEvent {
    if (!error.isPartial) throw error;
    this.isOver = true;
    return { type: 'error', error };
  }
}

/** Reading every event for a failure would cost more than all else; one that names none is none. */
function mayFail({ name, data }: StreamEvent): boolean {
  return /error|fail/i.test(name) || /error|fail/i.test(data);
}

function rewrite({ name, data }: StreamEvent): string {
  return `${name === '' ? '' : `event: ${name}\n`}data: ${data.replaceAll('\n', '\ndata: ')}\n\n`;
}
