import { callsOver, draw, type Reply, type Trouble } from '../trouble.ts';

export default {
  name: 'Mixed day',
  what: 'In ten minutes, a third of the calls meet one of the other troubles, drawn at random. One outage of 5 to 20 s hits all calls.',
  source: 'Drawn from a seed; how often each failure occurs is our choice.',
  endsWellWith: 'answer',
  deadlineMs: 180_000,
  plan(dice, count) {
    const outageAtMs = draw(dice, 60, 500) * 1_000;
    const outageMs = draw(dice, 5, 20) * 1_000;
    const troubles = Array.from({ length: 2 * count }, () => ({
      isHit: dice() < 1 / 3,
      which: dice(),
      times: draw(dice, 1, 2),
      hintMs: draw(dice, 2, 15) * 1_000,
    }));
    return {
      calls: callsOver(dice, 2 * count, 600_000),
      reply: ({ call, nth, atMs, kind }) => {
        if (atMs >= outageAtMs && atMs < outageAtMs + outageMs) return { kind: 'refusal', reason: 'overloaded' };
        const trouble = troubles[call];
        if (trouble === undefined || !trouble.isHit || nth > trouble.times) return { kind: 'answer' };
        const inBody: Reply = kind === 'stream' ? { kind: 'error-event' } : { kind: 'body', how: 'breaks' };
        const replies: readonly Reply[] = [
          { kind: 'refusal', reason: 'overloaded' },
          { kind: 'refusal', reason: 'rate-limit', hintMs: trouble.hintMs },
          { kind: 'refusal', reason: 'server-error' },
          { kind: 'page' },
          { kind: 'reset', at: 'before-headers' },
          { kind: 'reset', at: 'after-headers' },
          inBody,
        ];
        return replies[Math.floor(trouble.which * replies.length)] ?? { kind: 'answer' };
      },
    };
  },
} satisfies Trouble;
