import { describe, expect, it } from 'vitest';
import { readOptions } from '../../src/proxy/options.ts';

const target = 'https://api.example.com';

describe('readOptions', () => {
  it('listens on the loopback, accepts bodies up to 64 MiB and marks only permanent failures by default', () => {
    expect(readOptions({ target })).toMatchObject({
      target,
      host: '127.0.0.1',
      port: 0,
      maxBodyBytes: 67_108_864,
      maxBufferedBytes: 268_435_456,
      maxCalls: 1_024,
      retry: { exhausted: 'mark-permanent', answers: { idleTimeoutMs: 180_000, outputTimeoutMs: 300_000 } },
    });
  });

  it.each([
    ['https://api.example.com/', 'https://api.example.com'],
    ['http://127.0.0.1:8000/v1/', 'http://127.0.0.1:8000/v1'],
    [new URL('https://API.example.com:443/a/b'), 'https://api.example.com/a/b'],
  ])('reads %s as an origin and a path', (given, expected) => {
    expect(readOptions({ target: given }).target).toBe(expected);
  });

  it.each([
    ['api.example.com', 'Expected `target` to be a whole URL, such as https://api.example.com.'],
    ['ftp://api.example.com', 'Expected `target` to begin with http:// or https://, such as https://api.example.com.'],
    [
      'https://user:hunter22@api.example.com',
      'Expected `target` without a user and password; the client sends them, as a header.',
    ],
    [
      'https://api.example.com?key=1',
      'Expected `target` without a query and fragment, such as https://api.example.com.',
    ],
    ['https://api.example.com/#a', 'Expected `target` without a query and fragment, such as https://api.example.com.'],
  ])('refuses the target %s', (given, message) => {
    expect(() => readOptions({ target: given })).toThrow(new TypeError(message));
  });

  it.each([
    [{ host: '' }, 'Expected `host` to be an address such as 127.0.0.1, got "".'],
    [{ maxBodyBytes: -1 }, 'Expected `maxBodyBytes` to be an integer ≥ 0, got -1.'],
    [{ maxBodyBytes: Number.NaN }, 'Expected `maxBodyBytes` to be an integer ≥ 0, got NaN.'],
    [{ maxBodyBytes: 10, maxBufferedBytes: 9 }, 'Expected `maxBufferedBytes` to be an integer ≥ 10, got 9.'],
    [{ clientTimeoutMs: 0 }, 'Expected `clientTimeoutMs` to be a number of milliseconds above 0, got 0.'],
    [{ keepAliveAfterMs: -1 }, 'Expected `keepAliveAfterMs` to be a number of milliseconds above 0, got -1.'],
    [{ retry: { maxRetries: -1 } }, /`maxRetries`/],
  ])('refuses %j', (given, message) => {
    expect(() => readOptions({ target, ...given })).toThrow(message);
  });

  it.each([
    ['maxCall', 'Unknown option `maxCall`. Did you mean `maxCalls`?'],
    ['clientTimeoutMS', 'Unknown option `clientTimeoutMS`. Did you mean `clientTimeoutMs`?'],
    ['tagret', 'Unknown option `tagret`. Did you mean `target`?'],
  ])('names the option that the misspelt %s means', (name, message) => {
    expect(() => readOptions({ target, [name]: 1 })).toThrow(new TypeError(message));
  });

  it.each([
    [{ onEvent: 'log' }, 'Expected `onEvent` to be a function, got "log".'],
    [{ retry: 3 }, 'Expected `retry` to be an object such as { maxRetries: 3 }, got 3.'],
  ])('refuses %j, which only JavaScript lets pass', (given, message) => {
    // @ts-expect-error -- callers in JavaScript
    expect(() => readOptions({ target, ...given })).toThrow(new TypeError(message));
  });

  it('accepts another mark for the last answer, and does not throw it', () => {
    expect(readOptions({ target, retry: { exhausted: 'return' } })).toMatchObject({ retry: { exhausted: 'return' } });
    expect(() => readOptions({ target, retry: { exhausted: 'throw' } })).toThrow(
      "Expected `retry.exhausted` to be 'return', 'mark' or 'mark-permanent'.",
    );
  });

  it.each([
    [{ signal: AbortSignal.abort() }, '`signal` is an option of withRetry'],
    [{ retryUnknownErrors: true }, '`retryUnknownErrors` is an option of withRetry'],
    [{ throwOnExhausted: true }, "Unknown option `throwOnExhausted`. Use `exhausted: 'throw' or 'mark'`."],
  ])('refuses what no request can honour: %o', (retry: object, message) => {
    expect(() => readOptions({ target, retry })).toThrow(message);
  });
});
