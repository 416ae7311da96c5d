import { expect, test } from 'vitest';
import { createUndiciFetch } from '../src/undici.ts';

test.each<[unknown, string]>([
  [null, 'Expected `options` to be an object such as { connections: 8 }, got null.'],
  [{ connections: -1 }, 'Expected `connections` to be an integer ≥ 1, got -1.'],
  [{ headersTimeoutMs: '5' }, 'Expected `headersTimeoutMs` to be an integer ≥ 0, got "5".'],
  [{ proxy: 'env' }, "Expected `proxy` to be one of 'none', 'environment', got \"env\"."],
  [{ bodyTimeout: 5 }, 'Unknown option `bodyTimeout`. Did you mean `bodyTimeoutMs`?'],
])('refuses invalid options at creation: %j', (options, message) => {
  // @ts-expect-error -- callers in JavaScript
  expect(() => createUndiciFetch(options)).toThrow(new TypeError(message));
});
