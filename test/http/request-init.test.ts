import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { copyHeaders, copyRequest } from '../../src/http/request-copy.ts';
import { isReplayable, plainInit, withHeader } from '../../src/http/request-parts.ts';
import { URL_OF_TEST } from '../script.ts';

const TEXT = 'héllo\u0000wörld';
const BYTES = new TextEncoder().encode(TEXT);

async function* chunks(): AsyncGenerator<Uint8Array> {
  yield BYTES;
}

describe('a body that can be sent again', () => {
  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['a string', 'x'],
    ['a number', 5],
    ['bytes', BYTES],
    ['a buffer', BYTES.buffer],
    ['a Blob', new Blob()],
    ['parameters', new URLSearchParams()],
    ['a form', new FormData()],
    ['data', { model: 'x', messages: [] }],
    ['a list', [1, 2]],
    ['data with members that sound like those of a stream', { next: 'cursor', pipe: '|', getReader: null, read: true }],
    ['an object with toJSON', { toJSON: () => 1 }],
  ])('is %s', (_title, body) => {
    expect(isReplayable(body)).toBe(true);
  });

  test.each<[string, unknown]>([
    ['a ReadableStream', new ReadableStream()],
    ['a stream of Node', Readable.from(['x'])],
    ['an async generator', chunks()],
    ['an async iterable', { [Symbol.asyncIterator]: chunks }],
    ['a generator', [1, 2].values()],
  ])('is not %s', (_title, body) => {
    expect(isReplayable(body)).toBe(false);
  });

  test.each<[string, RequestInit]>([
    ['a stream', { method: 'POST', body: new ReadableStream() }],
    // @ts-expect-error -- Node takes them
    ['an async iterable', { method: 'POST', body: chunks() }],
  ])('is missing in a copy of %s, with any input', (_title, init) => {
    expect(copyRequest(URL_OF_TEST, init).replayable).toBe(false);
    expect(copyRequest(new Request(URL_OF_TEST), init).replayable).toBe(false);
  });

  test('is the body of a request, even one that was made from a stream', () => {
    const init = { method: 'POST', body: Readable.toWeb(Readable.from([BYTES])), duplex: 'half' };
    // @ts-expect-error -- two declarations of ReadableStream
    const request = new Request(URL_OF_TEST, init);
    expect(copyRequest(request, undefined).replayable).toBe(true);
  });
});

describe('an init', () => {
  test('that is another request keeps its method, headers and body', async () => {
    const init = new Request('https://other.example/', { method: 'PUT', headers: { 'x-a': '1' } });
    const [input, copied] = copyRequest(URL_OF_TEST, init).next();
    const request = new Request(input, copied);
    expect([request.url, request.method, request.headers.get('x-a')]).toEqual([URL_OF_TEST, 'PUT', '1']);
  });

  test('that is another request with a body is not sent again without it', () => {
    const init = new Request('https://other.example/', { method: 'PUT', body: 'x' });
    expect(copyRequest(URL_OF_TEST, init).replayable).toBe(false);
  });

  test('that inherits its members keeps them', () => {
    class Init {
      get method(): string {
        return 'DELETE';
      }
    }
    expect(plainInit(new Init())).toEqual({ method: 'DELETE' });
  });

  test('without a prototype is accepted', () => {
    const init: RequestInit = Object.assign(Object.create(null), { method: 'PUT' });
    expect(plainInit(init)).toEqual({ method: 'PUT' });
  });

  test('keeps unknown members', () => {
    const init = { method: 'POST', dispatcher: {}, somethingNew: 1 };
    expect(copyRequest(URL_OF_TEST, init).next()[1]).toEqual(init);
  });
});

describe('headers', () => {
  test('that are missing stay missing', () => {
    expect(copyHeaders(undefined)).toBeUndefined();
    // @ts-expect-error -- callers in JavaScript
    expect(copyRequest(URL_OF_TEST, { headers: null }).headers).toBeUndefined();
  });

  test.each<[string, HeadersInit | undefined]>([
    ['none', undefined],
    ['a record', { 'x-a': '1' }],
    ['pairs', [['x-a', '1']]],
    ['a Headers object', new Headers({ 'x-a': '1' })],
  ])('get another one: %s', (_title, headers) => {
    const more = new Headers(withHeader(headers, 'x-retry-count', '2'));
    expect(more.get('x-retry-count')).toBe('2');
    expect(more.get('x-a')).toBe(headers === undefined ? null : '1');
  });

  test.each<[string, HeadersInit]>([
    ['a record', { 'X-Retry-Count': 'mine' }],
    ['pairs', [['X-Retry-Count', 'mine']]],
    ['a Headers object', new Headers({ 'X-Retry-Count': 'mine' })],
  ])('of the caller are kept, in any spelling: %s', (_title, headers) => {
    expect(new Headers(withHeader(headers, 'x-retry-count', '2')).get('x-retry-count')).toBe('mine');
  });
});
