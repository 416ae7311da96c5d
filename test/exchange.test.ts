import { describe, expect, test } from 'vitest';
import { isSuccess, publicUrl } from '../src/exchange.ts';

describe('a success', () => {
  test.each([
    ['a 200', { status: 200, ok: true }, true],
    ['a 204', { status: 204, ok: true }, true],
    ['a redirect that was not followed', { status: 302, ok: false }, true],
    ['an opaque redirect', { status: 0, ok: false }, true],
    ['the first status of failure', { status: 400, ok: false }, false],
    ['a 503 that calls itself ok', { status: 503, ok: true }, false],
    ['an answer without a status that is not ok', { ok: false }, false],
    ['an answer without a status that is ok', { ok: true }, true],
    ['an answer with nothing', {}, true],
    ['no object', undefined, true],
    ['null', null, true],
  ])('%s', (_title, response, expected) => {
    expect(isSuccess(response)).toBe(expected);
  });
});

describe('a URL that is shown', () => {
  test.each([
    ['https://api.example.com/v1/messages', 'https://api.example.com/v1/messages'],
    ['https://api.example.com/v1?key=secret', 'https://api.example.com/v1'],
    ['https://api.example.com/v1#secret', 'https://api.example.com/v1'],
    ['https://api.example.com/v1?a=1#b?c', 'https://api.example.com/v1'],
    ['https://user:secret@api.example.com/v1', 'https://api.example.com/v1'],
    ['https://user:sec@ret@api.example.com/v1', 'https://api.example.com/v1'],
    ['HTTPS://secret@api.example.com', 'HTTPS://api.example.com'],
    ['https://api.example.com/users/@me', 'https://api.example.com/users/@me'],
    ['http://127.0.0.1:8080/x?y=@z', 'http://127.0.0.1:8080/x'],
    ['/v1/messages?key=secret', '/v1/messages'],
    ['not a url', 'not a url'],
  ])('%s becomes %s', (url, shown) => {
    expect(publicUrl(url)).toBe(shown);
  });

  test.each([
    'https:/user:secret@api.example.com/v1',
    'https:user:secret@api.example.com/v1',
    String.raw`https:\\user:secret@api.example.com/v1`,
    ' https://user:secret@api.example.com/v1',
    'https://us\ner:secret@api.example.com/v1',
    'ht\ntps://user:secret@api.example.com/v1',
    String.raw`https://user:secret@api.example.com\v1`,
  ])('hides credentials in every spelling that fetch accepts: %j', (url) => {
    expect(new URL(url).password).toBe('secret');
    expect(publicUrl(url)).not.toContain('secret');
  });
});
