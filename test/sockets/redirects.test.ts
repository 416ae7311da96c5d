import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createRetryFetch, FetchTransport, RetryTransport } from '../../src/index.ts';
import { createUndiciFetch } from '../../src/undici.ts';
import { type Served, serve } from '../serve.ts';

let origin: Served;
let target: Served;
let keysAtTarget: unknown[];

beforeEach(async () => {
  keysAtTarget = [];
  target = await serve((request, response) => {
    keysAtTarget.push(request.headers['x-api-key']);
    response.writeHead(keysAtTarget.length === 1 ? 503 : 200).end('target');
  });
  origin = await serve((_request, response) => response.writeHead(307, { location: target.url }).end());
});

afterEach(async () => {
  await Promise.all([origin.close(), target.close()]);
});

describe('a redirect', () => {
  test('is followed by fetch, and a retry starts at the URL of the caller again', async () => {
    const response = await createRetryFetch({ fetch, baseDelayMs: 1 })(origin.url, { method: 'POST', body: 'x' });
    expect([response.status, response.url]).toEqual([200, target.url]);
    expect([origin.counts.requests, target.counts.requests]).toEqual([2, 2]);
  });

  test('is returned unchanged if the request asks for that', async () => {
    const response = await createRetryFetch({ fetch, baseDelayMs: 1 })(origin.url, { redirect: 'manual' });
    expect([response.status, origin.counts.requests, target.counts.requests]).toEqual([307, 1, 0]);
  });

  test.each(['x-api-key', 'authorization', 'cookie'])(
    'does not carry %s to another origin, and a refusal is not retried',
    async (name) => {
      await target.close();
      const seen: unknown[] = [];
      target = await serve((request, response) => {
        seen.push(request.headers[name]);
        response.end('target');
      });
      const transport = new RetryTransport(new FetchTransport(), { baseDelayMs: 1 });
      await transport.post(origin.url, {}, { [name]: 'secret' }).catch((error: unknown) => {
        expect(error).toMatchObject({ message: 'fetch failed' });
      });
      expect(seen).not.toContain('secret');
      expect(origin.counts.requests).toBe(1);
    },
  );

  test('is followed with a key if the options say so', async () => {
    const transport = new RetryTransport(new FetchTransport({ redirect: 'follow' }), { baseDelayMs: 1 });
    await transport.post(origin.url, {}, { 'x-api-key': 'secret' });
    expect(keysAtTarget).toEqual(['secret', 'secret']);
  });

  test('in a circle is not retried', async () => {
    await origin.close();
    origin = await serve({ status: 302, headers: { location: '/v1/messages' }, body: '' });
    await expect(createRetryFetch({ fetch, baseDelayMs: 1 })(origin.url)).rejects.toThrow('fetch failed');
    // What fetch follows before it gives up, once.
    expect(origin.counts.requests).toBe(21);
  });

  test.each<[string, HeadersInit]>([
    ['a record', { 'X-Api-Key': 'secret' }],
    ['a Headers object', new Headers({ 'x-api-key': 'secret' })],
    ['pairs', [['x-api-key', 'secret']]],
  ])('does not carry a key over undici: %s', async (_title, headers) => {
    const undici = createUndiciFetch();
    const retrying = createRetryFetch({ fetch: undici, baseDelayMs: 1 });
    await expect(retrying(origin.url, { headers })).rejects.toThrow('fetch failed');
    await expect(retrying(new Request(origin.url, { headers }))).rejects.toThrow('fetch failed');
    expect([origin.counts.requests, target.counts.requests]).toEqual([2, 0]);
    await undici.close();
  });

  test.each([
    ['without a key', undefined, {}],
    ['with one if the options say so', 'follow', { 'x-api-key': 'secret' }],
  ] as const)('over undici is followed %s', async (_how, redirect, headers) => {
    const undici = createUndiciFetch({ redirect });
    const response = await createRetryFetch({ fetch: undici, baseDelayMs: 1 })(origin.url, { headers });
    expect(response.status).toBe(200);
    await undici.close();
  });
});
