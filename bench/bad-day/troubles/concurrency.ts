import { callsOver, type Trouble } from '../trouble.ts';

export default {
  name: 'Four at a time',
  what: 'The server answers four requests at a time (for each 20 calls of the day), and refuses all others without a hint; a program makes its calls within 10 s.',
  source: 'Limits on concurrent requests: Z.ai, Moonshot, Ollama, vLLM behind a gateway.',
  endsWellWith: 'answer',
  deadlineMs: 120_000,
  plan(dice, count) {
    const open: number[] = [];
    return {
      calls: callsOver(dice, count, 10_000),
      reply: ({ atMs, kind }) => {
        const running = open.filter((endsAtMs) => endsAtMs > atMs);
        if (running.length >= count / 5) return { kind: 'refusal', reason: 'rate-limit' };
        open.splice(0, open.length, ...running, atMs + (kind === 'json' ? 5_500 : 6_150));
        return { kind: 'answer', afterMs: 4_000 };
      },
    };
  },
} satisfies Trouble;
