import { describe, expect, it } from 'vitest';
import { presets, type RetryEvent, stepped } from '../../src/index.ts';
import type { ProxyOptions } from '../../src/proxy/index.ts';
import { EarlierCalls, identityOf, type Progress, retryCountIn } from '../../src/proxy/earlier-calls.ts';
import { unavailable } from '../gate/failures.ts';
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

const BODY = JSON.stringify({ model: 'm', messages: ['hello'] });
const post = (url: string, headers: Record<string, string> = {}, init: RequestInit = {}): Promise<Response> =>
  fetch(`${url}/v1/messages`, {
    method: 'POST',
    body: BODY,
    headers: { 'content-type': 'application/json', 'x-api-key': 'key', ...headers },
    ...init,
  });

/** A call that its client leaves in the middle of the wait; gives the moment that it had to wait for. */
async function leaveInWait({ proxy }: Noting): Promise<number> {
  const leaving = new AbortController();
  const call = post(proxy.url, {}, { signal: leaving.signal }).catch(() => {});
  await until(() => proxy.waiting === 1);
  const moment = proxy.nextAttemptAt ?? 0;
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
    expect([setting.proxy.nextAttemptAt, setting.target.counts.requests]).toEqual([moment, 1]);
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

  it('makes another request for the same model wait too, but not one for another model or with another key', async () => {
    const setting = await start(limitedOnce(60_000));
    const moment = await leaveInWait(setting);
    const leaving = new AbortController();
    const same = post(
      setting.proxy.url,
      {},
      { body: JSON.stringify({ model: 'm', messages: ['again'] }), signal: leaving.signal },
    );
    await until(() => setting.proxy.waiting === 1);
    expect(setting.proxy.nextAttemptAt).toBe(moment);
    const other = { body: JSON.stringify({ model: 'other' }) };
    expect(await (await post(setting.proxy.url, {}, other)).text()).toBe('answered');
    expect(await (await post(setting.proxy.url, { 'x-api-key': 'other' })).text()).toBe('answered');
    leaving.abort();
    await expect(same).rejects.toThrow(/abort/i);
    await until(() => setting.proxy.running === 0);
    expect(setting.events.at(-1)).toMatchObject({ type: 'cancelled', attempts: 0 });
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

  it('continues its call: the count of retries goes on', async () => {
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
    expect(setting.target.counts.requests).toBe(3);
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
  expect([setting.proxy.nextAttemptAt, setting.target.counts.requests]).toEqual([moment, 1]);
  await setting.proxy.cancel();
  await back;
});

it('a client that comes back waits for a hint that padding has made longer than the longest hint', async () => {
  const retry = { maxRetryAfterMs: 20_000, retryAfterPaddingFactor: 0.5, jitter: 'none' } as const;
  const setting = await start(limitedOnce(20_000), { retry });
  const moment = await leaveInWait(setting);
  expect(moment - Date.now()).toBeGreaterThan(25_000);
  const back = post(setting.proxy.url);
  await until(() => setting.proxy.waiting === 1);
  expect([setting.proxy.nextAttemptAt, setting.target.counts.requests]).toEqual([moment, 1]);
  await setting.proxy.cancel();
  await back;
});

it('the status page counts the retries of both calls of a client that came back', async () => {
  const setting = await start((_request, response) =>
    response.writeHead(503, { 'retry-after-ms': '60000' }).end('down'),
  );
  await leaveInWait(setting);
  const back = post(setting.proxy.url);
  await until(() => setting.proxy.waiting === 1);
  expect(await pageOf(setting)).toContain(', retry 1 of 3');
  await press(setting, { call: '2', action: 'retry-now' });
  await until(() => setting.target.counts.requests === 2 && setting.proxy.waiting === 1);
  expect(await pageOf(setting)).toContain(', retry 2 of 3');
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
    const moment = setting.proxy.nextAttemptAt;
    await press(setting, { call: '2', action: 'give-up' });
    expect((await setting.back).status).toBe(503);
    expect(setting.events.at(-1)).toMatchObject({
      type: 'failed',
      requestId: '2',
      because: 'given-up',
      attempts: 0,
      failure: { type: 'rate_limit', status: 429 },
      possibleAt: moment,
      history: [],
    });
    expect(Object.isFrozen(setting.events.at(-1))).toBe(true);
  });

  it('ends with a `cancelled` event when the proxy is cancelled', async () => {
    const setting = await wait();
    await setting.proxy.cancel();
    expect((await setting.back).status).toBe(503);
    expect(setting.events.at(-1)).toMatchObject({ type: 'cancelled', requestId: '2', attempts: 0 });
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

  it('sends one request for each retry, after the next step of the schedule', async () => {
    const setting = await start(down, { retry: { maxRetries: 2, baseDelayMs: 40, jitter: 'none' } });
    expect((await post(setting.proxy.url)).status).toBe(503);
    expect(setting.target.counts.requests).toBe(3);
    for (const count of ['1', '2']) {
      expect((await post(setting.proxy.url, { 'x-stainless-retry-count': count })).status).toBe(503);
    }
    expect(setting.target.counts.requests).toBe(5);
    const waits = setting.times.slice(1).map((at, index) => at - (setting.times[index] ?? 0));
    // 40, 80, 160, 320 ms: the schedule goes on.
    expect(waits[2]).toBeGreaterThanOrEqual(150);
    expect(waits[3]).toBeGreaterThanOrEqual(310);
  });

  it.each([
    ['a schedule of steps', { backoff: stepped([1, 1, 200, 1]), maxRetries: 2 }],
    [
      'the schedule of a type of failure',
      { strategies: { overloaded: { maxAttempts: 3, initialDelayMs: 8, multiplier: 5, jitter: 'none' } } },
    ],
  ] as const)('waits as %s says', async (_title, retry) => {
    const setting = await start(down, { retry });
    await post(setting.proxy.url);
    await post(setting.proxy.url);
    expect(setting.target.counts.requests).toBe(4);
    expect((setting.times[3] ?? 0) - (setting.times[2] ?? 0)).toBeGreaterThanOrEqual(190);
  });

  it('is told how many requests were sent in all', async () => {
    const setting = await start(() => {}, { retry: { attemptTimeoutMs: 100 } });
    for (const sent of [4, 5, 6]) {
      const answer = await post(setting.proxy.url);
      expect([answer.status, await answer.json()]).toMatchObject([
        504,
        { attempts: sent, error: { message: expect.stringContaining(`no answer in ${sent} attempts;`) } },
      ]);
      expect(setting.target.counts.requests).toBe(sent);
    }
  });

  it('gets a refusal from the proxy before the time of a hint that was too long', async () => {
    const setting = await start((_request, response) => response.writeHead(429, { 'retry-after': '330' }).end('later'));
    const first = await post(setting.proxy.url);
    expect([first.status, first.headers.get('retry-after')]).toEqual([429, '330']);
    const second = await post(setting.proxy.url);
    expect([second.status, await second.json()]).toMatchObject([
      429,
      {
        error: { code: 'not_before', message: expect.stringMatching(/can be sent in 5m (?:30|29)s; this one was not/) },
      },
    ]);
    expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(325);
    expect(setting.events.at(-1)).toMatchObject({
      type: 'failed',
      requestId: '2',
      attempts: 0,
      because: 'retry-after-too-long',
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

  it('are one call if the second says that it is a retry: it takes over the wait of the first', async () => {
    const setting = await start(backInAMinute);
    const first = post(setting.proxy.url);
    await until(() => setting.proxy.waiting === 1);
    const moment = setting.proxy.nextAttemptAt;
    const second = post(setting.proxy.url, { 'x-stainless-retry-count': '1' });
    expect(await (await first).json()).toMatchObject({
      error: { message: expect.stringContaining('sent the request again') },
    });
    await until(() => setting.proxy.running === 1 && setting.proxy.waiting === 1);
    expect([setting.proxy.nextAttemptAt, setting.target.counts.requests]).toEqual([moment, 1]);
    await setting.proxy.cancel();
    await second;
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
  expect([back.status, await back.json()]).toMatchObject([529, { error: { code: 'not_before' } }]);
  expect(own.events.at(-1)).toMatchObject({ type: 'failed', attempts: 0, because: 'deadline' });
  expect(own.target.counts.requests).toBe(1);
});

describe('EarlierCalls', () => {
  /** `wallMs` may be set; `monotonicMs` counts from another beginning. */
  const clocked = (): { calls: EarlierCalls; time: { wallMs: number; monotonicMs: number } } => {
    const time = { wallMs: 0, monotonicMs: 500_000 };
    return { time, calls: new EarlierCalls({ now: () => time.wallMs, monotonic: () => time.monotonicMs }) };
  };
  const progress = (calls: EarlierCalls, notBefore: number): Progress => ({
    sent: 2,
    ...calls.momentOf(notBefore),
    because: 'backoff',
    isTooFar: false,
    failure: unavailable,
  });
  const identity = identityOf('POST', 'https://a.example/', { 'x-api-key': 'k' }, '{"model":"m"}', 'digest');

  it('forgets a request some seconds after its moment', () => {
    const { calls, time } = clocked();
    calls.remember(identity, progress(calls, 1_000), false);
    time.wallMs = 15_999;
    expect(calls.progressFor(identity, false)).toMatchObject({ sent: 2 });
    time.wallMs = 16_000;
    expect(calls.progressFor(identity, false)).toBeUndefined();
  });

  it('remembers no more than a thousand requests', () => {
    const { calls } = clocked();
    for (let index = 0; index <= 1_000; index += 1) {
      calls.remember({ request: String(index), limit: 'limit' }, progress(calls, 1), false);
    }
    expect(calls.progressFor({ request: '0', limit: 'limit' }, false)).toBeUndefined();
    expect(calls.progressFor({ request: '1', limit: 'limit' }, false)).toBeDefined();
  });

  it('waits for the later of two moments', () => {
    const { calls } = clocked();
    calls.remember(identity, progress(calls, 9_000), true);
    calls.remember(identity, { ...progress(calls, 5_000), sent: 3 }, false);
    expect(calls.progressFor(identity, false)).toMatchObject({ sent: 3, notBefore: 9_000 });
  });

  it.each([
    ['the same request', identity],
    ['another request under the same limit', { ...identity, request: 'other' }],
  ])('makes %s wait no longer if the clock is set back by an hour', (_what, asked) => {
    const { calls, time } = clocked();
    calls.remember(identity, progress(calls, 30_000), true);
    time.monotonicMs += 10_000;
    time.wallMs = 10_000 - 3_600_000;
    expect(calls.progressFor(asked, false)?.notBefore).toBe(time.wallMs + 20_000);
  });

  it('continues a running call no later if the clock is set back by an hour', () => {
    const { calls, time } = clocked();
    calls.begin(identity, { progress: progress(calls, 30_000), supersede: () => {} });
    time.wallMs = -3_600_000;
    expect(calls.progressFor(identity, true)?.notBefore).toBe(time.wallMs + 30_000);
  });

  it('counts the time for which the machine was asleep, when the monotonic clock stops', () => {
    const { calls, time } = clocked();
    calls.remember(identity, progress(calls, 3_600_000), true);
    time.wallMs = 3_590_000;
    expect(calls.progressFor(identity, false)?.notBefore).toBe(3_600_000);
  });

  it.each([
    ['another key', 'POST', 'https://a.example/', { 'x-api-key': 'l' }, '{"model":"m"}', 'digest'],
    ['another path', 'POST', 'https://a.example/b', { 'x-api-key': 'k' }, '{"model":"m"}', 'digest'],
    ['another method', 'PUT', 'https://a.example/', { 'x-api-key': 'k' }, '{"model":"m"}', 'digest'],
  ] as const)('tells %s apart', (_title, method, url, headers, body, digest) => {
    const other = identityOf(method, url, headers, body, digest);
    expect(other.request).not.toBe(identity.request);
    expect(other.limit).not.toBe(identity.limit);
  });

  it.each(['ocp-apim-subscription-key', 'helicone-auth', 'x-auth-token', 'x-user-password'])(
    'tells two values of %s apart',
    (name) => {
      const [one, two] = ['1', '2'].map((value) => identityOf('POST', 'https://a.example/', { [name]: value }, '', ''));
      expect(one?.limit).not.toBe(two?.limit);
    },
  );

  it('recognises a request with another idempotency key', () => {
    const [one, two] = ['1', '2'].map((value) =>
      identityOf('POST', 'https://a.example/', { 'idempotency-key': value }, '', ''),
    );
    expect(one).toEqual(two);
  });

  it('recognises a request that is signed anew', () => {
    const scope = 'Credential=AKIDEXAMPLE/20261123/us-east-1/bedrock/aws4_request, SignedHeaders=host;x-amz-date';
    const [one, two, other] = [
      ['20261123T100000Z', `AWS4-HMAC-SHA256 ${scope}, Signature=${'a'.repeat(64)}`],
      ['20261123T100004Z', `AWS4-HMAC-SHA256 ${scope}, Signature=${'b'.repeat(64)}`],
      ['20261123T100004Z', `AWS4-HMAC-SHA256 ${scope.replace('AKID', 'AKIE')}, Signature=${'b'.repeat(64)}`],
    ].map(([date = '', authorization = '']) =>
      identityOf('POST', 'https://a.example/', { authorization, 'x-amz-date': date }, '{"model":"m"}', 'digest'),
    );
    expect(one).toEqual(two);
    expect(other).not.toEqual(two);
  });

  it('identifies a request and a limit without the key and the text', () => {
    expect(JSON.stringify(identity)).toMatch(/^\{"request":"[\w-]{43}","limit":"[\w-]{43}"\}$/);
  });
});

it.each([
  [{ 'x-stainless-retry-count': '0' }, 0],
  [{ 'x-stainless-retry-count': '2' }, 2],
  [{ 'x-retry-count': '1' }, 1],
  [{ 'x-attempt': '3' }, 3],
  [{ 'x-retry-count': 'many' }, 0],
  [{}, 0],
])('reads %j as %i retries', (headers, count) => {
  expect(retryCountIn(headers, 'X-Attempt')).toBe(count);
});

describe('the answer to a call that no wait can help', () => {
  const identity = { request: 'request', limit: 'limit' };
  const refusal = { requestId: '1', failure: unavailable, status: 429, headers: new Headers(), body: 'No.' };

  it('is repeated for ten seconds, so that a person who has paid is not refused for longer', () => {
    let nowMs = 0;
    const calls = new EarlierCalls({ now: () => nowMs, monotonic: () => nowMs });
    calls.refuse(identity, refusal);
    nowMs = 9_999;
    expect(calls.refusalFor(identity)).toMatchObject({ body: 'No.' });
    nowMs = 10_000;
    expect(calls.refusalFor(identity)).toBeUndefined();
  });
});
