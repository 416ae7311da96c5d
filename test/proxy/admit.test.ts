import { describe, expect, it } from 'vitest';
import { hostsOf, isLoopback } from '../../src/proxy/admit.ts';
import { endEach, refusalIn, type Setting, startBoth, startFor, talk } from './talk.ts';

endEach();

const start = (): Promise<Setting> => startBoth((_request, response) => response.end('from the target'));

/** What is answered to a request with these lines after the first, and what the target saw. */
async function answerTo(setting: Setting, requestLine: string, ...lines: readonly string[]): Promise<string> {
  const text = [requestLine, ...lines, 'Connection: close', '', ''].join('\r\n');
  return (await talk(setting.proxy.url, text).over).text;
}

describe('a proxy on the loopback', () => {
  it.each(['127.0.0.1', 'localhost', 'LocalHost', '[::1]'])('takes requests to %s with its port', async (name) => {
    const setting = await start();
    const { port } = new URL(setting.proxy.url);
    expect(await answerTo(setting, 'GET / HTTP/1.1', `Host: ${name}:${port}`)).toContain('from the target');
  });

  it.each([
    ['another name, as after DNS rebinding', (port: string) => `evil.example:${port}`],
    ['the name of the target', () => 'api.example.com'],
    ['a name that begins like its own', (port: string) => `127.0.0.1.evil.example:${port}`],
    ['its own name before another', (port: string) => `127.0.0.1:${port}, evil.example`],
    ['a user before another name', (port: string) => `127.0.0.1:${port}@evil.example`],
    ['no port', () => '127.0.0.1'],
    ['another port', () => '127.0.0.1:1'],
    ['nothing', () => ''],
  ])('refuses the Host %s', async (_title, host) => {
    const setting = await start();
    const { port } = new URL(setting.proxy.url);
    const answer = await answerTo(setting, 'GET / HTTP/1.1', `Host: ${host(port)}`);
    const message = `Expected the Host header to be 127.0.0.1:${port} or localhost:${port}.`;
    expect(refusalIn(answer)).toEqual({ status: 403, code: 'foreign_host', message });
    expect(setting.target.counts.requests).toBe(0);
  });

  it('refuses two Host headers, and none', async () => {
    const setting = await start();
    const own = `Host: ${setting.host}`;
    for (const lines of [[own, 'Host: evil.example'], ['Host: evil.example', own], [own, own], []]) {
      const answer = await answerTo(setting, 'GET / HTTP/1.1', ...lines);
      expect(refusalIn(answer)).toMatchObject({ status: 400, message: 'Expected one Host header.' });
    }
    expect(refusalIn(await answerTo(setting, 'GET / HTTP/1.0'))).toMatchObject({ status: 400 });
    expect(setting.target.counts.requests).toBe(0);
  });

  it.each([
    ['http://evil.example/', 400],
    ['https://api.example.com/v1/messages', 400],
    ['//evil.example/', 400],
    ['/\\evil.example/', 400],
    ['*', 400],
    ['/path#fragment', 400],
  ])('refuses the request target %s', async (path, status) => {
    const setting = await start();
    const answer = await answerTo(setting, `OPTIONS ${path} HTTP/1.1`, `Host: ${setting.host}`);
    expect(refusalIn(answer)).toMatchObject({
      status,
      code: 'bad_path',
      message: expect.stringContaining('nowhere else'),
    });
    expect(setting.target.counts.requests).toBe(0);
  });

  it('refuses CONNECT, TRACE and another protocol', async () => {
    const setting = await start();
    const host = `Host: ${setting.host}`;
    const connect = await answerTo(setting, 'CONNECT evil.example:443 HTTP/1.1', host);
    expect(refusalIn(connect)).toMatchObject({ status: 405, message: expect.stringContaining('one target') });
    expect(refusalIn(await answerTo(setting, 'TRACE / HTTP/1.1', host))).toMatchObject({ status: 405 });
    const socket = ['Upgrade: websocket', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', 'Sec-WebSocket-Version: 13'];
    expect(refusalIn(await answerTo(setting, 'GET / HTTP/1.1', host, ...socket))).toMatchObject({
      status: 426,
      code: 'upgrade',
    });
    expect(setting.target.counts.requests).toBe(0);
  });

  it('answers a web socket so that clients use HTTP at once', async () => {
    const setting = await start();
    const lines = ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'];
    const answer = await answerTo(setting, 'GET /v1/responses HTTP/1.1', `Host: ${setting.host}`, ...lines);
    expect(answer).toMatch(/^HTTP\/1\.1 426 Upgrade Required\r\n[^]*^upgrade: HTTP\/1\.1\r$/m);
  });

  it('refuses an AWS signature, which covers the Host header', async () => {
    const setting = await start();
    const signature = 'Authorization: AWS4-HMAC-SHA256 Credential=AKID/20261122/us-east-1/bedrock/aws4_request';
    const answer = await answerTo(setting, 'POST / HTTP/1.1', `Host: ${setting.host}`, signature, 'Content-Length: 0');
    expect(refusalIn(answer)).toMatchObject({
      status: 400,
      code: 'signed_host',
      message: expect.stringContaining('AWS_BEARER_TOKEN_BEDROCK'),
    });
    expect(setting.target.counts.requests).toBe(0);
  });

  it('refuses an address typed into a browser', async () => {
    const typed = ['Sec-Fetch-Site: none', 'Sec-Fetch-Mode: navigate', 'Cookie: session=of-another-program'];
    const setting = await start();
    const answer = await answerTo(setting, 'GET /v1 HTTP/1.1', `Host: ${setting.host}`, ...typed);
    expect(refusalIn(answer)).toMatchObject({ status: 403, code: 'foreign_page' });
    expect(setting.target.counts.requests).toBe(0);
  });

  it('continues in HTTP/1.1 with a client that offers HTTP/2, such as Java', async () => {
    const setting = await startBoth((request, response) => response.end(JSON.stringify(request.rawHeaders)));
    const offer = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAEAAEAAAAIAAAAB'];
    const answer = await answerTo(setting, 'GET / HTTP/1.1', `Host: ${setting.host}`, ...offer);
    expect(answer).toContain('HTTP/1.1 200');
    expect(answer).not.toMatch(/h2c|http2-settings/i);
  });

  it.each([
    ['Transfer-Encoding: gzip, chunked', '1.1'],
    ['Transfer-Encoding: xchunked', '1.1'],
    ['Transfer-Encoding: identity', '1.1'],
    ['Transfer-Encoding: chunked', '1.0'],
  ])('refuses %s in HTTP/%s, whose end other servers may read differently', async (line, version) => {
    const setting = await start();
    const text = `POST / HTTP/${version}\r\nHost: ${setting.host}\r\n${line}\r\n\r\n0\r\n\r\n`;
    const answer = (await talk(setting.proxy.url, text).over).text;
    expect(refusalIn(answer)).toMatchObject({ status: 501, code: 'transfer_encoding' });
    expect(setting.target.counts.requests).toBe(0);
  });

  it.each([
    ['Origin: https://evil.example'],
    ['Origin: null'],
    ['Origin: http://127.0.0.1.evil.example'],
    ['Origin: chrome-extension://abcdef'],
    ['Sec-Fetch-Site: cross-site'],
    ['Sec-Fetch-Site: same-site'],
  ])('refuses a web page that sends %s', async (line) => {
    const setting = await start();
    const answer = await answerTo(setting, 'POST / HTTP/1.1', `Host: ${setting.host}`, line, 'Content-Length: 0');
    expect(refusalIn(answer)).toMatchObject({ status: 403, code: 'foreign_page' });
    expect(setting.target.counts.requests).toBe(0);
  });

  it.each([
    ['Origin: http://localhost:5173', 'Sec-Fetch-Site: cross-site'],
    ['Origin: http://[::1]:3000'],
    ['Sec-Fetch-Site: same-origin'],
    ['Sec-Fetch-Mode: cors'],
  ])('accepts what pages of this machine and programs send: %s', async (...lines) => {
    const setting = await start();
    expect(await answerTo(setting, 'GET / HTTP/1.1', `Host: ${setting.host}`, ...lines)).toContain('from the target');
  });
});

it('a proxy that other machines may reach accepts any single Host', async () => {
  const setting = await startBoth((_request, response) => response.end('from the target'), { host: '0.0.0.0' });
  expect(await answerTo(setting, 'GET / HTTP/1.1', 'Host: proxy.internal')).toContain('from the target');
  expect(refusalIn(await answerTo(setting, 'GET / HTTP/1.1', 'Host: a', 'Host: b'))).toMatchObject({ status: 400 });
});

it('isLoopback recognises the addresses of the loopback', () => {
  expect(['127.0.0.1', '127.1.2.3', '::1', '[::1]', 'localhost', 'LOCALHOST'].filter(isLoopback)).toHaveLength(6);
  const others = [
    '0.0.0.0',
    '::',
    '10.0.0.1',
    'example.com',
    '127.0.0.1.example.com',
    'localhost.example.com',
    '1127.0.0.1',
  ];
  expect(others.filter(isLoopback)).toEqual([]);
});

it('hostsOf lists the names of the proxy, with the port that a client omits if it is 80', () => {
  expect(hostsOf('127.0.0.1', 8529)).toEqual(['127.0.0.1:8529', 'localhost:8529', '[::1]:8529']);
  expect(hostsOf('127.0.0.2', 80)).toContain('127.0.0.2');
  expect(hostsOf('::1', 1)).toEqual(['127.0.0.1:1', 'localhost:1', '[::1]:1']);
  expect(hostsOf('0.0.0.0', 1)).toBeUndefined();
});

it('the proxy listens on the IPv6 loopback too', async () => {
  const target = await start();
  const proxy = await startFor({ target: target.target.url, host: '::1' });
  expect(proxy.url).toMatch(/^http:\/\/\[::1\]:\d+$/);
  expect(await (await fetch(proxy.url)).text()).toBe('from the target');
});
