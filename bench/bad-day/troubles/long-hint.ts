import { callsOver, type Trouble } from '../trouble.ts';

export default {
  name: 'Hint of 5 min',
  what: 'The first request of each call is asked to wait five minutes, and the next one after that is answered.',
  source: 'Limits of tokens per hour of resellers; Anthropic sends waits of minutes.',
  endsWellWith: 'answer',
  deadlineMs: 400_000,
  plan(dice, count) {
    const freeAtMs = new Map<number, number>();
    return {
      calls: callsOver(dice, count, 60_000),
      reply: ({ call, atMs }) => {
        const hintMs = (freeAtMs.get(call) ?? atMs + 300_000) - atMs;
        freeAtMs.set(call, atMs + hintMs);
        return hintMs <= 0 ? { kind: 'answer' } : { kind: 'refusal', reason: 'rate-limit', hintMs };
      },
    };
  },
} satisfies Trouble;
