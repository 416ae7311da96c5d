import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Answer } from '../serve.ts';
import { answerTo, endEach, reply, startBoth, startFor, talk } from './talk.ts';

endEach();

describe('an answer', () => {
  it('arrives piece by piece, each before the next is sent', async () => {
    const { promise, resolve } = Promise.withResolvers<ServerResponse>();
    const { proxy } = await startBoth((_request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.flushHeaders();
      resolve(response);
    });
    // A GET is not held: its head arrives before anything follows.
    const answer = await fetch(proxy.url);
    const target = await promise;
    const reader = (answer.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader();
    for (const event of ['data: 1\n\n', 'data: 2\n\n', 'data: 3\n\n']) {
      target.write(event);
      expect((await reader.read()).value).toBe(event);
    }
    target.end();
    expect((await reader.read()).done).toBe(true);
  });

  it('is read from the target no faster than the client reads it', async () => {
    const piece = Buffer.alloc(65_536, 'x');
    const pieces = 2_048;
    let sent = 0;
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const sendAll = async (response: ServerResponse): Promise<void> => {
      response.write(piece, () => begin());
      for (sent = 1; sent < pieces && !response.destroyed; sent += 1)
        if (!response.write(piece)) await once(response, 'drain');
      response.end();
    };
    const { proxy, host } = await startBoth((_request, response) => void sendAll(response));
    const { socket, over } = talk(proxy.url, `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    socket.pause();
    const before = process.memoryUsage().arrayBuffers;
    await begun;
    // Until nothing more has been sent for a while.
    for (const counts = [-1, sent]; counts.at(-1) !== counts.at(-2); counts.push(sent)) {
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    expect(sent).toBeLessThan(pieces / 2);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * 1024 * 1024);
    socket.resume();
    // The head and the frames of the chunks come on top.
    expect((await over).text.length).toBeGreaterThan(pieces * piece.length);
    expect(sent).toBe(pieces);
  });

  it('is left whole if its pieces belong to the fetch that made it', async () => {
    const piece = new TextEncoder().encode('data: 1\n\n');
    const response = (): Response => new Response(new ReadableStream({ start: (c) => (c.enqueue(piece), c.close()) }));
    const proxy = await startFor({ target: 'http://target.example', fetch: async () => response() });
    for (let time = 0; time < 2; time += 1) expect(await (await fetch(proxy.url)).text()).toBe('data: 1\n\n');
  });

  it('has the bytes of the target in its headers, also those above 127', async () => {
    const setting = await startBoth(reply(200, 'x', { 'x-name': 'Zo\u00EB' }));
    const text = await answerTo(setting, 'GET / HTTP/1.1');
    expect(text).toMatch(/^x-name: Zo\u00EB\r$/m);
  });

  it('has the status, the phrase and the headers of the target, without its cookies', async () => {
    const headers = ['X-A', '1', 'Set-Cookie', 'a=1', 'Set-Cookie', 'b=2', 'Connection', 'X-Hop', 'X-Hop', '1'];
    const setting = await startBoth((_request, response) => response.writeHead(202, 'Taken In', headers).end('body'));
    const text = await answerTo(setting, 'GET / HTTP/1.1');
    expect(text).toMatch(/^HTTP\/1\.1 202 Taken In\r\n/);
    expect(text).not.toMatch(/set-cookie/i);
    expect(text).toMatch(/^x-a: 1\r$/m);
    expect(text).not.toMatch(/x-hop/i);
  });

  it('that redirects is passed on, not followed', async () => {
    const { proxy, target } = await startBoth(reply(307, 'there', { location: 'http://elsewhere.example/x' }));
    const answer = await fetch(proxy.url, { method: 'POST', body: 'x', redirect: 'manual' });
    expect([answer.status, answer.headers.get('location')]).toEqual([307, 'http://elsewhere.example/x']);
    expect(await answer.text()).toBe('there');
    expect(target.counts.requests).toBe(1);
  });

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])(
    'in %s, from a target that ignores accept-encoding, arrives decoded and without content-encoding',
    async (coding, compress) => {
      const asked: unknown[] = [];
      const { proxy } = await startBoth((request, response) => {
        asked.push(request.headers['accept-encoding']);
        response.writeHead(200, { 'content-encoding': coding }).end(compress('plain text'));
      });
      const answer = await fetch(proxy.url, { headers: { 'accept-encoding': coding } });
      expect([await answer.text(), answer.headers.get('content-encoding'), asked]).toEqual([
        'plain text',
        null,
        ['identity'],
      ]);
    },
  );

  it('keeps its length, which shows whether a body is complete', async () => {
    const { proxy } = await startBoth((_request, response) =>
      response.writeHead(200, { 'content-length': '5' }).end('hello'),
    );
    expect((await fetch(proxy.url)).headers.get('content-length')).toBe('5');
    const head = await fetch(proxy.url, { method: 'HEAD' });
    expect([head.headers.get('content-length'), await head.text()]).toEqual(['5', '']);
  });

  it.each([204, 304])('without a body has neither a body nor a length: %i', async (status) => {
    // Node's server would leave the length out itself.
    const proxy = await startFor({
      target: 'https://api.example.com',
      fetch: async () => new Response(null, { status, headers: { etag: '"1"', 'content-length': '5' } }),
    });
    const { host } = new URL(proxy.url);
    const request = `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    const { until, socket } = talk(proxy.url, request);
    expect(await until('\r\n\r\n')).toContain('etag: "1"');
    // The connection goes on where the head ends.
    socket.write(request);
    expect((await until('\r\n\r\nHTTP/1.1')).match(/transfer-encoding|content-length/i)).toBeNull();
  });
});

describe('an answer that the target breaks off', () => {
  const request = (host: string, version: string): string => `GET / HTTP/${version}\r\nHost: ${host}\r\n\r\n`;
  const after = (end: (socket: Socket) => void, headers: Record<string, string> = {}): Answer => {
    return ({ socket }, response) =>
      response.writeHead(200, headers).write('the beginning', () => setTimeout(() => end(socket), 20));
  };
  const reset = (socket: Socket): void => void socket.resetAndDestroy();

  it.each([
    ['a reset', reset, true],
    ['an early end', (socket: Socket) => socket.destroySoon(), false],
  ])('by %s breaks off in the same way at the client, after all that was sent', async (_how, end, failed) => {
    const { proxy, host } = await startBoth([after(end), after(end, { 'content-length': '100' })]);
    const [chunked, sized] = [
      await talk(proxy.url, request(host, '1.1')).over,
      await talk(proxy.url, request(host, '1.1')).over,
    ];
    expect(chunked).toEqual({ failed, text: expect.stringMatching(/\r\nthe beginning\r\n$/) });
    expect(sized).toEqual({
      failed,
      text: expect.stringMatching(/content-length: 100\r\n[^]*\r\n\r\nthe beginning$/),
    });
  });

  it('resets the connection if the end of it would be the end of the body', async () => {
    const { proxy, host } = await startBoth(after(reset));
    expect(await talk(proxy.url, request(host, '1.0')).over).toMatchObject({ failed: true });
  });

  it('is an error to fetch', async () => {
    const { proxy } = await startBoth(after(reset));
    await expect((await fetch(proxy.url)).text()).rejects.toThrow('terminated');
  });
});

it('a complete answer reaches a client of HTTP/1.0', async () => {
  const { proxy, host } = await startBoth((_request, response) => response.end('whole'));
  const { text, failed } = await talk(proxy.url, `GET / HTTP/1.0\r\nHost: ${host}\r\n\r\n`).over;
  expect([text.endsWith('\r\n\r\nwhole'), failed]).toEqual([true, false]);
});

describe('JSON that the target has compressed against the request', () => {
  const json = JSON.stringify({ text: 'a "quoted" \\ [text', list: Array.from({ length: 2_000 }, Math.random) });
  const codings = [
    ['gzip', gzipSync(json)],
    ['br', brotliCompressSync(json)],
  ] as const;
  const answer = async (coding: string, body: Buffer): Promise<string> => {
    const headers = { 'content-type': 'application/json', 'content-encoding': coding };
    const { proxy } = await startBoth((_request, response) => response.writeHead(200, headers).end(body));
    return (await fetch(proxy.url)).text();
  };

  it.each(codings)('arrives whole: %s', async (coding, body) => {
    expect(await answer(coding, body)).toBe(json);
  });

  it.each(codings)('is not completed if it was cut: %s', async (coding, body) => {
    await expect(answer(coding, body.subarray(0, body.length / 2))).rejects.toThrow('terminated');
  });
});
