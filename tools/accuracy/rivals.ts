/**
 * Executes the rules of others: each library gets the failure once and then a success, with one retry allowed. A second
 * call means that it treated the failure as retryable.
 */

import Anthropic from '@anthropic-ai/sdk';
import { AsyncCaller } from '@langchain/core/utils/async_caller';
import { generateText } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { APICallError } from '@ai-sdk/provider';
import OpenAI from 'openai';
import pRetry from 'p-retry';
import type { Case } from './sample.ts';

export interface Rival {
  readonly name: string;
  readonly isRetryable: (failure: Case) => Promise<boolean>;
}

const DONE = new Error('The second call, which ends the case');

/** Calls `use` with an operation that fails the first time; returns whether there was a second call. */
async function isCalledAgain(
  use: (fail: (failure: () => unknown) => never | Response) => Promise<unknown>,
): Promise<boolean> {
  let calls = 0;
  try {
    await use((failure) => {
      calls++;
      if (calls > 1) throw Object.assign(DONE, { name: 'AbortError' });
      const failed = failure();
      if (failed instanceof Response) return failed;
      throw failed;
    });
  } catch {
    // Every case ends here.
  }
  return calls > 1;
}

const responseOf = ({ status, headers, text }: Case): Response => {
  const type = text.startsWith('{') ? 'application/json' : 'text/plain';
  return new Response(text, { status, headers: { 'content-type': type, ...headers } });
};
/** The result of the fetch below an SDK: a response, or a thrown error. */
const atFetch = (failure: Case): Response | Error =>
  failure.status > 0 ? responseOf(failure) : new Error(failure.text);

/** The error that the client of OpenAI throws for a response. */
function thrownByOpenAi({ status, headers, text }: Case): Error {
  return status > 0 ? OpenAI.APIError.generate(status, parse(text), text, new Headers(headers)) : new Error(text);
}

function parse(text: string): object | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const RIVALS: readonly Rival[] = [
  {
    name: 'openai',
    isRetryable: (failure) =>
      isCalledAgain((fail) =>
        new OpenAI({
          apiKey: 'k',
          maxRetries: 1,
          fetch: async () => fail(() => atFetch(failure)),
        }).chat.completions.create({ model: 'm', messages: [] }),
      ),
  },
  {
    name: '@anthropic-ai/sdk',
    isRetryable: (failure) =>
      isCalledAgain((fail) =>
        new Anthropic({ apiKey: 'k', maxRetries: 1, fetch: async () => fail(() => atFetch(failure)) }).messages.create({
          model: 'm',
          max_tokens: 1,
          messages: [],
        }),
      ),
  },
  {
    name: 'ai',
    isRetryable: (failure) =>
      isCalledAgain((fail) =>
        generateText({
          model: new MockLanguageModelV3({
            doGenerate: async () =>
              fail(() =>
                failure.status > 0
                  ? new APICallError({
                      message: failure.text,
                      url: 'http://localhost',
                      requestBodyValues: {},
                      statusCode: failure.status,
                      responseBody: failure.text,
                    })
                  : new Error(failure.text),
              ) as never,
          }),
          prompt: 'p',
          maxRetries: 1,
        }),
      ),
  },
  {
    name: '@langchain/core',
    isRetryable: (failure) =>
      isCalledAgain((fail) => new AsyncCaller({ maxRetries: 1 }).call(async () => fail(() => thrownByOpenAi(failure)))),
  },
  {
    name: 'p-retry',
    isRetryable: (failure) =>
      isCalledAgain((fail) => pRetry(async () => fail(() => thrownByOpenAi(failure)), { retries: 1, minTimeout: 1 })),
  },
];
