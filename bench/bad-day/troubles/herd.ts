import { callsOver, type Trouble } from '../trouble.ts';

export default {
  name: 'Herd after an outage',
  what: 'For 30 s every request is refused; then the server comes back with a tenth of the day in each second, and refuses what is more.',
  source: 'Providers that come back slowly while all clients repeat their calls.',
  endsWellWith: 'answer',
  deadlineMs: 120_000,
  plan(dice, count) {
    const bySecond = new Map<number, number>();
    return {
      calls: callsOver(dice, count, 25_000),
      reply: ({ atMs }) => {
        const second = Math.floor(atMs / 1_000);
        const before = bySecond.get(second) ?? 0;
        if (second < 30 || before >= count / 10) return { kind: 'refusal', reason: 'overloaded' };
        bySecond.set(second, before + 1);
        return { kind: 'answer' };
      },
    };
  },
} satisfies Trouble;
