import { describe, expect, it } from 'vitest';
import { requestHeaders, responseHeaders } from '../../src/proxy/headers.ts';

describe('the headers for the target', () => {
  it('keeps the headers of the client, with names in lower case', () => {
    expect(requestHeaders(['X-Api-Key', 'key', 'Content-Type', 'application/json', 'Cookie', 'a=1'])).toEqual({
      'x-api-key': 'key',
      'content-type': 'application/json',
      'accept-encoding': 'identity',
    });
  });

  it('joins repeated headers', () => {
    const headers = requestHeaders(['Accept', 'a', 'accept', 'b']);
    expect(headers).toMatchObject({ accept: 'a, b' });
  });

  it('leaves out the headers of the connection, and those that it names', () => {
    const raw = ['Connection', 'close, X-Secret-Hop', 'X-Secret-Hop', '1', 'Keep-Alive', 'timeout=5', 'TE', 'trailers'];
    const older = ['Connection', 'Foo', 'Foo', '1', 'Proxy-Authorization', 'Basic x', 'Upgrade', 'h2c', 'Trailer', 'x'];
    expect(requestHeaders([...raw, ...older, 'Transfer-Encoding', 'chunked'])).toEqual({
      'accept-encoding': 'identity',
    });
  });

  it('leaves out the headers that fetch sets, and asks for no compression', () => {
    const raw = [
      'Host',
      '127.0.0.1:8529',
      'Content-Length',
      '5',
      'Expect',
      '100-continue',
      'Accept-Encoding',
      'gzip, br',
    ];
    expect(requestHeaders(raw)).toEqual({ 'accept-encoding': 'identity' });
  });

  it('copies a header with the name of an object member', () => {
    expect(Object.entries(requestHeaders(['__proto__', 'x', 'constructor', 'y']))).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
      ['accept-encoding', 'identity'],
    ]);
  });

  it('leaves out cookies unless they are allowed', () => {
    expect(requestHeaders(['Cookie', 'session=of-another-program'])).toEqual({ 'accept-encoding': 'identity' });
  });
});

describe('the headers for the client', () => {
  const of = (...pairs: [string, string][]): object =>
    Object.fromEntries(responseHeaders(new Response(null, { headers: pairs })));

  it('leaves out the headers of the connection, those that it names, and other ways to the target', () => {
    const hop: [string, string][] = [
      ['connection', 'keep-alive, x-hop'],
      ['x-hop', '1'],
      ['keep-alive', 'timeout=5'],
      ['transfer-encoding', 'chunked'],
      ['proxy-authenticate', 'Basic'],
      ['alt-svc', 'h3=":443"'],
    ];
    expect(of(...hop, ['x-kept', '1'])).toEqual({ 'x-kept': '1' });
  });

  it.each(['gzip', 'X-GZIP', 'deflate, br', 'zstd'])('forgets %s, which fetch has undone', (coding) => {
    expect(of(['content-encoding', coding], ['content-length', '9'], ['etag', '"1"'])).toEqual({ etag: '"1"' });
  });

  it.each(['compress', 'gzip, aes128gcm'])('keeps %s, which fetch does not undo', (coding) => {
    const pairs: [string, string][] = [
      ['content-encoding', coding],
      ['content-length', '9'],
    ];
    expect(of(...pairs)).toEqual(Object.fromEntries(pairs));
  });
});
