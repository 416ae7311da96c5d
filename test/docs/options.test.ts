import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { membersOf, optionsTable } from '../../scripts/list-options.ts';
import { DEFAULT_RETRY_CONFIG } from '../../src/index.ts';

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const page = read('docs/options.md');

test('docs/options.md explains the options as the sources do (if not: `npm run pages`)', () => {
  expect(page).toContain(optionsTable());
});

test('docs/streams.md has a row for each member of `answers`', () => {
  const [table = ''] = /^\| in `answers` \|[^]*?\n\n/m.exec(read('docs/streams.md')) ?? [];
  const listed = [...table.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, names = '']) =>
    names.replaceAll('`', '').split(', '),
  );
  const members = membersOf(read('src/options/config.ts'), 'AnswerOptions').map(({ name }) => name);
  expect(listed.toSorted()).toEqual(members.toSorted());
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
