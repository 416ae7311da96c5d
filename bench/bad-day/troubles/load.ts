import { exponentialTime } from '../../dice.ts';
import { limitHeaders } from '../protocol.ts';
import type { Trouble } from '../trouble.ts';

/** One request a second, and ten in reserve. */
const PER_MS = 1 / 1_000;
const BURST = 10;

export default {
  name: 'Rate limit under load',
  what: 'The limit is one request a second, with a burst of ten, and a program makes 90 calls in a minute. Headers announce the limit, and refusals say how long to wait.',
  source: 'The headers and buckets that OpenAI and Anthropic document; arrivals are drawn at random.',
  endsWellWith: 'answer',
  deadlineMs: 180_000,
  plan(dice) {
    const calls: { atMs: number; kind: 'json' | 'stream' }[] = [];
    for (let atMs = 0; calls.length < 90; atMs += exponentialTime(667, dice))
      calls.push({ atMs: Math.round(atMs), kind: calls.length % 2 === 0 ? 'json' : 'stream' });
    let tokens = BURST;
    let lastMs = 0;
    return {
      calls,
      reply: ({ atMs, api }) => {
        tokens = Math.min(BURST, tokens + (atMs - lastMs) * PER_MS);
        lastMs = atMs;
        const isLetThrough = tokens >= 1;
        if (isLetThrough) tokens -= 1;
        const headers = limitHeaders(api, BURST, Math.floor(tokens), (BURST - tokens) / PER_MS, Date.now());
        return isLetThrough
          ? { kind: 'answer', headers }
          : {
              kind: 'refusal',
              reason: 'rate-limit',
              hintMs: Math.max(1_000, Math.ceil((1 - tokens) / PER_MS)),
              headers,
            };
      },
    };
  },
} satisfies Trouble;
