import { expect, test } from 'vitest';
import { inCell, logLines } from '../../../bench/bad-day/lines.ts';

const page =
  'Error: HTTP 502: <html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center>a | b & c</center>';

test('an error with line breaks stays in its cell of the table', () => {
  expect(inCell(page)).toBe(
    'Error: HTTP 502: &lt;html> &lt;head>&lt;title>502 Bad Gateway&lt;/title>&lt;/head> &lt;body> &lt;center>a \\| b &amp; c&lt;/center>',
  );
});

test('a long error is cut between two characters, never inside an entity', () => {
  for (let length = 100; length <= 110; length++)
    expect(inCell(`${'x'.repeat(length)}<<<<<<<<<<`)).toMatch(/^x+(?:&lt;)*$/);
});

test('the end of a call is one line of the log, also if its error has line breaks', () => {
  const call = {
    call: 0,
    kind: 'json',
    end: 'failed',
    tookMs: 400,
    isShownTwice: false,
    message: 'over\r\n\n quota',
  } as const;
  const cell = { client: 'a', setting: 'b', trouble: 'quota', seed: 1, requests: [] };
  expect(logLines([{ ...cell, calls: [call] }])).toEqual([
    'quota | a, b | seed 1',
    '  call 0 (json): failed after 0.4 s — over quota',
  ]);
});
