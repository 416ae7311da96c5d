import { describe, expect, test, vi } from 'vitest';
import { createRetryFetch, FetchTransport, type RetryConfig, RetryTransport } from '../../src/index.ts';
import {
  fakeRuntime,
  observed,
  respond,
  respondError,
  script,
  scriptTransport,
  thrownBy,
  URL_OF_TEST,
} from '../script.ts';

/** Everything that we made of a call that failed in every way. */
async function madeOf(
  call: (config: RetryConfig) => Promise<unknown>,
  exhausted: RetryConfig['exhausted'] = 'return',
): Promise<string> {
  const made: unknown[] = [];
  const note = (...args: readonly unknown[]): void => {
    for (const arg of args)
      made.push(
        arg instanceof Error && arg.name === 'HttpStatusError' ? [arg.message, arg.stack, Object.entries(arg)] : arg,
      );
  };
  const config: RetryConfig = {
    runtime: fakeRuntime(),
    exhausted,
    onEvent: note,
    onRetry: (_attempt, error) => note(error),
    onExhausted: (error) => note(error),
    stopIf: (retry) => {
      note(retry);
      return false;
    },
  };
  const end = await call(config).catch((error: unknown) => error);
  if (exhausted === 'throw' && end instanceof Error) note([end.message, Reflect.get(end, 'history')]);
  if (made.length < 4) throw new Error('Expected the call to fail more often.');
  return JSON.stringify(made);
}

