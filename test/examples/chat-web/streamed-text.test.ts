import { describe, expect, test } from 'vitest';
import { streamedText } from '../../../examples/chat-web/streamed-text.ts';
import { completions, responseOf } from '../../../mocks/index.ts';
import { thrownBy } from '../../script.ts';

function bodyOf(text: string): ReadableStream<Uint8Array<ArrayBuffer>> {
  const { body } = new Response(text);
  if (body === null) throw new TypeError('A text has a body.');
  return body;
}

async function read(text: string, into: string[] = []): Promise<readonly string[]> {
  for await (const piece of streamedText(bodyOf(text))) into.push(piece);
  return into;
}

const whole = await responseOf(completions.anthropicStream('Hello to you')).text();

describe('the text of a stream', () => {
  test('comes in the pieces in which it was sent', async () => {
    const pieces = await read(whole);
    expect(pieces.length).toBeGreaterThan(1);
    expect(pieces.join('')).toBe('Hello to you');
  });

  test.each([
    ['ends too soon', whole.slice(0, whole.indexOf('event: content_block_stop'))],
    ['names an error', whole.replace('event: content_block_stop', 'event: error')],
  ])('returns the text so far, and throws if the stream %s', async (_, text) => {
    const pieces: string[] = [];
    expect(await thrownBy(read(text, pieces))).toMatchObject({ message: 'The message ended before it was complete.' });
    expect(pieces.join('')).toBe('Hello to you');
  });

  test('cancels the body when its reader stops', async () => {
    let isCancelled = false;
    const encoded = new TextEncoder().encode(whole.slice(0, whole.indexOf('event: content_block_stop')));
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(encoded),
      cancel: () => {
        isCancelled = true;
      },
    });
    for await (const _ of streamedText(body)) break;
    await expect.poll(() => isCancelled).toBe(true);
  });
});
