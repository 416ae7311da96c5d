import { setupServer } from 'msw/node';
import {
  createRetryFetch,
  presets,
  type RetryConfig,
  RetryController,
  type RetryEvent,
  withRetry,
} from 'retry-transport';
import { RETRY_CHANNEL } from 'retry-transport/diagnostics';
import { createLLM } from 'retry-transport/llm';
import { completions, type RecordingName, recordings, replay } from 'retry-transport/mocks';
import { instrument } from 'retry-transport/otel';
import { redisStore } from 'retry-transport/redis';
import { createErrorReport } from 'retry-transport/report';
import { retryHint } from 'retry-transport/retry-after';
import { createUndiciFetch } from 'retry-transport/undici';

const events: RetryEvent[] = [];
const config: RetryConfig = {
  ...presets.agent,
  controller: new RetryController(),
  onEvent: (event) => events.push(event),
};
export const fetches: readonly (typeof fetch)[] = [
  createRetryFetch({ fetch: createUndiciFetch(), ...config }),
  instrument({ fetch, ...config }),
];
const name: RecordingName = 'openai-503-server-is-overloaded';
export const server = setupServer(replay('https://api.example.test/', name, completions.openai('Hello')));
export const hint: number | undefined = retryHint({ headers: new Headers() })?.ms;
export const status: number = recordings[name].response.status;
export const answer: Promise<string> = withRetry(async ({ signal }) =>
  (await fetch('https://a.test', { signal: signal ?? null })).text(),
);
export { createLLM, createErrorReport, redisStore, RETRY_CHANNEL };
