import { describe, expect, test } from 'vitest';
import { publicUrl, redact, secretsOf } from '../../src/redact/redact.ts';

describe('a URL that is shown to a person', () => {
  test.each([
    ['https://api.example.com/v1/messages', 'https://api.example.com/v1/messages'],
    ['https://api.example.com/v1?key=secret', 'https://api.example.com/v1'],
    ['https://api.example.com/v1#secret', 'https://api.example.com/v1'],
    ['https://api.example.com/v1?a=1#b?c', 'https://api.example.com/v1'],
    ['https://user:secret@api.example.com/v1', 'https://api.example.com/v1'],
    ['https://user:sec@ret@api.example.com/v1', 'https://api.example.com/v1'],
    ['HTTPS://secret@api.example.com', 'https://api.example.com/'],
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
    'https://us%40er:secret@api.example.com/v1',
  ])('hides credentials in every spelling that fetch accepts: %j', (url) => {
    expect(new URL(url).password).toBe('secret');
    expect(publicUrl(url)).not.toContain('secret');
  });

  test.each([
    'https://user:PASS/WORD@api.example.com/v1',
    'https://user:PASS?WORD@api.example.com/v1',
    'https://user:PASS#WORD@api.example.com/v1',
  ])('hides a whole password that makes the URL invalid: %j', (url) => {
    expect(publicUrl(url)).toBe('https://api.example.com/v1');
    expect(redact('PASS/WORD PASS?WORD PASS#WORD', secretsOf({ url }))).toContain('[redacted]');
  });

  test('has no key in its path', () => {
    expect(publicUrl('https://h/v1/sk-Ab12Cd34Ef56/x')).toBe('https://h/v1/[redacted]/x');
    expect(publicUrl('https://h/v1;token=abc123/x')).toBe('https://h/v1;token=[redacted]/x');
    expect(publicUrl('https://h/bot/0123456789/x', ['0123456789'])).toBe('https://h/bot/[redacted]/x');
  });
});
