import { describe, expect, it } from 'vitest';
import { presets, type RetryEvent } from '../../src/index.ts';
import type { ProxyOptions } from '../../src/proxy/index.ts';
import type { Answer } from '../serve.ts';
import { failOnUnhandled } from '../unhandled.ts';
import { endEach, pageOf, press, type Setting, startBoth, until } from './talk.ts';

endEach();
failOnUnhandled();

interface Noting extends Setting {
  readonly events: RetryEvent[];
  /** When the target got each request. */
  readonly times: number[];
}

async function start(answer: Answer, options: Partial<ProxyOptions> = {}): Promise<Noting> {
  const events: RetryEvent[] = [];
  const times: number[] = [];
  const setting = await startBoth(
    (...request) => {
      times.push(Date.now());
      answer(...request);
    },
    { onEvent: (event) => void events.push(event), ...options },
  );
  return { ...setting, events, times };
}

/** When the next attempt is sent, as the last event says. */
function momentOf(events: readonly RetryEvent[]): number {
  return events.reduce((moment, event) => ('nextAttemptAt' in event ? event.nextAttemptAt : moment), 0);
}

const BODY = JSON.stringify({ model: 'm', messages: ['hello'] });
const post = (url: string, headers: Record<string, string> = {}, init: RequestInit = {}): Promise<Response> =>
  fetch(`${url}/v1/messages`, {
    method: 'POST',
    body: BODY,
    headers: { 'content-type': 'application/json', 'x-api-key': 'key', ...headers },
    ...init,
  });

/** A call that its client leaves in the middle of the wait; gives the moment that it had to wait for. */
async function leaveInWait({ proxy, events }: Noting): Promise<number> {
  const leaving = new AbortController();
  const call = post(proxy.url, {}, { signal: leaving.signal }).catch(() => {});
  await until(() => proxy.waiting === 1);
  const moment = momentOf(events);
  leaving.abort();
  await call;
  await until(() => proxy.running === 0);
  return moment;
}

const limitedOnce = (ms: number): Answer => {
  let requests = 0;
  return (_request, response) => {
    requests += 1;
    if (requests === 1) response.writeHead(429, { 'retry-after-ms': String(ms) }).end('later');
    else response.end('answered');
  };
};

describe('a client that goes away in the middle of a wait and comes back', () => {
  it('is not served before the moment that the server named', async () => {
    const setting = await start(limitedOnce(60_000));
    const moment = await leaveInWait(setting);
    const back = post(setting.proxy.url);
    await until(() => setting.proxy.waiting === 1);
    expect([momentOf(setting.events), setting.target.counts.requests]).toEqual([moment, 1]);
    expect(setting.events).toContainEqual(
      expect.objectContaining({ type: 'delayed', attempt: 1, because: 'hint', nextAttemptAt: moment }),
    );
    await press(setting, { call: '2', action: 'retry-now' });
    expect(await (await back).text()).toBe('answered');
  });

  it('sees its key nowhere, even if the key stands in the path too', async () => {
    const key = 'a-key-of-no-known-shape';
    const setting = await start(limitedOnce(60_000));
    const ask = (init: RequestInit = {}): Promise<Response | void> =>
      fetch(`${setting.proxy.url}/v1/${key}/messages`, {
        method: 'POST',
        body: BODY,
        headers: { 'content-type': 'application/json', 'x-api-key': key },
        ...init,
      }).catch(() => {});
    for (const count of [1, 2]) {
      const leaving = new AbortController();
      const call = ask({ signal: leaving.signal });
      await until(() => setting.proxy.waiting === 1);
      expect(await pageOf(setting), `call ${count}`).not.toContain(key);
      leaving.abort();
      await call;
      await until(() => setting.proxy.running === 0);
    }
    expect(setting.events.map(({ type }) => type)).toEqual(['retry', 'cancelled', 'delayed', 'cancelled']);
    for (const { url } of setting.events) {
      expect(url).not.toContain(key);
      expect(url).toContain('/messages');
    }
  });

  it('makes no other request wait', async () => {
    const setting = await start(limitedOnce(60_000));
    await leaveInWait(setting);
    for (const [headers, init] of [
      [{}, { body: JSON.stringify({ model: 'm', messages: ['again'] }) }],
      [{ 'x-api-key': 'other' }, {}],
    ] as const)
      expect(await (await post(setting.proxy.url, headers, init)).text()).toBe('answered');
  });

  it('does not wait after a success', async () => {
    const setting = await start(limitedOnce(60_000));
    await leaveInWait(setting);
    const back = post(setting.proxy.url);
    await until(() => setting.proxy.waiting === 1);
    await press(setting, { call: '2', action: 'retry-now' });
    await (await back).text();
    expect(await (await post(setting.proxy.url)).text()).toBe('answered');
    expect(setting.events.filter(({ type }) => type === 'delayed')).toHaveLength(1);
  });

  it('gets one request, because it retries itself', async () => {
    const setting = await start(
      (_request, response) => {
        const waitMs = setting.target.counts.requests === 1 ? 60_000 : 1;
        response.writeHead(503, { 'retry-after-ms': String(waitMs) }).end();
      },
      { retry: { maxRetries: 2 } },
    );
    await leaveInWait(setting);
    const back = post(setting.proxy.url);
    await until(() => setting.proxy.waiting === 1);
    await press(setting, { call: '2', action: 'retry-now' });
    expect((await back).status).toBe(503);
    expect(setting.target.counts.requests).toBe(2);
  });

  it.each([
    ['a text', BODY],
    ['bytes', new Uint8Array([0, 1, 2, 255])],
  ])('is known by its body, %s', async (_what, body) => {
    const setting = await start(limitedOnce(60_000));
    const init = { body, headers: { 'content-type': typeof body === 'string' ? 'application/json' : 'image/png' } };
    const leaving = new AbortController();
    const call = post(setting.proxy.url, {}, { ...init, signal: leaving.signal }).catch(() => {});
    await until(() => setting.proxy.waiting === 1);
    leaving.abort();
    await call;
    await until(() => setting.proxy.running === 0);
    const back = post(setting.proxy.url, {}, init);
    await until(() => setting.proxy.waiting === 1);
    expect(setting.target.counts.requests).toBe(1);
    await setting.proxy.cancel();
    await back;
  });
});

