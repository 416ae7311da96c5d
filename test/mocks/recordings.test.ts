import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { recordings } from '../../mocks/recordings.ts';
import { own } from '../../src/runtime/values.ts';
import { problemsOf } from './recording-problems.ts';

const folder = new URL('../../mocks/recordings/', import.meta.url);
const textOf = (file: string): string => readFileSync(new URL(file, folder), 'utf8');
const files = readdirSync(folder);
const names = files.map((file) => file.replace(/\.json$/, ''));

describe('the files', () => {
  test('are JSON', () => {
    expect(files.filter((file) => !file.endsWith('.json'))).toEqual([]);
    expect(files.length).toBeGreaterThan(70);
  });

  test.each(names)('%s is a recording', (name) => {
    expect(problemsOf(name, textOf(`${name}.json`))).toEqual([]);
  });
});

describe('the index (if this fails, run `node scripts/list-recordings.mjs`)', () => {
  test('lists the files of the folder, in order', () => {
    expect(Object.keys(recordings)).toEqual(names.toSorted());
  });

  test('has each file under its own name', () => {
    const entries = names.map((name) => [name, JSON.parse(textOf(`${name}.json`))]);
    expect(recordings).toEqual(Object.fromEntries(entries));
  });
});

describe('a recorded length', () => {
  const withLength = Object.entries(recordings).filter(([, { response }]) => 'content-length' in response.headers);
  test.each(withLength)('of %s is that of the body', (_name, { response }) => {
    expect(new TextEncoder().encode(response.body)).toHaveLength(Number(response.headers['content-length']));
  });
});

describe('a file with a mistake is reported', () => {
  const good = {
    provider: 'acme',
    source: 'seen on 2026-11-20',
    fidelity: 'verbatim',
    request: { method: 'POST', url: 'https://api.example/v1' },
    response: { status: 429, statusText: 'Too Many Requests', headers: { 'retry-after': '1' }, body: '{}' },
    expected: { type: 'rate_limit', retryable: true, retryAfterMs: 1000, phase: 'response' },
  };
  const { response, expected } = good;
  const problemsWith = (changes: object, name = 'acme-429-limit') =>
    problemsOf(name, JSON.stringify({ ...good, ...changes }, null, 2));

  test('and one without a mistake is not', () => {
    expect(problemsWith({})).toEqual([]);
    expect(
      problemsWith({ expected: { ...expected, alsoAcceptable: ['overloaded'], retryAfterAtMostMs: 1001 } }),
    ).toEqual([]);
    expect(
      problemsWith(
        { response: { ...response, status: 200 }, expected: { ...expected, phase: 'before-content' } },
        'acme-stream-limit',
      ),
    ).toEqual([]);
  });

  test('where it is no object, or no JSON', () => {
    expect(problemsOf('acme-429-limit', '[]')).toContain('`the file` has to be an object; it is [].');
    expect(problemsOf('acme-429-limit', '{')).toEqual([expect.stringContaining('The file is not JSON: ')]);
  });

  /** The problems of a file whose member at this path has this value. */
  const problemsOfMember = (path: string, value: unknown): readonly string[] => {
    const [name = '', inner] = path.split('.');
    return problemsWith({ [name]: inner === undefined ? value : { ...Object(own(good, name)), [inner]: value } });
  };

  const NO_TYPE = /^`expected\.\w+` has to be .*rate_limit.*throttled/;

  test.each<[path: string, value: unknown, problem: string | RegExp]>([
    ['source', ' ', '`source` has to be a place where a reader can check it; it is " ".'],
    ['source', '/home/ann/log', 'The file has the path of a machine in it.'],
    ['fidelity', 'exact', /^`fidelity` has to be one of verbatim, .*redacted; it is "exact"\.$/],
    ['request.method', 'post', '`request.method` has to be a method in capitals; it is "post".'],
    ['response.status', '429', '`response.status` has to be a status from 200 to 599; it is "429".'],
    ['response.headers', { age: 1 }, '`response.headers` has to be an object of strings; it is {"age":1}.'],
    ['response.headers', { Age: '1' }, 'Header "Age" has to be in lower case.'],
    ['response.headers', { 'content-encoding': 'br' }, 'Header "content-encoding" has to be left out.'],
    ['response.body', 'ann@example.com', 'The file has an address of a person in it.'],
    ['response.body', 'at 10.1.2.3', 'The file has a certificate, or the address of a host in it.'],
    ['expected.notes', 'x', '`expected.notes` is not known: a typing mistake?'],
    ['expected.type', 'throttled', NO_TYPE],
    ['expected.alsoAcceptable', ['throttled'], NO_TYPE],
    ['expected.retryAfterMs', '1s', /^`expected\.retryAfterMs` has to be milliseconds, or null .* it is "1s"\.$/],
    ['expected.retryAfterAtMostMs', 1, /^`expected\.retryAfterAtMostMs` has to be milliseconds above .* it is 1\.$/],
    ['expected.retryable', 'yes', '`expected.retryable` has to be true or false; it is "yes".'],
    ['expected.phase', 'before-content', 'The status 429 does not go with the phase "before-content".'],
    ['expected.phase', 'after-content', /^After content nothing may be replayed/],
  ])('where `%s` is %j', (path, value, problem) => {
    expect(problemsOfMember(path, value)).toContainEqual(
      typeof problem === 'string' ? problem : expect.stringMatching(problem),
    );
  });

  test('a name that differs from the file', () => {
    expect(problemsWith({}, 'acme-503-limit')).toEqual(['The name "acme-503-limit" has to have "429" in it.']);
    expect(problemsWith({}, 'Acme_429')).toContain('The name "Acme_429" has to be words in lower case with hyphens.');
  });

  test('a key, without repeating it', () => {
    const key = `sk-proj-${'Ab1'.repeat(12)}`;
    const problems = problemsWith({ response: { ...response, body: `Incorrect key ${key}` } });
    expect(problems).toEqual([expect.stringContaining('looks like a secret')]);
    expect(problems.join()).not.toContain(key);
  });
});
