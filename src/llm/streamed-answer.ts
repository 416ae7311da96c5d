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

/** Throws an LLMError before any output, the reason of the signal after an abort, or what the translator throws. */
export async function* partsOfStream(
  answer: Answer,
  translator: StreamTranslator,
): AsyncGenerator<CompletionEvent, void, undefined> {
  const splitter = createSplitter('text');
  const parts: CompletionEvent[] = [];
  let isOver = false;
  let hasEvents = false;
  let length = 0;

  const fail = (error: unknown): void => {
    if (!(error instanceof LLMError) || !error.isPartial) throw error;
    isOver = true;
    parts.push({ type: 'error', error });
  };
  const failWith = (failure: Failure): void => fail(answer.error(failure, translator.hasContent));
  const finish = (): void => {
    const last = translator.end();
    if (last === null) {
      const isStream = hasEvents || answer.isEventStream;
      const early = 'The stream ended before the answer was complete';
      return failWith(isStream ? answer.interruption(early) : answer.noCompletion(length));
    }
    isOver = true;
    parts.push(...last);
  };
  /** Adds the parts of an event. Whether the answer is over. */
  const take = ({ name, data }: SplitEvent): boolean => {
    const event: StreamEvent = { name, data, value: parseJson(data) };
    hasEvents = true;
    const translated = [...translator.translate(event)];
    parts.push(...translated);
    const failure = mayFail(event) ? answer.findFailure(errorIn(event)) : null;
    if (failure !== null) failWith(failure);
    else if (translator.isOver) finish();
    else if (translated.length === 0 && !isReadable(event))
      failWith(answer.interruption('A part of the answer could not be read, because it is not a JSON object'));
    return isOver;
  };

  for (;;) {
    const chunk = await answer.read().catch((cause: unknown) => {
      fail(answer.errorOfBreak(cause, translator.hasContent));
    });
    length += chunk?.byteLength ?? 0;
    if (chunk !== undefined) splitter.feed(chunk, take);
    // Some servers omit the empty line after the last event.
    else if (!isOver && !splitter.end(take)) finish();
    yield* parts.splice(0);
    if (isOver) return;
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
