import { expect, it } from 'vitest';
import { responseHeaders } from '../../src/proxy/response-headers.ts';

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
