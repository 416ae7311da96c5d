import { describe, expect, test } from 'vitest';
import {
  createFallback,
  createKeyRotation,
  createRetryFetch,
  FetchTransport,
  RetryTransport,
} from '../../src/index.ts';
import {
  copyMarked,
  forElsewhere,
  isBodyInit,
  isForElsewhere,
  isReplayable,
  isSameOrigin,
  ordinaryHeaders,
  plainInit,
  recordOf,
  withHeader,
} from '../../src/http/request-parts.ts';
import { fakeRuntime, respond, script } from '../script.ts';
import { chainOf } from '../../src/route/open-route.ts';

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
  ['https://a.example/1', 'https://a.example/2', true],
  ['https://a.example/1', 'https://b.example/1', false],
  ['/1', '/2', true],
  ['/1', 'https://a.example/1', false],
  ['data:text/plain,1', 'data:text/plain,1', false],
  ['https://[', 'https://[', false],
])('%s and %s have one origin: %j', (one, other, same) => {
  expect(isSameOrigin(one, other)).toBe(same);
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

test.each([
  [() => createFallback({ targets: [{ name: 7 as unknown as string }] }), /every target to have a `name`/],
  [
    () => createFallback({ targets: [{ name: 'one', fetch: 'no' as unknown as typeof fetch }] }),
    /`fetch` of the target "one" to be a function, got string/,
  ],
  [() => createKeyRotation({ keys: [7 as unknown as string] }), /`keys` to be a list of at least one key/],
  [() => createKeyRotation({ keys: ['k'], restMs: { rate_limit: -1 } }), /`restMs\.rate_limit`/],
])('an invalid chain is refused at creation: %#', (make, message) => {
  expect(make).toThrow(message);
});

test('a body that is not a JSON object is kept, even if the target names a model', async () => {
  for (const body of ['null', '7', '[1]', 'no JSON']) {
    const runtime = fakeRuntime();
    const inner = script(runtime, 529, 200);
    const fallback = createFallback({ targets: [{ name: 'other', model: 'm' }], maxRetriesBeforeFallback: 0 });
    await createRetryFetch({ fetch: inner, runtime, fallback })('https://home.example/', { method: 'POST', body });
    expect(inner.calls[1]?.init?.body).toBe(body);
  }
});

test('a rotation skips the given keys, in its turn, until none is left', () => {
  const rotation = createKeyRotation({ keys: ['one', 'two', 'three'] });
  const first = chainOf(rotation).keys?.choose(0);
  const second = chainOf(rotation).keys?.choose(0, first === undefined ? [] : [first.target]);
  const passed = [first, second].flatMap((next) => next?.target ?? []);
  const third = chainOf(rotation).keys?.choose(0, passed);
  expect([first, second, third].map((next) => next?.target.name)).toEqual(['key 1', 'key 2', 'key 3']);
  expect(
    chainOf(rotation).keys?.choose(0, [...passed, ...(third === undefined ? [] : [third.target])]),
  ).toBeUndefined();
});

test('the headers for another origin are those that carry no secret and name no origin', () => {
  const headers = {
    Accept: '*/*',
    'Content-Type': 'text/plain',
    Host: 'home',
    Origin: 'https://home',
    'X-Api-Key': 'k',
  };
  expect(ordinaryHeaders(headers)).toEqual({ Accept: '*/*', 'Content-Type': 'text/plain' });
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

test('an init as a plain object has what a class gives by getters, and needs no prototype', () => {
  class Init {
    get method(): string {
      return 'DELETE';
    }
  }
  expect(plainInit(new Init())).toEqual({ method: 'DELETE' });
  expect(plainInit(Object.assign(Object.create(null), { method: 'PUT' }))).toEqual({ method: 'PUT' });
});
