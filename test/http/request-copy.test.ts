import { PassThrough } from 'node:stream';
import { runInNewContext } from 'node:vm';
import { FormData as UndiciFormData, Headers as UndiciHeaders } from 'undici';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createRetryFetch } from '../../src/index.ts';
import { copyRequest } from '../../src/http/request-copy.ts';
import { BYTES, TEXT } from '../received-bodies.ts';
import { fakeRuntime, respond, script, settle, URL_OF_TEST } from '../script.ts';

/** The bytes that fetch would send for an input and init. */
async function sent([input, init]: readonly [string | URL | Request, RequestInit | undefined]): Promise<Uint8Array> {
  return new Uint8Array(await new Request(input, init).arrayBuffer());
}

/** The very bytes of an init. */
function bytesOf(init: RequestInit | undefined): Uint8Array {
  if (init?.body instanceof Uint8Array) return init.body;
  throw new Error('Expected the body to be bytes.');
}

/** The bytes of three retries, made one after the other. */
async function threeRetries(
  input: string | URL | Request,
  init?: RequestInit,
  meanwhile?: () => void,
): Promise<Uint8Array[]> {
  const copy = copyRequest(input, init);
  meanwhile?.();
  const bodies: Uint8Array[] = [];
  for (let retry = 1; retry <= 3; retry += 1) bodies.push(await sent(copy.next()));
  return bodies;
}

const shared = (): ArrayBuffer => {
  const whole = new Uint8Array(BYTES.length + 20).fill(7);
  whole.set(BYTES, 10);
  return whole.buffer;
};

test.each([
  ['an ArrayBuffer', 'new Uint8Array([1, 2, 3]).buffer'],
  ['a DataView', 'new DataView(new Uint8Array([0, 1, 2, 3]).buffer, 1)'],
])('%s of another realm is copied too', async (_what, code) => {
  const body: BodyInit & object = runInNewContext(code);
  const copy = copyRequest(URL_OF_TEST, { method: 'POST', body });
  expect(copy.next()[1]?.body).not.toBe(body);
  expect(await sent(copy.next())).toEqual(new Uint8Array([1, 2, 3]));
});

