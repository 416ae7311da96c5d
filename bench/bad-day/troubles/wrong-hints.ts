import { callsOver, type Trouble } from '../trouble.ts';

export default {
  name: 'Wrong hints',
  what: 'For 30 s every request gets a 429 that asks to wait 2 s.',
  source: 'Gateways that send a fixed Retry-After.',
  endsWellWith: 'answer',
  deadlineMs: 120_000,
  plan(dice, count) {
    return {
      calls: callsOver(dice, count, 25_000),
      reply: ({ atMs }) =>
        atMs >= 30_000 ? { kind: 'answer' } : { kind: 'refusal', reason: 'rate-limit', hintMs: 2_000 },
    };
  },
} satisfies Trouble;
