import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRetryFetch, type RetryConfig } from '../../../src/index.ts';
import { type ApiServer, type Scene, startApiServer, type Step } from '../api-server.ts';
import type { Api } from '../../../bench/apis.ts';
import { type Client, clients, type Question, REPLY } from '../clients/index.ts';
import { type FastTime, startFastTime } from '../fast-time.ts';
import {
  ASKED_MS,
  brokenStream,
  longWait,
  outage,
  rateLimit,
  refusedStream,
  spentQuota,
  spentQuotaInStream,
} from '../situations.ts';

// Every SDK over this package with its own retries off, whole answers and streamed ones. What retries of its own cost on
// top of that is counted in requests.test.ts.

let time: FastTime;
let server: ApiServer;
beforeAll(async () => {
  time = startFastTime();
  server = await startApiServer(time.now);
});
afterAll(async () => {
  time.end();
  await server.close();
});

interface Played extends Scene {
  /** The waits of ours. */
  readonly slept: readonly number[];
  readonly question: Question;
}

function play(steps: readonly [Step, ...Step[]], config: RetryConfig = {}, signal?: AbortSignal): Played {
  const scene = server.play(...steps);
  const runtime = time.runtime();
  const fetch = createRetryFetch({ runtime, ...config });
  return { ...scene, slept: runtime.slept, question: { baseUrl: scene.baseUrl, fetch, ownRetries: 'off', signal } };
}

const WAYS = [
  { way: 'whole', send: (client: Client, question: Question) => client.ask(question) },
  { way: 'streamed', send: (client: Client, question: Question) => client.stream(question) },
];

const OUTAGE_STATUS: Readonly<Record<Api, number>> = { chat: 503, responses: 503, messages: 529, gemini: 503 };
const OUTAGE_SAYS: Readonly<Record<Api, string>> = {
  chat: 'server_is_overloaded',
  responses: 'server_is_overloaded',
  messages: 'overloaded_error',
  gemini: 'experiencing high demand',
};
const QUOTA_MESSAGE: Readonly<Record<Api, string>> = {
  chat: 'You exceeded your current quota',
  responses: 'You exceeded your current quota',
  messages: 'Extra usage is required',
  gemini: 'Quota exceeded',
};
const QUOTA_SAYS: Readonly<Record<Api, string>> = {
  ...QUOTA_MESSAGE,
  chat: 'insufficient_quota',
  responses: 'insufficient_quota',
};

/** What a call threw; fails when it threw nothing. */
async function thrownBy(call: Promise<unknown>): Promise<unknown> {
  try {
    await call;
  } catch (error) {
    return error;
  }
  throw new Error('Expected the call to reject, but it resolved.');
}

describe.each(clients)('$name over this package', (client) => {
  const { api } = client;

  test.each(WAYS)('retries a rate limit and gets its answer, $way', async ({ way, send }) => {
    const { question, requests, slept } = play(rateLimit.steps[api]);
    expect(await send(client, question)).toBe(REPLY);
    const request = { api, isStreamed: way === 'streamed' };
    expect(requests).toEqual([request, request]);
    expect(slept).toHaveLength(1);
    expect(slept[0]).toBeGreaterThanOrEqual(ASKED_MS[api]);
  });

  test.each([
    { failure: 'begins with an error', situation: refusedStream },
    { failure: 'ends before its first word', situation: brokenStream },
  ])('gets its answer when the first stream $failure', async ({ situation }) => {
    const { question, requests, slept } = play(situation.steps[api]);
    expect(await client.stream(question)).toBe(REPLY);
    expect(requests).toHaveLength(2);
    expect(slept).toHaveLength(1);
  });

  test.each(WAYS)('sends one request if the quota is spent, and throws its own error, $way', async ({ send }) => {
    const { question, requests, slept } = play(spentQuota.steps[api]);
    const error = client.readError(await thrownBy(send(client, question)));
    expect(error).toMatchObject({ status: 429, text: expect.stringContaining(QUOTA_SAYS[api]) });
    expect(requests).toHaveLength(1);
    expect(slept).toEqual([]);
  });

  test('sends one request if a stream begins with a spent quota, and throws its message', async () => {
    const { question, requests } = play(spentQuotaInStream.steps[api]);
    const error = await thrownBy(client.stream(question));
    expect(String(error)).toContain(QUOTA_MESSAGE[api]);
    expect(requests).toHaveLength(1);
  });

  test.each(WAYS)('throws its own error, with status and body, if retries did not help, $way', async ({ send }) => {
    for (const exhausted of ['return', 'mark'] as const) {
      const { question, requests, slept } = play(outage.steps[api], { exhausted });
      const error = client.readError(await thrownBy(send(client, question)));
      expect(error).toMatchObject({ status: OUTAGE_STATUS[api], text: expect.stringContaining(OUTAGE_SAYS[api]) });
      expect(requests).toHaveLength(4);
      expect(slept).toHaveLength(3);
    }
  });

  test.each(WAYS)('throws at once if the server asks for 30 days, $way', async ({ send }) => {
    const { question, requests, slept } = play(longWait.steps[api]);
    expect(client.readError(await thrownBy(send(client, question)))).toMatchObject({ status: 429 });
    expect(requests).toHaveLength(1);
    expect(slept).toEqual([]);
  });

  test.each(
    WAYS.flatMap((way) => [
      { ...way, ownRetries: 'off' as const },
      { ...way, ownRetries: 'on' as const },
    ]),
  )(
    'ends a wait at once when its user aborts, and asks no more, $way, own retries $ownRetries',
    async ({ send, ownRetries }) => {
      const user = new AbortController();
      let abortedAt = 0;
      const abort = (): void => {
        abortedAt = performance.now();
        user.abort();
      };
      // A real wait of more than 20 seconds, and the abort once it has begun.
      const config: RetryConfig = { runtime: {}, baseDelayMs: 30_000, onRetry: () => void setImmediate(abort) };
      const { question, requests } = play(outage.steps[api], config, user.signal);
      const error = await thrownBy(send(client, { ...question, ownRetries }));
      expect(performance.now() - abortedAt).toBeLessThan(10_000);
      expect(error).toSatisfy((thrown) => client.isAbort(thrown));
      expect(requests).toHaveLength(1);
    },
  );
});
