import { http, HttpResponse } from 'msw';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { completions, recordings, replay, type RecordingName } from '../../mocks/index.ts';
import { useNetwork } from '../network.ts';

const network = useNetwork();
const URL_OF_MESSAGES = 'https://api.anthropic.com/v1/messages';
const post = (body = '{}', signal: AbortSignal | null = null): Promise<Response> =>
  fetch(URL_OF_MESSAGES, { method: 'POST', body, headers: { 'x-test': 'yes' }, signal });
const isName = (name: string): name is RecordingName => Object.hasOwn(recordings, name);

/** As much of the body as arrives, and the error that it ends in. */
async function readAll(response: Response): Promise<{ text: string; error?: unknown }> {
  let text = '';
  try {
    for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) text += piece;
    return { text };
  } catch (error) {
    return { text, error };
  }
}

describe('steps', () => {
  test('come in order, one per request, and the last repeats', async () => {
    const steps = ['anthropic-429-overloaded-bare', 'nginx-502-html', completions.anthropic('Hello')] as const;
    network.use(replay(URL_OF_MESSAGES, 'network-error', ...steps));
    await expect(post()).rejects.toThrow(TypeError);
    const answers = [await post(), await post(), await post(), await post()];
    expect(answers.map(({ status }) => status)).toEqual([429, 502, 200, 200]);
    expect(await answers[0]?.text()).toBe(recordings['anthropic-429-overloaded-bare'].response.body);
    expect(await answers[3]?.json()).toMatchObject({ content: [{ text: 'Hello' }] });
  });

  test('may be recordings, answers and functions of the request', async () => {
    const { response } = recordings['envoy-503-text'];
    network.use(
      replay(
        URL_OF_MESSAGES,
        recordings['anthropic-529-overloaded-details-null'],
        { ...response, status: 599 },
        ({ method }) => HttpResponse.text(method, { status: 201 }),
        async (request) => new Response(await request.text(), { status: 202 }),
      ),
    );
    const answers = [await post(), await post(), await post(), await post('echo')];
    expect(answers.map(({ status }) => status)).toEqual([529, 599, 201, 202]);
    expect(await answers[2]?.text()).toBe('POST');
    expect(await answers[3]?.text()).toBe('echo');
  });

  test('are assigned one per request if requests come together', async () => {
    network.use(replay(URL_OF_MESSAGES, 'anthropic-429-overloaded-bare', 'nginx-502-html', 'cloudflare-524-empty'));
    const answers = await Promise.all([post(), post(), post()]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([429, 502, 524]));
  });

  test.each(Object.entries(recordings))(
    'replay %s over a socket at its own URL',
    async (name, { request, response }) => {
      if (!isName(name)) throw new Error(name);
      network.use(replay(request.url, name));
      const answer = await fetch(request.url, { method: request.method });
      expect(answer.status).toBe(response.status);
      expect(Object.fromEntries(answer.headers)).toMatchObject(response.headers);
      expect(await answer.text()).toBe(response.body);
    },
  );
});

describe('streams', () => {
  const hello = completions.anthropicStream('Hello, big world');

  test('arrive completely', async () => {
    network.use(replay(URL_OF_MESSAGES, { recording: hello, asStream: true }));
    const answer = await post();
    expect(answer.headers.get('transfer-encoding')).toBe('chunked');
    expect(await readAll(answer)).toEqual({ text: hello.body });
  });

  test('may be the bodies of failures too', async () => {
    network.use(replay(URL_OF_MESSAGES, { recording: 'openai-500-server-error', chunkBytes: 10, dieAfterBytes: 25 }));
    const answer = await post();
    expect(answer.status).toBe(500);
    expect((await readAll(answer)).text).toBe(recordings['openai-500-server-error'].response.body.slice(0, 25));
  });

  test('are not created from answers without a pace', async () => {
    network.use(replay(URL_OF_MESSAGES, { recording: hello }, { recording: hello, chunkBytes: 9, asStream: false }));
    for (const answer of [await post(), await post()]) expect(answer.headers.has('transfer-encoding')).toBe(false);
  });
});

