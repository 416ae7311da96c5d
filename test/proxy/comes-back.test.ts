import { describe, expect, it } from 'vitest';
import { presets } from '../../src/index.ts';
import { failOnUnhandled } from '../unhandled.ts';
import {
  ask,
  endEach,
  KEY,
  leaveInWait,
  momentOf,
  pageOf,
  press,
  reply,
  type Setting,
  startBoth,
  until,
} from './talk.ts';

endEach();
failOnUnhandled();

const answered = reply(200, 'answered');
/** A limit that is over in so long, and then an answer. */
const limitedOnce = (ms: number) => [reply(429, 'later', { 'retry-after-ms': String(ms) }), answered] as const;

/** The call of a client that has come back, and waits again. */
async function comeBack(setting: Setting, init: Parameters<typeof ask>[1] = {}): Promise<readonly [Promise<Response>]> {
  const back = ask(setting, init);
  await until(() => setting.proxy.waiting === 1);
  return [back];
}

async function cancelled({ proxy }: Setting, ...calls: readonly Promise<Response>[]): Promise<void> {
  await proxy.cancel();
  await Promise.all(calls);
}

describe('a client that goes away in the middle of a wait and comes back', () => {
  it('is not served before the moment that the server named, and not held after its success', async () => {
    const setting = await startBoth(limitedOnce(60_000));
    const moment = await leaveInWait(setting);
    const [back] = await comeBack(setting);
    expect([momentOf(setting), setting.target.counts.requests]).toEqual([moment, 1]);
    expect(setting.events.at(-1)).toMatchObject({
      type: 'delayed',
      attempt: 1,
      because: 'hint',
      nextAttemptAt: moment,
    });
    await press(setting, { call: '2', action: 'retry-now' });
    expect(await (await back).text()).toBe('answered');
    expect(await (await ask(setting)).text()).toBe('answered');
    expect(setting.events.filter(({ type }) => type === 'delayed')).toHaveLength(1);
  });

  it('sees its key nowhere, even if the key stands in the path too', async () => {
    const setting = await startBoth(limitedOnce(60_000));
    const pages: string[] = [];
    for (const _ of [1, 2]) {
      const leaving = new AbortController();
      const call = ask(setting, { signal: leaving.signal }, `/v1/${KEY}/messages`).catch(() => {});
      await until(() => setting.proxy.waiting === 1);
      pages.push(await pageOf(setting));
      leaving.abort();
      await call;
      await until(() => setting.proxy.running === 0);
    }
    expect(pages.join()).not.toContain(KEY);
    expect(setting.events.map(({ type }) => type)).toEqual(['retry', 'cancelled', 'delayed', 'cancelled']);
    for (const { url } of setting.events) expect(url).toMatch(/^(?!.*a-key-of).*\/messages/);
  });

  it('makes no other request wait', async () => {
    const setting = await startBoth(limitedOnce(60_000));
    await leaveInWait(setting);
    for (const init of [{ body: '{"model":"other"}' }, { headers: { 'x-api-key': 'other' } }])
      expect(await (await ask(setting, init)).text()).toBe('answered');
  });

  it('gets one request, because it retries itself', async () => {
    const steps = [reply(503, '', { 'retry-after-ms': '60000' }), reply(503, '', { 'retry-after-ms': '1' })] as const;
    const setting = await startBoth(steps, { retry: { maxRetries: 2 } });
    await leaveInWait(setting);
    const [back] = await comeBack(setting);
    await press(setting, { call: '2', action: 'retry-now' });
    expect((await back).status).toBe(503);
    expect(setting.target.counts.requests).toBe(2);
  });

  it('is known by its body, also if that is bytes', async () => {
    const setting = await startBoth(limitedOnce(60_000));
    const init = { body: new Uint8Array([0, 1, 2, 255]), headers: { 'content-type': 'image/png' } };
    await leaveInWait(setting, init);
    const calls = await comeBack(setting, init);
    expect(setting.target.counts.requests).toBe(1);
    await cancelled(setting, ...calls);
  });

  it.each([
    [
      'a backoff that is longer than the longest hint',
      reply(503),
      { ...presets.taxonomy, strategies: {}, baseDelayMs: 60_000, jitter: 'none' },
    ],
    [
      'a hint that a function has made longer than the longest hint',
      reply(429, 'later', { 'retry-after-ms': '20000' }),
      { maxRetryAfterMs: 20_000, retryAfter: (hintMs: number) => hintMs * 1.5, jitter: 'none' },
    ],
  ] as const)('waits for %s', async (_what, step, retry) => {
    const setting = await startBoth(step, { retry });
    const moment = await leaveInWait(setting);
    expect(moment - Date.now()).toBeGreaterThan(25_000);
    const calls = await comeBack(setting);
    expect([momentOf(setting), setting.target.counts.requests]).toEqual([moment, 1]);
    await cancelled(setting, ...calls);
  });

  it('gets a 503 and a `failed` event when it is given up on the status page', async () => {
    const setting = await startBoth(limitedOnce(60_000));
    const possibleAt = await leaveInWait(setting);
    const [back] = await comeBack(setting);
    await press(setting, { call: '2', action: 'give-up' });
    expect((await back).status).toBe(503);
    const end = { type: 'failed', callId: '2', because: 'given-up', attempts: 0, possibleAt, history: [] };
    expect(setting.events.at(-1)).toMatchObject(end);
    expect(Object.isFrozen(setting.events.at(-1))).toBe(true);
  });

  it('gets a 503 and a `cancelled` event when the proxy is cancelled', async () => {
    const setting = await startBoth(limitedOnce(60_000));
    await leaveInWait(setting);
    const [back] = await comeBack(setting);
    await setting.proxy.cancel();
    expect((await back).status).toBe(503);
    expect(setting.events.at(-1)).toMatchObject({ type: 'cancelled', callId: '2', attempts: 0 });
  });
});

