import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { runOrPostpone } from '../../examples/durable-job.ts';
import { answerWithin } from '../../examples/server-deadline.ts';
import { answerWithWaits } from '../../examples/server-events.ts';
import { callOrPostpone } from '../../examples/durable-wait.ts';
import { completions, replayFetch } from '../../mocks/index.ts';

const url = 'https://api.openai.com/v1/chat/completions';
const init = { method: 'POST', body: '{"model":"m"}' };

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }));
afterEach(() => void vi.useRealTimers());

test('a request of several calls ends before the limit of its host, with an answer of its own', async () => {
  vi.useRealTimers();
  vi.spyOn(globalThis, 'fetch').mockImplementation(() => new Promise(() => {}));
  const answer = await answerWithin(40, async (fetch) => {
    await fetch(url, init);
    return fetch(url, init);
  });
  expect(answer.status).toBe(503);
});

test('a wait that would end after the limit is not begun', async () => {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () =>
    Response.json({ error: { message: 'Slow down.' } }, { status: 429, headers: { 'retry-after': '50' } }),
  );
  const answer = await answerWithin(10_000, (fetch) => fetch(url, init));
  expect(answer.status).toBe(429);
});

test('the browser gets the wait before the answer', async () => {
  vi.setTimerTickMode('nextTimerAsync');
  const answer = await answerWithWaits(replayFetch('huggingface-503-loading', completions.openai('Hello')), url, init);
  const text = await answer.text();
  expect(text).toMatch(/^event: waiting\ndata: .*"Service overloaded \(HTTP 503\)","nextAttemptAt":[\d.]+\}\n\n/);
  expect(text).toContain('Hello');
});

test('a used-up quota keeps its status, because there is no wait to show', async () => {
  const body = { error: { code: 'insufficient_quota', message: 'No.' } };
  const answer = await answerWithWaits(async () => Response.json(body, { status: 429 }), url, init);
  expect([answer.status, await answer.json()]).toEqual([429, body]);
});

test('a browser that leaves during a wait ends the call', async () => {
  let sent = 0;
  const inner = async (): Promise<Response> => {
    sent += 1;
    return new Response('', { status: 503 });
  };
  const answer = await answerWithWaits(inner, url, init);
  await answer.body?.cancel();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(sent).toBe(1);
});

test('a wait of hours is handed on with its moment', async () => {
  const limited = async (): Promise<Response> =>
    Response.json({ error: { message: 'Slow down.' } }, { status: 429, headers: { 'retry-after': '18000' } });
  const outcome = await callOrPostpone(limited, url, init);
  expect('possibleAt' in outcome && outcome.possibleAt - Date.now()).toBeGreaterThan(17_990_000);
});

describe('a job that keeps its wait in a file', () => {
  const ask = async (fetch: typeof globalThis.fetch): Promise<string> => {
    const response = await fetch(url, init);
    if (!response.ok) throw new Error(`The SDK: ${response.status}`);
    return response.text();
  };
  const answers = (...responses: readonly (() => Response)[]) => {
    const left = [...responses];
    return vi.spyOn(globalThis, 'fetch').mockImplementation(async () => left.shift()?.() ?? new Response('Hello'));
  };
  const fileOf = async (): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), 'durable-job-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    return join(folder, 'job');
  };

  test('sends nothing before the moment that the server named, and answers after it', async () => {
    const file = await fileOf();
    const server = answers(() => new Response('Slow down.', { status: 429, headers: { 'retry-after': '18000' } }));
    expect(await runOrPostpone(file, ask)).toBeUndefined();
    expect(await runOrPostpone(file, ask)).toBeUndefined();
    expect(server).toHaveBeenCalledTimes(1);
    vi.setSystemTime(Date.now() + 18_001_000);
    expect(await runOrPostpone(file, ask)).toBe('Hello');
    expect(existsSync(file)).toBe(false);
  });

  test('throws what no wait can fix', async () => {
    const file = await fileOf();
    answers(() => Response.json({ error: { message: 'Invalid API key' } }, { status: 401 }));
    await expect(runOrPostpone(file, ask)).rejects.toThrow('The SDK: 401');
    expect(existsSync(file)).toBe(false);
  });
});