describe('secrets', () => {
  const KEY = 'kd93-very-secret-value-7716';
  const QUERY = 'q8w7e6r5-query-secret';
  const PASSWORD = 'p4ssw0rd-in-url';
  const url = `https://user-name:${PASSWORD}@api.example.com/v1/messages?key=${QUERY}&x=${encodeURIComponent(`${QUERY}/2`)}`;
  const headers = { 'x-api-key': KEY, authorization: `Bearer ${KEY}-bearer`, 'X-Custom': `${KEY}-custom` };
  /** Echoes everything it was given, as some servers do. */
  const echo = JSON.stringify({
    error: {
      type: 'rate_limit_error',
      message: `Slow down ${KEY}, ${KEY}-bearer, ${KEY}-custom, ${QUERY}, ${PASSWORD}`,
      code: KEY,
    },
  });

  const leaksIn = (text: string): readonly string[] =>
    [KEY, QUERY, PASSWORD, 'user-name'].filter((secret) => text.includes(secret));

  test.each(['return', 'throw'] as const)(
    'are in nothing that we make, also where the server echoes them (exhausted: %s)',
    async (exhausted) => {
      const inner = script(fakeRuntime(), respond(429, { 'content-type': 'application/json' }, echo));
      expect(
        leaksIn(
          await madeOf(
            (config) => createRetryFetch({ fetch: inner, ...config })(url, { method: 'POST', headers }),
            exhausted,
          ),
        ),
      ).toEqual([]);
    },
  );

  test.each<[string, HeadersInit]>([
    ['a Headers object', new Headers(headers)],
    ['pairs', Object.entries(headers)],
  ])('are found in %s', async (_title, given) => {
    const inner = script(fakeRuntime(), respond(429, {}, echo));
    expect(
      leaksIn(await madeOf((config) => createRetryFetch({ fetch: inner, ...config })(url, { headers: given }))),
    ).toEqual([]);
  });

  test('are found in a request', async () => {
    const inner = script(fakeRuntime(), respond(429, {}, echo.replace(PASSWORD, '')));
    const request = new Request(url.replace(`user-name:${PASSWORD}@`, ''), { method: 'POST', body: 'x', headers });
    expect(leaksIn(await madeOf((config) => createRetryFetch({ fetch: inner, ...config })(request)))).toEqual([]);
  });

  test('are found in the arguments of a transport', async () => {
    const inner = scriptTransport(() => respond(429, {}, echo));
    expect(leaksIn(await madeOf((config) => new RetryTransport(inner, config).post(url, {}, headers)))).toEqual([]);
    expect(leaksIn(await madeOf((config) => new RetryTransport(inner, config).get(url, headers)))).toEqual([]);
  });

  test('are found in the headers of a transport, even through two layers', async () => {
    const inner = script(fakeRuntime(), respond(429, {}, echo));
    const transport = new FetchTransport({ fetch: inner, headers });
    const bare = url.replace(`user-name:${PASSWORD}@`, '').replace(/\?.*/, '');
    const words = (made: string): readonly string[] => leaksIn(made.replaceAll(QUERY, '').replaceAll(PASSWORD, ''));
    expect(words(await madeOf((config) => new RetryTransport(transport, config).post(bare, {})))).toEqual([]);
    const layers = new RetryTransport(transport, { maxRetries: 0 });
    expect(words(await madeOf((config) => new RetryTransport(layers, config).get(bare)))).toEqual([]);
  });

  test('are found even if the caller removed them from the headers later', async () => {
    const mutable: Record<string, string> = { ...headers };
    const inner = script(fakeRuntime(), () => {
      for (const name of Object.keys(mutable)) delete mutable[name];
      return respond(429, {}, echo);
    });
    expect(
      leaksIn(await madeOf((config) => createRetryFetch({ fetch: inner, ...config })(url, { headers: mutable }))),
    ).toEqual([]);
  });

  test('leave no half of themselves at the edge of a cut body', async () => {
    const long = 'z9'.repeat(400);
    for (const offset of [0, 100, 399]) {
      const body = 'x'.repeat(offset) + long.repeat(30);
      const inner = script(fakeRuntime(), respond(429, {}, body));
      const messages: string[] = [];
      const onRetry = (_attempt: number, { message }: Error): void => void messages.push(message);
      const { events, ...config } = observed({ onRetry, runtime: fakeRuntime() });
      await createRetryFetch({ fetch: inner, ...config })(URL_OF_TEST, { headers: { 'x-api-key': long } });
      expect([messages.length, events.length]).toEqual([3, 4]);
      expect(JSON.stringify([messages, events])).not.toContain('z9z9');
    }
  });

  test('of known shapes are masked even if no request had them', async () => {
    // In pieces, for tools that scrub keys from sources would scrub it here too.
    const end = 'abcdefghijklmnop';
    const message = `The key ${['sk', 'ant', 'api03', end].join('-')} is over its limit`;
    const inner = script(fakeRuntime(), respondError(429, { message }));
    const made = await madeOf((config) => createRetryFetch({ fetch: inner, ...config })(URL_OF_TEST));
    expect(made).toContain('The key [redacted] is over its limit');
    expect(made).not.toContain(end);
  });

  test('stay in an error of the inner transport, which is passed on unchanged', async () => {
    const error = new TypeError(`fetch failed for ${KEY}`);
    const onRetry = vi.fn<(attempt: number, error: Error, delayMs: number) => void>();
    const { events, ...config } = observed({ runtime: fakeRuntime(), onRetry, maxRetries: 1 });
    expect(
      await thrownBy(createRetryFetch({ fetch: script(fakeRuntime(), error), ...config })(URL_OF_TEST, { headers })),
    ).toBe(error);
    expect(onRetry.mock.calls[0]?.[1]).toBe(error);
    expect(JSON.stringify(events)).not.toContain(KEY);
  });

  test('keep no request, response or headers in memory', async () => {
    const seen: object[] = [];
    const collect = (value: unknown): void => {
      if (typeof value !== 'object' || value === null || seen.includes(value)) return;
      seen.push(value);
      for (const inner of Object.values(value)) collect(inner);
    };
    const config: RetryConfig = {
      onEvent: collect,
      onRetry: (_attempt, error) => collect(error),
      onExhausted: collect,
      runtime: fakeRuntime(),
    };
    await createRetryFetch({ fetch: script(fakeRuntime(), 503), ...config })(url, { headers });
    expect(seen.length).toBeGreaterThan(5);
    for (const Kind of [Request, Response, Headers, AbortSignal])
      expect(seen.filter((value) => value instanceof Kind)).toEqual([]);
  });
});
