import { AsyncLocalStorage } from 'node:async_hooks';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createRetryFetch, type Fetch, type RetryConfig, withRetry } from '../../src/index.ts';
import { type Served, serve } from '../serve.ts';
import { fakeRuntime, respond, settle, thrownBy, URL_OF_TEST } from '../script.ts';

/** What came of a call, as far as a caller can tell: the error, and what became of the body. */
async function outcomeOf(fetch: Fetch, input: Parameters<Fetch>[0], init?: RequestInit): Promise<unknown> {
  const error = await thrownBy(fetch(input, init));
  return error instanceof Error ? [error.name, error.message] : error;
}

describe('a call that is already aborted has the effects of bare fetch', () => {
  const aborted = (reason?: unknown): AbortSignal => AbortSignal.abort(reason);

  test('a body stream is cancelled with the reason', async () => {
    const outcomes = [];
    for (const call of [fetch, createRetryFetch()]) {
      const cancelled: unknown[] = [];
      const body = new ReadableStream({ cancel: (reason) => void cancelled.push(reason) });
      const init: RequestInit & { readonly duplex: 'half' } = {
        method: 'POST',
        body,
        duplex: 'half',
        signal: aborted('why'),
      };
      outcomes.push([await outcomeOf(call, URL_OF_TEST, init), cancelled]);
    }
    expect(outcomes[1]).toEqual(outcomes[0]);
    expect(outcomes[1]).toEqual(['why', ['why']]);
  });

  test('the body of a request is used', async () => {
    const used = [];
    for (const call of [fetch, createRetryFetch()]) {
      const request = new Request(URL_OF_TEST, { method: 'POST', body: 'x', signal: aborted() });
      used.push([await outcomeOf(call, request), request.bodyUsed]);
    }
    expect(used[1]).toEqual(used[0]);
  });

  test.each<[string, string, RequestInit]>([
    ['a URL that is none', 'not a url', {}],
    ['a method that is none', URL_OF_TEST, { method: 'a b' }],
    ['a GET with a body', URL_OF_TEST, { body: 'x' }],
    ['a header that is none', URL_OF_TEST, { headers: { 'x y': '1' } }],
  ])('%s is refused with the error of fetch', async (_title, url, init) => {
    const bare = await outcomeOf(fetch, url, { ...init, signal: aborted() });
    expect(await outcomeOf(createRetryFetch(), url, { ...init, signal: aborted() })).toEqual(bare);
    expect(bare).toContain('TypeError');
  });
});

test('a retrying fetch looks like fetch', () => {
  for (const call of [createRetryFetch(), createRetryFetch({ maxRetries: 1 }), createRetryFetch({ fetch }).with({})])
    expect([call.name, call.length]).toEqual([fetch.name, fetch.length]);
});

test('a time limit of the operation itself is retried', async () => {
  let attempts = 0;
  const operation = async (): Promise<string> => {
    attempts += 1;
    if (attempts < 3) throw new DOMException('The operation was aborted due to timeout', 'TimeoutError');
    return 'done';
  };
  expect(await withRetry(operation, { runtime: fakeRuntime() })).toBe('done');
});

test.each(['in flight', 'in a wait'])('listeners hear of an abort %s in the context of the caller', async (phase) => {
  const context = new AsyncLocalStorage<string>();
  const heard: unknown[] = [];
  const abort = new AbortController();
  const config: RetryConfig = {
    runtime: { ...fakeRuntime(), sleep: () => new Promise<void>(() => {}) },
    onEvent: ({ type }) => void heard.push([type, context.getStore()]),
  };
  const inner: Fetch = phase === 'in flight' ? () => new Promise(() => {}) : async () => respond(503);
  const call = context.run('caller', () =>
    createRetryFetch({ fetch: inner, ...config })(URL_OF_TEST, { signal: abort.signal }),
  );
  await settle();
  context.run('aborter', () => abort.abort());
  await thrownBy(call);
  expect(heard.at(-1)).toEqual(['cancelled', 'caller']);
});

describe('over sockets', () => {
  let server: Served;
  beforeEach(async () => {
    server = await serve({ status: 307, headers: { location: '/elsewhere' }, body: '' });
  });
  afterEach(() => server.close());

  test('a redirect of a request that was created from a stream is refused once', async () => {
    const body = new Blob(['x']).stream();
    const init: RequestInit & { readonly duplex: 'half' } = { method: 'POST', body, duplex: 'half' };
    const call = createRetryFetch({ fetch, baseDelayMs: 1 })(new Request(server.url, init));
    expect(await thrownBy(call)).toBeInstanceOf(TypeError);
    expect(server.counts.requests).toBe(1);
  });
});
