import { callsOver, type Trouble } from '../trouble.ts';

export default {
  name: 'Outage of 45 s',
  what: 'For 45 s every request fails: overloads, 502 pages and resets in turn.',
  source: 'Status pages: incidents of about a minute.',
  endsWellWith: 'answer',
  deadlineMs: 180_000,
  plan(dice, count) {
    return {
      calls: callsOver(dice, count, 40_000),
      reply: ({ atMs, call, nth }) => {
        if (atMs >= 45_000) return { kind: 'answer' };
        const turn = (call + nth) % 3;
        if (turn === 0) return { kind: 'refusal', reason: 'overloaded' };
        return turn === 1 ? { kind: 'page' } : { kind: 'reset', at: 'before-headers' };
      },
    };
  },
} satisfies Trouble;
