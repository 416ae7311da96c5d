/** What the defaults say about the end of a streamed answer: it is whole, or its body fails. */

import { describe, expect, test } from 'vitest';
import {
  createRetryFetch,
  outcomeOf,
  RetryController,
  type RetryEvent,
  type RetryFetchConfig,
  TruncatedStreamError,
} from '../../src/index.ts';
import { answerOf, type Exchange, exchangeOf, exchanges, RESET, sourceOf, streamed } from '../http/exchanges.ts';
import { sse } from '../classify/cases.ts';
import { concat } from '../protocol/frames.ts';
import { fakeRuntime, script, settle, thrownBy, URL_OF_TEST } from '../script.ts';
import { failOnUnhandled } from '../unhandled.ts';

failOnUnhandled();

const INIT = { method: 'POST', body: '{"model":"m","messages":[]}' };
const chat = exchangeOf('OpenAI Chat');
const cutOf = ({ preamble, content }: Exchange): readonly Uint8Array[] => [preamble, content('Hello')];

interface Asked {
  readonly response: Response;
  readonly events: readonly RetryEvent[];
}

async function ask(
  given: Response,
  config: RetryFetchConfig = {},
  url: string = URL_OF_TEST,
  init: RequestInit = INIT,
): Promise<Asked> {
  const runtime = fakeRuntime();
  const events: RetryEvent[] = [];
  const fetch = createRetryFetch({
    runtime,
    fetch: script(runtime, () => given),
    onEvent: (event) => void events.push(event),
    ...config,
  });
  const response = await fetch(url, init);
  expect(response).toBe(given);
  return { response, events };
}

describe.each(Object.entries(exchanges))('a streamed answer of %s', (_name, exchange) => {
  test('that ends without the end of its protocol is an error', async () => {
    const { response, events } = await ask(streamed(exchange, sourceOf(cutOf(exchange))));
    const error = await thrownBy(response.text());
    expect(error).toBeInstanceOf(TruncatedStreamError);
    expect(outcomeOf(error)).toMatchObject({ type: 'broken', because: 'truncated' });
    expect(events).toMatchObject([{ type: 'broken', because: 'truncated', failure: { type: 'stream_interrupted' } }]);
  });

  test('that is whole has its bytes, also if its connection breaks after the end', async () => {
    for (const how of ['eof', 'reset'] as const) {
      const { response, events } = await ask(streamed(exchange, sourceOf([answerOf(exchange)], how)));
      expect(Buffer.compare(Buffer.from(await response.arrayBuffer()), answerOf(exchange))).toBe(0);
      expect(events).toEqual([]);
    }
  });

  test('in which the server sends an error is told as broken, and its bytes are untouched', async () => {
    const parts = [...cutOf(exchange), exchange.error];
    const { response, events } = await ask(streamed(exchange, sourceOf(parts)));
    expect(Buffer.compare(Buffer.from(await response.arrayBuffer()), concat(parts))).toBe(0);
    expect(events).toMatchObject([
      { type: 'broken', because: 'error-event', failure: { phase: 'stream' }, attempts: 1 },
    ]);
    expect(outcomeOf(response)).toMatchObject({ type: 'broken', because: 'error-event' });
  });
});

test('an error in the stream has its own type and message, and is told before its reader has left', async () => {
  const exchange = exchangeOf('Anthropic Messages');
  const { response, events } = await ask(streamed(exchange, sourceOf([...cutOf(exchange), exchange.error], 'open')));
  const reader = response.body?.getReader();
  for (let part = 0; part < 3; part += 1) await reader?.read();
  void reader?.cancel();
  expect(events).toMatchObject([
    { type: 'broken', because: 'error-event', failure: { type: 'overloaded', message: 'Overloaded' } },
  ]);
});

test('an error in the stream that is followed by a reset is told as an error, and the reset reaches the reader', async () => {
  const { response, events } = await ask(streamed(chat, sourceOf([...cutOf(chat), chat.error], 'reset')));
  expect(await thrownBy(response.text())).toBe(RESET);
  expect(events).toMatchObject([{ type: 'broken', because: 'error-event' }]);
});

test('an error of the server as the whole stream is told, also if the mark of the end follows it', async () => {
  const { response, events } = await ask(streamed(chat, sourceOf([chat.error])), { maxRetries: 0 });
  expect(await response.text()).toContain('[DONE]');
  expect(events).toMatchObject([{ type: 'broken', because: 'error-event', failure: { type: 'server_error' } }]);
});

