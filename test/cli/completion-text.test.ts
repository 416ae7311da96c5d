import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { completionText } from '../../src/cli/completion-text.ts';

const event = (data: object): string => `event: x\ndata: ${JSON.stringify(data)}\n\n`;
const text = (value: string): string =>
  event({ type: 'content_block_delta', delta: { type: 'text_delta', text: value } });
const STOP = event({ type: 'message_stop' });

function bodyOf(...pieces: readonly (string | Uint8Array)[]): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(typeof piece === 'string' ? encoder.encode(piece) : piece);
      controller.close();
    },
  });
}

async function textsOf(body: ReadableStream<Uint8Array>): Promise<string[]> {
  const texts: string[] = [];
  for await (const piece of completionText(body)) texts.push(piece);
  return texts;
}

describe('completionText', () => {
  it('yields the text and nothing else', async () => {
    const preamble = event({ type: 'message_start' }) + event({ type: 'content_block_delta', delta: {} });
    const pieces = await textsOf(bodyOf(preamble, text('over'), text('loaded'), STOP));
    expect(pieces).toEqual(['over', 'loaded']);
  });

  test.prop([fc.array(fc.integer({ min: 1, max: 40 }))])(
    'makes no difference by how the bytes are split',
    async (sizes) => {
      const bytes = new TextEncoder().encode(`${text('überlastet ')}${text('過負荷')}${STOP}`);
      const pieces: Uint8Array[] = [];
      let from = 0;
      for (const size of sizes) {
        pieces.push(bytes.subarray(from, from + size));
        from += size;
      }
      const all = await textsOf(bodyOf(...pieces, bytes.subarray(from)));
      expect(all.join('')).toBe('überlastet 過負荷');
    },
  );

  it.each([
    ['breaks off', [text('a')], 'The answer broke off before its end.'],
    [
      'reports an error',
      [text('a'), event({ type: 'error', error: { message: 'Overloaded' } })],
      'The answer ended in an error: Overloaded',
    ],
    [
      'reports an error without a reason',
      [event({ type: 'error' })],
      'The answer ended in an error: no reason was given',
    ],
    ['sends something that is no event', [event([]), 'data: 1\n\n'], 'The answer broke off before its end.'],
  ])('rejects when the stream %s', async (_case, pieces, message) => {
    await expect(textsOf(bodyOf(...pieces))).rejects.toThrow(message);
  });
});
