/**
 * The failures of each API: recorded answers where there are any. OpenAI's quota answer is written by hand, from its
 * documented fields.
 */

import type { Answer } from '../../mocks/recording.ts';
import { type RecordingName, recordings } from '../../mocks/recordings.ts';
import type { Step } from './api-server.ts';
import { type Api, eventsOf } from '../../bench/apis.ts';
import { REPLY } from './clients/client.ts';

export interface Situation {
  readonly title: string;
  readonly steps: Readonly<Record<Api, readonly [Step, ...Step[]]>>;
}

const recorded = (name: RecordingName): Answer => recordings[name].response;

const RATE_LIMITED = {
  chat: recorded('openai-429-tpm-fractional-seconds'),
  responses: recorded('openai-429-tpm-fractional-seconds'),
  messages: withHint(recorded('anthropic-429-account-limit'), '2'),
  gemini: recorded('gemini-429-retry-info-fractional'),
} satisfies Record<Api, Answer>;

const REFUSED_IN_STREAM = {
  chat: recorded('openai-stream-chat-server-error'),
  responses: recorded('openai-stream-responses-rate-limit'),
  messages: recorded('anthropic-stream-first-event-overloaded'),
  gemini: recorded('vertex-stream-first-chunk-429'),
} satisfies Record<Api, Answer>;

const OPENAI_QUOTA: Answer = {
  status: 429,
  statusText: 'Too Many Requests',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({
    error: {
      message: 'You exceeded your current quota, please check your plan and billing details.',
      type: 'insufficient_quota',
      param: null,
      code: 'insufficient_quota',
    },
  }),
};

const QUOTA_SPENT = {
  chat: OPENAI_QUOTA,
  responses: OPENAI_QUOTA,
  messages: recorded('anthropic-429-extra-usage-required'),
  gemini: recorded('gemini-429-quota-zero'),
} satisfies Record<Api, Answer>;

const OVERLOADED = {
  chat: recorded('openai-503-server-is-overloaded'),
  responses: recorded('openai-503-server-is-overloaded'),
  messages: recorded('anthropic-529-overloaded-details-null'),
  gemini: recorded('gemini-503-high-demand'),
} satisfies Record<Api, Answer>;

/** 30 days. */
const LONG_WAIT_MS = 2_592_000_000;

const stepsOf = (steps: (api: Api) => readonly [Step, ...Step[]]): Situation['steps'] => ({
  chat: steps('chat'),
  responses: steps('responses'),
  messages: steps('messages'),
  gemini: steps('gemini'),
});

/** The wait that each API asks for: in the text, in the text, in `Retry-After`, in `RetryInfo`. */
export const ASKED_MS: Readonly<Record<Api, number>> = {
  chat: 1_898,
  responses: 1_898,
  messages: 2_000,
  gemini: 34_400,
};

/** A rate limit that lasts as long as announced, then the answer. */
export const rateLimit: Situation = {
  title: 'A rate limit that lasts as long as it says',
  steps: stepsOf((api) => [{ answer: RATE_LIMITED[api], lastsMs: ASKED_MS[api] }, 'reply']),
};

/** A stream that fails before its first text, once. */
export const refusedStream: Situation = {
  title: 'A stream whose first event is an error, then a good one',
  steps: stepsOf((api) => [REFUSED_IN_STREAM[api], 'reply']),
};

/** A stream that ends before its first text, once. */
export const brokenStream: Situation = {
  title: 'A stream that ends before its first word, then a good one',
  steps: {
    chat: [streamOf(preamble('chat', 1)), 'reply'],
    responses: [streamOf(preamble('responses', 2)), 'reply'],
    messages: [streamOf(preamble('messages', 3)), 'reply'],
    gemini: [streamOf('data: {"usageMetadata":{"promptTokenCount":9},"modelVersion":"gemini-2.5-flash"}\n\n'), 'reply'],
  },
};

/** A failure that no wait can fix. */
export const spentQuota: Situation = {
  title: 'A used-up quota',
  steps: stepsOf((api) => [QUOTA_SPENT[api]]),
};

/** The same failure inside a stream, as its first event or after a preamble. */
export const spentQuotaInStream: Situation = {
  title: 'A used-up quota, said in the stream',
  steps: {
    chat: [streamOf(`data: ${OPENAI_QUOTA.body}\n\ndata: [DONE]\n\n`)],
    responses: [recorded('openai-stream-responses-insufficient-quota')],
    messages: [streamOf(`event: error\ndata: ${QUOTA_SPENT.messages.body}\n\n`)],
    gemini: [streamOf(`data: ${QUOTA_SPENT.gemini.body}\n\n`)],
  },
};

/** Every request fails. */
export const outage: Situation = {
  title: 'An outage',
  steps: stepsOf((api) => [OVERLOADED[api]]),
};

/** A hint that is too long to be obeyed. */
export const longWait: Situation = {
  title: 'A wait of 30 days',
  steps: stepsOf((api) => [withHint(RATE_LIMITED[api], String(LONG_WAIT_MS / 1000))]),
};

function preamble(api: Api, events: number): string {
  return eventsOf(api, REPLY).slice(0, events).join('');
}

function streamOf(body: string): Answer {
  return { status: 200, statusText: 'OK', headers: { 'content-type': 'text/event-stream' }, body };
}

function withHint(answer: Answer, retryAfter: string): Answer {
  return { ...answer, headers: { ...answer.headers, 'retry-after': retryAfter } };
}