it('a call that is given up by hand after a connection failed is marked and forgotten', async () => {
  const setting = await startBoth(['network-error', answered], { retry: { baseDelayMs: 60_000, jitter: 'none' } });
  const [call] = await comeBack(setting);
  await press(setting, { call: '1', action: 'give-up' });
  const { status, headers } = await call;
  expect([status, headers.get('x-should-retry')]).toEqual([502, 'false']);
  expect(await (await ask(setting)).text()).toBe('answered');
  expect(setting.events.filter(({ type }) => type === 'delayed')).toEqual([]);
});

describe('a client that retries a call that the proxy has given up', () => {
  it('sends one request for each retry', async () => {
    const setting = await startBoth(503, { retry: { maxRetries: 2, baseDelayMs: 1, jitter: 'none' } });
    for (const headers of [{}, { 'x-stainless-retry-count': '1' }, {}])
      expect((await ask(setting, { headers })).status).toBe(503);
    expect(setting.target.counts.requests).toBe(5);
  });

  it('gets the same answer, unsent, before the time of a hint that was too long', async () => {
    const setting = await startBoth(reply(429, 'later', { 'retry-after': '330' }));
    expect((await ask(setting)).headers.get('retry-after')).toBe('330');
    const second = await ask(setting);
    expect([second.status, await second.text(), setting.target.counts.requests]).toEqual([429, 'later', 1]);
    expect(Date.parse(second.headers.get('retry-after') ?? '') - Date.now()).toBeGreaterThan(325_000);
    const failure = { type: 'rate_limit', status: 429 };
    const end = { type: 'failed', callId: '2', attempts: 0, because: 'retry-after-too-long', failure };
    expect(setting.events.at(-1)).toMatchObject(end);
    // Another question is for the server to answer.
    await ask(setting, { body: '{"model":"other"}' });
    expect(setting.target.counts.requests).toBe(2);
  });

  it('is not recognised by a request without a body, which may be a poll', async () => {
    const setting = await startBoth(503, { retry: { maxRetries: 1 } });
    for (const _ of [1, 2]) await fetch(`${setting.proxy.url}/v1/models`);
    expect(setting.target.counts.requests).toBe(4);
  });
});

it.each([
  ['a stored quota', reply(429, '{"error":{"code":"insufficient_quota"}}', { 'content-type': 'application/json' })],
  ['the wait for a window', reply(429, 'later', { 'retry-after': '330' })],
])('two tenants of one key do not share %s', async (_what, step) => {
  const tenants = [
    { 'openai-project': 'a' },
    { 'openai-project': 'b' },
    { 'openai-organization': 'a' },
    { 'x-goog-user-project': 'a' },
    { 'x-portkey-provider': 'a' },
    { 'anthropic-workspace-id': 'a' },
  ];
  const setting = await startBoth(step);
  for (const [index, headers] of tenants.entries()) {
    for (const _ of [1, 2]) await (await ask(setting, { headers })).text();
    expect(setting.target.counts.requests).toBe(index + 1);
  }
});

describe('two equal requests at once', () => {
  const inAMinute = reply(503, '', { 'retry-after-ms': '60000' });

  it('are two calls, because neither says that it is a retry', async () => {
    const setting = await startBoth(inAMinute);
    const calls = [ask(setting), ask(setting)];
    await until(() => setting.proxy.waiting === 2);
    expect(setting.target.counts.requests).toBe(2);
    await cancelled(setting, ...calls);
  });

  it('are two calls, even if one of them was given up before the other began', async () => {
    const setting = await startBoth([inAMinute, 400, inAMinute], { retry: { maxRetries: 1 } });
    const first = ask(setting);
    await until(() => setting.proxy.waiting === 1);
    await ask(setting);
    const third = ask(setting);
    await until(() => setting.proxy.waiting === 2);
    // It has its own retries.
    expect(setting.events.at(-1)).toMatchObject({ type: 'retry', callId: '3' });
    await cancelled(setting, first, third);
  });
});

it('a wait that would exceed the time limit of the client is not started', async () => {
  const limited = reply(529, 'overloaded', { 'retry-after': '20' });
  const setting = await startBoth(limited, { clientTimeoutMs: 15_000 });
  const answer = await ask(setting);
  expect([answer.status, answer.headers.get('retry-after'), await answer.text()]).toEqual([529, '20', 'overloaded']);
  expect(setting.target.counts.requests).toBe(1);
  const own = await startBoth(limited);
  // When it comes back too early, the proxy says so, for a wait would pass its limit again.
  for (const retry of [{}, { 'x-stainless-retry-count': '1' }])
    expect((await ask(own, { headers: { 'x-stainless-timeout': '10', ...retry } })).status).toBe(529);
  expect(own.target.counts.requests).toBe(1);
});
