import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { failOnUnhandled } from '../unhandled.ts';
import { answerTo, endEach, refusalIn, reply, startBoth, talk, until } from './talk.ts';

endEach();
failOnUnhandled();

const code = async (response: Response): Promise<unknown> => (await response.json()).error.code;

describe('the limit on calls at once', () => {
  it('answers a call above it with a 503 and Retry-After, and accepts the next when one has ended', async () => {
    const open: ServerResponse[] = [];
    const { proxy, target } = await startBoth((_request, response) => void open.push(response), { maxCalls: 2 });
    const running = [fetch(proxy.url), fetch(proxy.url)];
    await until(() => open.length === 2);
    const refused = await fetch(proxy.url);
    expect([refused.status, refused.headers.get('retry-after'), await code(refused)]).toEqual([503, '1', 'busy']);
    expect((await fetch(`${proxy.url}/healthz`)).status).toBe(200);
    for (const response of open.splice(0)) response.end();
    await Promise.all(running.map(async (call) => (await call).text()));
    await until(() => proxy.running === 0);
    const next = fetch(proxy.url);
    await until(() => open.length === 1);
    open[0]?.end('taken');
    expect(await (await next).text()).toBe('taken');
    expect(target.counts.requests).toBe(3);
  });
});

describe('the limit on kept bodies', () => {
  it('counts all calls together, and releases their bytes at their end', async () => {
    const open: ServerResponse[] = [];
    const { proxy } = await startBoth((_request, response) => void open.push(response), {
      maxBodyBytes: 600,
      maxBufferedBytes: 1_000,
    });
    const post = (bytes: number): Promise<Response> => fetch(proxy.url, { method: 'POST', body: 'x'.repeat(bytes) });
    const first = post(600);
    await until(() => open.length === 1);
    const refused = await post(500);
    expect([refused.status, refused.headers.get('retry-after'), await code(refused)]).toEqual([503, '1', 'busy']);
    const small = post(400);
    await until(() => open.length === 2);
    for (const response of open.splice(0)) response.end();
    await Promise.all([first, small].map(async (call) => (await call).text()));
    await until(() => proxy.running === 0);
    const whole = post(600);
    await until(() => open.length === 1);
    open[0]?.end();
    expect((await whole).status).toBe(200);
  });

  it('releases the bytes of a body that was refused half-way', async () => {
    const setting = await startBoth(reply(200, 'x'), { maxBodyBytes: 100, maxBufferedBytes: 100 });
    const { proxy } = setting;
    const chunk = `50\r\n${'x'.repeat(80)}\r\n`;
    const text = await answerTo(
      setting,
      'POST / HTTP/1.1',
      ['Transfer-Encoding: chunked'],
      `${chunk}${chunk}0\r\n\r\n`,
    );
    expect(refusalIn(text)).toMatchObject({ status: 413 });
    await until(() => proxy.running === 0);
    expect((await fetch(proxy.url, { method: 'POST', body: 'x'.repeat(100) })).status).toBe(200);
  });
});

describe('requests on one connection that do not wait for each other', () => {
  const get = (host: string, path: string): string => `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;

  it('are answered in their order', async () => {
    const { proxy, host } = await startBoth((request, response) => {
      setTimeout(() => response.end(`answer to ${request.url}`), request.url === '/1' ? 20 : 1);
    });
    const { until: heard } = talk(proxy.url, ['/1', '/2', '/3'].map((path) => get(host, path)).join(''));
    const text = await heard('answer to /3');
    expect(text.match(/answer to \/\d/g)).toEqual(['answer to /1', 'answer to /2', 'answer to /3']);
  });

  it('count as calls at once', async () => {
    const open: ServerResponse[] = [];
    const { proxy, host, target } = await startBoth((_request, response) => void open.push(response), { maxCalls: 16 });
    const { until: heard, socket } = talk(proxy.url, get(host, '/').repeat(200));
    await until(() => open.length === 16);
    await new Promise((proceed) => setTimeout(proceed, 50));
    expect([proxy.running, target.counts.requests]).toEqual([16, 16]);
    for (const response of open) response.end('x');
    const text = await heard('HTTP/1.1 503');
    expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(16);
    socket.destroy();
    await until(() => proxy.running === 0);
  });
});

describe('the limit on held answers', () => {
  const chat = (url: string): Promise<Response> =>
    fetch(`${url}/v1/chat/completions`, { method: 'POST', body: '{"model":"m","messages":[]}' });
  const isOpen = (call: Promise<unknown>): Promise<boolean> =>
    Promise.race([call.then(() => false), new Promise<boolean>((resolve) => setTimeout(() => resolve(true), 50))]);

  it.each([
    ['JSON', 'application/json', '{"text":"', '"}', undefined],
    [
      'streams',
      'text/event-stream',
      'data: {"choices":[{"index":0,"delta":{"content":"',
      '"}}]}\n\ndata: [DONE]\n\n',
      'end',
    ],
  ] as const)(
    'counts %s of all calls together, passes on what is above it, and holds again when one has ended',
    async (_what, type, begin, end, holdUntil) => {
      const open: ServerResponse[] = [];
      const answer = (_request: unknown, response: ServerResponse): void => {
        open.push(response);
        response.writeHead(200, { 'content-type': type });
        response.write(begin + 'x'.repeat(8_000));
      };
      const { proxy } = await startBoth(answer, {
        maxBodyBytes: 1_000,
        maxBufferedBytes: 40_000,
        retry: { answers: { ...(holdUntil && { holdUntil }) } },
      });
      const first = chat(proxy.url);
      await until(() => open.length === 1);
      expect(await isOpen(first)).toBe(true);
      const second = await chat(proxy.url);
      open[1]?.end(end);
      expect(await second.text()).toHaveLength((begin + end).length + 8_000);
      open[0]?.end(end);
      expect(await (await first).text()).toHaveLength((begin + end).length + 8_000);
      await until(() => proxy.running === 0);
      const third = chat(proxy.url);
      await until(() => open.length === 3);
      expect(await isOpen(third)).toBe(true);
      open[2]?.end(end);
      expect((await third).status).toBe(200);
    },
  );

  it('gives back what an attempt has held that failed', async () => {
    const error = { error: { message: 'Overloaded', type: 'overloaded_error' }, more: 'x'.repeat(8_000) };
    const json = { 'content-type': 'application/json' };
    const failed = reply(200, JSON.stringify(error), json);
    const { proxy, target } = await startBoth([failed, failed, failed, reply(200, '{"id":1}', json)], {
      maxBodyBytes: 1_000,
      maxBufferedBytes: 40_000,
    });
    expect(await (await chat(proxy.url)).text()).toBe('{"id":1}');
    expect(target.counts.requests).toBe(4);
  });
});
