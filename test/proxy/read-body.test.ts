import { describe, expect, it } from 'vitest';
import { createFallback } from '../../src/index.ts';
import { answerTo, endEach, refusalIn, startBoth, talk, until } from './talk.ts';
import type { Answer } from '../serve.ts';

endEach();

const echo: Answer = (request, response, body) => {
  const { 'content-type': type = 'none', 'content-length': length = 'none' } = request.headers;
  response.writeHead(200, { 'x-type': type, 'x-length': length }).end(body);
};

describe('a request body', () => {
  it.each([
    ['text', 'text/plain', 'grüße'],
    ['JSON', 'application/json', '{"ü":"\u2028"}'],
    ['JSON with a byte order mark', 'application/vnd.api+json; charset=utf-8', '\uFEFF{}'],
    ['JSON in several chunks', 'application/json', `{"a":"${'ü€😀'.repeat(40_000)}"}`],
    ['JSON that ends in the middle of a character', 'application/json', Uint8Array.of(0x7b, 0xe2, 0x82)],
    ['JSON that is none', 'application/json', Uint8Array.of(0x7b, 0xff, 0xfe, 0x7d)],
    ['bytes', 'application/octet-stream', Uint8Array.from({ length: 300_000 }, (_, index) => index % 256)],
  ])('reaches the target byte for byte: %s', async (_title, type, body) => {
    const { proxy } = await startBoth(echo);
    const response = await fetch(proxy.url, { method: 'POST', headers: { 'content-type': type }, body });
    const sent = Buffer.from(body);
    expect(Buffer.from(await response.arrayBuffer()).equals(sent)).toBe(true);
    expect([response.headers.get('x-type'), response.headers.get('x-length')]).toEqual([type, String(sent.length)]);
  });

  it('in chunks is sent with its length, and without a type that it did not have', async () => {
    const chunks = '5;x=y\r\nhello\r\n1\r\n!\r\n0\r\nX-Trailer: x\r\n\r\n';
    const text = await answerTo(await startBoth(echo), 'POST / HTTP/1.1', ['Transfer-Encoding: chunked'], chunks);
    expect(text).toContain('x-length: 6');
    expect(text).toContain('x-type: none');
    expect(text).toContain('\r\n6\r\nhello!\r\n0\r\n');
  });

  it('is sent again unchanged', async () => {
    const bodies: string[] = [];
    const { proxy } = await startBoth((_request, response, body) => {
      bodies.push(body.toString());
      response.writeHead(bodies.length < 3 ? 503 : 200).end();
    });
    for (const type of ['application/json', 'application/octet-stream']) {
      bodies.length = 0;
      const init = { method: 'POST', headers: { 'content-type': type }, body: '{"a":1}' };
      expect((await fetch(proxy.url, init)).status).toBe(200);
      expect(bodies).toEqual(['{"a":1}', '{"a":1}', '{"a":1}']);
    }
  });

  it('in JSON can be given another model by a fallback chain', async () => {
    const models: unknown[] = [];
    const fallback = createFallback({ targets: [{ name: 'small', model: 'small' }], maxRetriesBeforeFallback: 0 });
    const { proxy } = await startBoth(
      (_request, response, body) => {
        models.push(JSON.parse(body.toString()).model);
        response.writeHead(models.length === 1 ? 529 : 200).end();
      },
      { retry: { fallback } },
    );
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"model":"large"}' };
    expect((await fetch(proxy.url, init)).status).toBe(200);
    expect(models).toEqual(['large', 'small']);
  });

  it('with a GET or HEAD is refused, because fetch cannot send it', async () => {
    const setting = await startBoth(echo);
    const text = await answerTo(setting, 'GET / HTTP/1.1', ['Content-Length: 5'], 'hello');
    expect(refusalIn(text)).toMatchObject({ status: 400, code: 'body_not_allowed' });
    expect(setting.target.counts.requests).toBe(0);
  });
});

describe('a request body over the limit', () => {
  const message =
    'The request body is over 1000 bytes; raise maxBodyBytes (--max-body), or send it to the target itself.';
  const refusal = { status: 413, code: 'body_too_large', message };

  it.each([
    ['by its announced length, before it is sent', ['Content-Length: 1001', 'Expect: 100-continue'], ''],
    ['as soon as it is over the limit', ['Transfer-Encoding: chunked'], `400\r\n${'x'.repeat(0x4_00)}\r\n0\r\n\r\n`],
  ])('is refused %s', async (_when, lines, body) => {
    const setting = await startBoth(echo, { maxBodyBytes: 1_000 });
    const text = await answerTo(setting, 'POST / HTTP/1.1', lines, body);
    expect(text).not.toContain('100 Continue');
    expect(refusalIn(text)).toEqual(refusal);
    expect(setting.target.counts.requests).toBe(0);
  });

  it('is refused even if the client sends all of it before it reads', async () => {
    const { proxy, target } = await startBoth(echo, { maxBodyBytes: 1_000 });
    const response = await fetch(proxy.url, { method: 'POST', body: new Uint8Array(5_000_000) });
    expect([response.status, (await response.json()).error]).toEqual([
      413,
      { type: 'proxy_refused', code: 'body_too_large', message },
    ]);
    expect(target.counts.requests).toBe(0);
  });

  it('is accepted at exactly the limit', async () => {
    const { proxy } = await startBoth(echo, { maxBodyBytes: 1_000 });
    expect((await fetch(proxy.url, { method: 'POST', body: 'x'.repeat(1_000) })).status).toBe(200);
  });
});

it('a client that asks before it sends its body gets a 100', async () => {
  const { proxy, host } = await startBoth(echo);
  const lines = ['Content-Length: 5', 'Expect: 100-continue', 'Connection: close'];
  const {
    until: heard,
    socket,
    over,
  } = talk(proxy.url, ['POST / HTTP/1.1', `Host: ${host}`, ...lines, '', ''].join('\r\n'));
  await heard('HTTP/1.1 100 Continue\r\n\r\n');
  socket.write('hello');
  expect((await over).text).toMatch(/HTTP\/1\.1 200 OK[^]*\r\nhello\r\n0\r\n/);
});

it('a body is not forwarded if the client goes away during it', async () => {
  const { proxy, host, target } = await startBoth(echo);
  const { socket, over } = talk(proxy.url);
  const head = `POST / HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 5\r\n\r\nhel`;
  await new Promise((resolve) => socket.write(head, resolve));
  await until(() => proxy.running === 1);
  socket.destroy();
  await over;
  await until(() => proxy.running === 0);
  expect(target.counts.requests).toBe(0);
});
