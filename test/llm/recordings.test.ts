import { describe, expect, test } from 'vitest';
import { recordings, responseOf } from '../../mocks/index.ts';
import { type BaseLLM, createLLM, LLMError } from '../../src/llm/index.ts';
import { fakeRuntime, script } from '../script.ts';
import { ask, collect } from './answers.ts';

const cases = Object.entries(recordings).flatMap(([name, recording]) =>
  (['anthropic', 'openai'] as const).map((provider) => ({ name, provider, recording })),
);

/** The error of a stream, thrown or as its last event. */
async function errorOf(llm: BaseLLM): Promise<unknown> {
  try {
    const last = (await collect(llm.streamCompletion(ask))).at(-1);
    return last?.type === 'error' ? last.error : last;
  } catch (error) {
    return error;
  }
}

describe('a recorded failure is one error with its type, and is retried only if that can help', () => {
  test.each(cases)('$name, read by $provider', async ({ provider, recording }) => {
    const { type, alsoAcceptable = [], retryable } = recording.expected;
    const runtime = fakeRuntime();
    const fetch = script(runtime, () => responseOf(recording));
    const llm = createLLM(provider, { fetch, retry: { maxRetries: 1, maxRetryAfterMs: Infinity, runtime } });
    const error = await errorOf(llm);
    expect(error).toBeInstanceOf(LLMError);
    expect([type, ...alsoAcceptable]).toContain(error instanceof LLMError && error.failure.type);
    expect(fetch.calls).toHaveLength(retryable ? 2 : 1);
  });
});
