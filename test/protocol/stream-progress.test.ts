import { describe, expect, test } from 'vitest';
import { createSplitter } from '../../src/protocol/split-events.ts';
import { protocolOf } from '../../src/protocol/event-kinds.ts';
import { type EventProgress, StreamProgress } from '../../src/protocol/stream-progress.ts';
import { sse } from '../classify/cases.ts';
import { answerOf, exchanges } from '../stream/exchanges.ts';
import { foreignStreams } from '../stream/foreign-streams.ts';

function follow(
  body: Uint8Array | string,
  contentType = 'text/event-stream',
): { readonly progress: StreamProgress; readonly steps: EventProgress[] } {
  const progress = new StreamProgress();
  const steps: EventProgress[] = [];
  const splitter = createSplitter(protocolOf(contentType) ?? 'text');
  const visit = (event: Parameters<StreamProgress['see']>[0]): boolean => {
    steps.push(progress.see(event));
    return false;
  };
  splitter.feed(body, visit);
  splitter.end(visit);
  return { progress, steps };
}

describe.each(Object.entries(exchanges))('an answer of %s', (_name, exchange) => {
  test('is over with its last event, and not before', () => {
    const { progress, steps } = follow(answerOf(exchange), exchange.contentType);
    expect(progress.isOver).toBe(true);
    expect(steps).toContain('end');
    expect(follow(exchange.preamble, exchange.contentType).progress.isOver).toBe(false);
    const begun = Buffer.concat([exchange.preamble, exchange.content('Hello')]);
    expect(follow(begun, exchange.contentType).progress).toMatchObject({ isOver: false });
  });

  test('that fails is over with its error', () => {
    const { progress, steps } = follow(
      Buffer.concat([exchange.preamble, exchange.content('Hello'), exchange.error]),
      exchange.contentType,
    );
    expect(progress.isOver).toBe(true);
    expect(steps).toContain('error');
  });

  test('that talks about errors, ends and pings goes on', () => {
    const words = '{"error": {"message": "x"}, "finish_reason":"stop","finishReason":"STOP","done": true} message_stop';
    const body = Buffer.concat([exchange.preamble, exchange.content(words), exchange.content('event: ping')]);
    expect(follow(body, exchange.contentType).progress.isOver).toBe(false);
  });

  test('knows its pings from its output', () => {
    const { steps } = follow(exchange.ping ?? new Uint8Array(), exchange.contentType);
    expect(steps.filter((step) => step !== 'ping')).toEqual([]);
  });
});

describe('an answer of OpenAI Chat', () => {
  const chunk = (index: number, reason: string | null): object => ({
    object: 'chat.completion.chunk',
    choices: [{ index, delta: { content: 'a' }, finish_reason: reason }],
  });
  const over = (...events: readonly object[]): boolean =>
    follow(sse(...events.map((event): [string, unknown] => ['', event]))).progress.isOver;

  test('with two choices is over when both are', () => {
    expect(over(chunk(0, null), chunk(1, null), chunk(0, 'stop'))).toBe(false);
    expect(over(chunk(0, null), chunk(1, null), chunk(0, 'stop'), chunk(1, 'length'))).toBe(true);
  });

  test('whose finish reasons are empty or null goes on', () => {
    expect(over(chunk(0, ''), chunk(0, null), chunk(0, 'null'))).toBe(false);
  });
});

test('an answer of Gemini with a finish reason in every part is over after each of them', () => {
  const part = (text: string, finishReason?: string): object => ({
    candidates: [{ content: { parts: [{ text }] }, finishReason }],
  });
  expect(follow(sse(['', part('a', 'STOP')], ['', part('b')])).progress.isOver).toBe(false);
  expect(follow(sse(['', part('a', 'STOP')], ['', part('b', 'STOP')])).progress.isOver).toBe(true);
});

test.each(foreignStreams)('$name is foreign, and never over', ({ contentType, body }) => {
  const { progress } = follow(body, contentType);
  expect(progress).toMatchObject({ protocol: 'foreign', isOver: false });
});

describe('the position in a stream', () => {
  test('has the id and the number of OpenAI Responses', () => {
    const created = { type: 'response.created', sequence_number: 0, response: { id: 'resp_1', status: 'in_progress' } };
    const delta = { type: 'response.output_text.delta', sequence_number: 7, delta: 'a' };
    expect(follow(sse([created.type, created], [delta.type, delta])).progress.position).toEqual({
      lastEvent: 'response.output_text.delta',
      responseId: 'resp_1',
      sequenceNumber: 7,
    });
  });

  test.each([
    ['a name', 'event: content_block_delta\ndata: {}\n\n', 'content_block_delta'],
    ['a type', 'data: {"type":"message_start"}\n\n', 'message_start'],
    ['an object', 'data: {"object":"chat.completion.chunk"}\n\n', 'chat.completion.chunk'],
    ['nothing', '', null],
  ])('shows %s of the last event', (_what, body, lastEvent) => {
    expect(follow(body).progress.position).toEqual({ lastEvent });
  });
});
