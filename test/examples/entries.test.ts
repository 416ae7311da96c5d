import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { format } from 'node:util';
import { HttpResponse, http } from 'msw';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { useNetwork } from '../network.ts';

const network = useNetwork();
const said: string[] = [];
const url = 'https://api.example.com/v1/answer';

beforeEach(() => {
  said.length = 0;
  vi.resetModules();
  vi.spyOn(console, 'log').mockImplementation((...words: unknown[]) => void said.push(format(...words)));
});

/** A rate limit that asks for a wait too short to notice, in the headers and in words. */
const busy = (): Response =>
  HttpResponse.json(
    { error: { type: 'rate_limit_error', message: 'Rate limit reached. Please try again in 2ms.' } },
    { status: 429, headers: { 'retry-after-ms': '2' } },
  );

/** Answers with a rate limit once, and then with `Hello`. */
function answerSecond(): { readonly requests: () => number } {
  let requests = 0;
  network.use(http.all(url, () => (++requests === 1 ? busy() : HttpResponse.text('Hello'))));
  return { requests: () => requests };
}

describe('an example runs unchanged', () => {
  test('with-retry: a rate limit is retried and reported', async () => {
    answerSecond();
    const { answer } = await import('../../examples/with-retry.ts');
    expect(await answer()).toBe('Hello');
    expect(said).toEqual([expect.stringMatching(/rate_limit_error.*: retry 1 of 4 in /)]);
  });

  test('with-retry: it waits as long as the headers ask, not the default of a second', async () => {
    let requests = 0;
    const busyInHeaders = (): Response => new HttpResponse('busy', { status: 429, headers: { 'retry-after-ms': '2' } });
    network.use(http.all(url, () => (++requests === 1 ? busyInHeaders() : HttpResponse.text('Hello'))));
    const { answer } = await import('../../examples/with-retry.ts');
    expect(await answer()).toBe('Hello');
    expect(said).toEqual([expect.stringMatching(/^busy: retry 1 of 4 in \dms$/)]);
  });

  test('with-retry-session: it says after how many retries a job is given up', async () => {
    const { stop, work } = await import('../../examples/with-retry-session.ts');
    expect(await work(async () => 'done')).toBe('done');
    const errors = [{ status: 429, headers: { 'retry-after-ms': '1' } }, { status: 401 }];
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const refused = work(() => Promise.reject(Object.assign(new Error('refused'), errors.shift()))).catch(String);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await refused).toBe('Error: refused');
    expect(said).toEqual(['given up after 1 retries']);
    stop();
  });

  test('entries-retry-after: the wait is read from the headers', async () => {
    const { waitFor } = await import('../../examples/entries-retry-after.ts');
    expect(await waitFor(new Response('', { status: 429, headers: { 'retry-after': '7' } }))).toBe(7_000);
    expect(await waitFor(new Response('', { status: 500 }))).toBe(null);
    expect(said).toEqual(['7000 ms, from retry-after', 'no wait asked for']);
  });

  test('entries-report: the failure is in two files, and a report is printed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'retry-transport-example-'));
    try {
      const { reportingFetch } = await import('../../examples/entries-report.ts');
      const fetch = reportingFetch(folder);
      answerSecond();
      await fetch(url);
      network.use(http.get(url, () => HttpResponse.json({}, { status: 401 })));
      await fetch(url);
      expect(said[0]).toMatch(/^succeeded after 2 attempts/);
      expect(said[1]).toMatch(/401/);
      expect(readFileSync(join(folder, 'attempts.jsonl'), 'utf8')).toContain('rate_limit');
      expect(readFileSync(join(folder, 'errors.jsonl'), 'utf8')).toContain('auth_invalid');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test('entries-diagnostics: a tool that knows the name of the channel gets the retry', async () => {
    answerSecond();
    const { fetch } = await import('../../examples/entries-diagnostics.ts');
    await fetch(url);
    expect(said.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual(
      expect.arrayContaining(['retry', 'recovered']),
    );
  });

  test('entries-undici: a retry over pooled connections', async () => {
    const { requests } = answerSecond();
    const { close, fetch } = await import('../../examples/entries-undici.ts');
    const response = await fetch(url);
    expect([await response.text(), requests()]).toEqual(['Hello', 2]);
    await close();
  });

  test('entries-otel: without an SDK it is an ordinary fetch with retries', async () => {
    const { requests } = answerSecond();
    const { fetch } = await import('../../examples/entries-otel.ts');
    expect([(await fetch(url)).status, requests()]).toEqual([200, 2]);
  });

  test('entries-redis: without Redis a process continues alone', async () => {
    answerSecond();
    const { sharedFetch } = await import('../../examples/entries-redis.ts');
    const response = await sharedFetch({ eval: async () => Promise.reject(new Error('no Redis')) })(url);
    expect(response.status).toBe(200);
  });

  test('options: each is a fetch', async () => {
    const { batch, chat, standard } = await import('../../examples/options.ts');
    network.use(http.get(url, () => HttpResponse.text('Hello')));
    for (const fetch of [batch, chat, standard]) expect((await fetch(url)).status).toBe(200);
  });
});
