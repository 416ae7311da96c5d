import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { refusalOfParser, refuseSocket } from '../../src/proxy/problem.ts';
import { answerTo, endEach, refusalIn, type Setting, startBoth, talk, until } from './talk.ts';

endEach();

const start = (): Promise<Setting> =>
  startBoth((_request, response, body) => response.end(`the target read ${body.length}`));

const POST = 'POST /v1/messages HTTP/1.1';

describe('a request whose end two readers could see in different places', () => {
  it.each([
    ['Content-Length and Transfer-Encoding', POST, ['Content-Length: 5', 'Transfer-Encoding: chunked'], '0\r\n\r\n'],
    ['Transfer-Encoding and Content-Length', POST, ['Transfer-Encoding: chunked', 'Content-Length: 5'], '0\r\n\r\n'],
    ['two lengths', POST, ['Content-Length: 5', 'Content-Length: 6'], 'hello!'],
    ['the same length twice', POST, ['Content-Length: 5', 'Content-Length: 5'], 'hello'],
    ['a list of lengths', POST, ['Content-Length: 5, 5'], 'hello'],
    ['a length with a sign', POST, ['Content-Length: +5'], 'hello'],
    ['a length that is none', POST, ['Content-Length: 0x5'], 'hello'],
    ['an empty length', POST, ['Content-Length:'], 'hello'],
    ['chunked before another coding', POST, ['Transfer-Encoding: chunked, identity'], '0\r\n\r\n'],
    ['chunked twice', POST, ['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'], '0\r\n\r\n'],
    ['a chunk size that is none', POST, ['Transfer-Encoding: chunked'], 'zz\r\nhello\r\n0\r\n\r\n'],
    ['a negative chunk size', POST, ['Transfer-Encoding: chunked'], '-5\r\nhello\r\n0\r\n\r\n'],
    ['a chunk that is longer than it says', POST, ['Transfer-Encoding: chunked'], '5\r\nhelloX\r\n0\r\n\r\n'],
    ['a folded header', POST, ['X-A: b', ' c', 'Content-Length: 0'], ''],
    ['a folded header without a body', 'GET / HTTP/1.1', ['X-A: b', '\tc'], ''],
    ['a folded Transfer-Encoding', POST, ['Transfer-Encoding:', ' chunked'], '0\r\n\r\n'],
    ['a space before the colon', POST, ['Content-Length : 5'], 'hello'],
    ['a space before a header', POST, [' Content-Length: 5'], 'hello'],
    ['a bare carriage return', POST, ['X-A: b\rContent-Length: 5'], 'hello'],
    ['a bare line feed', POST, ['X-A: b\nContent-Length: 5'], 'hello'],
    ['a NUL', POST, ['X-A: b\0c'], ''],
    ['a space in the path', 'GET /a b HTTP/1.1', [], ''],
    ['an unknown method', 'STEAL / HTTP/1.1', [], ''],
    ['another version', 'GET / HTTP/3.1', [], ''],
  ])('is refused: %s', async (_title, requestLine, lines, body) => {
    const setting = await start();
    const text = await answerTo(setting, requestLine, lines, body);
    expect(refusalIn(text)).toMatchObject({ status: 400, code: 'bad_request' });
    expect(setting.target.counts.requests).toBe(0);
  });

  it('does not smuggle a second request in the body of the first', async () => {
    const setting = await start();
    const inner = `GET /smuggled HTTP/1.1\r\nHost: ${setting.host}\r\n\r\n`;
    const answer = await answerTo(setting, POST, [`Content-Length: ${inner.length}`], inner);
    expect(answer).toContain(`the target read ${inner.length}`);
    expect(setting.target.counts.requests).toBe(1);
  });
});

it('refuses headers over 16 KiB, and chunk extensions that never end', async () => {
  const setting = await start();
  const long = await answerTo(setting, 'GET / HTTP/1.1', [`X-Long: ${'a'.repeat(17_000)}`]);
  expect(refusalIn(long)).toMatchObject({ status: 431, code: 'head_too_large' });
  const extended = await answerTo(setting, POST, ['Transfer-Encoding: chunked'], `5;${'a'.repeat(20_000)}`);
  expect(refusalIn(extended)).toMatchObject({ status: 413 });
  expect(setting.target.counts.requests).toBe(0);
});

it('forwards any number of headers that fit', async () => {
  const setting = await startBoth((request, response) => response.end(String(request.headers['x-last'])));
  const lines = [...Array.from({ length: 2_500 }, (_, index) => `a:${index % 10}`), 'X-Last: kept'];
  expect(await answerTo(setting, 'GET / HTTP/1.1', lines)).toMatch(/kept$/);
});

describe('invalid bytes after a good request on the same connection', () => {
  const good = (host: string): string => `GET /slow HTTP/1.1\r\nHost: ${host}\r\n\r\n`;

  it.each(['nonsense\r\n\r\n', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n'])(
    'is no part of the answer that is on its way: %j',
    async (words) => {
      const setting = await startBoth((_request, response) => void response.write('the beginning'));
      const { until: heard, over, socket } = talk(setting.proxy.url, good(setting.host));
      await heard('the beginning');
      socket.write(words);
      const { text } = await over;
      expect(text.endsWith('the beginning\r\n')).toBe(true);
      expect(text).not.toMatch(/HTTP\/1\.1 4/);
    },
  );

  it('are not sent as part of the answer before, if two requests were pipelined', async () => {
    const { proxy, target, host } = await startBoth(() => {});
    const { over, socket } = talk(proxy.url, good(host), good(host));
    await until(() => target.counts.requests === 2);
    socket.write('nonsense\r\n\r\n');
    expect((await over).text).not.toContain('HTTP/1.1 400');
    await until(() => proxy.running === 0);
  });
});

it('the proxy survives clients that vanish while they are refused', async () => {
  const setting = await start();
  for (const text of [
    'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n',
    'nonsense\r\n\r\n',
    'GET http://a/ HTTP/1.1\r\nHost: a\r\n\r\n',
  ]) {
    const { socket, over } = talk(setting.proxy.url);
    await new Promise((resolve) => socket.write(text, resolve));
    socket.resetAndDestroy();
    await over;
  }
  expect((await fetch(setting.proxy.url)).status).toBe(200);
});

it('a request that took too long is reported', () => {
  const slow = new PassThrough();
  const error = Object.assign(new Error('failed'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
  refuseSocket(slow, refusalOfParser(error), false);
  expect(refusalIn(String(slow.read()))).toMatchObject({ status: 408, code: 'request_timeout' });
});
