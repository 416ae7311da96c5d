import { expect, test } from 'vitest';
import { logLines } from '../../../bench/bad-day/lines.ts';

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