describe('time', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
    vi.setTimerTickMode('nextTimerAsync');
  });
  afterEach(() => void vi.useRealTimers());

  test('passes before the head, and after each piece', async () => {
    const recording = completions.ollamaStream('one two three');
    network.use(replay(URL_OF_MESSAGES, { recording, delayMs: 30_000, chunkDelayMs: 1_000 }));
    const start = Date.now();
    const answer = await post();
    expect(Date.now() - start).toBeGreaterThanOrEqual(30_000);
    expect(Date.now() - start).toBeLessThan(34_000);
    await answer.text();
    expect(Date.now() - start).toBe(34_000);
  });

  test('does not pass for an answer that never comes', async () => {
    network.use(replay(URL_OF_MESSAGES, { recording: 'nginx-502-html', delayMs: Infinity }));
    const caller = new AbortController();
    setTimeout(() => caller.abort(), 3_600_000);
    await expect(post('{}', caller.signal)).rejects.toHaveProperty('name', 'AbortError');
  });
});

describe('requests', () => {
  test('are counted, with their contents', async () => {
    const handler = network.use(replay(URL_OF_MESSAGES, 'nginx-502-html'));
    expect(handler.requests).toEqual([]);
    await post('{"n":1}');
    await fetch(`${URL_OF_MESSAGES}?beta=true`);
    expect(handler.requests).toMatchObject([
      { method: 'POST', url: URL_OF_MESSAGES, headers: { 'x-test': 'yes' }, body: '{"n":1}' },
      { method: 'GET', url: `${URL_OF_MESSAGES}?beta=true`, body: '' },
    ]);
  });

  test('to other addresses are left to other handlers', async () => {
    network.use(http.all('*', () => new Response('other')));
    const handler = network.use(replay('https://example.com/models/a:generateContent', 'nginx-502-html'));
    for (const path of ['models/a:streamGenerateContent', 'models/b:generateContent', 'models']) {
      expect(await (await fetch(`https://example.com/${path}`)).text()).toBe('other');
    }
    expect(handler.requests).toEqual([]);
  });

  test.each([
    ['*/v1/messages', URL_OF_MESSAGES],
    [/anthropic\.com/, URL_OF_MESSAGES],
    ['https://example.com/models/*:generateContent', 'https://example.com/models/x:generateContent'],
    [
      'https://example.com/deployments/:name/chat?api-version=1',
      'https://example.com/deployments/gpt/chat?api-version=2',
    ],
  ])('to %s include those to %s', async (pattern, url) => {
    const handler = network.use(replay(pattern, 'nginx-502-html'));
    expect((await fetch(url)).status).toBe(502);
    expect(handler.requests).toHaveLength(1);
  });

  test('are forgotten on rewind, and the steps begin again', async () => {
    const handler = network.use(replay(URL_OF_MESSAGES, 'anthropic-429-overloaded-bare', 'nginx-502-html'));
    await post();
    await post();
    handler.rewind();
    expect(handler.requests).toEqual([]);
    expect((await post()).status).toBe(429);
    expect(handler.requests).toHaveLength(1);
  });
});

describe('mistakes are errors when the handler is created', () => {
  test('no step', () => {
    // @ts-expect-error: one step at least
    expect(() => replay(URL_OF_MESSAGES)).toThrow(new TypeError('Expected at least one step to replay, got none.'));
    for (const step of [5, null, {}]) {
      // @ts-expect-error what a program without types may pass
      expect(() => replay(URL_OF_MESSAGES, step)).toThrow(/^Expected each step to be a recording/);
    }
    for (const recording of [null, 5, {}, { recording: 'nginx-502-html' }]) {
      // @ts-expect-error what a program without types may pass
      expect(() => replay(URL_OF_MESSAGES, { recording })).toThrow(/^Expected the `recording` of a step/);
    }
  });

  test('an unknown recording', () => {
    // @ts-expect-error: no such recording
    expect(() => replay(URL_OF_MESSAGES, 'nginx-503-html')).toThrow(/Did you mean .*'nginx-502-html'/);
    // @ts-expect-error: no such recording
    expect(() => replay(URL_OF_MESSAGES, { recording: 'nginx-503-html' })).toThrow(/Did you mean .*'nginx-502-html'/);
  });

  test('an invalid pace', () => {
    const step = { recording: 'nginx-502-html', chunkBytes: 0 } as const;
    expect(() => replay(URL_OF_MESSAGES, step)).toThrow('Expected `chunkBytes` to be an integer ≥ 1, got 0.');
  });
});
