import { describe, expect, test } from 'vitest';
import { type Failure, presets, RetryTransport } from '../../src/index.ts';
import { createLLM } from '../../src/llm/index.ts';
import { LLMError } from '../../src/llm/llm-error.ts';
import { completionRetryConfig, type LLMRetryConfig } from '../../src/llm/retry-config.ts';
import { fakeRuntime, respondError, scriptTransport, thrownBy, URL_OF_TEST } from '../script.ts';

const unknown: Failure = {
  type: 'unknown',
  retryable: false,
  category: 'non-retryable',
  message: 'Boom',
  phase: 'connect',
};

/** How often a request is sent that ends in this error for ever. */
async function sent(retry: LLMRetryConfig, thrown: unknown): Promise<number> {
  const inner = scriptTransport(() => {
    throw thrown;
  });
  const retrying = new RetryTransport(inner, completionRetryConfig({ ...retry, runtime: fakeRuntime() }));
  expect(await thrownBy(retrying.post(URL_OF_TEST, {}))).toBe(thrown);
  return inner.calls.length;
}

const named = (name: string): Error => Object.assign(new Error('Boom'), { name });
const withStatus = (status: number): Error => Object.assign(new Error('Boom'), { status });

describe('under the patient policy', () => {
  test.each<[string, unknown]>([
    ['an unknown error', new Error('The stream broke in an unknown way.')],
    ['one with an unknown cause', new Error('Request failed', { cause: new Error('gone') })],
    ['a network error', new TypeError('fetch failed')],
    ['what is no error', 'boom'],
    ['nothing', undefined],
    ['an error that says it may be retried', Object.assign(new Error('Boom'), { isRetryable: true })],
  ])('%s is retried', async (_, thrown) => {
    expect(await sent(presets.patient, thrown)).toBe(22);
  });

  test.each<[string, unknown]>([
    ['a TypeError', new TypeError('x is not a function')],
    ['a RangeError', new RangeError('Invalid array length')],
    ['a ReferenceError', new ReferenceError('x is not defined')],
    ['a SyntaxError', new SyntaxError('Unexpected token')],
    ['a URIError', new URIError('malformed')],
    ['a failed assertion', named('AssertionError')],
    ['a bug of another realm', named('TypeError')],
    ['a subclass of a bug', new (class MyError extends TypeError {})('Boom')],
    ['a bug inside another error', new Error('Request failed', { cause: new TypeError('x is not a function') })],
    ['a wrong key', new Error('invalid api key')],
    ['a certificate', new Error('The certificate has expired')],
    ['a quota', new Error('You exceeded your current quota')],
    ['an error that says no', Object.assign(new Error('Boom'), { isRetryable: false })],
    ['a failure that is not retried', new LLMError(unknown)],
    ['a status that is not retried', withStatus(418)],
    ['an abort', new DOMException('Enough.', 'AbortError')],
  ])('%s is not retried', async (_, thrown) => {
    expect(await sent(presets.patient, thrown)).toBe(1);
  });

  test('circular causes end', async () => {
    const circle = new Error('Boom');
    circle.cause = circle;
    expect(await sent(presets.patient, circle)).toBe(22);
  });

  test('classify of the caller decides', async () => {
    const failures: string[] = [];
    const classify = (failure: Failure): Failure | undefined => {
      failures.push(failure.type);
      return failures.length < 3 ? undefined : { ...failure, type: 'invalid_request', retryable: false };
    };
    expect(await sent({ ...presets.patient, classify }, new Error('Boom'))).toBe(3);
    expect(failures).toEqual(['unknown', 'unknown', 'unknown']);
  });

  test('a response is classified as usual', async () => {
    const inner = scriptTransport(respondError(418, { message: 'I am a teapot.' }));
    const retrying = new RetryTransport(inner, completionRetryConfig({ ...presets.patient, runtime: fakeRuntime() }));
    expect((await retrying.post(URL_OF_TEST, {})).status).toBe(418);
    expect(inner.calls).toHaveLength(1);
  });
});

test.each<[string, LLMRetryConfig]>([
  ['the defaults', {}],
  ['the agent’s', presets.agent],
  ['the background’s', presets.background],
])('under %s an unknown error is permanent', async (_, retry) => {
  expect(await sent(retry, new Error('Boom'))).toBe(1);
});

test('`retryUnknownErrors` decides, whatever the schedule is', async () => {
  const unknownError = new Error('Boom');
  expect(await sent(presets.patient, unknownError)).toBe(22);
  expect(await sent({ ...presets.agent, retryUnknownErrors: true }, unknownError)).toBe(4);
  expect(await sent({ ...presets.patient, retryUnknownErrors: false }, unknownError)).toBe(1);
});

test('`retryUnknownErrors` has to be true or false', () => {
  const retry = { retryUnknownErrors: 'never' as unknown as boolean };
  expect(() => createLLM('openai', { retry })).toThrow(
    'Expected `retryUnknownErrors` to be true or false, got "never".',
  );
});

test('errors inside JSON are found by default', () => {
  expect(completionRetryConfig({ maxRetries: 2 })).toMatchObject({ maxRetries: 2, answers: { holdJson: true } });
  expect(completionRetryConfig({ answers: { holdJson: false } })).toMatchObject({ answers: { holdJson: false } });
  expect(completionRetryConfig({ answers: false })).toMatchObject({ answers: false });
});

test('a stream that goes silent ends by default, and the clocks of the caller are kept', () => {
  const usual = { idleTimeoutMs: 180_000, outputTimeoutMs: 300_000 };
  expect(completionRetryConfig({})).toMatchObject({ answers: usual });
  const answers = { idleTimeoutMs: 5, checkEnd: true };
  expect(completionRetryConfig({ answers })).toMatchObject({ answers: { ...usual, ...answers } });
});
