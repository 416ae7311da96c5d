import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { readPasted } from '../../../src/cli/commands/classify-input.ts';

const read = (text: string) => {
  const { status, headers, body } = readPasted(new TextEncoder().encode(text));
  return { status, headers: Object.fromEntries(headers), body: new TextDecoder().decode(body) };
};

const BODY = '{"error":{"type":"überlastet"}}\r\n\r\nHTTP is no status line';

describe('readPasted', () => {
  it.each([
    ['CRLF', '\r\n'],
    ['LF', '\n'],
  ])('reads a response whose lines end in %s', (_name, newline) => {
    const head = ['HTTP/1.1 429 Too Many Requests', 'Content-Type: application/json', 'Retry-After:20', '', ''].join(
      newline,
    );
    expect(read(head + BODY)).toEqual({
      status: 429,
      headers: { 'content-type': 'application/json', 'retry-after': '20' },
      body: BODY,
    });
  });

  it.each(['HTTP/2 429', 'HTTP/2 429 ', 'HTTP/3 429', 'HTTP/1.0 429 Too Many Requests', 'HTTP/1.1 429 '])(
    'reads the status of %j',
    (line) => {
      expect(read(`${line}\r\n\r\nx`)).toEqual({ status: 429, headers: {}, body: 'x' });
    },
  );

  it.each([
    ['100 Continue', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['early hints', 'HTTP/2 103 \r\nlink: </a>\r\n\r\n'],
    ['redirects', 'HTTP/1.1 301 Moved\nlocation: /b\n\nHTTP/1.1 302 Found\nlocation: /c\nretry-after: 9\n\n'],
    ['a proxy', 'HTTP/1.1 200 Connection established\r\n\r\n'],
    ['a proxy and 100 Continue', 'HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n'],
  ])('skips %s before the final response', (_name, before) => {
    expect(read(`${before}HTTP/2 529 \r\nserver: cloudflare\r\n\r\n${BODY}`)).toEqual({
      status: 529,
      headers: { server: 'cloudflare' },
      body: BODY,
    });
  });

  describe('the output of curl -v', () => {
    const about = [
      '* Host api.example.com:443 was resolved.',
      '* Connected to api.example.com (192.0.2.1) port 443',
      '> POST /v1/messages HTTP/2',
      '> Host: api.example.com',
      '> ',
      '} [5 bytes data]',
      '* upload completely sent off: 17 bytes',
    ].join('\r\n');
    const answer = '< HTTP/2 529 \r\n< server: cloudflare\r\n< retry-after: 7\r\n< \r\n';
    const response = { status: 529, headers: { server: 'cloudflare', 'retry-after': '7' } };

    const transfer = '{ [86 bytes data]\n';
    const progress = '\r100    75    0    75    0     0  15710      0 --:--:-- --:--:-- --:--:-- 18750\n';
    const farewell = '* Connection #0 to host api.example.com left intact\n';

    it.each([
      ['a body that does not end its line', `{"error":1}${farewell}`, '{"error":1}\n'],
      ['a page of several lines', '<p>\n* busy\n</p>\n* Closing connection 0\n', '<p>\n* busy\n</p>\n'],
      ['the body last, as when both streams go into one', `${transfer}${farewell}{"error":1}`, '{"error":1}'],
      ['its progress', `${transfer}${progress}${farewell}{"error":1}`, '{"error":1}'],
      ['the head once more, as with -i', `${farewell}${answer.replaceAll('< ', '')}{"error":1}`, '{"error":1}'],
      ['no body', `${farewell}* Closing connection 0`, ''],
      ['nothing more', '', ''],
    ])('is read with %s', (_name, rest, body) => {
      expect(read(`${about}\r\n${answer}${rest}`)).toEqual({ ...response, body });
    });

    it('can be read from a recorded terminal, which doubles the carriage returns', () => {
      expect(read(`${answer.replaceAll('\r', '\r\r')}x`)).toEqual({ ...response, body: 'x' });
    });

    it('can be read after a redirect', () => {
      const redirect =
        '< HTTP/2 301 \r\n< location: /b\r\n< \r\n* Ignoring the response-body\r\n> GET /b HTTP/2\r\n> \r\n';
      expect(read(`${redirect}${answer}x`)).toEqual({ ...response, body: 'x' });
    });

    it('is not confused with a body that quotes it', () => {
      const quoted = 'HTTP/1.1 500 \n\nlog:\n< HTTP/2 529';
      expect(read(quoted)).toMatchObject({ status: 500, body: 'log:\n< HTTP/2 529' });
    });

    it('keeps the bytes of the body', () => {
      const bytes = new Uint8Array([...new TextEncoder().encode(answer), 0xff, 0x00, 0xc3]);
      expect([...readPasted(bytes).body]).toEqual([0xff, 0x00, 0xc3]);
    });
  });

  it('reads a body alone, to the byte', () => {
    expect(read(BODY)).toEqual({ status: undefined, headers: {}, body: BODY });
    const bytes = Uint8Array.of(0, 255, 10, 195);
    expect(readPasted(bytes)).toMatchObject({ status: undefined, body: bytes });
  });

  it('reads a head alone', () => {
    expect(read('HTTP/2 503 \r\nserver: envoy\r\n\r\n')).toEqual({
      status: 503,
      headers: { server: 'envoy' },
      body: '',
    });
    expect(read('HTTP/2 503')).toEqual({ status: 503, headers: {}, body: '' });
    expect(read('HTTP/2 503\nserver: envoy')).toEqual({ status: 503, headers: { server: 'envoy' }, body: '' });
  });

  it('joins a repeated header, and leaves out an invalid one', () => {
    expect(read('HTTP/2 503\na: 1\na: 2\nb: \u0000\n\n').headers).toEqual({ a: '1, 2' });
  });

  it('ignores blank lines and a byte order mark at the start, and a missing blank line before the body', () => {
    expect(read('\uFEFF\n\r\n HTTP/2 503\n\nx')).toMatchObject({ status: 503, body: 'x' });
    expect(read('HTTP/2 503\na: 1\n{"error":{"a":"b"}}')).toEqual({
      status: 503,
      headers: { a: '1' },
      body: '{"error":{"a":"b"}}',
    });
  });

  test.prop([fc.uint8Array({ maxLength: 200 })])('refuses nothing and keeps a body alone unchanged', (bytes) => {
    const { status, body } = readPasted(bytes);
    if (status === undefined) expect(body).toEqual(bytes);
  });

  test.prop([fc.string({ unit: fc.constantFrom('HTTP/2 ', '429', '\r', '\n', ':', 'a', ' '), maxLength: 60 })])(
    'ends for whatever looks like heads',
    (text) => {
      expect(text.endsWith(read(text).body)).toBe(true);
    },
  );
});
