import { createHash } from 'node:crypto';
import { fc, test } from '@fast-check/vitest';
import { describe, expect, vi } from 'vitest';
import { sha256 } from '../../src/runtime/sha256.ts';

describe('sha256', () => {
  test('returns the digest of the standard for its own example', () => {
    expect(sha256('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });

  test('derives the constants of the standard at its first use', async () => {
    vi.resetModules();
    const fresh = await import('../../src/runtime/sha256.ts');
    expect(fresh.sha256('abc')).toBe(createHash('sha256').update('abc').digest('hex'));
  });

  test.each([0, 1, 55, 56, 63, 64, 65, 119, 120, 1_000])('agrees with another implementation on %d bytes', (length) => {
    const text = 'k'.repeat(length);
    expect(sha256(text)).toBe(createHash('sha256').update(text).digest('hex'));
  });

  test.prop([fc.string({ unit: 'grapheme', maxLength: 200 })])(
    'agrees with another implementation on any text',
    (text) => {
      expect(sha256(text)).toBe(createHash('sha256').update(text).digest('hex'));
    },
  );
});
