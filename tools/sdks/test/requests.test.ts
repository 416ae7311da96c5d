import { beforeAll, describe, expect, test } from 'vitest';
import { clients } from '../clients/index.ts';
import { measure, type Row, type Table } from '../requests.ts';
import { brokenStream, longWait, outage, rateLimit, refusedStream, type Situation, spentQuota } from '../situations.ts';

let tables: readonly Table[];
beforeAll(async () => {
  tables = await measure();
});

function rowOf(situation: Situation, client: (typeof clients)[number]): Row {
  const row = tables.find((table) => table.situation === situation)?.rows.find((other) => other.client === client);
  if (row === undefined) throw new Error(`${client.name} has no row under “${situation.title}”.`);
  return row;
}

describe.each(clients)('the SDK $name', (client) => {
  test('multiplies in an outage with retries of its own, unless it numbers them: then each of them is one request', () => {
    const { alone, both, ours } = rowOf(outage, client).counts;
    expect(alone.requests).toBeGreaterThan(1);
    const isNumbered = ['openai', '@anthropic-ai/sdk'].includes(client.package);
    expect(both.requests).toBe(isNumbered ? ours.requests + alone.requests - 1 : alone.requests * ours.requests);
    if (isNumbered) expect(both.requests).toBeLessThanOrEqual(ours.requests + 2);
  });

  test('sends two requests over this package if a retry can help', () => {
    expect(rowOf(rateLimit, client).counts.ours).toEqual({ requests: 2, end: 'answer' });
    expect(rowOf(refusedStream, client).counts.ours).toEqual({ requests: 2, end: 'answer' });
    expect(rowOf(brokenStream, client).counts.ours).toEqual({ requests: 2, end: 'answer' });
  });

  test('sends one request over this package if a retry cannot help', () => {
    expect(rowOf(spentQuota, client).counts.ours).toEqual({ requests: 1, end: 'error' });
    expect(rowOf(longWait, client).counts.ours).toEqual({ requests: 1, end: 'error' });
  });

  test.each([spentQuota, outage, longWait])(
    'obeys the mark on a last response, or does not see it: $title',
    (situation) => {
      const { both, 'both-marked': marked, ours } = rowOf(situation, client).counts;
      const isObeying = ['openai', '@anthropic-ai/sdk'].includes(client.package);
      expect(marked).toEqual(isObeying ? ours : both);
    },
  );
});
