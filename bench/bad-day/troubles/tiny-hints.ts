import { callsOver, type Trouble } from '../trouble.ts';

export default {
  name: 'Tiny hints',
  what: 'For 12 s every request gets a 429 that asks to wait 28 ms, as after each request a little is free again.',
  source: 'OpenAI: "Please try again in 28ms", while the limit of tokens per minute is exceeded.',
  endsWellWith: 'answer',
  deadlineMs: 120_000,
  plan(dice, count) {
    return {
      calls: callsOver(dice, count, 10_000),
      reply: ({ atMs }) =>
        atMs >= 12_000 ? { kind: 'answer' } : { kind: 'refusal', reason: 'rate-limit', hintMs: 28 },
    };
  },
} satisfies Trouble;
