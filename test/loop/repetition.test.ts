import { describe, expect, test, vi } from 'vitest';
import {
  createRetryFetch,
  DEFAULT_RETRY_CONFIG,
  type Failure,
  type OperationLabel,
  type RetryConfig,
  withRetry,
  outcomeOf,
} from '../../src/index.ts';
import { fakeRuntime, observed, respond, script, settle, type Step, thrownBy, URL_OF_TEST } from '../script.ts';

function scripted(config: RetryConfig, ...steps: readonly [Step, ...Step[]]) {
  const runtime = fakeRuntime();
  const inner = script(runtime, ...steps);
  const watched = observed({ jitter: 'none', runtime, ...config });
  const retrying = createRetryFetch({ fetch: inner, ...watched });
  return { call: (init?: RequestInit, url = URL_OF_TEST) => retrying(url, init), inner, events: watched.events };
}

const failed = (code: string): Error =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });

const LABELS = ['model_request', 'file_write', 'shell_exec', 'unheard_of'];

describe('the first execution', () => {
  test.each(LABELS)('of %s is never refused', async (operation) => {
    expect((await scripted({ operation }, 200).call()).status).toBe(200);
    await expect(withRetry(() => 'done', { operation })).resolves.toBe('done');
  });
});

describe('a repetition', () => {
  test.each([
    ['model_request', {}, 2],
    ['file_write', {}, 1],
    [{ is: 'file_write', rollback: () => {} }, {}, 2],
    [{ rollback: () => {} }, {}, 2],
    [() => ({ is: 'file_write', rollback: () => {} }), {}, 2],
    ['shell_exec', {}, 1],
    ['shell_exec', { retryIrreversible: true }, 2],
    ['file_write', { retryIrreversible: true }, 2],
    ['unheard_of', {}, 1],
    ['safe', {}, 2],
    ['conditional', {}, 1],
    [{ is: 'conditional', rollback: () => {} }, {}, 2],
    ['irreversible', {}, 1],
  ] as const)('of %s with %j makes %i requests', async (operation, config, requests) => {
    const { call, inner, events } = scripted({ operation, ...config }, 503, 200);
    await call();
    expect(inner.calls).toHaveLength(requests);
    if (requests === 1) expect(events).toMatchObject([{ type: 'failed', because: 'irreversible-operation' }]);
  });

  test.each(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'])(
    'after %s is one of nothing: it is made whatever the operation',
    async (code) => {
      for (const operation of LABELS) {
        expect((await scripted({ operation }, failed(code), 200).call()).status).toBe(200);
      }
    },
  );

  test.each([
    ['itself', (failure: Failure) => failure],
    ['a copy', (failure: Failure) => ({ ...failure })],
  ])('after a refused connection is made also if `classify` returns the failure %s', async (_what, classify) => {
    const { call } = scripted({ operation: 'shell_exec', classify }, failed('ECONNREFUSED'), 200);
    expect((await call()).status).toBe(200);
  });

  test.each(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_HEADERS_TIMEOUT', 'ETIMEDOUT'])(
    'after %s may be one of something: it is not made',
    async (code) => {
      const { call, inner } = scripted({ operation: 'shell_exec' }, failed(code), 200);
      await thrownBy(call());
      expect(inner.calls).toHaveLength(1);
    },
  );
});

describe('a rollback', () => {
  const is = 'file_edit';

  test('is awaited before each repetition, and gets the failure', async () => {
    const order: string[] = [];
    const rollback = async ({ type }: Failure): Promise<void> => {
      order.push(`rolling back after ${type}`);
      await settle();
      order.push('rolled back');
    };
    const step = (status: number) => () => {
      order.push(`attempt: ${status}`);
      return new Response(null, { status });
    };
    await scripted({ operation: { is, rollback } }, step(503), step(500), step(200)).call();
    expect(order).toEqual([
      'attempt: 503',
      'rolling back after overloaded',
      'rolled back',
      'attempt: 500',
      'rolling back after server_error',
      'rolled back',
      'attempt: 200',
    ]);
  });

  test('is not called for a success, or for the last failure', async () => {
    const rolled: Failure[] = [];
    const rollback = (failure: Failure): void => void rolled.push(failure);
    await scripted({ operation: { is, rollback } }, 200).call();
    await scripted({ operation: { is, rollback }, maxRetries: 0 }, 503).call();
    expect(rolled).toEqual([]);
  });

  test.each([
    ['an error', new Error('no way back')],
    ['a TypeError', new TypeError('no way back')],
    ['what is no error', 'no way back'],
    ['nothing', undefined],
  ])('that throws %s ends the call with that error, and nothing is repeated', async (_title, thrown) => {
    const rollback = (): never => {
      throw thrown;
    };
    const { call, inner, events } = scripted({ operation: { is, rollback } }, 503, 200);
    const outcome = await call().then(
      () => 'resolved',
      (error: unknown) => ({ error }),
    );
    expect(outcome).toEqual({ error: thrown });
    expect(inner.calls).toHaveLength(1);
    expect(events.map(({ type }) => type)).toEqual(['retry', 'failed']);
    if (thrown instanceof Error) expect(outcomeOf(thrown)?.history ?? []).toHaveLength(1);
  });

  test('that hangs is abandoned at an abort', async () => {
    const abort = new AbortController();
    const rollback = (): Promise<void> => {
      setImmediate(() => abort.abort('enough'));
      return new Promise(() => {});
    };
    const { call, inner, events } = scripted({ operation: { is, rollback } }, 503, 200);
    expect(await call({ signal: abort.signal }).catch((reason: unknown) => reason)).toBe('enough');
    expect(inner.calls).toHaveLength(1);
    expect(events.at(-1)).toMatchObject({ type: 'cancelled', attempts: 1 });
  });
});