describe('later changes by the caller have no effect', () => {
  test.each<[string, () => { readonly body: BodyInit; readonly spoil: () => void }]>([
    [
      'a Buffer that is overwritten',
      () => {
        const body = Buffer.from(BYTES);
        return { body, spoil: () => void body.fill(0) };
      },
    ],
    [
      'a part of a bigger buffer that is overwritten',
      () => {
        const buffer = shared();
        return { body: new Uint8Array(buffer, 10, BYTES.length), spoil: () => void new Uint8Array(buffer).fill(0) };
      },
    ],
    [
      'a buffer that is given away',
      () => {
        const { buffer } = BYTES.slice();
        return { body: buffer, spoil: () => void structuredClone(buffer, { transfer: [buffer] }) };
      },
    ],
    [
      'a DataView that is written to',
      () => {
        const body = new DataView(BYTES.slice().buffer);
        return { body, spoil: () => body.setUint8(0, 0) };
      },
    ],
  ])('on %s', async (_title, make) => {
    const { body, spoil } = make();
    expect(await threeRetries(URL_OF_TEST, { method: 'POST', body }, spoil)).toEqual([BYTES, BYTES, BYTES]);
  });

  test('parameters that are added', async () => {
    const body = new URLSearchParams('a=1');
    const bodies = await threeRetries(URL_OF_TEST, { method: 'POST', body }, () => body.append('b', '2'));
    expect(bodies[0]).toEqual(new TextEncoder().encode('a=1'));
  });

  test('form parts that are added', async () => {
    const body = new FormData();
    body.append('a', '1');
    const copy = copyRequest(URL_OF_TEST, { method: 'POST', body });
    body.append('b', '2');
    expect([...(await new Request(...copy.next()).formData()).keys()]).toEqual(['a']);
  });

  test('one retry that consumes its body', async () => {
    const copy = copyRequest(URL_OF_TEST, { method: 'POST', body: BYTES.slice() });
    const [, first] = copy.next();
    bytesOf(first).fill(0);
    expect(await sent(copy.next())).toEqual(BYTES);
  });

  test.each<[string, () => { readonly headers: HeadersInit; readonly spoil: () => void }]>([
    [
      'a record',
      () => {
        const headers: Record<string, string> = { 'x-a': '1' };
        return { headers, spoil: () => Object.assign(headers, { 'x-a': '2', 'x-b': '2' }) };
      },
    ],
    [
      'a Headers object',
      () => {
        const headers = new Headers({ 'x-a': '1' });
        return { headers, spoil: () => (headers.set('x-a', '2'), headers.set('x-b', '2')) };
      },
    ],
    [
      'a list of pairs',
      () => {
        const headers: [string, string][] = [['x-a', '1']];
        return { headers, spoil: () => headers.splice(0, 1, ['x-a', '2'], ['x-b', '2']) };
      },
    ],
    [
      'a list of pairs that are changed themselves',
      () => {
        const pair: [string, string] = ['x-a', '1'];
        return { headers: [pair], spoil: () => pair.fill('x-b') };
      },
    ],
  ])('headers as %s that are changed', (_title, make) => {
    const { headers, spoil } = make();
    const copy = copyRequest(URL_OF_TEST, { headers });
    spoil();
    const [, init] = copy.next();
    expect([...new Headers(init?.headers)]).toEqual([['x-a', '1']]);
    expect([...new Headers(copy.headers)]).toEqual([['x-a', '1']]);
  });

  test('an init that is changed', () => {
    const init: RequestInit = { method: 'PUT', redirect: 'error' };
    const copy = copyRequest(URL_OF_TEST, init);
    init.method = 'DELETE';
    expect(copy.next()[1]).toMatchObject({ method: 'PUT', redirect: 'error' });
  });

  test('the headers and the bytes with which an init overrides a request', async () => {
    const headers = new Headers({ 'x-a': '1' });
    const body = BYTES.slice();
    const copy = copyRequest(new Request(URL_OF_TEST, { method: 'POST', body: 'own' }), { headers, body });
    headers.set('x-a', 'another');
    body.fill(0);
    for (let retry = 1; retry <= 2; retry += 1) {
      const [input, init] = copy.next();
      expect([...new Headers(init?.headers)]).toEqual([['x-a', '1']]);
      expect(await sent([input, init])).toEqual(BYTES);
    }
    expect([...new Headers(copy.headers)]).toEqual([['x-a', '1']]);
  });

  test('an init without headers and body keeps those of the request', async () => {
    const request = new Request(URL_OF_TEST, { method: 'POST', body: 'own', headers: { 'x-own': '1' } });
    const copy = copyRequest(request, { redirect: 'error' });
    const [input, init] = copy.next();
    expect(init).toEqual({ redirect: 'error' });
    expect(await sent([input, init])).toEqual(new TextEncoder().encode('own'));
    expect(new Headers(copy.headers).get('x-own')).toBe('1');
  });

  test('a URL object that is changed', () => {
    const url = new URL(URL_OF_TEST);
    const copy = copyRequest(url, undefined);
    url.pathname = '/elsewhere';
    expect([String(copy.next()[0]), copy.url]).toEqual([URL_OF_TEST, URL_OF_TEST]);
  });
});

