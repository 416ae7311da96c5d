import { describe, expect, test, vi } from 'vitest';
import { completions, replay } from '../../mocks/index.ts';
import {
  createRetryFetch,
  describeFailure,
  type Fetch,
  FetchTransport,
  formatDelay,
  type HttpTransport,
  presets,
  RetryController,
  type RetryEvent,
  RetryTransport,
} from '../../src/index.ts';
import { createUndiciFetch } from '../../src/undici.ts';
import { useNetwork } from '../network.ts';
import { decisionsOf, fakeRuntime, heldRuntime, respond } from '../script.ts';

const URL = 'https://api.anthropic.com/v1/messages';
const network = useNetwork();

/** A client that retries twice by itself unless the server says no, as SDKs do. */
async function sdk(send: Fetch): Promise<Response> {
  for (let retriesLeft = 2; ; retriesLeft -= 1) {
    const response = await send(URL, { method: 'POST', body: '{}' });
    if (response.ok || retriesLeft === 0 || response.headers.get('x-should-retry') === 'false') return response;
  }
}

describe('an afternoon with an overloaded provider', () => {
  test('shows three waits and then the answer, token by token', async () => {
    const handler = network.use(
      replay(
        URL,
        'anthropic-429-overloaded-bare',
        'nginx-502-html',
        'network-error',
        completions.anthropicStream('Hello there, at last.'),
      ),
    );
    const lines: string[] = [];
    const runtime = fakeRuntime();
    const show = (event: RetryEvent): void => {
      if (event.type === 'retry')
        lines.push(
          `${describeFailure(event.failure).headline} — ${formatDelay(event.delayMs)}, ${event.retry} of ${event.maxRetries}`,
        );
      else lines.push(...decisionsOf([event]).map(({ type }) => type));
    };
    const transport = new RetryTransport(new FetchTransport({ headers: { 'x-api-key': 'test' } }), {
      runtime,
      jitter: 'none',
      onEvent: show,
    });
    const response = await transport.post(URL, { model: 'mock-1', stream: true });
    const words = [...(await response.text()).matchAll(/"text_delta","text":"([^"]*)"/g)].map(([, word]) => word);
    expect(words.join('')).toBe('Hello there, at last.');
    expect(lines).toEqual([
      expect.stringMatching(/overloaded.* — 1s, 1 of 3$/i),
      expect.stringMatching(/ — 2s, 2 of 3$/),
      expect.stringMatching(/connection.* — 4s, 3 of 3$/i),
      'recovered',
    ]);
    expect(handler.requests.map(({ body }) => body)).toEqual(
      Array.from({ length: 4 }, () => '{"model":"mock-1","stream":true}'),
    );
  });

  test('that lasts all day costs 22 requests and seven and a half hours, and returns the last answer', async () => {
    const handler = network.use(replay(URL, 'anthropic-529-overloaded-details-null'));
    const runtime = fakeRuntime();
    const response = await createRetryFetch({ fetch, ...presets.patient, runtime })(URL, {
      method: 'POST',
      body: '{}',
    });
    expect([response.status, handler.requests.length]).toEqual([529, 22]);
    expect(formatDelay(runtime.slept.reduce((sum, ms) => sum + ms, 0))).toBe('7h 31m 45s');
    await expect(response.json()).resolves.toMatchObject({ error: { type: 'overloaded_error' } });
  });
});

describe('a person at the terminal', () => {
  test('presses enter to retry now, and escape to give up', async () => {
    const handler = network.use(replay(URL, 'anthropic-429-account-limit'));
    const controller = new RetryController();
    const runtime = heldRuntime();
    const answer = createRetryFetch({ fetch, runtime, controller })(URL, { method: 'POST', body: '{}' });
    await runtime.untilWaiting();
    expect(controller.nextAttemptAt).toBeGreaterThan(runtime.time);
    controller.retryNow();
    await runtime.untilWaiting();
    controller.giveUp();
    const response = await answer;
    expect([response.status, handler.requests.length]).toEqual([429, 2]);
    await expect(response.json()).resolves.toMatchObject({ error: { type: 'rate_limit_error' } });
  });
});

describe('an inner transport of the caller', () => {
  test('signs each attempt separately', async () => {
    const handler = network.use(replay(URL, 'lb-503-html', 'lb-503-html', completions.anthropic('Hello.')));
    let signatures = 0;
    const signing: Fetch = async (input, init) => {
      const headers = new Headers(init?.headers);
      signatures += 1;
      headers.set('x-signature', `signature-${signatures}`);
      return fetch(input, { ...init, headers });
    };
    const response = await createRetryFetch({ fetch: signing, runtime: fakeRuntime() })(URL, {
      method: 'POST',
      body: '{}',
    });
    expect(response.status).toBe(200);
    expect(handler.requests.map(({ headers }) => headers['x-signature'])).toEqual([
      'signature-1',
      'signature-2',
      'signature-3',
    ]);
  });

  test('refreshes its token once on a 401, below the retries', async () => {
    const handler = network.use(
      replay(
        URL,
        (request) => respond(request.headers.get('authorization') === 'Bearer fresh-token' ? 503 : 401),
        (request) => respond(request.headers.get('authorization') === 'Bearer fresh-token' ? 503 : 401),
        completions.anthropic('Hello.'),
      ),
    );
    const plain = new FetchTransport();
    const refresh = vi.fn<() => Promise<string>>(async () => 'fresh-token');
    let token = 'stale-token';
    const post: HttpTransport['post'] = async (url, body, headers, signal) => {
      const send = (): Promise<Response> =>
        plain.post(url, body, { ...headers, authorization: `Bearer ${token}` }, signal);
      const response = await send();
      if (response.status !== 401) return response;
      token = await refresh();
      return send();
    };
    const response = await new RetryTransport({ get: plain.get.bind(plain), post }, { runtime: fakeRuntime() }).post(
      URL,
      {},
    );
    expect(response.status).toBe(200);
    expect(refresh).toHaveBeenCalledOnce();
    expect(handler.requests.map(({ headers }) => headers['authorization'])).toEqual([
      'Bearer stale-token',
      'Bearer fresh-token',
      'Bearer fresh-token',
    ]);
  });

  test('may be undici', async () => {
    const handler = network.use(replay(URL, 'nginx-502-html', completions.anthropic('Hello.')));
    const undici = createUndiciFetch();
    const response = await createRetryFetch({ fetch: undici, runtime: fakeRuntime() })(URL, {
      method: 'POST',
      body: '{}',
    });
    await expect(response.json()).resolves.toMatchObject({ content: [{ text: 'Hello.' }] });
    expect(handler.requests).toHaveLength(2);
    await undici.close();
  });
});

describe('a layer of retries above', () => {
  test.each([
    ['return', 12],
    ['mark', 4],
  ] as const)('with `exhausted: %s` makes %i requests of one', async (exhausted, requests) => {
    const handler = network.use(replay(URL, 'lb-503-html'));
    const response = await sdk(createRetryFetch({ fetch, runtime: fakeRuntime(), exhausted }));
    expect([response.status, handler.requests.length]).toEqual([503, requests]);
    expect(response.url).toBe(URL);
  });
});