test.each([
  ['read', 'EHOSTUNREACH', 1],
  ['write', 'ENETDOWN', 1],
  ['read', 'ECONNREFUSED', 1],
  ['connect', 'EHOSTUNREACH', 4],
  ['connect', 'ECONNREFUSED', 4],
  ['getaddrinfo', 'ENOTFOUND', 4],
])('a payment that fails with %s %s is sent %i times at most', async (syscall, code, requests) => {
  const cause = Object.assign(new Error(`${syscall} ${code} 10.0.0.1:443`), { syscall, code });
  const runtime = fakeRuntime();
  const inner = script(runtime, Object.assign(new TypeError('fetch failed'), { cause }));
  await thrownBy(
    createRetryFetch({ fetch: inner, runtime, operation: 'payment' })(URL_OF_TEST, { method: 'POST', body: '{}' }),
  );
  expect(inner.calls).toHaveLength(requests);
});

test.each<[string, OperationLabel | (() => OperationLabel)]>([
  ['unheard_of', 'unheard_of'],
  ['undefined', () => JSON.parse('{}').label],
  ['[object Promise]', () => Reflect.get({ label: Promise.resolve('deploy') }, 'label')],
])('the unknown label %s is reported in the failed event, with a fix', async (label, operation) => {
  const { call, events } = scripted({ operation }, 503, 200);
  await call();
  expect(events).toMatchObject([
    { type: 'failed', failure: { type: 'overloaded', action: expect.stringContaining(`"${label}" is not known`) } },
  ]);
});

describe('a request in JSON-RPC', () => {
  const rpc = (method: string): RequestInit => ({
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method }),
  });

  test.each<[string, Step]>([
    ['a reset', failed('ECONNRESET')],
    ['a 502', 502],
    ['a 503 with a hint', respond(503, { 'retry-after': '1' })],
    ['a stream that ends at once', respond(200, { 'content-type': 'text/event-stream' }, ': ping\n\n')],
  ])('that calls a tool is not sent again after %s, and one that lists is', async (_what, step) => {
    const tool = scripted({}, step, 200);
    await tool.call(rpc('tools/call')).catch(() => {});
    expect(tool.inner.calls).toHaveLength(1);
    const list = scripted({}, step, 200);
    expect((await list.call(rpc('tools/list'))).status).toBe(200);
  });

  test('that calls a tool is sent again if nothing can have been sent', async () => {
    const { call } = scripted({}, failed('ECONNREFUSED'), 200);
    expect((await call(rpc('tools/call'))).status).toBe(200);
  });

  test.each<[string, RetryConfig, number]>([
    ['a function', { operation: () => 'model_request' }, 2],
    ['another label', { operation: 'search' }, 2],
    ['the label of a model request', { operation: 'model_request' }, 2],
    ['`retryIrreversible`', { retryIrreversible: true }, 2],
    ['a copy of the defaults', { ...DEFAULT_RETRY_CONFIG }, 1],
  ])('that calls a tool is sent as often as %s says', async (_what, config, requests) => {
    const { call, inner } = scripted(config, 502, 200);
    await call(rpc('tools/call'));
    expect(inner.calls).toHaveLength(requests);
  });

  test('is not parsed when it succeeds', async () => {
    const parse = vi.spyOn(JSON, 'parse');
    await scripted({}, 200).call(rpc('tools/call'));
    expect(parse).not.toHaveBeenCalled();
  });
});

test('a function that labels a request gets its method in upper case, and its URL with the query', async () => {
  const operation = vi.fn(() => 'read');
  const { call } = scripted({ operation }, 502, 200);
  await call({ method: 'post' }, 'https://api.example.com/jobs?force=1');
  expect(operation).toHaveBeenCalledWith({ method: 'POST', url: 'https://api.example.com/jobs?force=1' });
});