describe('a retry gets arguments of the same shape', () => {
  class OwnHeaders extends Headers {}
  class OwnURL extends URL {}
  class OwnForm extends FormData {}
  class OwnBytes extends Uint8Array {}
  const initOf = (init: RequestInit): RequestInit | undefined => copyRequest(URL_OF_TEST, init).next()[1];

  test.each<[string, HeadersInit]>([
    ['Headers', new Headers({ 'x-a': '1', 'x-b': '2' })],
    ['a class of headers', new OwnHeaders({ 'x-a': '1', 'x-b': '2' })],
    ['undici’s Headers', new UndiciHeaders({ 'x-a': '1', 'x-b': '2' }) as unknown as Headers],
    ['a map', new Map(Object.entries({ 'x-a': '1', 'x-b': '2' })) as unknown as HeadersInit],
  ])('as headers: %s', (_title, headers) => {
    const copy = initOf({ headers })?.headers;
    expect(copy).not.toBe(headers);
    expect(copy?.constructor).toBe(headers.constructor);
    expect([...new Headers(copy)]).toEqual([...new Headers(headers)]);
  });

  test('as headers that are a record or pairs', () => {
    expect(initOf({ headers: { 'X-A': '1' } })?.headers).toEqual({ 'X-A': '1' });
    expect(initOf({ headers: [['X-A', '1']] })?.headers).toEqual([['X-A', '1']]);
  });

  test.each<[string, URL]>([
    ['a URL', new URL(URL_OF_TEST)],
    ['a class of URLs', new OwnURL(URL_OF_TEST)],
  ])('as input: %s', (_title, url) => {
    const [input] = copyRequest(url, undefined).next();
    expect(input).toEqual(url);
    expect(input).not.toBe(url);
    expect(input.constructor).toBe(url.constructor);
  });

  test.each<[string, BodyInit & object]>([
    ['a Buffer', Buffer.from(TEXT)],
    ['a Uint16Array', new Uint16Array([1, 2, 3])],
    ['a Float64Array', new Float64Array([1.5])],
    ['a DataView', new DataView(shared(), 10, 4)],
    ['an ArrayBuffer', BYTES.slice().buffer],
    ['a class of bytes', new OwnBytes([1, 2])],
    ['parameters', new URLSearchParams('a=1')],
    ['a form', new FormData()],
    ['a class of forms', new OwnForm()],
    ['undici’s form', new UndiciFormData() as unknown as FormData],
  ])('as body: %s', (_title, body) => {
    const copy = initOf({ method: 'POST', body })?.body;
    expect(copy).not.toBe(body);
    expect(copy?.constructor).toBe(body.constructor);
    expect(copy).toEqual(body);
  });

  test('as init: unknown members are kept, even those of a prototype', () => {
    const dispatcher = {};
    expect(initOf({ method: 'POST', ...{ dispatcher, next: { revalidate: 1 }, cf: 1, agent: null } })).toEqual({
      method: 'POST',
      dispatcher,
      next: { revalidate: 1 },
      cf: 1,
      agent: null,
    });
    const inherited = initOf(Object.create({ dispatcher, method: 'PUT' }));
    expect([inherited?.method, Reflect.get(inherited ?? {}, 'dispatcher')]).toEqual(['PUT', dispatcher]);
  });

  test('as init: an instance of a class keeps its class, and getters that need it as `this`', () => {
    class Options {
      readonly #agent = { keepAlive: true };
      readonly body = BYTES.slice();
      get method(): string {
        return 'PUT';
      }
      get agent(): object {
        return this.#agent;
      }
    }
    const options = Object.freeze(new Options());
    const init = initOf(options);
    options.body.fill(0);
    expect(init).toBeInstanceOf(Options);
    expect([init?.method, init?.body, Reflect.get(init ?? {}, 'agent')]).toEqual(['PUT', BYTES, options.agent]);
    expect({ ...init }).toEqual({ method: 'PUT', body: BYTES });
  });

  test('as init: a Request', async () => {
    const init = new Request(URL_OF_TEST, { method: 'PUT', headers: { 'x-a': '1' }, redirect: 'error' });
    const request = new Request(...copyRequest(URL_OF_TEST, init).next());
    expect([request.method, request.headers.get('x-a'), request.redirect]).toEqual(['PUT', '1', 'error']);
  });
});

