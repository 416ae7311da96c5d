import { describe, expect, test } from 'vitest';
import { StalledStreamError, TruncatedStreamError } from '../../src/http/stream-errors.ts';

describe('a StalledStreamError', () => {
  test('says what was missing, for how long, and what came last', () => {
    expect(new StalledStreamError('bytes', 60_000, { lastEvent: 'content_block_delta' })).toMatchObject({
      name: 'StalledStreamError',
      message:
        'The stream has sent nothing for 60000 ms, longer than its watch allows. Last event: content_block_delta.',
      kind: 'bytes',
      afterMs: 60_000,
      lastEvent: 'content_block_delta',
    });
    expect(new StalledStreamError('output', 120_000, { lastEvent: null }).message).toBe(
      'The stream has sent only pings for 120000 ms, longer than its watch allows. No event had arrived.',
    );
  });

  test('is a timeout in the stream', () => {
    const { failure, message } = new StalledStreamError('bytes', 1_000, { lastEvent: null });
    expect(failure).toMatchObject({ type: 'timeout', phase: 'stream', message });
  });

  test('never has a word by which the OpenAI SDK replaces an error by its own', () => {
    for (const kind of ['bytes', 'output'] as const)
      expect(new StalledStreamError(kind, 1_000, { lastEvent: null }).message).not.toMatch(/time|abort/i);
  });
});

describe('a TruncatedStreamError', () => {
  test('says that the answer is incomplete, and what came last', () => {
    expect(new TruncatedStreamError({ lastEvent: 'response.created' })).toMatchObject({
      name: 'TruncatedStreamError',
      message: 'The stream ended before the answer was complete. Last event: response.created.',
      lastEvent: 'response.created',
    });
    expect(new TruncatedStreamError({ lastEvent: null }).message).toContain('No event had arrived.');
  });

  test('is an interrupted stream', () => {
    const { failure, message } = new TruncatedStreamError({ lastEvent: null });
    expect(failure).toMatchObject({ type: 'stream_interrupted', phase: 'stream', message });
  });
});

test.each([
  [
    'a stall',
    (position: ConstructorParameters<typeof TruncatedStreamError>[0]) => new StalledStreamError('bytes', 1, position),
  ],
  ['a cut', (position: ConstructorParameters<typeof TruncatedStreamError>[0]) => new TruncatedStreamError(position)],
])('after %s the error has what it takes to attach to the response again, and only that', (_what, errorAt) => {
  const position = { lastEvent: 'response.output_text.delta', responseId: 'resp_1', sequenceNumber: 7 };
  expect(errorAt(position)).toMatchObject(position);
  expect(errorAt({ lastEvent: null })).not.toHaveProperty('responseId');
  expect(errorAt({ lastEvent: null })).not.toHaveProperty('sequenceNumber');
});
