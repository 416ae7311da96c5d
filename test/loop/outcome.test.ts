import { describe, expect, test } from 'vitest';
import { isSuccess } from '../../src/loop/outcome.ts';

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
