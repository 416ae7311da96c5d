import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { withTable } from '../../scripts/embed-examples.ts';
import { outlastTable, readSchedules, scheduleTable } from '../../scripts/list-schedules.ts';
import { presets } from '../../src/index.ts';

const page = readFileSync(new URL('../../docs/waiting.md', import.meta.url), 'utf8');

test('docs/waiting.md has the waits of the presets (if not: `npm run pages`)', async () => {
  const table = scheduleTable(await readSchedules());
  expect(page).toContain(`<!-- schedules -->\n${table}<!-- /schedules -->`);
  expect(table).toContain('| `patient` | 21 | 5s, 10s, 30s, 1m, 5m, 10m, 15m, 30m × 14 | 7h 31m 45s |');
});

test('docs/waiting.md says what each preset outlasts (if not: `npm run pages`)', async () => {
  expect(page).toContain(`<!-- outlasts -->\n${await outlastTable(await readSchedules())}<!-- /outlasts -->`);
});

test('each preset has a row', () => {
  for (const name of Object.keys(presets)) expect(page).toMatch(new RegExp(`^\\| \`${name}(?:\\(\\))?\``, 'm'));
});

test('the table of a changed preset replaces the old one, and nothing else', () => {
  const changed = withTable(page, 'schedules', 'new\n');
  expect(changed).toContain('<!-- schedules -->\nnew\n<!-- /schedules -->');
  expect(changed.replace('new\n', '').length).toBeLessThan(page.length);
  expect(changed.startsWith(page.slice(0, page.indexOf('<!-- schedules -->')))).toBe(true);
  expect(changed.endsWith(page.slice(page.indexOf('<!-- /schedules -->')))).toBe(true);
});
