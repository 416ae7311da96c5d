/** The responses of the server, as the APIs write them. */

import type { Step } from './place.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const STREAM_TYPE = { 'content-type': 'text/event-stream' };

/** A rate limit that ends after `retryAfterMs`. */
export function rateLimit(retryAfterMs: number): Step {
  const error = { type: 'rate_limit_error', message: 'Too many requests.' };
  return {
    status: 429,
    headers: { ...JSON_TYPE, 'retry-after-ms': String(retryAfterMs) },
    body: [JSON.stringify({ type: 'error', error })],
  };
}

export const spentQuota: Step = {
  status: 429,
  headers: JSON_TYPE,
  body: [JSON.stringify({ error: { code: 'insufficient_quota', message: 'You exceeded your current quota.' } })],
};

export const answer: Step = { status: 200, headers: JSON_TYPE, body: ['{"answer":42}'] };

export const completion: Step = {
  status: 200,
  headers: JSON_TYPE,
  body: [JSON.stringify({ choices: [{ message: { role: 'assistant', content: '42' }, finish_reason: 'stop' }] })],
};

export const overloadedStream: Step = {
  status: 200,
  headers: STREAM_TYPE,
  body: [eventOf({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } })],
};

export const answerStream: Step = {
  status: 200,
  headers: STREAM_TYPE,
  body: [
    eventOf({ type: 'message_start', message: { id: 'msg_1', role: 'assistant', content: [] } }),
    eventOf({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    eventOf({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: '42' } }),
    eventOf({ type: 'message_stop' }),
  ],
};

export const hanging: Step = { status: 200, headers: JSON_TYPE, body: [], mishap: 'hang' };

/** It begins, and then stays open without any further data. */
export const endlessStream: Step = { ...answerStream, body: answerStream.body.slice(0, 3), mishap: 'hang' };

/** The connection is closed before any byte of a response. */
export const cutConnection: Step = { status: 200, headers: {}, body: [], mishap: 'cut' };

export const cutStream: Step = { ...answerStream, body: answerStream.body.slice(0, 1), mishap: 'cut' };

/** It breaks after its first words; in memory it ends there. */
export const cutAnswer: Step = { ...answerStream, body: answerStream.body.slice(0, 3), mishap: 'cut' };

/** It ends after its first words, in good order. */
export const shortAnswer: Step = { ...answerStream, body: cutAnswer.body };

function eventOf(data: { readonly type: string; readonly [field: string]: unknown }): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}