it('a client that comes back waits for a backoff that is longer than the longest hint', async () => {
  const { maxRetryAfterMs } = presets.taxonomy;
  const retry = { ...presets.taxonomy, strategies: {}, baseDelayMs: 60_000, jitter: 'none' } as const;
  const setting = await start((_request, response) => response.writeHead(503).end(), { retry });
  const moment = await leaveInWait(setting);
  expect(moment - Date.now()).toBeGreaterThan(3 * (maxRetryAfterMs ?? 0));
  const back = post(setting.proxy.url);
  await until(() => setting.proxy.waiting === 1);
  expect([momentOf(setting.events), setting.target.counts.requests]).toEqual([moment, 1]);
  await setting.proxy.cancel();
  await back;
});

it('a client that comes back waits for a hint that a function has made longer than the longest hint', async () => {
  const retry = { maxRetryAfterMs: 20_000, retryAfter: (hintMs: number) => hintMs * 1.5, jitter: 'none' } as const;
  const setting = await start(limitedOnce(20_000), { retry });
  const moment = await leaveInWait(setting);
  expect(moment - Date.now()).toBeGreaterThan(25_000);
  const back = post(setting.proxy.url);
  await until(() => setting.proxy.waiting === 1);
  expect([momentOf(setting.events), setting.target.counts.requests]).toEqual([moment, 1]);
  await setting.proxy.cancel();
  await back;
});

describe('the wait of a client that came back', () => {
  const wait = async (): Promise<Noting & { readonly back: Promise<Response> }> => {
    const setting = await start(limitedOnce(60_000));
    await leaveInWait(setting);
    const back = post(setting.proxy.url);
    await until(() => setting.proxy.waiting === 1);
    return { ...setting, back };
  };

  it('ends with a `failed` event when it is given up on the status page', async () => {
    const setting = await wait();
    const moment = momentOf(setting.events);
    await press(setting, { call: '2', action: 'give-up' });
    expect((await setting.back).status).toBe(503);
    expect(setting.events.at(-1)).toMatchObject({
      type: 'failed',
      callId: '2',
      because: 'given-up',
      attempts: 0,
      possibleAt: moment,
      history: [],
    });
    expect(Object.isFrozen(setting.events.at(-1))).toBe(true);
  });

  it('ends with a `cancelled` event when the proxy is cancelled', async () => {
    const setting = await wait();
    await setting.proxy.cancel();
    expect((await setting.back).status).toBe(503);
    expect(setting.events.at(-1)).toMatchObject({ type: 'cancelled', callId: '2', attempts: 0 });
  });
});

it('a call that is given up by hand after a connection failed is marked and forgotten', async () => {
  const setting = await start(
    (request, response) =>
      setting.target.counts.requests === 1 ? request.socket.resetAndDestroy() : response.end('answered'),
    { retry: { baseDelayMs: 60_000, jitter: 'none' } },
  );
  const call = post(setting.proxy.url);
  await until(() => setting.proxy.waiting === 1);
  await press(setting, { call: '1', action: 'give-up' });
  const { status, headers } = await call;
  expect([status, headers.get('x-should-retry')]).toEqual([502, 'false']);
  expect(await (await post(setting.proxy.url)).text()).toBe('answered');
  expect(setting.events.filter(({ type }) => type === 'delayed')).toEqual([]);
});

