import { callsOver, type Trouble } from '../trouble.ts';

export default {
  name: 'A minute of 429',
  what: 'For 60 s every request gets a 429 that does not say how long to wait.',
  source: 'Limits per minute of gateways and resellers that send no Retry-After.',
  endsWellWith: 'answer',
  deadlineMs: 180_000,
  plan(dice, count) {
    return {
      calls: callsOver(dice, count, 50_000),
      reply: ({ atMs }) => (atMs >= 60_000 ? { kind: 'answer' } : { kind: 'refusal', reason: 'rate-limit' }),
    };
  },
} satisfies Trouble;
