import { afterEach, describe, expect, test, vi } from 'vitest';
import { createRetryFetch, type RetryConfig, type RetryEvent, TruncatedStreamError } from '../../src/index.ts';
import { concat } from '../../src/body/bytes.ts';
import { settle, thrownBy } from '../script.ts';
import { failOnUnhandled } from '../unhandled.ts';
import { type ControlledBody, controlled } from './controlled-body.ts';
import { exchangeOf } from './exchanges.ts';

failOnUnhandled();
afterEach(() => void vi.useRealTimers());

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

function send(
  source: ControlledBody,
  contentType: string,
  config: RetryConfig,
  signal?: AbortSignal,
): Promise<Response> {
  const inner = async (): Promise<Response> => new Response(source.body, { headers: { 'content-type': contentType } });
  const body = '{"model":"m","messages":[]}';
  return createRetryFetch({ fetch: inner, maxRetries: 1, ...config })('https://api.openai.com/v1/chat/completions', {
    method: 'POST',
    body,
    ...(signal && { signal }),
  });
}

describe('the time limit of an attempt whose answer is held', () => {
  const config = { attemptTimeoutMs: 1_000, answers: { holdUntil: 'end' as const } };

  test.each([
    ['JSON', 'application/json', '{"text":"', '"}'],
    ['a stream', 'text/event-stream', ': ', '\ndata: [DONE]\n\n'],
  ])('waits a moment for the rest of %s that is arriving', async (_what, contentType, begin, end) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const source = controlled();
    const call = send(source, contentType, config);
    await source.say(bytes(begin));
    await vi.advanceTimersByTimeAsync(980);
    for (let ms = 980; ms < 1_150; ms += 5) {
      await source.say(bytes('x'));
      await vi.advanceTimersByTimeAsync(5);
    }
    await source.say(bytes(end));
    source.close();
    expect(await (await call).text()).toMatch(/x{34}/);
  });

  test('ends for an answer that never stops arriving', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const source = controlled();
    const failures: string[] = [];
    const aborting = new AbortController();
    const onEvent = (event: RetryEvent): void => {
      if (event.type === 'retry') failures.push(event.failure.type);
    };
    const call = thrownBy(send(source, 'application/json', { ...config, onEvent }, aborting.signal));
    await source.say(bytes('{"text":"'));
    let ms = 0;
    for (; ms < 2_000 && !source.isCancelled(); ms += 5) {
      await source.say(bytes('x'));
      await vi.advanceTimersByTimeAsync(5);
    }
    expect(failures).toEqual(['timeout']);
    expect(ms).toBeGreaterThan(1_100);
    expect(ms).toBeLessThan(1_400);
    aborting.abort(new Error('enough'));
    expect(await call).toMatchObject({ message: 'enough' });
  });
});

test('a call whose stream is held keeps the process alive', async () => {
  const [started, cleared] = [vi.spyOn(globalThis, 'setTimeout'), vi.spyOn(globalThis, 'clearTimeout')];
  const source = controlled();
  const aborting = new AbortController();
  const call = send(source, 'text/event-stream', { answers: { holdUntil: 'end' } }, aborting.signal);
  await source.say(exchangeOf('OpenAI Chat').preamble);
  await settle();
  const [timer, ...others] = started.mock.results.map(({ value }) => value as NodeJS.Timeout);
  expect([timer?.hasRef(), others]).toEqual([true, []]);
  aborting.abort(new Error('enough'));
  expect(await thrownBy(call)).toMatchObject({ message: 'enough' });
  expect(cleared).toHaveBeenCalledWith(timer);
});

