import { describe, expect, test } from 'vitest';
import { retryConfigFromEnv } from '../../src/options/config-from-env.ts';
import { presets } from '../../src/options/presets.ts';
import { createRetryFetch } from '../../src/index.ts';
import { resolveConfig } from '../../src/options/policy.ts';
import { fakeRuntime, respond, script, thrownBy, URL_OF_TEST } from '../script.ts';

const ALL = {
  APP_MAX_RETRY_ATTEMPTS: '4',
  APP_MAX_RETRY_DELAY_MS: '5000',
  APP_MAX_PROVIDER_RETRY_AFTER_MS: '20000',
  APP_RETRY_IRREVERSIBLE: 'TRUE',
};

describe('the environment', () => {
  test('sets the attempts, the longest wait, the longest hint and the permission to repeat', () => {
    expect(retryConfigFromEnv(ALL, 'APP_')).toEqual({
      maxRetries: 3,
      maxDelayMs: 5_000,
      maxRetryAfterMs: 20_000,
      retryIrreversible: true,
    });
  });

  test.each([
    ['nothing', {}],
    ['nothing that is meant', { MAX_RETRY_ATTEMPTS: '', MAX_RETRY_DELAY_MS: ' ', RETRY_IRREVERSIBLE: undefined }],
    ['another prefix', ALL],
    ['no', { RETRY_IRREVERSIBLE: 'false' }],
  ])('with %s changes nothing', (_title, env) => {
    expect(retryConfigFromEnv(env)).toEqual({});
  });

  test('sets no cap with 0', () => {
    const env = { MAX_RETRY_ATTEMPTS: '0', MAX_RETRY_DELAY_MS: '0', MAX_PROVIDER_RETRY_AFTER_MS: '0' };
    const noCap = { maxDelayMs: Number.POSITIVE_INFINITY, maxRetryAfterMs: Number.POSITIVE_INFINITY };
    expect(retryConfigFromEnv(env)).toEqual(noCap);
    expect(resolveConfig('createRetryFetch', { ...presets.taxonomy, ...retryConfigFromEnv(env) })).toMatchObject(noCap);
  });

  test('sets one attempt with 1', () => {
    expect(retryConfigFromEnv({ MAX_RETRY_ATTEMPTS: '1' })).toEqual({ maxRetries: 0 });
  });

  test('has to be given', () => {
    const message = 'Expected `env` to be an object such as process.env, got undefined.';
    // @ts-expect-error -- callers in JavaScript
    expect(() => retryConfigFromEnv()).toThrow(new TypeError(message));
  });

  test('lists every invalid variable, and uses none of them', () => {
    const read = () =>
      retryConfigFromEnv(
        {
          X_MAX_RETRY_ATTEMPTS: '-1',
          X_MAX_RETRY_DELAY_MS: '1e3',
          X_MAX_PROVIDER_RETRY_AFTER_MS: '10s',
          X_RETRY_IRREVERSIBLE: 'yes',
        },
        'X_',
      );
    expect(read).toThrow(
      new TypeError(
        'Expected X_MAX_RETRY_ATTEMPTS to be a whole number ≥ 0 (0 = no cap), got "-1". ' +
          'Expected X_MAX_RETRY_DELAY_MS to be a whole number ≥ 0 (0 = no cap), got "1e3". ' +
          'Expected X_MAX_PROVIDER_RETRY_AFTER_MS to be a whole number ≥ 0 (0 = no cap), got "10s". ' +
          'Expected X_RETRY_IRREVERSIBLE to be true or false, got "yes".',
      ),
    );
  });
});

describe('over the strategies of each type', () => {
  const run = async (env: Record<string, string>, status: number, headers: Record<string, string> = {}) => {
    const runtime = fakeRuntime(() => 0.999_999);
    const inner = script(runtime, respond(status, headers));
    await createRetryFetch({ fetch: inner, ...presets.taxonomy, ...retryConfigFromEnv(env), runtime })(URL_OF_TEST);
    return { attempts: inner.calls.length, longestMs: Math.max(0, ...runtime.slept) };
  };

  test('the environment caps the attempts and the waits of all', async () => {
    expect((await run({ MAX_RETRY_ATTEMPTS: '2' }, 529)).attempts).toBe(2);
    expect((await run({ MAX_RETRY_ATTEMPTS: '9' }, 529)).attempts).toBe(5);
    expect((await run({ MAX_RETRY_DELAY_MS: '700' }, 529)).longestMs).toBeLessThanOrEqual(700);
    expect((await run({ MAX_RETRY_DELAY_MS: '0' }, 529)).longestMs).toBeGreaterThan(30_000);
  });

  test('it sets how long a hint may be', async () => {
    expect((await run({}, 429, { 'retry-after': '12' })).attempts).toBe(1);
    expect(await run({ MAX_PROVIDER_RETRY_AFTER_MS: '12000' }, 429, { 'retry-after': '12' })).toEqual({
      attempts: 5,
      longestMs: 13_200,
    });
  });

  test('it lets an operation with any label be repeated, in any order of the spread options', async () => {
    const env = retryConfigFromEnv({ RETRY_IRREVERSIBLE: 'true' });
    for (const config of [
      { operation: 'shell_exec', ...env },
      { ...env, operation: 'shell_exec' },
    ]) {
      const inner = script(fakeRuntime(), 529, 200);
      const response = await createRetryFetch({ fetch: inner, ...config, runtime: fakeRuntime() })(URL_OF_TEST);
      expect(response.status).toBe(200);
    }
    const refused = await createRetryFetch({ fetch: script(fakeRuntime(), 529, 200), operation: 'shell_exec' })(
      URL_OF_TEST,
    );
    expect(refused.status).toBe(529);
  });

  test('it keeps the rollback before a repetition', async () => {
    const rolled: string[] = [];
    const env = retryConfigFromEnv({ RETRY_IRREVERSIBLE: 'true' });
    const rollback = async (): Promise<void> => void rolled.push('back');
    const config = { ...env, operation: { is: 'file_write', rollback: rollback }, runtime: fakeRuntime() };
    await createRetryFetch({ fetch: script(fakeRuntime(), 529, 529, 200), ...config })(URL_OF_TEST);
    expect(rolled).toEqual(['back', 'back']);
    // And one that throws still ends the call.
    const failing = {
      ...config,
      operation: { is: 'file_write', rollback: () => Promise.reject(new Error('no way back')) },
    };
    const error = await thrownBy(createRetryFetch({ fetch: script(fakeRuntime(), 529), ...failing })(URL_OF_TEST));
    expect(error).toEqual(new Error('no way back'));
  });
});
