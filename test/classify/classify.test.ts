import { describe, expect, test } from 'vitest';
import { classify, failedContent, inBandContent } from '../../src/classify/classify.ts';
import { eventFrame, exceptionFrame } from '../protocol/frames.ts';
import { sse } from './cases.ts';

const FRAMES = 'application/vnd.amazon.eventstream';
const ERROR = { error: { code: 'x', message: 'm' } };
const JSON_TEXT = JSON.stringify(ERROR);

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('the content of a failed response', () => {
  test.each<[what: string, body: string | Uint8Array | undefined, contentType: string | null, value: unknown]>([
    ['JSON', JSON_TEXT, 'application/json', ERROR],
    ['JSON in bytes', bytesOf(JSON_TEXT), 'application/json', ERROR],
    ['JSON in bytes of no type', bytesOf(JSON_TEXT), null, ERROR],
    ['JSON as text where frames are promised', JSON_TEXT, FRAMES, ERROR],
    ['JSON in bytes where frames are promised', bytesOf(JSON_TEXT), FRAMES, ERROR],
    ['JSON with a byte order mark', `\uFEFF${JSON_TEXT}`, 'application/json', ERROR],
    ['JSON with a byte order mark, in bytes', bytesOf(`\uFEFF${JSON_TEXT}`), 'application/json', ERROR],
    ['JSON with space around it', ` \n${JSON_TEXT}\r\n`, 'application/json', ERROR],
    ['a list', '[1]', 'application/json', [1]],
    ['a list with space behind it', '[1] \n', 'application/json', [1]],
    ['a text in quotes', '"m"', 'application/json', 'm'],
    ['a number, which says nothing', '17', 'application/json', undefined],
    ['a word of JSON, which says nothing', 'null', 'application/json', undefined],
    ['a text', 'upstream timed out', 'text/plain', undefined],
    ['nothing', undefined, 'application/json', undefined],
  ])('is found in %s', (_what, body, contentType, value) => {
    expect(failedContent(body, contentType)).toMatchObject({ value, exception: null });
  });

  test('is the error of its stream, at any position', () => {
    expect(failedContent(sse(['', { choices: [] }], ['error', ERROR]), 'text/event-stream')).toMatchObject({
      value: ERROR,
    });
    expect(failedContent(`{"choices":[]}\n${JSON_TEXT}\n`, 'application/x-ndjson')).toMatchObject({ value: ERROR });
  });

  test('is the exception of its frames, and nothing if they have none', () => {
    expect(failedContent(exceptionFrame('throttlingException', 'Slow'), FRAMES)).toMatchObject({
      exception: 'throttlingException',
    });
    const silent = { value: undefined, text: '', exception: null };
    expect(failedContent(eventFrame('messageStart', {}), FRAMES)).toEqual(silent);
    expect(failedContent(undefined, FRAMES)).toEqual(silent);
  });

  test('is empty if its beginning is binary, unless it is JSON', () => {
    expect(failedContent('\u0000\u0001', null).text).toBe('');
    expect(failedContent(`${'x'.repeat(512)}\u0000`, null).text).toHaveLength(513);
    expect(failedContent('{"message":"\u0085"}', null)).toMatchObject({ text: '{"message":"\u0085"}' });
  });

  test('is its text if nothing else fits', () => {
    expect(failedContent('upstream timed out', 'text/plain').text).toBe('upstream timed out');
    expect(failedContent('data: 1\n\n', 'text/event-stream').text).toBe('data: 1\n\n');
  });
});

describe('the failure inside a success', () => {
  test('is the error of the model in a frame of Bedrock, in base64', () => {
    const bytes = Buffer.from('{"type":"error","error":{"type":"invalid_request_error","message":"Falsche Größe"}}');
    const body = eventFrame('chunk', { bytes: bytes.toString('base64') });
    expect(classify({ status: 200, headers: { 'content-type': FRAMES }, body })).toMatchObject({
      type: 'invalid_request',
      retryable: false,
      message: 'Falsche Größe',
    });
  });

  const exception = exceptionFrame('throttlingException', 'Slow');

  test.each<[what: string, body: string | Uint8Array | undefined, contentType: string, found: boolean]>([
    ['JSON', JSON_TEXT, 'application/json', true],
    ['JSON in bytes', bytesOf(JSON_TEXT), 'application/json', true],
    ['JSON in bytes of no type', bytesOf(JSON_TEXT), '', true],
    ['an event', sse(['error', ERROR]), 'text/event-stream', true],
    ['an event of no type', sse(['error', ERROR]), '', true],
    ['a line of JSON', `{"choices":[]}\n${JSON_TEXT}\n`, 'application/x-ndjson', true],
    ['a line of JSON that was cut', '{"error":"server bu', 'application/x-ndjson', true],
    ['a frame', exception, FRAMES, true],
    ['a frame of no type', exception, '', true],
    ['a frame of another type, which is left alone', exception, 'application/octet-stream', false],
    ['an answer', '{"choices":[]}', 'application/json', false],
    ['a text about an error', 'error: overloaded', 'text/plain', false],
    ['nothing', undefined, '', false],
  ])('is looked for in %s', (_what, body, contentType, found) => {
    expect(inBandContent(body, contentType) !== null).toBe(found);
  });

  test('is the error in it, and shows whether output came before', () => {
    expect(inBandContent(JSON_TEXT, 'application/json')).toEqual({
      error: { value: ERROR, text: JSON_TEXT, exception: null },
      isAfterContent: false,
    });
    const late = sse(['content_block_delta', {}], ['error', ERROR]);
    expect(inBandContent(late, 'text/event-stream')).toMatchObject({ isAfterContent: true, error: { value: ERROR } });
  });
});

test.each([
  ['that is a text', 'event: error\ndata: Service Unavailable\n\n', true],
  ['whose JSON was cut, and whose words say nothing', 'data: {"error": {"message": "The', false],
])('an event with an error %s is retried like any other, or may be any', (_what, body, retryable) => {
  const headers = { 'content-type': 'text/event-stream' };
  expect(classify({ status: 200, headers, body })).toMatchObject({ type: 'server_error', retryable });
});