describe('arguments that fetch accepts or refuses are passed on', () => {
  test.each<[string, () => BodyInit]>([
    ['an ArrayBuffer', () => new Uint8Array(4).buffer],
    ['bytes', () => new Uint8Array(4)],
    ['a DataView', () => new DataView(new ArrayBuffer(4))],
  ])('a detached buffer of %s is sent unchanged', (_title, make) => {
    const body = make();
    const buffer = ArrayBuffer.isView(body) ? body.buffer : body;
    if (!(buffer instanceof ArrayBuffer)) throw new Error('Expected a buffer.');
    structuredClone(buffer, { transfer: [buffer] });
    const [, init] = copyRequest(URL_OF_TEST, { method: 'POST', body }).next();
    expect(ArrayBuffer.isView(init?.body) || init?.body instanceof ArrayBuffer).toBe(true);
  });

  test.each<[string, unknown, unknown]>([
    ['headers that are no headers', URL_OF_TEST, { headers: [5] }],
    ['headers that are a number', URL_OF_TEST, { headers: 5 }],
    ['an init that is a number', URL_OF_TEST, 5],
    ['an init that throws', URL_OF_TEST, Object.defineProperty({}, 'body', { get: () => JSON.parse('{') })],
    ['an input without a text', Object.create(null), {}],
    ['no input', undefined, undefined],
  ])('%s are copied without an error', (_title, input, init) => {
    // @ts-expect-error -- callers in JavaScript
    const copy = copyRequest(input, init);
    expect(() => [copy.url, copy.headers, copy.replayable, copy.release()]).not.toThrow();
  });

  test('headers that are null are sent again', async () => {
    // @ts-expect-error -- callers in JavaScript
    const copy = copyRequest(URL_OF_TEST, { method: 'POST', body: TEXT, headers: null });
    expect([copy.replayable, copy.usedUp, copy.headers]).toEqual([true, false, undefined]);
    expect(copy.next()[1]).toEqual({ method: 'POST', body: TEXT, headers: null });
  });

  test('an input that is an object of no class of URLs is sent as its text', () => {
    // @ts-expect-error -- callers in JavaScript
    expect(copyRequest({ toString: () => URL_OF_TEST }, undefined).next()).toEqual([URL_OF_TEST, undefined]);
  });

  test('what cannot be copied keeps its URL, if that is a text', () => {
    const init = Object.defineProperty({}, 'body', { get: () => JSON.parse('{') });
    const copy = copyRequest(URL_OF_TEST, init);
    expect([copy.url, copy.replayable, copy.usedUp, copy.next()]).toEqual([
      URL_OF_TEST,
      false,
      false,
      [URL_OF_TEST, init],
    ]);
  });

  test('a stream is not sent again, with any input', () => {
    const init = { method: 'POST', body: new ReadableStream() };
    expect(copyRequest(URL_OF_TEST, init).replayable).toBe(false);
    expect(copyRequest(new Request(URL_OF_TEST), init).replayable).toBe(false);
  });

  test('the body of a request that is used as an init is not sent again', () => {
    const init = new Request('https://other.example/', { method: 'PUT', body: 'x' });
    expect(copyRequest(URL_OF_TEST, init).replayable).toBe(false);
    expect(copyRequest(init, undefined).replayable).toBe(true);
  });
});

describe('what needs no copy is not copied', () => {
  test.each([
    ['a string', TEXT],
    ['a Blob', new Blob([BYTES])],
    ['none', null],
  ])('such as %s', (_title, body) => {
    const [, init] = copyRequest(URL_OF_TEST, { method: 'POST', body }).next();
    expect(init?.body).toBe(body);
  });

  test('a request without a body is passed unchanged', () => {
    const request = new Request(URL_OF_TEST);
    const copy = copyRequest(request, undefined);
    expect(copy.next()[0]).toBe(request);
    expect(copy.next()[0]).toBe(request);
    expect(copy.url).toBe(URL_OF_TEST);
  });

  test('a missing init stays missing', () => {
    expect(copyRequest(URL_OF_TEST, undefined).next()).toEqual([URL_OF_TEST, undefined]);
    // @ts-expect-error -- callers in JavaScript
    expect(copyRequest(URL_OF_TEST, null).next()).toEqual([URL_OF_TEST, undefined]);
  });

  test('missing members of an init stay missing', () => {
    expect(copyRequest(URL_OF_TEST, { redirect: 'error' }).next()[1]).toEqual({ redirect: 'error' });
    expect(copyRequest(URL_OF_TEST, { method: 'POST', body: null }).next()[1]).toEqual({ method: 'POST', body: null });
    expect(Object.keys(copyRequest(URL_OF_TEST, { redirect: 'error' }).next()[1] ?? {})).toEqual(['redirect']);
  });
});

