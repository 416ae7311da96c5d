import { fc, test as property } from '@fast-check/vitest';
import { expect, it, vi } from 'vitest';
import { jsonLine, parse } from '../../src/report/json-line.ts';

it.each([
  ['C1 controls', '\u009B31m\u0085'],
  ['DEL', '\u007F'],
  ['direction marks', '\u202Eevil\u2066\u200F'],
  ['line separators', 'a\u2028b\u2029c'],
  ['tags outside the first plane', '\u{E0041}'],
])('escapes %s, which JSON.stringify does not', (_title, value) => {
  const line = jsonLine({ value });
  expect(line).toMatch(/^[\x20-\x7e]+$/);
  expect(JSON.parse(line)).toEqual({ value });
});

property.prop([fc.jsonValue()])('is one line that reads as the same value', (value) => {
  const line = jsonLine(value);
  expect(line).not.toContain('\n');
  expect(JSON.parse(line)).toEqual(JSON.parse(JSON.stringify(value)));
});

it('a line that was cut is told from a whole one without its parser, which takes long to refuse it', () => {
  const refusing = vi.spyOn(JSON, 'parse');
  expect([parse('{"version":1,"kind":"att'), parse('{"a":1}}'), parse('{"a":1}\r')]).toEqual([
    undefined,
    undefined,
    { a: 1 },
  ]);
  expect(refusing).toHaveBeenCalledTimes(2);
});
