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
  (_client, connect) => {
    let inner: UndiciFetch | typeof fetch;
    beforeEach(() => {
      inner = connect();
    });
    afterEach(async () => {
      if ('close' in inner) await inner.close();
    });

    test.each<[string, () => BodyInit]>([
      ['a string', () => 'héllo\u0000wörld'.repeat(1_000)],
      ['bytes', () => BYTES.slice()],
      ['an ArrayBuffer', () => BYTES.slice().buffer],
      [
        'a part of a bigger buffer',
        () => {
          const whole = new Uint8Array(BYTES.length + 64);
          whole.set(BYTES, 32);
          return whole.subarray(32, 32 + BYTES.length);
        },
      ],
      ['a Blob', () => new Blob([BYTES])],
      [
        'parameters',
        () =>
          new URLSearchParams([
            ['a', 'ü & ='],
            ['a', '2'],
          ]),
      ],
    ])('a retried body reaches the server byte for byte: %s', async (_title, make) => {
      const expected = new Uint8Array(await new Response(make()).arrayBuffer());
      const response = await createRetryFetch({ fetch: inner, baseDelayMs: 1 })(server.url, {
        method: 'POST',
        body: make(),
      });
      expect(await response.text()).toBe('{"ok":true}');
      expect(received.map(({ body }) => digest(body))).toEqual(Array.from({ length: 4 }, () => digest(expected)));
      expect(new Set(received.map(({ type }) => type)).size).toBe(1);
    });

    test('bytes that the caller overwrites right after the call', async () => {
      const body = BYTES.slice();
      const call = createRetryFetch({ fetch: inner, baseDelayMs: 1 })(server.url, { method: 'POST', body });
      body.fill(0);
      await (await call).text();
      expect(received.map((request) => digest(request.body))).toEqual(Array.from({ length: 4 }, () => digest(BYTES)));
    });

    test('a request', async () => {
      const request = new Request(server.url, { method: 'PUT', body: BYTES, headers: { 'content-type': 'x/y' } });
      await (await createRetryFetch({ fetch: inner, baseDelayMs: 1 })(request)).text();
      expect(received.map(({ method, type, body }) => [method, type, digest(body)])).toEqual(
        Array.from({ length: 4 }, () => ['PUT', 'x/y', digest(BYTES)]),
      );
    });

    test('a form, part by part', async () => {
      const form = new FormData();
      form.append('text', 'ü');
      form.append('file', new Blob([BYTES], { type: 'image/png' }), 'picture.png');
      await (
        await createRetryFetch({ fetch: inner, baseDelayMs: 1 })(server.url, { method: 'POST', body: form })
      ).text();
      expect(received).toHaveLength(4);
      for (const { type, body } of received) {
        const parts = await new Response(new Uint8Array(body), { headers: { 'content-type': type ?? '' } }).formData();
        const file = parts.get('file');
        expect(parts.get('text')).toBe('ü');
        expect(file).toMatchObject({ name: 'picture.png', type: 'image/png' });
        expect(digest(new Uint8Array(await new Response(file).arrayBuffer()))).toBe(digest(BYTES));
      }
    });

    test('an object, as JSON, through the transports', async () => {
      const transport = new RetryTransport(new FetchTransport({ fetch: inner }), { baseDelayMs: 1 });
      const response = await transport.post(server.url, { model: 'x', next: 'cursor' });
      expect(response.status).toBe(200);
      expect(received.map(({ type, body }) => [type, body.toString()])).toEqual(
        Array.from({ length: 4 }, () => ['application/json', '{"model":"x","next":"cursor"}']),
      );
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

  test('fails at once if it was used before, with the error of fetch and no request', async () => {
    const request = new Request(server.url, { method: 'POST', body: 'x' });
    await request.text();
    await expect(createRetryFetch({ fetch, baseDelayMs: 1 })(request)).rejects.toThrow(
      /already been (?:used|read)|unusable/i,
    );
    expect(received).toEqual([]);
  });
});