test('the spare body of a request of node-fetch, a stream of Node, is destroyed', () => {
  const bodies: PassThrough[] = [];
  const make = (): object => {
    const body = new PassThrough();
    bodies.push(body);
    return { url: URL_OF_TEST, method: 'POST', headers: new Headers(), body, bodyUsed: false, clone: make };
  };
  const request: unknown = make();
  // @ts-expect-error -- node-fetch's Request has the members that are needed
  copyRequest(request, undefined).release();
  expect(bodies.map(({ destroyed }) => destroyed)).toEqual([false, true]);
});

test('a view of shared memory is sent as it is, so that each attempt has the same type', () => {
  const body = new Uint8Array(new SharedArrayBuffer(8));
  // @ts-expect-error -- fetch takes it, as bytes or as a text
  expect(copyRequest(URL_OF_TEST, { method: 'POST', body }).next()[1]?.body).toBe(body);
});

describe('a Request whose body is a stream', () => {
  afterEach(() => void vi.useRealTimers());

  const MEBIBYTE = 1_048_576;

  function streamed(parts: number) {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const pulled = { parts: 0 };
    const body = new ReadableStream({
      pull: (controller) => {
        if (pulled.parts === parts) return controller.close();
        pulled.parts += 1;
        controller.enqueue(new Uint8Array(MEBIBYTE));
      },
    });
    const init: RequestInit & { readonly duplex: 'half' } = { method: 'POST', body, duplex: 'half' };
    return { pulled, request: new Request(URL_OF_TEST, init) };
  }

  async function sendAfterAWhile(request: Request) {
    const runtime = fakeRuntime();
    const gate = Promise.withResolvers<void>();
    const sizes: number[] = [];
    const inner = script(runtime, async (input) => {
      await gate.promise;
      sizes.push((await (input as Request).arrayBuffer()).byteLength / MEBIBYTE);
      return respond(sizes.length === 1 ? 503 : 200);
    });
    const call = createRetryFetch({ fetch: inner, runtime })(request);
    vi.advanceTimersByTime(10);
    for (let turn = 0; turn < 50; turn += 1) await settle();
    return { call, go: gate.resolve, sizes };
  }

  test('is not read ahead whole, and a large one is sent once', async () => {
    const { pulled, request } = streamed(40);
    const { call, go, sizes } = await sendAfterAWhile(request);
    expect(pulled.parts).toBeLessThan(24);
    go();
    expect((await call).status).toBe(503);
    expect(sizes).toEqual([40]);
  });

  test('is sent again if it is small', async () => {
    const { call, go, sizes } = await sendAfterAWhile(streamed(3).request);
    go();
    expect((await call).status).toBe(200);
    expect(sizes).toEqual([3, 3]);
  });

  test('is no longer read when the call is over', async () => {
    const { pulled, request } = streamed(40);
    await createRetryFetch({ fetch: async () => respond(200) })(request);
    vi.advanceTimersByTime(10);
    for (let turn = 0; turn < 50; turn += 1) await settle();
    expect(pulled.parts).toBeLessThan(3);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is sent again even if it is large, when it is one part, as that of a text is', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const request = new Request(URL_OF_TEST, { method: 'POST', body: 'x'.repeat(20 * MEBIBYTE) });
    const { call, go, sizes } = await sendAfterAWhile(request);
    go();
    expect((await call).status).toBe(200);
    expect(sizes).toEqual([20, 20]);
  });
});
