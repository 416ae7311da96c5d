import { callsOver, draw, failuresPerCall, type Trouble } from '../trouble.ts';

const CALLS = 20;

export default {
  name: 'Overload',
  what: 'One to three requests of each call are refused because the model is overloaded; half of the refusals say how long to wait, 2 to 20 s.',
  source: 'Anthropic: 529 overloaded_error; OpenAI: 503; Gemini: 503 UNAVAILABLE, from their pages on errors.',
  endsWellWith: 'answer',
  deadlineMs: 120_000,
  plan(dice) {
    const failures = failuresPerCall(dice, CALLS, 1, 3);
    const hints = Array.from({ length: CALLS }, () => draw(dice, 2, 20) * 1_000);
    return {
      calls: callsOver(dice, CALLS, 60_000),
      reply: ({ call, nth }) => {
        if (nth > failures(call)) return { kind: 'answer' };
        const hintMs = hints[call];
        return { kind: 'refusal', reason: 'overloaded', ...(call % 4 < 2 && hintMs !== undefined && { hintMs }) };
      },
    };
  },
} satisfies Trouble;