describe('a client that retries a call that the proxy has given up', () => {
  const down: Answer = (_request, response) => response.writeHead(503).end('down');

  it('sends one request for each retry', async () => {
    const setting = await start(down, { retry: { maxRetries: 2, baseDelayMs: 1, jitter: 'none' } });
    expect((await post(setting.proxy.url)).status).toBe(503);
    expect(setting.target.counts.requests).toBe(3);
    for (const headers of [{ 'x-stainless-retry-count': '1' }, {}])
      expect((await post(setting.proxy.url, headers)).status).toBe(503);
    expect(setting.target.counts.requests).toBe(5);
  });

  it('gets the same answer, unsent, before the time of a hint that was too long', async () => {
    const setting = await start((_request, response) => response.writeHead(429, { 'retry-after': '330' }).end('later'));
    const first = await post(setting.proxy.url);
    expect([first.status, first.headers.get('retry-after')]).toEqual([429, '330']);
    const second = await post(setting.proxy.url);
    expect([second.status, await second.text()]).toEqual([429, 'later']);
    expect(Date.parse(second.headers.get('retry-after') ?? '') - Date.now()).toBeGreaterThan(325_000);
    expect(setting.events.at(-1)).toMatchObject({
      type: 'failed',
      callId: '2',
      attempts: 0,
      because: 'retry-after-too-long',
      failure: { type: 'rate_limit', status: 429 },
    });
    expect(setting.target.counts.requests).toBe(1);
    // Another question is for the server to answer.
    await post(setting.proxy.url, {}, { body: '{"model":"m","messages":[]}' });
    expect(setting.target.counts.requests).toBe(2);
  });

  it('is not recognised by a request without a body, which may be a poll', async () => {
    const setting = await start(down, { retry: { maxRetries: 1 } });
    for (let count = 0; count < 2; count += 1) await fetch(`${setting.proxy.url}/v1/models`);
    expect(setting.target.counts.requests).toBe(4);
  });
});

describe('two tenants of one key', () => {
  it.each([
    ['a stored quota', 429, { 'content-type': 'application/json' }, '{"error":{"code":"insufficient_quota"}}'],
    ['the wait for a window', 429, { 'retry-after': '330' }, 'later'],
  ])('do not share %s', async (_what, status, headers, body) => {
    const tenants = [
      { 'openai-project': 'a' },
      { 'openai-project': 'b' },
      { 'openai-organization': 'a' },
      { 'x-goog-user-project': 'a' },
      { 'x-portkey-provider': 'a' },
      { 'x-portkey-provider': 'b' },
      { 'anthropic-workspace-id': 'a' },
    ];
    const setting = await start((_request, response) => response.writeHead(status, headers).end(body));
    for (const [index, tenant] of tenants.entries()) {
      for (let count = 0; count < 2; count += 1) await (await post(setting.proxy.url, tenant)).text();
      expect(setting.target.counts.requests).toBe(index + 1);
    }
  });
});

describe('two equal requests at once', () => {
  const backInAMinute: Answer = (_request, response) => response.writeHead(503, { 'retry-after-ms': '60000' }).end();

  it('are two calls, because neither says that it is a retry', async () => {
    const setting = await start(backInAMinute);
    const calls = [post(setting.proxy.url), post(setting.proxy.url)];
    await until(() => setting.proxy.waiting === 2);
    expect(setting.target.counts.requests).toBe(2);
    await setting.proxy.cancel();
    await Promise.all(calls);
  });

  it('are two calls, even if one of them was given up before the other began', async () => {
    const setting = await start(
      (_request, response) => {
        if (setting.target.counts.requests === 2) response.writeHead(400).end();
        else response.writeHead(503, { 'retry-after-ms': '60000' }).end();
      },
      { retry: { maxRetries: 1 } },
    );
    const first = post(setting.proxy.url);
    await until(() => setting.proxy.waiting === 1);
    await post(setting.proxy.url);
    const third = post(setting.proxy.url);
    await until(() => setting.proxy.waiting === 2);
    // It has its own retries.
    expect(setting.events.at(-1)).toMatchObject({ type: 'retry', callId: '3' });
    await setting.proxy.cancel();
    await Promise.all([first, third]);
  });
});

it('a wait that would exceed the time limit of the client is not started', async () => {
  const limited: Answer = (_request, response) => response.writeHead(529, { 'retry-after': '20' }).end('overloaded');
  const setting = await start(limited, { clientTimeoutMs: 15_000 });
  const answer = await post(setting.proxy.url);
  expect([answer.status, answer.headers.get('retry-after'), await answer.text()]).toEqual([529, '20', 'overloaded']);
  expect(setting.target.counts.requests).toBe(1);
  const own = await start(limited);
  expect((await post(own.proxy.url, { 'x-stainless-timeout': '10' })).status).toBe(529);
  // It comes back too early: the proxy says so, for a wait would pass its limit again.
  const back = await post(own.proxy.url, { 'x-stainless-timeout': '10', 'x-stainless-retry-count': '1' });
  expect([back.status, await back.text()]).toEqual([529, 'overloaded']);
  expect(own.target.counts.requests).toBe(1);
});