describe('a JSON answer that stalls', () => {
  const config: RetryConfig = { baseDelayMs: 1 };

  async function begun(
    text: string,
    answers: RetryConfig['answers'] = {},
  ): Promise<{ source: ControlledBody; call: Promise<Response>; failures: string[] }> {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    const source = controlled();
    const failures: string[] = [];
    const onEvent = (event: RetryEvent): void => {
      if (event.type === 'failed' || event.type === 'retry') failures.push(event.failure.type);
    };
    const call = send(source, 'application/json', { ...config, answers, onEvent });
    call.catch(() => {});
    await source.say(bytes(text));
    return { source, call, failures };
  }

  const isOpen = async (call: Promise<unknown>): Promise<boolean> => {
    await settle();
    return Promise.race([call.then(() => false), Promise.resolve().then(() => true)]);
  };

  test.each([
    ['an array', '[{"text":', {}],
    ['blank lines', '\n\n\n', {}],
    ['blank lines, with another idleTimeoutMs', '\n\n', { idleTimeoutMs: 7_000 }],
    ['whole lines', '{"text":"a"}\n{"text":', {}],
    ['a whole object', '{"text":"a"}', {}],
  ])('is handed over after maxHoldMs if it is %s', async (_what, text, answers) => {
    const { source, call } = await begun(text, answers);
    await vi.advanceTimersByTimeAsync(29_900);
    expect(await isOpen(call)).toBe(true);
    await vi.advanceTimersByTimeAsync(200);
    expect(await isOpen(call)).toBe(false);
    source.close();
    expect(await (await call).text()).toBe(text);
  });

  test.each([
    ['its end comes', '"}', 200_000],
    ['it is longer than a mebibyte', 'x'.repeat(1_048_577), 200_000],
  ])('is held while an object has begun, until %s', async (_what, rest, afterMs) => {
    const { source, call, failures } = await begun('{"text":"');
    await vi.advanceTimersByTimeAsync(afterMs);
    await source.say(bytes('a'));
    await vi.advanceTimersByTimeAsync(afterMs);
    expect(await isOpen(call)).toBe(true);
    await source.say(bytes(rest));
    source.close();
    expect(await (await call).text()).toBe(`{"text":"a${rest}`);
    expect(failures).toEqual([]);
  });

  test('is a timeout that is retried 300 s after the last byte of an object', async () => {
    const { source, call, failures } = await begun('{"text":"');
    await vi.advanceTimersByTimeAsync(100_000);
    await source.say(bytes('a'));
    await vi.advanceTimersByTimeAsync(299_900);
    expect([failures, source.isCancelled()]).toEqual([[], false]);
    await vi.advanceTimersByTimeAsync(200);
    expect([failures[0], source.isCancelled()]).toEqual(['timeout', true]);
    await vi.advanceTimersByTimeAsync(1_000);
    await call.catch(() => {});
    expect(vi.getTimerCount()).toBe(0);
  });

  test.each([
    [10_000, '{"text":"', 10_000],
    [10_000, '  {"text":"', 10_000],
    [600_000, '{"text":"', 600_000],
  ])('is a timeout after idleTimeoutMs: %i ms after %j', async (idleTimeoutMs, text, afterMs) => {
    const { source, failures } = await begun(text, { idleTimeoutMs });
    await vi.advanceTimersByTimeAsync(afterMs - 100);
    expect([failures, source.isCancelled()]).toEqual([[], false]);
    await vi.advanceTimersByTimeAsync(200);
    expect([failures[0], source.isCancelled()]).toEqual(['timeout', true]);
  });

  test('is waited for without an end where idleTimeoutMs says so', async () => {
    const { source, call, failures } = await begun('{"text":"', { idleTimeoutMs: Infinity });
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect([await isOpen(call), failures]).toEqual([true, []]);
    await source.say(bytes('a"}'));
    source.close();
    expect(await (await call).text()).toBe('{"text":"a"}');
  });
});

describe('an empty JSON answer', () => {
  const answers = (text: string, url: string): Promise<number> => {
    let count = 0;
    const inner = async (): Promise<Response> => {
      count += 1;
      return new Response(text, { headers: { 'content-type': 'application/json' } });
    };
    const config: RetryConfig = { maxRetries: 2, runtime: { sleep: async () => {} } };
    const init = { method: 'POST', body: '{"model":"m","messages":[]}' };
    return createRetryFetch({ fetch: inner, ...config })(url, init).then(async (response) => {
      expect(await response.text()).toBe(text);
      return count;
    });
  };

  test.each([
    ['nothing', ''],
    ['white space', ' \n\r\n\t '],
  ])('of a model is retried: %s', async (_what, text) => {
    expect(await answers(text, 'https://api.openai.com/v1/chat/completions')).toBe(3);
  });

  test('of another server is an answer', async () => {
    expect(await answers('', 'https://orders.example/v1/orders')).toBe(1);
  });
});

describe('with `holdUntil: "end"`, a stream that ends without its end', () => {
  const exchange = exchangeOf('OpenAI Chat');
  const held = (answers: RetryConfig['answers']) => {
    const source = controlled();
    return { source, call: send(source, exchange.contentType, { answers: { holdUntil: 'end', ...answers } }) };
  };

  test.each([
    ['maxHoldBytes', { maxHoldBytes: 10 }],
    ['maxHoldMs', { maxHoldMs: 20 }],
  ])('is an error above %s too', async (_bound, limit) => {
    const { source, call } = held(limit);
    await source.say(concat([exchange.preamble, exchange.content('Hello')], Infinity));
    const response = await call;
    const reading = thrownBy(response.text());
    source.close();
    expect(await reading).toBeInstanceOf(TruncatedStreamError);
  });

  test('is an answer with `checkEnd: false` above the limits', async () => {
    const { source, call } = held({ maxHoldBytes: 10, checkEnd: false });
    await source.say(exchange.content('Hello'));
    source.close();
    expect(await (await call).text()).toContain('Hello');
  });
});
