import { describe, expect, test, vi } from 'vitest';
import { RetryTransport } from '../../src/index.ts';
import { Answer } from '../../src/llm/answer.ts';
import { LLMError } from '../../src/llm/llm-error.ts';
import { fakeRuntime, respond, respondError, scriptTransport, settle, thrownBy, URL_OF_TEST } from '../script.ts';
import { jsonOf, piecewise, streamOf } from './answers.ts';

const KEY = 'my-own-key-of-no-known-shape';
const answerOf = (response: Response, signal?: AbortSignal): Answer => new Answer(response, signal, [KEY]);
const readAny = (body: unknown): unknown => body;

/** What is left of a call that was given up. */
async function givenUp(response: Response): Promise<Response> {
  return new RetryTransport(scriptTransport(response), { shouldRetry: () => false, runtime: fakeRuntime() }).post(
    URL_OF_TEST,
    {},
  );
}

test.each([
  ['application/json', true],
  ['application/json; charset=utf-8', true],
  ['Application/Problem+JSON', true],
  ['text/event-stream', false],
  ['application/x-ndjson', false],
  ['text/plain', false],
])('whether %s is JSON: %s', (contentType, expected) => {
  expect(answerOf(respond(200, { 'content-type': contentType })).isJson).toBe(expected);
});

test('a response without headers is not JSON', () => {
  const response = new Response('{}');
  Reflect.defineProperty(response, 'headers', { value: undefined });
  expect(answerOf(response).isJson).toBe(false);
});

describe('a failed status', () => {
  test('does not exist below 400', async () => {
    expect(await answerOf(respond(200)).statusError()).toBeNull();
  });

  test('is read with its body', async () => {
    const error = await answerOf(
      respondError(401, { type: 'authentication_error', message: 'No such key.' }),
    ).statusError();
    expect(error).toMatchObject({
      failure: { type: 'auth_invalid', status: 401, message: 'No such key.' },
      history: [],
    });
  });

  test('is not read again if the retries have read it', async () => {
    const response = await givenUp(respondError(503, { message: 'Busy' }));
    const error = await answerOf(response).statusError();
    expect(error).toMatchObject({ failure: { type: 'overloaded', message: 'Busy' }, history: { length: 1 } });
    expect(response.bodyUsed).toBe(false);
  });

  test('describes the failure without the key', async () => {
    const error = await answerOf(respondError(401, { message: `Incorrect key ${KEY} provided.` })).statusError();
    expect(error?.failure.message).toBe('Incorrect key [redacted] provided.');
    expect(JSON.stringify(error)).not.toContain(KEY);
  });

  test('is reported even if its body breaks or never ends', async () => {
    const time = new AbortController();
    vi.spyOn(AbortSignal, 'timeout').mockReturnValue(time.signal);
    const broken = new Response(piecewise(['{"err'], new Error('reset')).response().body, { status: 503 });
    expect(await answerOf(broken).statusError()).toMatchObject({ failure: { type: 'overloaded', status: 503 } });
    const hanging = new Response(piecewise(['Try later'], 'hang').response().body, { status: 503 });
    const reading = answerOf(hanging).statusError();
    await settle();
    time.abort();
    expect(await reading).toMatchObject({ failure: { type: 'overloaded', status: 503, message: 'Try later' } });
  });

  test('is replaced by an abort', async () => {
    const abort = new AbortController();
    const response = new Response(piecewise([], 'hang').response().body, { status: 503 });
    const reading = thrownBy(answerOf(response, abort.signal).statusError());
    abort.abort('enough');
    expect(await reading).toBe('enough');
  });

  test('is reported even if the body broke with a value that is not an error', async () => {
    const body = new ReadableStream({ pull: (controller) => controller.error('reset') });
    expect(await answerOf(new Response(body, { status: 503 })).statusError()).toMatchObject({
      failure: { status: 503 },
    });
  });
});

describe('a completion', () => {
  test('is read from the body by the provider', async () => {
    expect(await answerOf(jsonOf({ a: 1 })).completion(readAny)).toEqual({ a: 1 });
  });

  test('is missing if the body is an error inside a 200', async () => {
    const thrown = await thrownBy(
      answerOf(jsonOf({ error: { type: 'overloaded_error', message: 'Overloaded' } })).completion(readAny),
    );
    expect(thrown).toBeInstanceOf(LLMError);
    expect(thrown).toMatchObject({ failure: { type: 'overloaded', retryable: true, status: 200 }, isPartial: false });
  });

  test.each([
    ['no JSON', respond(200, { 'content-type': 'text/html' }, '<p>Welcome'), 'content-type text/html, 10 characters'],
    ['nothing', new Response(null), 'content-type unknown, 0 characters'],
  ])('is missing if the body is %s', async (_, response, what) => {
    const thrown = await thrownBy(answerOf(response).completion(readAny));
    expect(thrown).toMatchObject({
      failure: { type: 'unknown', retryable: false, message: `The answer holds no completion: ${what}` },
    });
  });

  test('is missing if the provider finds none', async () => {
    expect(await thrownBy(answerOf(jsonOf({})).completion(() => undefined))).toMatchObject({
      failure: { type: 'unknown' },
    });
  });

  test('is missing if the connection breaks', async () => {
    const broken = new TypeError(`terminated at ${KEY}`);
    const thrown = await thrownBy(
      answerOf(streamOf(piecewise(['{"a"'], broken).response().body ?? '')).completion(readAny),
    );
    expect(thrown).toMatchObject({
      failure: {
        type: 'stream_interrupted',
        retryable: true,
        message: 'The connection broke: terminated at [redacted]',
      },
      cause: broken,
    });
  });

  test('is replaced by an abort', async () => {
    const abort = new AbortController();
    const reading = thrownBy(answerOf(piecewise(['{'], 'hang').response(), abort.signal).completion(readAny));
    abort.abort('enough');
    expect(await reading).toBe('enough');
  });
});

describe('an error', () => {
  test('after output is never retryable', () => {
    const answer = answerOf(streamOf(''));
    const failure = answer.interruption('It broke');
    expect(answer.error(failure).failure.retryable).toBe(true);
    expect(answer.error(failure, true)).toMatchObject({ isPartial: true, failure: { retryable: false } });
    expect(answer.errorOfBreak('reset', true)).toMatchObject({
      failure: { message: 'The connection broke', retryable: false },
    });
  });

  test('before output is the failure that the retries reported for the response', async () => {
    const body = 'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n';
    const answer = answerOf(await givenUp(streamOf(body)));
    const { failure } = answer.error(answer.interruption('It broke'));
    expect(failure).toMatchObject({ type: 'overloaded', message: 'Overloaded' });
    expect(answer.error(answer.interruption('It broke'), true).failure.type).toBe('stream_interrupted');
  });
});
