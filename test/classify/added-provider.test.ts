/** A provider is one file. This one is outside of `src/`; only the rulebook refers to it. */

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { readProviders, readWords, rulebookText, tablesOf } from '../../scripts/rulebook.ts';
import type { Family } from '../../src/classify/family.ts';
import { fakeRuntime, respondError, script } from '../script.ts';

const ACME: Family = {
  provider: 'acme',
  headers: 'acme-trace',
  signature: 'acme.example',
  codeMembers: 'acme_fault',
  waitMembers: 'cooling_ms anvil_rest_ms forge_seconds forge_opens_at',
  decisive: [['quota_exhausted', 'coins_spent@418']],
  anyStatus: [['overloaded', '', 'the anvils? (is|are) hot']],
};

const RULEBOOK = '../../src/classify/generated-rulebook.ts';
let classify: typeof import('../../src/index.ts').classify;
let createRetryFetch: typeof import('../../src/index.ts').createRetryFetch;

beforeAll(async () => {
  vi.resetModules();
  const families = (await readProviders()).map(({ family }) => family);
  vi.doMock(RULEBOOK, async (load) => ({ ...(await load<object>()), ...tablesOf([...families, ACME]) }));
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

test('a member of its own holds its code', () => {
  const body = '{"error":{"type":"rate_limit_error","acme_fault":"coins_spent","message":"No"}}';
  expect(classify({ status: 418, body })).toMatchObject({ type: 'quota_exhausted', code: 'coins_spent' });
});

test.each([
  ['in the unit at the end of its name', { cooling_ms: 1_500 }, 1_500],
  ['in seconds, if its name has no unit', { forge_seconds: 2 }, 2_000],
  ['also as text', { anvil_rest_ms: '250' }, 250],
  ['as a moment', { forge_opens_at: 1_700_000_003 }, 3_000],
  ['only if no general member holds one', { cooling_ms: 1_500, retry_after: 4 }, 4_000],
])('a member of its own holds its wait, %s', (_how, members, afterMs) => {
  const body = JSON.stringify({ error: { message: 'The anvils are hot', ...members } });
  const failure = classify({ status: 503, body, nowMs: 1_700_000_000_000 });
  expect(failure).toMatchObject({ type: 'overloaded', retryAfterMs: afterMs, hintSource: 'body' });
});

test('its wait is kept before a retry', async () => {
  const runtime = fakeRuntime();
  const failed = respondError(400, { acme_fault: 'busy', message: 'The anvils are hot', anvil_rest_ms: 1_250 });
  const call = createRetryFetch({ fetch: script(runtime, failed, 200), runtime, jitter: 'none' });
  await expect(call('https://acme.example/v1')).resolves.toMatchObject({ status: 200 });
  expect(runtime.slept).toEqual([1_250]);
});

test('the rulebook has the tables of all providers (if not: `npm run pages`)', async () => {
  const rulebook = new URL('../../src/classify/generated-rulebook.ts', import.meta.url);
  expect(readFileSync(rulebook, 'utf8')).toBe(rulebookText(await readProviders(), readWords()));
});
