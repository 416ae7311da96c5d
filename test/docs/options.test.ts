import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { optionsTable, withOptions } from '../../scripts/list-options.ts';
import { DEFAULT_RETRY_CONFIG } from '../../src/index.ts';

const page = readFileSync(new URL('../../docs/options.md', import.meta.url), 'utf8');

test('docs/options.md explains the options as the sources do (if not: `npm run pages`)', () => {
  expect(withOptions(page)).toBe(page);
});

test('every option with a default of its own is in the table', () => {
  const names = [...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
  expect(names).toEqual(expect.arrayContaining(Object.keys(DEFAULT_RETRY_CONFIG)));
});

describe('a row', () => {
  const table = (members: string): string | undefined =>
    optionsTable(`export interface RetryPolicy {\n${members}\n}\n`).split('\n').at(2);

  test('has the text, the default and the type of an option', () => {
    expect(table('  /** At most so many. @default 3 */\n  readonly maxRetries?: number | undefined;')).toBe(
      '| `maxRetries` | At most so many. | 3 | `number` | all |',
    );
  });

  test('joins the lines of a comment and escapes what Markdown would read as the end of a cell', () => {
    const comment = "  /**\n   * One or\n   * the other.\n   *\n   * @default 'a'\n   */\n";
    expect(table(`${comment}  readonly either?: 'a' | 'b' | undefined;`)).toBe(
      "| `either` | One or the other. | 'a' | `'a' \\| 'b'` | all |",
    );
  });

  test('exists for an option without a comment', () => {
    expect(table('  readonly controller?: RetryController | undefined;')).toBe(
      '| `controller` |  |  | `RetryController` | all |',
    );
  });
});
