import { format } from 'node:util';
import { HttpResponse, http } from 'msw';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { completions, recording, replay } from '../mocks/index.ts';
import type { RetryFetch } from '../src/index.ts';
import { useNetwork } from './network.ts';

const network = useNetwork();
const onPost = (...answer: Parameters<typeof http.post>) => network.use(http.post(...answer));
const onGet = (...answer: Parameters<typeof http.get>) => network.use(http.get(...answer));
const said: string[] = [];

// Another test file may have loaded an example too.
beforeAll(() => void vi.resetModules());

beforeEach(() => {
  said.length = 0;
  vi.spyOn(console, 'log').mockImplementation((...words: unknown[]) => void said.push(format(...words)));
});

afterEach(() => void vi.useRealTimers());

/** An overload that asks for a wait too short to notice. */
const overloaded = (): Response =>
  Response.json(
    { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    { status: 529, headers: { 'retry-after-ms': '2' } },
  );

describe('an example runs unchanged', () => {
  test('ten-lines: a recorded overload is shown and retried, without a network', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }).setTimerTickMode('nextTimerAsync');
    await import('../examples/ten-lines.ts');
    expect(said[0]).toMatch(/^overloaded \(HTTP 529\): retry 1 of 3 in [\d.]+m?s$/);
    expect(said.at(-1)).toMatch(/^200 .*Hello/);
  });

  test('transport: a permanent failure is reported once', async () => {
    network.use(replay('https://api.anthropic.com/v1/messages', 'anthropic-400-prompt-too-long'));
    await import('../examples/transport.ts');
    expect(said).toEqual([
      expect.stringMatching(/^context too long \(HTTP 400\): failed after 1 attempt in .*, a retry cannot help$/),
      '400',
    ]);
  });

  test('sign-each-attempt: every attempt has its own signature', async () => {
    const seen: (string | null)[] = [];
    onPost(/bedrock-runtime/, ({ request }) => {
      seen.push(request.headers.get('authorization'));
      return seen.length === 1 ? overloaded() : HttpResponse.json({});
    });
    await import('../examples/sign-each-attempt.ts');
    expect(said).toEqual(['200']);
    expect(seen).toHaveLength(2);
    expect(seen.every((signature) => signature?.startsWith('Signature '))).toBe(true);
    expect(seen[0]).not.toBe(seen[1]);
  });

  test('another-provider: the other API gets its own model and key, and not the key of the first', async () => {
    const sent: string[] = [];
    onPost('https://api.openai.com/v1/chat/completions', () => overloaded());
    onPost('https://openrouter.ai/api/v1/chat/completions', async ({ request }) => {
      sent.push(JSON.stringify([...request.headers]), await request.text());
      return HttpResponse.json({ choices: [{ message: { content: 'Hello' } }] });
    });
    await import('../examples/another-provider.ts');
    expect(said).toEqual(['openrouter Hello']);
    expect(sent.join('')).toContain('the-key-for-openrouter');
    expect(sent.join('')).not.toContain('the-key-for-openai');
    expect(sent[1]).toBe('{"model":"anthropic/claude-sonnet-5","messages":[{"role":"user","content":"Hello"}]}');
  });

  test('rewrite: the other API gets a request of its own, and each answer is read in its own format', async () => {
    const sent: string[] = [];
    onPost('https://api.openai.com/v1/chat/completions', () => overloaded());
    onPost('https://api.anthropic.com/v1/messages', async ({ request }) => {
      sent.push(JSON.stringify([...request.headers]), await request.text());
      return HttpResponse.json({ content: [{ type: 'text', text: 'Hello from Anthropic' }] });
    });
    await import('../examples/rewrite.ts');
    const messages = '"messages":[{"role":"user","content":"Hello"}]';
    expect(sent[1]).toBe(`{"model":"claude-sonnet-5","max_tokens":1024,${messages}}`);
    expect(sent[0]).toContain('the-key-for-anthropic');
    expect(sent[0]).not.toContain('the-key-for-openai');
    onPost('https://api.openai.com/v1/chat/completions', () =>
      HttpResponse.json({ choices: [{ message: { content: 'Hello from OpenAI' } }] }),
    );
    vi.resetModules();
    await import('../examples/rewrite.ts');
    expect(said).toEqual(['Hello from Anthropic', 'Hello from OpenAI']);
  });

  test('key-per-attempt: a retry has a key that is valid then', async () => {
    let keys = 0;
    const seen: (string | null)[] = [];
    onPost('https://auth.example.com/token', () => HttpResponse.json({ access_token: `key-${++keys}`, expires_in: 1 }));
    onPost('https://api.example.com/v1/chat', ({ request }) => {
      seen.push(request.headers.get('authorization'));
      return new HttpResponse(null, { status: seen.length > 1 ? 200 : 503, headers: { 'retry-after': '0' } });
    });
    const { fetch } = await import('../examples/key-per-attempt.ts');
    expect((await fetch('https://api.example.com/v1/chat', { method: 'POST', body: '{}' })).status).toBe(200);
    expect(seen).toEqual(['Bearer key-1', 'Bearer key-2']);
  });

  test('refresh-token: a 401 is answered with one new token', async () => {
    const seen: (string | null)[] = [];
    onPost('https://auth.example.com/token', () => HttpResponse.json({ access_token: 'fresh' }));
    onPost('https://api.example.com/v1/chat', ({ request }) => {
      seen.push(request.headers.get('authorization'));
      return new HttpResponse(null, { status: seen.at(-1) === 'Bearer fresh' ? 200 : 401 });
    });
    await import('../examples/refresh-token.ts');
    expect(said).toEqual(['200']);
    expect(seen).toEqual(['Bearer expired-token', 'Bearer fresh']);
  });

  test('refresh-token: twenty calls that are refused at once refresh the token once', async () => {
    vi.resetModules();
    let refreshes = 0;
    onPost('https://auth.example.com/token', () => HttpResponse.json({ access_token: `token-${++refreshes}` }));
    onPost(
      'https://api.example.com/v1/chat',
      ({ request }) =>
        new HttpResponse(null, { status: request.headers.get('authorization') === 'Bearer token-2' ? 200 : 401 }),
    );
    const { fetch } = await import('../examples/refresh-token.ts');
    expect([said, refreshes]).toEqual([['401'], 1]);
    const calls = Array.from({ length: 20 }, () => fetch('https://api.example.com/v1/chat', { method: 'POST' }));
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect([...new Set(statuses)]).toEqual([200]);
    expect(refreshes).toBe(2);
  });

  test('global-fetch: a model request is retried, and a payment is sent once', async () => {
    const sent: string[] = [];
    vi.stubEnv('OPENAI_API_KEY', 'sk-example');
    vi.stubGlobal('fetch', async (url: string) => (sent.push(url) === 1 ? overloaded() : Response.json({})));
    await import('../examples/global-fetch.ts');
    expect(said).toEqual(['200']);
    expect(sent).toHaveLength(2);
    sent.length = 0;
    expect((await fetch('https://api.stripe.com/v1/charges', { method: 'POST' })).status).toBe(529);
    expect(sent).toHaveLength(1);
  });

  test('controller: a wait can be cut short', async () => {
    network.use(
      replay('https://api.openai.com/v1/chat/completions', 'openai-503-server-is-overloaded', completions.openai('Hi')),
    );
    await import('../examples/controller.ts');
    expect(said[0]).toMatch(/^overloaded \(HTTP 503\): retry 1 of 3 in /);
    expect(said.at(-1)).toBe('200');
  });

  test('fleet: a healthy call is admitted at once', async () => {
    network.use(replay('https://api.openai.com/v1/models', () => Response.json({ data: [] })));
    await import('../examples/fleet.ts');
    expect(said).toEqual(['200']);
  });

  test('batch: 500 calls at once are all answered by a server of five a second, which refuses none', async () => {
    const fakeTime = ['setTimeout', 'clearTimeout', 'Date', 'performance'] as const;
    vi.useFakeTimers({ toFake: [...fakeTime] }).setTimerTickMode('nextTimerAsync');
    const startedMs = Date.now();
    const admitted: number[] = [];
    let refused = 0;
    vi.stubGlobal('fetch', async () => {
      if (admitted.filter((atMs) => atMs > Date.now() - 1_000).length >= 5) {
        refused += 1;
        return Response.json({}, { status: 429 });
      }
      admitted.push(Date.now());
      return Response.json({ choices: [{ message: { content: 'We walked.' } }] });
    });
    await import('../examples/batch.ts');
    expect(said).toEqual([
      '100 of 500',
      '200 of 500',
      '300 of 500',
      '400 of 500',
      '500 of 500',
      '500 answered, 0 to ask again',
    ]);
    expect(refused).toBe(0);
    expect((Date.now() - startedMs) / 1_000).toBeLessThan(1.05 * 100);
  });

  test('known-limits: each way to state a limit is accepted', async () => {
    const { careful, byTokens, patient } = await import('../examples/known-limits.ts');
    vi.stubGlobal('fetch', async () => new Response('answered'));
    const request = { method: 'POST', body: '{"model":"gpt-5-mini"}' };
    const statuses = [careful, byTokens, patient].map(
      async (one) => (await one('https://api.openai.com/v1/responses', request)).status,
    );
    expect(await Promise.all(statuses)).toEqual([200, 200, 200]);
  });

  test('llm: a provider that takes `retry` streams its answer after an overload', async () => {
    network.use(
      replay('https://api.anthropic.com/v1/messages', overloaded, completions.anthropicStream('Hello there')),
    );
    await import('../examples/llm.ts');
    expect(said.join('\n')).toMatch(
      /overloaded \(HTTP 529\): retry 1 of \d+ in 2ms, as the server asked[\s\S]*Hello there/,
    );
  });

  describe('countdown', () => {
    const url = 'https://api.openai.com/v1/chat/completions';

    /** A call in its first wait, and every text that the page has shown since. */
    async function waitingCall(headers: Record<string, string>) {
      const server = replay(url, () => Response.json({}, { status: 429, headers }), completions.openai('Hi'));
      network.use(server);
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] });
      const { fetchWithCountdown } = await import('../examples/countdown.ts');
      const [retryNow, cancel] = [new EventTarget(), new EventTarget()];
      const shown: string[] = [];
      const { promise: waiting, resolve } = Promise.withResolvers<void>();
      const line = {
        set textContent(text: string) {
          shown.push(text);
          if (text !== '') resolve();
        },
      };
      const answer = fetchWithCountdown(line, retryNow, cancel)(url, { method: 'POST', body: '{}' });
      await waiting;
      return { answer, server, shown, retryNow, cancel };
    }

    test('the wait is shown with its reason, second by second, and can be cut short', async () => {
      const { answer, shown, retryNow } = await waitingCall({ 'retry-after': '30' });
      vi.advanceTimersByTime(2_000);
      retryNow.dispatchEvent(new Event('click'));
      expect((await answer).status).toBe(200);
      expect(vi.getTimerCount()).toBe(0);
      expect(shown.at(-1)).toBe('');
      const seconds = shown
        .filter((text) => text !== '')
        .map((text) =>
          Number(/^rate limit \(HTTP 429\): retry 1 of 3 in (\d+)s, as the server asked$/.exec(text)?.[1]),
        );
      expect(seconds[0]).toBeGreaterThanOrEqual(30);
      expect(seconds).toEqual([seconds[0], (seconds[0] ?? 0) - 1, (seconds[0] ?? 0) - 2]);
    });

    test('a cancelled call rejects, sends nothing more and shows nothing', async () => {
      const { answer, server, shown, cancel } = await waitingCall({ 'retry-after': '30' });
      cancel.dispatchEvent(new Event('click'));
      await expect(answer).rejects.toMatchObject({ name: 'AbortError' });
      expect(server.requests).toHaveLength(1);
      expect(vi.getTimerCount()).toBe(0);
      expect(shown.at(-1)).toBe('');
    });

    test('a wait is shown in whole seconds and never as 0, even if its timer is late', async () => {
      const { answer, shown } = await waitingCall({ 'retry-after-ms': '6' });
      vi.advanceTimersByTime(1_000);
      expect((await answer).status).toBe(200);
      expect(new Set(shown)).toEqual(new Set(['', 'rate limit (HTTP 429): retry 1 of 3 in 1s, as the server asked']));
    });
  });

  test('schedule: each of them waits as its comment says', async () => {
    const { eager, exact, patient, steps, once } = await import('../examples/schedule.ts');
    const waitsOf = async (retrying: RetryFetch, headers: Record<string, string> = {}): Promise<readonly number[]> => {
      onPost('https://api.example.com/down', () => new HttpResponse(null, { status: 503, headers }));
      const waits: number[] = [];
      const onRetry = (_attempt: number, _error: Error, delayMs: number): void => void waits.push(delayMs);
      const runtime = { random: () => 0.5, sleep: async () => {} };
      await retrying.with({ runtime, onRetry })('https://api.example.com/down', { method: 'POST' });
      return waits;
    };
    expect(await waitsOf(eager)).toEqual([500, 1_000, 2_000, 4_000, 8_000]);
    expect(await waitsOf(exact)).toEqual([2_000, 4_000, 8_000]);
    expect(await waitsOf(exact, { 'retry-after': '300' })).toEqual([300_000, 300_000, 300_000]);
    expect(await waitsOf(exact, { 'retry-after': '301' })).toEqual([]);
    expect(await waitsOf(steps)).toEqual([1_000, 5_000, 30_000]);
    expect(await waitsOf(once)).toHaveLength(1);
    expect(await waitsOf(patient, { 'retry-after': '3600' })).toHaveLength(8);
    expect(await waitsOf(patient, { 'retry-after': '3601' })).toEqual([]);
  });

  test('predict: the waits are known in advance', async () => {
    await import('../examples/predict.ts');
    expect(said).toEqual([
      'the third wait: 3200 to 4800 ms',
      "{ ms: 1898, source: 'message' }",
      '22 attempts in 7h 31m 45s',
    ]);
  });

  test('streams: one that fails at its first event is retried, and the answer comes once', async () => {
    const { response } = recording('anthropic-stream-first-event-overloaded');
    const failing = (): Response =>
      new Response(response.body, { headers: { ...response.headers, 'retry-after-ms': '2' } });
    const answer = { recording: completions.anthropicStream('Hello there'), asStream: true };
    network.use(replay('https://api.anthropic.com/v1/messages', failing, answer));
    await import('../examples/streams.ts');
    expect(said[0]).toBe('overloaded (inside the answer): retry 1 of 3 in 2ms, as the server asked');
    expect(said.join('').match(/message_start/g)).toHaveLength(2);
    expect(said.join('')).toContain('message_stop');
  });

  test('streams-to-the-end: an answer that is cut is asked for again, and comes once', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }).setTimerTickMode('nextTimerAsync');
    const answer = completions.openaiStream('Hello there');
    const cut = { recording: answer, endAfterBytes: Math.floor(answer.body.length / 2) };
    network.use(replay('https://api.openai.com/v1/chat/completions', cut, answer));
    await import('../examples/streams-to-the-end.ts');
    expect(said).toEqual([format(answer.body)]);
  });

  test('resume-response: goes on with exactly the next event, wherever the stream breaks', async () => {
    const { body } = completions.responsesStream('One two three four');
    const events = body.split(/(?<=\n\n)/);
    const asked: string[] = [];
    const startedAt = Date.now();
    // Like OpenAI: any later event of a response of at most five minutes. The first answer ends after six events, each
    // later one after two.
    const answer = (from: number, count = 2): Response => {
      if (Date.now() - startedAt > 300_000) return new Response(null, { status: 400 });
      const headers = { 'content-type': 'text/event-stream' };
      return new Response(events.slice(from, from + count).join(''), { headers });
    };
    onPost('https://api.openai.com/v1/responses', () => answer(0, 6));
    onGet('https://api.openai.com/v1/responses/resp_mock', ({ request }) => {
      const after = new URL(request.url).searchParams.get('starting_after') ?? '';
      asked.push(after);
      return answer(Number(after) + 1);
    });
    await import('../examples/resume-response.ts');
    expect(said.join('')).toBe(events.join(''));
    expect(asked).toEqual(
      events.flatMap((_, index) => (index >= 5 && index % 2 === 1 && index < events.length - 1 ? [`${index}`] : [])),
    );
  });

  test('classify: a quota is distinguished from a rate limit', async () => {
    await import('../examples/classify.ts');
    expect(said).toEqual(['quota_exhausted false', expect.stringContaining('Add credits')]);
  });

  test('own-classification: a failure that is classified as an overload is retried like one', async () => {
    const url = 'https://api.example.com/v1/threads/7/runs';
    const locked = (): Response => Response.json({ error: { code: 'locked' } }, { status: 409 });
    const handler = replay(url, locked, locked, () => Response.json({}));
    network.use(handler);
    await import('../examples/own-classification.ts');
    expect(said).toEqual(['200']);
    expect(handler.requests).toHaveLength(3);

    said.length = 0;
    vi.resetModules();
    network.use(replay(url, () => Response.json({ error: { code: 'other' } }, { status: 409 })));
    await import('../examples/own-classification.ts');
    expect(said).toEqual(['409']);
  });

  test('stopping: the reason, the time and the attempts are known, and the response is unread', async () => {
    const limited = (): Response => Response.json({}, { status: 429, headers: { 'retry-after': '300' } });
    network.use(replay('https://api.openai.com/v1/models', limited));
    await import('../examples/stopping.ts');
    expect(said).toEqual([
      expect.stringMatching(/^gave up: retry-after-too-long, possible at 2\d{3}-/),
      '429 {}',
      '1 rate_limit null',
    ]);
  });

  test('fallback: the next model answers', async () => {
    const url = 'https://api.anthropic.com/v1/messages';
    const messages = replay(url, overloaded, completions.anthropic('Hello'));
    network.use(messages);
    await import('../examples/fallback.ts');
    expect(said).toEqual(['overloaded: from sonnet to haiku', '200']);
    expect(JSON.parse(messages.requests[1]?.body ?? '')).toMatchObject({ model: 'claude-haiku-5' });
  });

  test('key-rotation: a key at its limit rests, and the next one is used at once', async () => {
    const seen: (string | null)[] = [];
    onGet('https://api.openai.com/v1/models', ({ request }) => {
      seen.push(request.headers.get('authorization'));
      return new HttpResponse(null, { status: seen.length === 1 ? 429 : 200 });
    });
    await import('../examples/key-rotation.ts');
    expect(said).toEqual(['200']);
    expect(seen).toEqual(['Bearer first-key', 'Bearer second-key']);
  });
});
