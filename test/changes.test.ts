import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { importersOf, testsOf } from '../scripts/changes.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const filesIn = (pattern: string): readonly string[] =>
  globSync(pattern, { cwd: root }).map((path) => path.replaceAll('\\', '/'));

describe('the tests of a change', () => {
  test.each([...new Set(filesIn('src/*/**/*.ts').map((path) => path.split('/')[1]))])(
    'in src/%s are those of the folder of the same name, which exists',
    (folder) => {
      expect(testsOf([`src/${folder}/deeper/any.ts`])).toContain(`test/${folder}/`);
      expect(filesIn(`test/${folder}/**/*.test.ts`)).not.toEqual([]);
    },
  );

  test('in a face are the files that begin with its name', () => {
    expect(testsOf(['src/retry-fetch.ts'])).toEqual(
      expect.arrayContaining(['test/retry-fetch.test.ts', 'test/retry-fetch-request.test.ts']),
    );
  });

  test('in a file that only tests share are those that import it', () => {
    expect(testsOf(['test/linear-time.ts'])).toContain('test/classify/linear-time.test.ts');
  });

  test('in a test are this test alone', () => {
    expect(testsOf(['test/loop/decide.test.ts'])).toEqual(['test/loop/decide.test.ts']);
  });
});

test('a change in the index, or in another face, is not taken for a change in whatever uses the library', () => {
  expect(importersOf(['src/index.ts', 'src/retry-fetch.ts'])).toEqual([]);
});
