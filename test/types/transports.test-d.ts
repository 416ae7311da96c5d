import { describe, expectTypeOf, test } from 'vitest';
import {
  createRetryFetch,
  type Fetch,
  FetchTransport,
  type HeadersLike,
  type HttpHeaders,
  type HttpTransport,
  type RetryFetch,
  type RetryFetchConfig,
  RetryTransport,
  type TransportResponse,
} from '../../src/index.ts';
import { createUndiciFetch, type UndiciFetch } from '../../src/undici.ts';

describe('the types of a transport', () => {
  test('fetch is the type in every runtime', () => {
    expectTypeOf<typeof fetch>().toExtend<Fetch>();
    expectTypeOf<Fetch>().toExtend<(input: string, init?: RequestInit) => Promise<Response>>();
  });

  test('request headers are a record; response headers may also be `Headers` or have a `get`', () => {
    expectTypeOf<Record<string, string>>().toExtend<HttpHeaders>();
    expectTypeOf<Headers>().toExtend<HeadersLike>();
    expectTypeOf<Record<string, string>>().toExtend<HeadersLike>();
    expectTypeOf<{ get(name: string): string | null }>().toExtend<HeadersLike>();
    expectTypeOf<Map<string, number>>().not.toExtend<HeadersLike>();
  });

  test('a response of a transport has only the members of a Response that are needed', () => {
    expectTypeOf<Response>().toExtend<TransportResponse>();
    expectTypeOf<{
      ok: boolean;
      status: number;
      text(): Promise<string>;
      json<T>(): Promise<T>;
    }>().toExtend<TransportResponse>();
  });
});

describe('the transports', () => {
  test('FetchTransport is one', () => {
    expectTypeOf(FetchTransport).toBeConstructibleWith();
    expectTypeOf(FetchTransport).toBeConstructibleWith({ fetch, headers: { a: 'b' }, redirect: 'error' });
    expectTypeOf(FetchTransport).instance.toExtend<HttpTransport>();
  });

  test('RetryTransport is one and wraps one', () => {
    expectTypeOf(RetryTransport).toBeConstructibleWith(new FetchTransport());
    expectTypeOf(RetryTransport).toBeConstructibleWith(new RetryTransport(new FetchTransport()), { maxRetries: 1 });
    expectTypeOf(RetryTransport).instance.toExtend<HttpTransport>();
  });

  test('createRetryFetch returns a fetch with `with`', () => {
    expectTypeOf(createRetryFetch).toBeCallableWith({ fetch, maxRetries: 1 });
    expectTypeOf(createRetryFetch).toBeCallableWith({ maxRetries: 1 });
    expectTypeOf(createRetryFetch).toBeCallableWith();
    expectTypeOf(createRetryFetch).returns.toEqualTypeOf<RetryFetch>();
    expectTypeOf<RetryFetch>().toExtend<Fetch>();
    expectTypeOf<RetryFetch>().toEqualTypeOf<Fetch & { with(overrides: RetryFetchConfig): RetryFetch }>();
  });

  test('it is accepted by an SDK that takes a fetch', () => {
    expectTypeOf<RetryFetch>().toExtend<(url: URL | RequestInfo, init?: RequestInit) => Promise<Response>>();
    expectTypeOf<RetryFetch>().toExtend<typeof globalThis.fetch>();
  });

  test('the fetch over undici is one, and can be closed', () => {
    expectTypeOf(createUndiciFetch).returns.toEqualTypeOf<UndiciFetch>();
    expectTypeOf<UndiciFetch>().toExtend<Fetch>();
    expectTypeOf<UndiciFetch['close']>().returns.toEqualTypeOf<Promise<void>>();
  });
});
