import { expect, test } from 'vitest';
import { createRetryFetch } from '../src/index.ts';
import { createUndiciFetch } from '../src/undici.ts';
import { thrownBy } from './script.ts';

test.each<[unknown, string]>([
  [null, 'Expected `options` to be an object such as { connections: 8 }, got null.'],
  [{ connections: -1 }, 'Expected `connections` to be an integer ≥ 1, got -1.'],
  [{ headersTimeoutMs: '5' }, 'Expected `headersTimeoutMs` to be an integer ≥ 0, got "5".'],
  [{ proxy: 'env' }, "Expected `proxy` to be one of 'none', 'environment', got \"env\"."],
  [{ bodyTimeout: 5 }, 'Unknown option `bodyTimeout`. Did you mean `bodyTimeoutMs`?'],
])('refuses invalid options at creation: %j', (options, message) => {
  // @ts-expect-error -- callers in JavaScript
  expect(() => createUndiciFetch(options)).toThrow(new TypeError(message));
});

test('its Response takes the global FormData, as SDKs ask before an upload, also under retries', async () => {
  const pooled = createUndiciFetch();
  for (const fetch of [pooled, createRetryFetch({ fetch: pooled })]) {
    const Made: unknown = Reflect.get(fetch, 'Response');
    if (Made !== Response) throw new Error('Expected the global Response.');
    const form = new FormData();
    form.append('file', new File(['hello'], 'a.wav'));
    expect(await new Response(form).text()).toContain('hello');
  }
  await pooled.close();
});

test('a call over one that was closed is not repeated', async () => {
  const pooled = createUndiciFetch();
  await pooled.close();
  let requests = 0;
  const fetch = createRetryFetch({
    baseDelayMs: 1,
    fetch: (...args: Parameters<typeof pooled>) => {
      requests += 1;
      return pooled(...args);
    },
  });
  expect(
    await thrownBy(fetch('http://127.0.0.1:4999/v1/chat/completions', { method: 'POST', body: '{}' })),
  ).toMatchObject({ cause: { code: expect.stringMatching(/^UND_ERR_(?:CLOSED|DESTROYED)$/) } });
  expect(requests).toBe(1);
});
