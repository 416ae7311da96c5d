import { describe, expect, test } from 'vitest';
import { answerOf, bytesOf, responseOf, type Answer } from '../../mocks/recording.ts';
import { recordings } from '../../mocks/recordings.ts';

const text: Answer = { status: 503, statusText: 'Busy', headers: { 'retry-after': '2' }, body: 'naïve\r\n' };
const binary: Answer = { status: 200, statusText: '', headers: {}, body: 'AAH/gA==', encoding: 'base64' };

describe('responseOf', () => {
  test.each(Object.entries(recordings))('returns %s as it was recorded', async (_name, recording) => {
    const response = responseOf(recording);
    const { status, statusText, headers, body } = recording.response;
    expect(response).toMatchObject({ status, statusText });
    expect(Object.fromEntries(response.headers)).toEqual(headers);
    expect(await response.text()).toBe(body);
  });

  test('returns a new response each time', async () => {
    await responseOf(text).text();
    expect(await responseOf(text).text()).toBe('naïve\r\n');
  });

  test('needs no reason phrase', () => {
    expect(responseOf({ status: 429, headers: {}, body: '' })).toMatchObject({ status: 429, statusText: '' });
  });

  test('returns no body if the status must have none', () => {
    expect(responseOf({ ...text, status: 204, body: '' }).body).toBeNull();
  });
});

describe('bytesOf', () => {
  test('encodes text as UTF-8', () => {
    expect(bytesOf(text)).toEqual(Uint8Array.of(0x6e, 0x61, 0xc3, 0xaf, 0x76, 0x65, 0x0d, 0x0a));
  });

  test('decodes data that is not text', () => {
    expect(bytesOf(binary)).toEqual(Uint8Array.of(0, 1, 255, 128));
  });
});

test('answerOf extracts the response of a recording and returns an answer unchanged', () => {
  const recording = recordings['envoy-503-text'];
  expect(answerOf(recording)).toBe(recording.response);
  expect(answerOf(text)).toBe(text);
});
