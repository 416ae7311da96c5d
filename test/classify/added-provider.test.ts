/** A provider is one file. This one is outside of `src/`; only the list of providers refers to it. */

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { providersIndex } from '../../scripts/list-providers.mjs';
import type { Family } from '../../src/classify/family.ts';

const ACME: Family = {
  provider: 'acme',
  headers: 'acme-trace',
  signature: 'acme.example',
  decisive: [['quota_exhausted', 'coins_spent@418']],
  anyStatus: [['overloaded', '', 'the anvils? (is|are) hot']],
};

const LIST = '../../src/classify/providers/index.ts';
let classify: typeof import('../../src/index.ts').classify;

beforeAll(async () => {
  vi.resetModules();
  vi.doMock(LIST, async (load) => {
    const { PROVIDERS } = await load<typeof import('../../src/classify/providers/index.ts')>();
    return { PROVIDERS: [...PROVIDERS, ACME] };
  });
  ({ classify } = await import('../../src/index.ts'));
});

// Test files share their modules.
afterAll(() => {
  vi.doUnmock(LIST);
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

test('the list of providers is that of the folder (if not: `npm run pages`)', () => {
  const index = new URL('../../src/classify/providers/index.ts', import.meta.url);
  expect(readFileSync(index, 'utf8')).toBe(providersIndex());
});
