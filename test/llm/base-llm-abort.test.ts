import { getEventListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { AnthropicLLM, type CompletionEvent } from '../../src/llm/index.ts';
import { hangingBody, heldRuntime, script, scriptTransport, settle, thrownBy } from '../script.ts';
import {
  anthropicHello,
  anthropicMessage,
  ask,
  collect,
  jsonOf,
  piecewise,
  scripted,
  sse,
  streamed,
} from './answers.ts';

const reason = new Error('Enough.');
const hello = (): Response => streamed(...anthropicHello);

function asked() {
  const abort = new AbortController();
  return {
    abort: () => abort.abort(reason),
    request: { ...ask, signal: abort.signal },
    listeners: () => getEventListeners(abort.signal, 'abort').length,
  };
}

describe('an abort rejects with the reason of the signal', () => {
  test('before the request, which is then not sent', async () => {
    const { abort, request } = asked();
    const transport = scriptTransport(200);
    abort();
    expect(await thrownBy(new AnthropicLLM({ transport }).generateCompletion(request))).toBe(reason);
    expect(transport.calls).toEqual([]);
  });

  test('during the request, even if the transport ignores it; a late answer is cancelled', async () => {
    const { abort, request, listeners } = asked();
    const { body, isCancelled } = hangingBody();
    const { promise, resolve } = Promise.withResolvers<Response>();
    const llm = new AnthropicLLM({ fetch: () => promise });
    const thrown = thrownBy(collect(llm.streamCompletion(request)));
    await settle();
    abort();
    expect(await thrown).toBe(reason);
    resolve(new Response(body));
    await settle();
    expect([isCancelled(), listeners()]).toEqual([true, 0]);
  });

  test('during the request, even if the transport throws something else', async () => {
    const { abort, request } = asked();
    const llm = new AnthropicLLM({
      fetch: async () => {
        abort();
        throw new Error('The socket was closed.');
      },
    });
    expect(await thrownBy(llm.generateCompletion(request))).toBe(reason);
  });

  test('during a wait', async () => {
    const { abort, request, listeners } = asked();
    const runtime = heldRuntime();
    const llm = new AnthropicLLM({ fetch: script(runtime, 503), retry: { runtime } });
    const thrown = thrownBy(collect(llm.streamCompletion(request)));
    await runtime.untilWaiting();
    abort();
    expect(await thrown).toBe(reason);
    expect(listeners()).toBe(0);
  });

  test.each([
    ['plain', undefined],
    ['retried', {}],
  ])('before the first content: %s', async (_, retry) => {
    const { abort, request, listeners } = asked();
    const source = piecewise([sse(anthropicHello[0])], 'hang');
    const { llm } = scripted(retry, () => source.response());
    const thrown = thrownBy(collect(llm.streamCompletion(request)));
    await settle();
    abort();
    expect(await thrown).toBe(reason);
    await settle();
    expect([source.isCancelled(), listeners()]).toEqual([true, 0]);
  });

  test('after the first content, with no further part', async () => {
    const { abort, request, listeners } = asked();
    const source = piecewise([sse(...anthropicHello)]);
    const { llm } = scripted({}, () => source.response());
    const parts: CompletionEvent[] = [];
    const reading = (async () => {
      for await (const part of llm.streamCompletion(request)) {
        parts.push(part);
        abort();
      }
    })();
    expect(await thrownBy(reading)).toBe(reason);
    expect(parts).toHaveLength(1);
    expect(listeners()).toBe(0);
  });

  test('while a whole answer is read, and while an error is read', async () => {
    for (const status of [200, 503]) {
      const { abort, request } = asked();
      const { body } = hangingBody();
      const thrown = thrownBy(
        new AnthropicLLM({ fetch: async () => new Response(body, { status }) }).generateCompletion(request),
      );
      await settle();
      abort();
      expect(await thrown).toBe(reason);
    }
  });

  test('an answer that was not aborted leaves no listener', async () => {
    const { request, listeners } = asked();
    await collect(scripted({}, hello).llm.streamCompletion(request));
    await scripted(undefined, () => jsonOf(anthropicMessage)).llm.generateCompletion(request);
    expect(listeners()).toBe(0);
  });

  test('that the caller did not cause is thrown unchanged', async () => {
    const theirs = new DOMException('The proxy has shut down.', 'AbortError');
    expect(await thrownBy(scripted({}, theirs).llm.generateCompletion(ask))).toBe(theirs);
  });
});
