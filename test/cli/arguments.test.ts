import { describe, expect, it } from 'vitest';
import {
  expectNoMore,
  readArguments,
  readCount,
  readHeaders,
  readShown,
  readUrl,
  readWord,
  SHOWN_OPTIONS,
  UsageError,
} from '../../src/cli/arguments.ts';

const OPTIONS = { speed: { type: 'string' }, ...SHOWN_OPTIONS } as const;

/** The line that a UsageError says. */
function refusalOf(read: () => unknown): string {
  try {
    read();
  } catch (error) {
    if (error instanceof UsageError) return error.message;
  }
  throw new Error('Nothing was refused.');
}

describe('readArguments', () => {
  it('separates options from other arguments, in any order', () => {
    const { values, positionals } = readArguments(['--speed', '2', 'x', '--no-color', '--', '--json'], OPTIONS);
    expect({ ...values }).toEqual({ speed: '2', color: false });
    expect(positionals).toEqual(['x', '--json']);
  });

  it.each([
    [['--sped', '2'], 'Unknown option --sped; the options are --speed, --json, --no-color, --help.'],
    [['--speed'], 'Expected a value after --speed.'],
    [
      ['--speed', '-1'],
      'Expected a value after --speed; one that begins with a dash is written --speed=-…, without a space.',
    ],
    [['--json=yes'], '--json takes no value; leave out what follows it.'],
  ])('refuses %j in one line that names the fix', (argv, message) => {
    expect(refusalOf(() => readArguments(argv, OPTIONS))).toBe(message);
  });
});

describe('readShown', () => {
  it('is for a person and in colour by default', () => {
    expect(readShown({})).toEqual({ json: false, colour: true });
    expect(readShown({ json: true, color: false })).toEqual({ json: true, colour: false });
  });
});

describe('expectNoMore', () => {
  it('refuses the first unexpected argument', () => {
    expect(expectNoMore([])).toBeUndefined();
    expect(refusalOf(() => expectNoMore(['x', 'y']))).toBe(
      'Unexpected argument "x"; leave it out, or put quotes around a value with spaces.',
    );
  });
});

describe('readWord', () => {
  it('accepts one of the words, and lists them all for any other value', () => {
    expect(readWord('preset', 'agent', ['agent', 'patient'])).toBe('agent');
    expect(refusalOf(() => readWord('preset', 'eager', ['agent', 'patient']))).toBe(
      'Expected --preset to be one of agent, patient, got "eager".',
    );
  });
});

describe('readCount', () => {
  it.each(['-1', '1.5', '1e3', '0x1', '', 'many', '9999999999'])('refuses %j', (value) => {
    expect(refusalOf(() => readCount('max-retries', value))).toBe(
      `Expected --max-retries to be a whole number such as 5, got "${value}".`,
    );
  });

  it('accepts whole numbers', () => {
    expect([readCount('max-retries', '0'), readCount('max-retries', '21')]).toEqual([0, 21]);
  });
});

describe('readUrl', () => {
  it('returns a complete URL unchanged', () => {
    expect(readUrl('https://api.example.com/v1/messages?a=b')).toBe('https://api.example.com/v1/messages?a=b');
  });

  it.each([
    ['messages', 'Expected <url> to be a whole URL such as https://api.example.com/v1/messages, got "messages".'],
    [
      'localhost:8080/v1',
      'Expected <url> to begin with http:// or https://, such as https://api.example.com/v1/messages; it begins with "localhost:".',
    ],
    [
      'file:///etc/hosts',
      'Expected <url> to begin with http:// or https://, such as https://api.example.com/v1/messages; it begins with "file:".',
    ],
    [
      'https://me:secret@example.com',
      "Expected <url> without a user and password; send them as --header 'authorization: Basic …'.",
    ],
  ])('refuses %j in one line that names the fix', (value, message) => {
    expect(refusalOf(() => readUrl(value))).toBe(message);
  });
});

describe('readHeaders', () => {
  it('reads names in lower case, values with colons, and a repeated name', () => {
    expect(readHeaders(['X-Api-Key: k:1', 'a:b', 'A: c'])).toEqual({ 'x-api-key': 'k:1', a: 'b, c' });
  });

  it.each([
    ['sk-secret', "Expected --header to be 'name: value', such as 'x-api-key: …'; one has no name before a colon."],
    ['Content-Length: 3', 'Expected no --header "Content-Length"; leave it out, because fetch sets it itself.'],
    [
      'x key: sk-secret',
      'Expected --header "x key" to be a header: a name without spaces, a value in one line of Latin-1.',
    ],
  ])('refuses %j without repeating it, because it may be a key', (value, message) => {
    expect(refusalOf(() => readHeaders([value]))).toBe(message);
  });
});