test('an answer that ends with one of its two choices is an error, however small its chunks', async () => {
  const chunkOf = (index: number, delta: object, reason: string | null): string =>
    sse(['', { object: 'chat.completion.chunk', choices: [{ index, delta, finish_reason: reason }] }]);
  const cut = chunkOf(0, { content: 'A' }, null) + chunkOf(1, { content: 'B' }, null) + chunkOf(0, {}, 'stop');
  for (const how of ['eof', 'reset'] as const) {
    const bytes = [...new TextEncoder().encode(cut)].map((byte) => Uint8Array.of(byte));
    const { response, events } = await ask(streamed(chat, sourceOf(bytes, how)));
    await thrownBy(response.text());
    expect(events).toMatchObject([{ type: 'broken', because: how === 'eof' ? 'truncated' : 'cut' }]);
  }
});

test('the error of a cut answer names the host and the option', async () => {
  const { response } = await ask(streamed(chat, sourceOf(cutOf(chat))));
  expect(await thrownBy(response.text())).toMatchObject({
    message: expect.stringMatching(/^The stream of api\.example\.com ended before the answer.*checkEnd: false/),
  });
});

test.each<[string, RetryFetchConfig]>([
  ['without retries', { maxRetries: 0 }],
  ['with a controller that is switched off', { controller: Object.assign(new RetryController(), { enabled: false }) }],
  ['that is not held', { answers: { holdUntil: 'headers' } }],
  ['of which JSON is not held', { answers: { holdJson: false } }],
  ['that only model requests have retries for', { retryOnly: 'model-requests' }],
])('the end of an answer is checked in a call %s, whatever type the stream has', async (_how, config) => {
  for (const contentType of [chat.contentType, 'application/stream+json']) {
    const { response } = await ask(streamed({ contentType }, sourceOf(cutOf(chat))), config);
    expect(await thrownBy(response.text())).toBeInstanceOf(TruncatedStreamError);
  }
});

const OTHER_URL = 'https://shop.example.com/orders';
test.each<[string, RetryFetchConfig, string, RequestInit]>([
  ['with `checkEnd: false`', { answers: { checkEnd: false } }, URL_OF_TEST, INIT],
  ['with `answers: false`', { answers: false }, URL_OF_TEST, INIT],
  ['of a request that `retryOnly` does not choose', { retryOnly: () => false }, URL_OF_TEST, INIT],
  ['of a request that is not known to go to a model', {}, OTHER_URL, { method: 'POST', body: '{"items":[1]}' }],
  ['of a GET', {}, URL_OF_TEST, {}],
])('the end of a stream is not checked, and its members are its own, %s', async (_how, config, url, init) => {
  const { response, events } = await ask(streamed(chat, sourceOf(cutOf(chat))), config, url, init);
  expect(Object.keys(Object.getOwnPropertyDescriptors(response))).not.toContain('body');
  expect(Buffer.compare(Buffer.from(await response.arrayBuffer()), concat(cutOf(chat)))).toBe(0);
  expect(events).toEqual([]);
});

test.each<[string, (response: Response) => unknown]>([
  ['a pipe', (response) => response.body?.pipeTo(new WritableStream())],
  [
    'a pipe of a clone',
    (response) => Promise.all([response.clone().body?.pipeTo(new WritableStream()), response.text().catch(() => {})]),
  ],
  ['a pipe of text', (response) => response.body?.pipeThrough(new TextDecoderStream()).pipeTo(new WritableStream())],
  ['a text', (response) => response.text()],
  ['the bytes', (response) => response.arrayBuffer()],
])('a cut answer leaves no unhandled rejection if the program does not wait for %s', async (what, read) => {
  const { response, events } = await ask(streamed(chat, sourceOf(cutOf(chat))));
  const reading = read(response);
  // What the test itself has made of several reads.
  if (what.includes('clone')) void Promise.resolve(reading).catch(() => {});
  await settle();
  expect(events).toMatchObject([{ type: 'broken', because: 'truncated' }]);
});

test('a pipe that is waited for fails with the error of the check', async () => {
  const { response } = await ask(streamed(chat, sourceOf(cutOf(chat))));
  const pipe = response.body?.pipeTo(new WritableStream());
  expect(await thrownBy(Promise.resolve(pipe))).toBeInstanceOf(TruncatedStreamError);
});
