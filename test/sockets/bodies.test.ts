import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createRetryFetch, FetchTransport, RetryTransport } from '../../src/index.ts';
import { createUndiciFetch, type UndiciFetch } from '../../src/undici.ts';
import { OK, playingEachPath, type Served, serve } from '../serve.ts';

interface Received {
  readonly method: string | undefined;
  readonly type: string | undefined;
  readonly body: Buffer;
}

/** All byte values, and enough of them to take several packets. */
const BYTES = Uint8Array.from({ length: 200_000 }, (_, index) => (index * 31 + (index >> 8)) % 256);
const digest = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

const BUSY = { status: 503, headers: {}, body: 'busy' };

let server: Served;
let received: Received[];

beforeEach(async () => {
  received = [];
  const answer = playingEachPath(BUSY, BUSY, BUSY, OK);
  server = await serve((request, response, body) => {
    received.push({ method: request.method, type: request.headers['content-type'], body });
    answer(request, response, body);
  });
});

afterEach(async () => {
  await server.close();
});

const clients: Record<string, () => UndiciFetch | typeof fetch> = {
  'the global fetch': () => fetch,
  'the fetch of undici': () => createUndiciFetch(),
};

describe.each(Object.entries(clients))(
  'over %s a body arrives byte for byte on each of four attempts',
  (_, connect) => {
    let inner: UndiciFetch | typeof fetch;
    const send = async (...args: Parameters<typeof fetch>): Promise<void> => {
      const response = await createRetryFetch({ fetch: inner, baseDelayMs: 1 })(...args);
      expect([await response.text(), received.length]).toEqual(['{"ok":true}', 4]);
    };
    beforeEach(() => {
      inner = connect();
    });
    afterEach(async () => {
      if ('close' in inner) await inner.close();
    });

    test.each<[string, () => BodyInit]>([
      ['a string', () => 'héllo\u0000wörld'.repeat(1_000)],
      ['a part of a bigger buffer', () => new Uint8Array([...BYTES, ...BYTES]).subarray(64, 64 + BYTES.length)],
      ['a Blob', () => new Blob([BYTES])],
      ['parameters', () => new URLSearchParams({ a: 'ü & =' })],
    ])('a body reaches the server as it was given: %s', async (_title, make) => {
      const expected = new Uint8Array(await new Response(make()).arrayBuffer());
      await send(server.url, { method: 'POST', body: make() });
      for (const { body } of received) expect(digest(body)).toBe(digest(expected));
      expect(new Set(received.map(({ type }) => type)).size).toBe(1);
    });

    test('bytes that the caller overwrites right after the call', async () => {
      const body = BYTES.slice();
      const sent = send(server.url, { method: 'POST', body });
      body.fill(0);
      await sent;
      for (const request of received) expect(digest(request.body)).toBe(digest(BYTES));
    });

    test('a request', async () => {
      await send(new Request(server.url, { method: 'PUT', body: BYTES, headers: { 'content-type': 'x/y' } }));
      for (const { method, type, body } of received)
        expect([method, type, digest(body)]).toEqual(['PUT', 'x/y', digest(BYTES)]);
    });

    test('a form, part by part', async () => {
      const form = new FormData();
      form.append('file', new Blob([BYTES], { type: 'image/png' }), 'picture.png');
      await send(server.url, { method: 'POST', body: form });
      for (const { type, body } of received) {
        const parts = await new Response(new Uint8Array(body), { headers: { 'content-type': type ?? '' } }).formData();
        const file = parts.get('file');
        expect(file).toMatchObject({ name: 'picture.png', type: 'image/png' });
        expect(digest(new Uint8Array(await new Response(file).arrayBuffer()))).toBe(digest(BYTES));
      }
    });

    test('an object, as JSON, through the transports', async () => {
      const transport = new RetryTransport(new FetchTransport({ fetch: inner }), { baseDelayMs: 1 });
      await transport.post(server.url, { model: 'x' });
      const sent = received.map(({ type, body }) => [type, body.toString()]);
      expect(sent).toEqual(Array.from({ length: 4 }, () => ['application/json', '{"model":"x"}']));
    });
  },
);

describe('a body that is consumed by one attempt', () => {
  test.each<[string, () => unknown]>([
    ['a ReadableStream', () => new Blob([BYTES]).stream()],
    ['a stream of Node', () => Readable.from([BYTES])],
  ])('arrives completely, once, and is never sent again empty: %s', async (_title, make) => {
    const init = { method: 'PUT', body: make(), duplex: 'half' };
    // @ts-expect-error -- Node takes them
    const response = await createRetryFetch({ fetch, baseDelayMs: 1 })(server.url, init);
    expect([response.status, await response.text()]).toEqual([503, 'busy']);
    expect(received.map(({ body }) => digest(body))).toEqual([digest(BYTES)]);
  });

  test('arrives completely each time if it is the body of a request', async () => {
    const init = { method: 'PUT', body: new Blob([BYTES]).stream(), duplex: 'half' };
    const response = await createRetryFetch({ fetch, baseDelayMs: 1 })(new Request(server.url, init));
    expect(response.status).toBe(200);
    expect(received.map(({ body }) => digest(body))).toEqual(Array.from({ length: 4 }, () => digest(BYTES)));
  });
});
