import { callsOver, type Trouble } from '../trouble.ts';

export default {
  name: 'Slow first byte',
  what: 'Nothing fails: the model thinks for two minutes before its first byte. A client that loses its patience fails, or pays twice.',
  source: 'Models that think, without a stream, or behind a gateway that sends no pings.',
  endsWellWith: 'answer',
  deadlineMs: 200_000,
  plan: (dice, count) => ({
    calls: callsOver(dice, count, 60_000),
    reply: () => ({ kind: 'answer', afterMs: 120_000 }),
  }),
} satisfies Trouble;
