import { describe, expect, it } from 'vitest';
import { hostsOf, isLoopback } from '../../src/proxy/admit.ts';
import { answerTo, endEach, refusalIn, reply, type Setting, startBoth, startFor, talk } from './talk.ts';

endEach();

const start = (): Promise<Setting> => startBoth(reply(200, 'from the target'));

/** Why a request with these lines is refused; `requests`: how many were sent to the target nevertheless. */
async function refusalOf(first: string, lines: readonly string[] = [], body?: string): Promise<object> {
  const setting = await start();
  const refusal = refusalIn(await answerTo(setting, first, lines, body));
  return { ...refusal, requests: setting.target.counts.requests };
}

describe('a proxy on the loopback', () => {
  it.each(['127.0.0.1', 'localhost', 'LocalHost', '[::1]'])('takes requests to %s with its port', async (name) => {
    const setting = await start();
    const host = `${name}:${new URL(setting.proxy.url).port}`;
    expect(await answerTo({ ...setting, host }, 'GET / HTTP/1.1')).toContain('from the target');
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
  ])('refuses the Host %s', async (_title, hostAt) => {
    const setting = await start();
    const { port } = new URL(setting.proxy.url);
    const message = `Expected the Host header to be 127.0.0.1:${port} or localhost:${port}.`;
    const answer = await answerTo({ ...setting, host: hostAt(port) }, 'GET / HTTP/1.1');
    expect(refusalIn(answer)).toEqual({ status: 403, code: 'foreign_host', message });
    expect(setting.target.counts.requests).toBe(0);
  });

  it('refuses two Host headers, and none', async () => {
    const setting = await start();
    const own = `Host: ${setting.host}`;
    for (const line of [own, 'Host: evil.example']) {
      const answer = refusalIn(await answerTo(setting, 'GET / HTTP/1.1', [line]));
      expect(answer).toMatchObject({ status: 400, message: 'Expected one Host header.' });
    }
    for (const text of [
      'GET / HTTP/1.1\r\n',
      `GET / HTTP/1.1\r\nHost: evil.example\r\n${own}\r\n`,
      'GET / HTTP/1.0\r\n',
    ])
      expect(refusalIn((await talk(setting.proxy.url, `${text}\r\n`).over).text)).toMatchObject({ status: 400 });
    expect(setting.target.counts.requests).toBe(0);
  });

  const elsewhere = { status: 400, code: 'bad_path', message: expect.stringContaining('nowhere else') };
  const foreign = { status: 403, code: 'foreign_page' };
  const socket = ['Upgrade: websocket', 'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', 'Sec-WebSocket-Version: 13'];
  const bedrock = { status: 400, code: 'signed_host', message: expect.stringContaining('AWS_BEARER_TOKEN_BEDROCK') };

  it.each<readonly [string, readonly string[], object]>([
    ['OPTIONS http://evil.example/ HTTP/1.1', [], elsewhere],
    ['OPTIONS https://api.example.com/v1/messages HTTP/1.1', [], elsewhere],
    ['OPTIONS //evil.example/ HTTP/1.1', [], elsewhere],
    ['OPTIONS /\\evil.example/ HTTP/1.1', [], elsewhere],
    ['OPTIONS * HTTP/1.1', [], elsewhere],
    ['OPTIONS /path#fragment HTTP/1.1', [], elsewhere],
    ['CONNECT evil.example:443 HTTP/1.1', [], { status: 405, message: expect.stringContaining('one target') }],
    ['TRACE / HTTP/1.1', [], { status: 405 }],
    ['GET / HTTP/1.1', socket, { status: 426, code: 'upgrade' }],
    [
      'POST / HTTP/1.1',
      ['Authorization: AWS4-HMAC-SHA256 Credential=AKID/2026/us-east-1/x', 'Content-Length: 0'],
      bedrock,
    ],
    // An address typed into a browser.
    ['GET /v1 HTTP/1.1', ['Sec-Fetch-Site: none', 'Sec-Fetch-Mode: navigate', 'Cookie: session=x'], foreign],
    ['POST / HTTP/1.1', ['Origin: https://evil.example', 'Content-Length: 0'], foreign],
    ['POST / HTTP/1.1', ['Origin: null', 'Content-Length: 0'], foreign],
    ['POST / HTTP/1.1', ['Origin: http://127.0.0.1.evil.example', 'Content-Length: 0'], foreign],
    ['POST / HTTP/1.1', ['Origin: chrome-extension://abcdef', 'Content-Length: 0'], foreign],
    ['POST / HTTP/1.1', ['Sec-Fetch-Site: cross-site', 'Content-Length: 0'], foreign],
    ['POST / HTTP/1.1', ['Sec-Fetch-Site: same-site', 'Content-Length: 0'], foreign],
  ])('refuses %s with %j', async (first, lines, expected) => {
    expect(await refusalOf(first, lines)).toMatchObject({ ...expected, requests: 0 });
  });

  it('answers a web socket so that clients use HTTP at once', async () => {
    const answer = await answerTo(await start(), 'GET /v1/responses HTTP/1.1', ['Connection: Upgrade', ...socket]);
    expect(answer).toMatch(/^HTTP\/1\.1 426 Upgrade Required\r\n[^]*^upgrade: HTTP\/1\.1\r$/m);
  });

  it('continues in HTTP/1.1 with a client that offers HTTP/2, such as Java', async () => {
    const setting = await startBoth((request, response) => response.end(JSON.stringify(request.rawHeaders)));
    const offer = ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAEAAEAAAAIAAAAB'];
    const answer = await answerTo(setting, 'GET / HTTP/1.1', offer);
    expect(answer).toContain('HTTP/1.1 200');
    expect(answer).not.toMatch(/h2c|http2-settings/i);
  });

  it.each([
    ['Transfer-Encoding: gzip, chunked', '1.1'],
    ['Transfer-Encoding: xchunked', '1.1'],
    ['Transfer-Encoding: identity', '1.1'],
    ['Transfer-Encoding: chunked', '1.0'],
  ])('refuses %s in HTTP/%s, whose end other servers may read differently', async (line, version) => {
    const refusal = await refusalOf(`POST / HTTP/${version}`, [line], '0\r\n\r\n');
    expect(refusal).toMatchObject({ status: 501, code: 'transfer_encoding', requests: 0 });
  });

  it.each([
    ['Origin: http://localhost:5173', 'Sec-Fetch-Site: cross-site'],
    ['Origin: http://[::1]:3000'],
    ['Sec-Fetch-Site: same-origin'],
    ['Sec-Fetch-Mode: cors'],
  ])('accepts what pages of this machine and programs send: %s', async (...lines) => {
    expect(await answerTo(await start(), 'GET / HTTP/1.1', lines)).toContain('from the target');
  });
});

it('a proxy that other machines may reach accepts any single Host', async () => {
  const setting = { ...(await startBoth(reply(200, 'from the target'), { host: '0.0.0.0' })), host: 'proxy.internal' };
  expect(await answerTo(setting, 'GET / HTTP/1.1')).toContain('from the target');
  expect(refusalIn(await answerTo(setting, 'GET / HTTP/1.1', ['Host: b']))).toMatchObject({ status: 400 });
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
