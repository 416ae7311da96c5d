import { describe, expect, test } from 'vitest';
import { createFallback, createRetryFetch, FetchTransport, RetryTransport } from '../../src/index.ts';
import {
  copyMarked,
  forElsewhere,
  isBodyInit,
  isForElsewhere,
  isReplayable,
  recordOf,
  withHeader,
} from '../../src/http/request-parts.ts';
import { fakeRuntime, respond, script } from '../script.ts';

describe('a header that is added', () => {
  test.each<[string, () => HeadersInit | undefined]>([
    ['none', () => undefined],
    ['a record', () => ({ 'X-A': '1' })],
    ['pairs', () => [['X-A', '1']]],
    ['Headers', () => new Headers({ 'X-A': '1' })],
    ['a Map', () => new Map([['X-A', '1']]) as unknown as HeadersInit],
  ])('joins %s in their own shape, and gives way to one that is already there', (_shape, make) => {
    const given = make();
    const added = withHeader(given, 'X-New', '2');
    expect(Object.getPrototypeOf(added)).toBe(Object.getPrototypeOf(given ?? {}));
    expect(recordOf(added)).toEqual({ ...recordOf(given), 'x-new': '2' });
    expect(recordOf(withHeader(added, 'x-NEW', '3'))).toEqual(recordOf(added));
    expect(recordOf(make())).toEqual(recordOf(given));
  });
});

test.each<[string, unknown, boolean, boolean]>([
  ['a text', 'x', true, true],
  ['nothing', null, true, true],
  ['a number', 7, false, true],
  ['a view', new DataView(new ArrayBuffer(1)), true, true],
  ['a buffer', new ArrayBuffer(1), true, true],
  ['a shared buffer', new SharedArrayBuffer(1), true, true],
  ['a blob', new Blob([]), true, true],
  ['a file', new File([], 'f'), true, true],
  ['a form', new FormData(), true, true],
  ['parameters', new URLSearchParams(), true, true],
  ['an object', { next: 1, pipe: 'x' }, false, true],
  ['a stream', new ReadableStream(), false, false],
  ['a generator', (function* () {})(), false, false],
  ['an object that is iterated asynchronously', { async *[Symbol.asyncIterator]() {} }, false, false],
  ['a stream of Node', { pipe: () => {} }, false, false],
  ['a stream that cannot be iterated, as in Safari', { getReader: () => {} }, false, false],
  // As the package form-data makes it.
  ['a form that is a stream', { pipe: () => {}, [Symbol.toStringTag]: 'FormData' }, true, false],
])('%s is sent unchanged: %j, and can be sent again: %j', (_what, body, isBody, again) => {
  expect([isBodyInit(body), isReplayable(body)]).toEqual([isBody, again]);
});

test.each<[string, () => RequestInit]>([
  ['an object', () => ({ headers: { a: '1' } })],
  ['an object without a prototype', () => Object.assign(Object.create(null), { headers: { a: '1' } })],
])('an init that is %s stays a plain one, which can be sent to a worker', async (_what, make) => {
  const runtime = fakeRuntime();
  const inner = script(runtime, 503, (_input, init) => respond(200, {}, JSON.stringify(structuredClone(init))));
  const response = await createRetryFetch({ fetch: inner, runtime })('https://home.example/', make());
  expect(await response.json()).toEqual({ headers: { a: '1' }, cache: 'no-store' });
});

test.each([
  ['of the same origin get', 'https://home.example/v2', true],
  ['elsewhere do not get', 'https://other.example/v2', false],
])('targets %s the headers that a FetchTransport adds', async (_where, url, has) => {
  const runtime = fakeRuntime();
  const fetch = script(runtime, 529, 200);
  const inner = new FetchTransport({ fetch, headers: { 'x-token': 'own' } });
  const fallback = createFallback({ targets: [{ name: 'other', url }], maxRetriesBeforeFallback: 0 });
  await new RetryTransport(inner, { runtime, fallback }).post('https://home.example/v1', {});
  const [first, second] = fetch.calls.map(({ init }) => new Headers(init?.headers).get('x-token'));
  expect([first, second]).toEqual(['own', has ? 'own' : null]);
});

test.each<[string, HeadersInit]>([
  ['a record', { a: '1' }],
  ['pairs', [['a', '1']]],
  ['Headers', new Headers({ a: '1' })],
])('a copy of headers as %s keeps the mark that they go to another origin', (_shape, headers) => {
  const copy = copyMarked(headers);
  expect([copy === headers, isForElsewhere(copy)]).toEqual([false, false]);
  expect(recordOf(copy)).toEqual({ a: '1' });
  expect(isForElsewhere(copyMarked(forElsewhere(headers)))).toBe(true);
});
