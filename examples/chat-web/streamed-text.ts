/**
 * The text of a message that Anthropic streams, piece by piece. Throws if the message ends before it is complete: its
 * first content has been seen, so it is not retried.
 */

import { EventSourceParserStream } from 'eventsource-parser/stream';

export async function* streamedText(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string> {
  const events = body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
  const reader = events.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || value.event === 'error') throw new Error('The message ended before it was complete.');
      if (value.event === 'message_stop') return;
      if (value.event === 'content_block_delta') yield textOf(JSON.parse(value.data));
    }
  } finally {
    reader.cancel().catch(() => {});
  }
}

function textOf({ delta }: { readonly delta?: { readonly text?: string } }): string {
  return delta?.text ?? '';
}
