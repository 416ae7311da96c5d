import { describe, expect, test } from 'vitest';
import type { CallerName } from '../../../bench/limiters/real/callers.ts';
import { judge } from '../../../bench/limiters/real/judge.ts';
import { loadSubjects } from '../../../bench/limiters/real/matrix.ts';
import { createGate, createRetryFetch, presets } from '../../../src/index.ts';

/** Rows that the gate is held to in each change; `node bench/limiters/real/run.ts` runs all of them. */
const HELD: readonly (readonly [limiter: string, load: string])[] = [
  ['OpenAI, 480 a minute kept as 8 a second', '0.9'],
  ['OpenAI, 480 a minute kept as 8 a second', '1.2'],
  ['Anthropic, 300 requests a minute', '0.9'],
  ['Anthropic, 300 requests a minute', '1.6'],
  ['Gemini, 150 requests a minute', '0.7'],
  ['express-rate-limit draft-8, 50 in 5 s', '1.2'],
  ['@fastify/rate-limit continueExceeding, 60 in 10 s', '0.9'],
  ['@upstash/ratelimit, bucket of 16, 8 a second', '0.7'],
  ['@nestjs/throttler, 80 in 10 s', '0.7'],
  ['@nestjs/throttler, 80 in 10 s', '0.9'],
  ['@nestjs/throttler, 80 in 10 s', 'batch of 500'],
  ['@fastify/rate-limit, 60 in 10 s', '0.9'],
  ['a sliding window without headers, 60 in 10 s', '1.2'],
  ['a clock an hour ahead, 100 in 10 s', '1.2'],
  ['Anthropic, 300 requests a minute', 'two models'],
  ['GitHub, 1,000 of 5,000 left for 50 minutes', '0.9'],
  ['remaining: 0 on every success', '0.9'],
  ['OpenAI, 480 a minute kept as 8 a second', 'batch of 500'],
];

/** What plain retries cannot serve, so no bar compares with them. */
const SERVED: readonly (readonly [limiter: string, load: string])[] = [
  ['@fastify/rate-limit continueExceeding, 60 in 10 s', '1.2'],
];

const subjects = await loadSubjects((line) => console.warn(line));
const library = { createGate, createRetryFetch, presets };

describe('the gate is within its bars against', () => {
  for (const [name, load] of HELD) {
    const subject = subjects.find((one) => one.name === name);
    if (subject === undefined) continue;
    test(`${name}, load ${load}`, async () => {
      const callers: readonly CallerName[] = load.startsWith('batch') ? ['plain', 'gate', 'stated'] : ['plain', 'gate'];
      const plan = { subjects: [subject], load, callers, seeds: [1], library };
      const rows = await judge(plan, () => {});
      expect(rows.length).toBeGreaterThan(0);
      expect(rows.flatMap(({ missed }) => missed)).toEqual([]);
    });
  }
});

describe('the gate brings every call through', () => {
  for (const [name, load] of SERVED) {
    const subject = subjects.find((one) => one.name === name);
    if (subject === undefined) continue;
    test(`${name}, load ${load}`, async () => {
      const plan = { subjects: [subject], load, callers: ['gate'] as const, seeds: [1], library };
      const rows = await judge(plan, () => {});
      expect(rows.map(({ results }) => results.gate?.failed)).toEqual([0]);
    });
  }
});
