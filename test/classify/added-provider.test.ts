/** A provider is one entry of a table. This one is outside of `src/`; only the rulebook refers to it. */

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { readWords, rulebookText, tablesOf } from '../../scripts/rulebook.ts';
import type { Family } from '../../src/classify/family.ts';
import { PROVIDERS } from '../../src/classify/providers.ts';
import { fakeRuntime, respondError, script } from '../script.ts';

const ACME: Family = {
  headers: 'acme-trace',
  signature: 'acme.example',
  decisive: [['quota_exhausted', '', 'coins_spent@418']],
  anyStatus: [['overloaded', 'the anvils? (is|are) hot']],
};

const RULEBOOK = '../../src/classify/generated-rulebook.ts';
let classify: typeof import('../../src/index.ts').classify;
let createRetryFetch: typeof import('../../src/index.ts').createRetryFetch;

beforeAll(async () => {
  vi.resetModules();
  vi.doMock(RULEBOOK, async (load) => ({ ...(await load<object>()), ...tablesOf({ ...PROVIDERS, acme: ACME }) }));
  ({ classify, createRetryFetch } = await import('../../src/index.ts'));
});

// Test files share their modules.
afterAll(() => {
  vi.doUnmock(RULEBOOK);
  vi.resetModules();
});

test('its codes and its headers are known', () => {
  const failure = classify({
    status: 418,
    headers: { 'acme-trace': '1' },
    body: '{"error":{"code":"COINS-SPENT","message":"No coins"}}',
  });
  expect(failure).toMatchObject({ type: 'quota_exhausted', retryable: false, provider: 'acme', code: 'COINS-SPENT' });
});

test('its wordings are known, also where an error quotes them', () => {
  const body = '{"error":{"message":"The anvil is hot. See acme.example","retryAfterSeconds":7}}';
  const read = { type: 'overloaded', retryable: true, provider: 'acme', retryAfterMs: 7_000 };
  expect(classify({ status: 400, body })).toMatchObject(read);
  expect(classify({ error: new Error(`Request failed: 400 ${body}`) })).toMatchObject(read);
});

test('its wait is kept before a retry', async () => {
  const runtime = fakeRuntime();
  const failed = respondError(400, { code: 'busy', message: 'The anvils are hot', retry_after_ms: 1_250 });
  const call = createRetryFetch({ fetch: script(runtime, failed, 200), runtime, jitter: 'none' });
  await expect(call('https://acme.example/v1')).resolves.toMatchObject({ status: 200 });
  expect(runtime.slept).toEqual([1_250]);
});

test('the rulebook has the tables of all providers (if not: `npm run pages`)', () => {
  const rulebook = new URL('../../src/classify/generated-rulebook.ts', import.meta.url);
  expect(readFileSync(rulebook, 'utf8')).toBe(rulebookText(readWords()));
});
