/** The requests that reach an API when a program makes one call: with the retries of the SDK, with ours, and with both. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createRetryFetch } from '../../../src/index.ts';
import { type ApiServer, startApiServer } from '../api-server.ts';
import { type Client, clients } from '../clients/index.ts';
import { type FastTime, startFastTime } from '../fast-time.ts';
import { longWait, outage, type Situation, spentQuota } from '../situations.ts';

/** The layer that retries: the SDK, both, both with the mark on the last response, or this package. */
type Arrangement = 'alone' | 'both' | 'both-marked' | 'ours';

interface Count {
  readonly requests: number;
  /** `asleep`: the SDK has begun to wait for an hour or more. */
  readonly end: 'answer' | 'error' | 'asleep';
}

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

async function count(client: Client, { steps }: Situation, arrangement: Arrangement): Promise<Count> {
  const { baseUrl, requests } = server.play(...steps[client.api]);
  const woken = new AbortController();
  time.onLongWait = () => setImmediate(() => woken.abort());
  const exhausted = arrangement === 'both-marked' ? 'mark' : 'return';
  const end = await client
    .ask({
      baseUrl,
      fetch: arrangement === 'alone' ? undefined : createRetryFetch({ runtime: time.runtime(), exhausted }),
      ownRetries: arrangement === 'ours' ? 'off' : 'on',
      signal: woken.signal,
    })
    .then(
      () => 'answer' as const,
      () => (woken.signal.aborted ? 'asleep' : 'error'),
    );
  time.onLongWait = undefined;
  return { requests: requests.length, end };
}

describe.each(clients)('the SDK $name', (client) => {
  const isObeying = ['openai', '@anthropic-ai/sdk'].includes(client.package);

  test('multiplies in an outage with retries of its own, unless it numbers them: then each of them is one request', async () => {
    const alone = await count(client, outage, 'alone');
    const both = await count(client, outage, 'both');
    const ours = await count(client, outage, 'ours');
    expect(alone.requests).toBeGreaterThan(1);
    expect(both.requests).toBe(isObeying ? ours.requests + alone.requests - 1 : alone.requests * ours.requests);
    if (isObeying) expect(both.requests).toBeLessThanOrEqual(ours.requests + 2);
  });

  test.each([spentQuota, outage, longWait])(
    'obeys the mark on a last response, or does not see it: $title',
    async (situation) => {
      const marked = await count(client, situation, 'both-marked');
      expect(marked).toEqual(await count(client, situation, isObeying ? 'ours' : 'both'));
    },
  );
});
