import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, test, vi } from 'vitest';
import { createRetryFetch, type Fetch } from '../../src/index.ts';
import { fakeRuntime, respond, script, settle } from '../script.ts';

const CHAT = 'https://api.example.com/v1/chat/completions';
const TOKEN = 'https://auth.example.com/token';

const pathOf = (input: Parameters<Fetch>[0]): string => new URL(String(input)).pathname;

describe('a function that replaces the global fetch and uses the wrapper itself', () => {
  function guarded(use: (wrapper: Fetch) => Promise<unknown>) {
    const original = vi.fn<Fetch>(async () => respond(200));
    vi.stubGlobal('fetch', original);
    const wrapper = createRetryFetch({ runtime: fakeRuntime() });
    const guard = vi.fn<Fetch>(async (input, init) => {
      await use(wrapper);
      return original(input, init);
    });
    vi.stubGlobal('fetch', guard);
    return { original, wrapper, guard };
  }

  test('is called by each call, and its own calls use the fetch that was there before', async () => {
    const { original, wrapper, guard } = guarded(async (fetch) => fetch(TOKEN));
    for (const calls of [1, 2, 3]) {
      await wrapper(CHAT);
      expect(guard).toHaveBeenCalledTimes(calls);
    }
    expect(original.mock.calls.map(([input]) => pathOf(input))).toEqual(
      Array.from({ length: 3 }, () => ['/token', '/v1/chat/completions']).flat(),
    );
  });

  test('is called by parallel calls, while one of them is within it', async () => {
    const { wrapper, guard } = guarded(async (fetch) => {
      await settle();
      return fetch(TOKEN);
    });
    await Promise.all([wrapper(CHAT), wrapper(CHAT), wrapper(CHAT, { method: 'POST', body: '{}' })]);
    expect(guard.mock.calls.map(([input]) => input)).toEqual([CHAT, CHAT, CHAT]);
  });

  test('is called by what it starts in the background, once its own call is over', async () => {
    const background = Promise.withResolvers<void>();
    let audit: Promise<unknown> | undefined;
    const { wrapper, guard } = guarded(async (fetch) => {
      audit ??= background.promise.then(() => fetch(TOKEN));
    });
    await wrapper(CHAT);
    background.resolve();
    await audit;
    expect(guard.mock.calls.map(([input]) => input)).toEqual([CHAT, TOKEN]);
  });

  test('gets the init of a call that it passes on, which is retried once', async () => {
    const runtime = fakeRuntime();
    const original = script(runtime, 503);
    vi.stubGlobal('fetch', original);
    const wrapper = createRetryFetch({ runtime, maxRetries: 2 });
    vi.stubGlobal('fetch', async (...args: Parameters<Fetch>) => wrapper(...args));
    await wrapper(CHAT, { method: 'POST', body: '{}' });
    await wrapper(CHAT);
    expect(original.calls.map(({ init }) => init?.body)).toEqual(['{}', '{}', '{}', undefined, undefined, undefined]);
  });
});

describe('what a sandbox may forbid', () => {
  function forbidProcess() {
    const read = vi.fn<() => never>(() => {
      throw new Error('A Node.js API is used which is not supported in the Edge Runtime.');
    });
    const process = Object.defineProperty({}, 'getBuiltinModule', { get: read });
    return { read, forbid: () => vi.stubGlobal('process', process) };
  }

  async function callAfterReplacement(): Promise<readonly [status: number, replaced: number]> {
    const runtime = fakeRuntime();
    vi.stubGlobal('fetch', script(runtime, 500));
    const wrapper = createRetryFetch({ runtime });
    const replaced = script(runtime, 503, 200);
    vi.stubGlobal('fetch', replaced);
    const { status } = await wrapper(CHAT);
    return [status, replaced.calls.length];
  }

  test('may throw: a call over a global fetch that was replaced is answered and retried', async () => {
    const { read, forbid } = forbidProcess();
    forbid();
    expect(await callAfterReplacement()).toEqual([200, 2]);
    expect(read).toHaveBeenCalledOnce();
  });

  test('is not read where AsyncLocalStorage is a global, as in the edge runtime of Next', async () => {
    const { read, forbid } = forbidProcess();
    forbid();
    vi.stubGlobal('AsyncLocalStorage', AsyncLocalStorage);
    expect(await callAfterReplacement()).toEqual([200, 2]);
    expect(read).not.toHaveBeenCalled();
  });

  test('is not read while the global fetch is the same', async () => {
    const { read, forbid } = forbidProcess();
    forbid();
    const runtime = fakeRuntime();
    vi.stubGlobal('fetch', script(runtime, 503, 200));
    expect((await createRetryFetch({ runtime })(CHAT)).status).toBe(200);
    expect(read).not.toHaveBeenCalled();
  });
});

describe('the properties of the inner fetch', () => {
  const inner = Object.assign(async () => respond(200), { Response, preconnect: (url: string) => `to ${url}` });

  test('are found on the wrapper, as they are when they are read', () => {
    const wrapper = createRetryFetch({ fetch: inner });
    expect(Reflect.get(wrapper, 'Response')).toBe(Response);
    expect(Reflect.get(wrapper, 'preconnect')).toBe(inner.preconnect);
    expect(['Response', 'preconnect', 'with', 'other'].map((name) => name in wrapper)).toEqual([
      true,
      true,
      true,
      false,
    ]);
    Object.assign(inner, { other: 1 });
    expect(Reflect.get(wrapper, 'other')).toBe(1);
    expect(Reflect.get(wrapper.with({ maxRetries: 1 }), 'other')).toBe(1);
  });

  test('do not hide `with`, name and length of the wrapper, nor what every function has', () => {
    const named = async (_input: unknown, _init: unknown): Promise<Response> => respond(200);
    const wrapper = createRetryFetch({ fetch: Object.assign(named, { with: 'not ours' }) });
    expect(wrapper.with({})).toBeTypeOf('function');
    expect([wrapper.name, wrapper.length]).toEqual(['named', 2]);
    expect(wrapper).toBeInstanceOf(Function);
    expect(wrapper.bind(undefined)).toBeTypeOf('function');
  });

  test('of a mock tell its calls', async () => {
    const mock = vi.fn<Fetch>(async () => respond(200));
    const wrapper = createRetryFetch({ fetch: mock });
    await wrapper(CHAT);
    expect(wrapper).toHaveBeenCalledExactlyOnceWith(CHAT);
  });

  test('are those of the global fetch of the moment', () => {
    vi.stubGlobal(
      'fetch',
      Object.assign(async () => respond(200), { preconnect: 1 }),
    );
    const wrapper = createRetryFetch();
    vi.stubGlobal(
      'fetch',
      Object.assign(async () => respond(200), { preconnect: 2 }),
    );
    expect(Reflect.get(wrapper, 'preconnect')).toBe(2);
    vi.stubGlobal('fetch', wrapper);
    expect(Reflect.get(wrapper, 'preconnect')).toBe(1);
    vi.stubGlobal('fetch', undefined);
    expect(Reflect.get(wrapper, 'preconnect')).toBeUndefined();
  });

  test('belong to the wrapper once they are set there', () => {
    const wrapper = createRetryFetch({ fetch: inner });
    Object.assign(wrapper, { preconnect: 'own' });
    expect([Reflect.get(wrapper, 'preconnect'), inner.preconnect('x')]).toEqual(['own', 'to x']);
  });
});
