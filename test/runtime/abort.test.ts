import { getEventListeners } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createRetryFetch, RetrySession } from '../../src/index.ts';
import { respond, thrownBy, URL_OF_TEST } from '../script.ts';

describe('where `AbortSignal.any` is missing', () => {
  const any: unknown = Reflect.get(AbortSignal, 'any');
  beforeEach(() => void Reflect.set(AbortSignal, 'any', undefined));
  afterEach(() => void Reflect.set(AbortSignal, 'any', any));

  test('an attempt with a time limit still hears the caller, and leaves no listener after an error', async () => {
    const { signal } = new AbortController();
    const call = createRetryFetch({ fetch: () => Promise.reject(new Error('boom')), attemptTimeoutMs: 1_000 });
    await thrownBy(call(URL_OF_TEST, { signal }));
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  test('an abort reaches the body of a response that came within its time limit, and leaves no listener', async () => {
    const controller = new AbortController();
    let seen: AbortSignal | null | undefined;
    const inner = async (_input: unknown, init?: RequestInit): Promise<Response> => {
      seen = init?.signal;
      return respond(200);
    };
    await createRetryFetch({ fetch: inner, attemptTimeoutMs: 1_000 })(URL_OF_TEST, { signal: controller.signal });
    controller.abort(new Error('left while reading'));
    expect(seen?.reason).toEqual(new Error('left while reading'));
    expect(getEventListeners(controller.signal, 'abort')).toHaveLength(0);
  });

  test('a session ends with its own signal, with that of a run and by `cancel`', async () => {
    const [ofSession, ofRun] = [new AbortController(), new AbortController()];
    const session = new RetrySession({ signal: ofSession.signal });
    const run = (): Promise<unknown> => thrownBy(session.run(() => new Promise(() => {}), { signal: ofRun.signal }));
    const cancelled = run();
    session.cancel('cancelled');
    expect(await cancelled).toBe('cancelled');
    const left = run();
    ofRun.abort('left');
    expect(await left).toBe('left');
    const ended = run();
    expect(await ended).toBe('left');
    expect(getEventListeners(ofSession.signal, 'abort')).toHaveLength(0);
  });
});

describe('on Node 22, whose `AbortSignal.any` keeps memory for as long as the oldest signal exists', () => {
  const JSON_HEADERS = { 'content-type': 'application/json' };
  const calls = [
    ['a text', () => respond(200, {}, 'whole'), null],
    ['no body', () => respond(204), null],
    ['a JSON answer of a model', () => respond(200, JSON_HEADERS, '{"ok":true}'), '{"model":"m","messages":[]}'],
  ] as const;

  test.each(calls)(
    'a time limit leaves nothing on the signal of 500 calls that got %s',
    async (_name, answer, body) => {
      vi.stubGlobal('process', Object.create(process, { versions: { value: { undici: '6.28.0' } } }));
      const any = vi.spyOn(AbortSignal, 'any');
      const { signal } = new AbortController();
      const call = createRetryFetch({ fetch: async () => answer(), attemptTimeoutMs: 60_000 });
      const init = { method: body === null ? 'GET' : 'POST', body, signal };
      for (let sent = 0; sent < 500; sent += 1) await (await call(URL_OF_TEST, init)).text();
      const listeners = (): number => getEventListeners(signal, 'abort').length;
      // The last response may still be on the stack.
      await collectGarbage(() => listeners() < 5);
      expect(listeners()).toBeLessThan(5);
      expect(any.mock.calls.length).toBe(0);
    },
  );
});

/** A busy machine may need some rounds until what was collected is told. */
async function collectGarbage(isEnough: () => boolean): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  for (let round = 0; round < 100 && !isEnough(); round += 1) {
    if (typeof collect === 'function') collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
}
