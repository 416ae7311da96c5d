/** The text in a streamed completion of the Anthropic Messages API, piece by piece as it arrives. */

import { createParser } from 'eventsource-parser';

/** Yields each piece of text. @throws when the stream reports an error or stops before its end */
export async function* completionText(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const arrived: CompletionEvent[] = [];
  const parser = createParser({ onEvent: ({ data }) => void arrived.push(readEvent(data)) });
  const decoder = new TextDecoder();
  let complete = false;
  for await (const bytes of body) {
    parser.feed(decoder.decode(bytes, { stream: true }));
    for (const { type, delta, error } of arrived.splice(0)) {
      if (type === 'error') throw new Error(`The answer ended in an error: ${error?.message ?? 'no reason was given'}`);
      if (type === 'content_block_delta' && delta?.text !== undefined) yield delta.text;
      complete ||= type === 'message_stop';
    }
  }
  if (!complete) throw new Error('The answer broke off before its end.');
}

interface CompletionEvent {
  readonly type?: string;
  readonly delta?: { readonly text?: string };
  readonly error?: { readonly message?: string };
}

function readEvent(data: string): CompletionEvent {
  const event: unknown = JSON.parse(data);
  return typeof event === 'object' && event !== null ? event : {};
}
