import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { RefusedError } from '../../src/proxy/problem.ts';
import { targetUrlOf } from '../../src/proxy/target-url.ts';

const ORIGIN = 'https://api.example.com';
const BELOW = `${ORIGIN}/v1`;

describe('targetUrlOf', () => {
  it.each([
    ['/v1/messages', ORIGIN, 'https://api.example.com/v1/messages'],
    ['/', ORIGIN, 'https://api.example.com/'],
    ['/v1/models?limit=2&after=a%2Fb', ORIGIN, 'https://api.example.com/v1/models?limit=2&after=a%2Fb'],
    ['/@evil.example/x', ORIGIN, 'https://api.example.com/@evil.example/x'],
    ['/http://evil.example/', ORIGIN, 'https://api.example.com/http://evil.example/'],
    ['/a//evil.example/', ORIGIN, 'https://api.example.com/a//evil.example/'],
    ['/?next=//evil.example', ORIGIN, 'https://api.example.com/?next=//evil.example'],
    ['/chat', BELOW, 'https://api.example.com/v1/chat'],
    ['/a/../chat', BELOW, 'https://api.example.com/v1/chat'],
  ])('forwards %s', (path, target, url) => {
    expect(targetUrlOf(path, target)).toBe(url);
  });

  it.each([
    'http://evil.example/',
    'https://api.example.com/v1/messages',
    '//evil.example/',
    '/\\evil.example/',
    '\\\\evil.example',
    '*',
    '',
    'evil.example:443',
    '@evil.example/',
    ':8443/',
    '.evil.example/',
    '/v1/messages#fragment',
  ])('refuses %j', (path) => {
    expect(() => targetUrlOf(path, ORIGIN)).toThrow(RefusedError);
    expect(() => targetUrlOf(path, BELOW)).toThrow(/Expected a path/);
  });

  it.each(['/../admin', '/%2e%2e/admin', '/.%2E/admin', '/..', '/..\\admin', '/a/../../admin', '/../v1x/admin'])(
    'does not leave the path of the target by %s',
    (path) => {
      expect(() => targetUrlOf(path, BELOW)).toThrow('Expected a path that stays below https://api.example.com/v1/.');
    },
  );

  it.each([
    '/..%2fadmin',
    '/..%2Fadmin',
    '/%2e%2e%2fadmin',
    '/a/..%2f..%2fadmin',
    '/..%5cadmin',
    '/a%5Cb',
    '/..;/admin',
    '/..;x=1/admin',
    '/%252e%252e/admin',
    '/%25252e%25252e%25252fadmin',
    '/%c0%ae%c0%ae%c0%afadmin',
    '/..%00/admin',
    '/a/..%2f',
  ])('lets no server behind the target leave its path by %s', (path) => {
    expect(() => targetUrlOf(path, BELOW)).toThrow('Expected a path that stays below https://api.example.com/v1/.');
    // Without a base path there is nothing to leave.
    expect(targetUrlOf(path, ORIGIN)).toContain('https://api.example.com/');
  });

  it.each(['/models/openai%2Fgpt-5', '/files/a..b', '/a;b/c', '/x%20y', '/100%25', '/v1%2e5/x'])(
    'sends %s on below a path: it climbs nowhere',
    (path) => {
      expect(targetUrlOf(path, BELOW)).toBe(`https://api.example.com/v1${path}`);
    },
  );

  property.prop([fc.string({ unit: 'binary-ascii' }), fc.constantFrom(ORIGIN, BELOW)])(
    'gives a URL of the target or refuses, whatever is asked for',
    (tail, target) => {
      let url: URL;
      try {
        url = new URL(targetUrlOf(`/${tail}`, target));
      } catch (error) {
        expect(error).toBeInstanceOf(RefusedError);
        return;
      }
      expect([url.username, url.password]).toEqual(['', '']);
      expect(url.href.startsWith(`${target}/`)).toBe(true);
    },
  );
});
