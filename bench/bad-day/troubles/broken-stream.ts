import { callsOver, type Trouble } from '../trouble.ts';

const HOWS = ['cut', 'stalls', 'ends'] as const;

export default {
  name: 'Stream breaks',
  what: 'The first stream of each call breaks after two pieces of its answer: it is reset, falls silent, or ends without its last events.',
  source: 'The most frequent complaint in the issues of LLM clients.',
  endsWellWith: 'told',
  deadlineMs: 400_000,
  plan(dice, count) {
    return {
      calls: callsOver(dice, count + 1, 60_000, ['stream']),
      reply: ({ call, nth }) =>
        nth > 1 ? { kind: 'answer' } : { kind: 'stream', how: HOWS[call % HOWS.length] ?? 'cut' },
    };
  },
} satisfies Trouble;
