import { callsOver, type Trouble } from '../trouble.ts';

export default {
  name: 'Prompt too long',
  what: 'Each prompt is longer than the model accepts. A good client asks once for each call.',
  source: 'context_length_exceeded (OpenAI), "prompt is too long" (Anthropic), INVALID_ARGUMENT (Gemini).',
  endsWellWith: 'once',
  deadlineMs: 120_000,
  plan: (dice, count) => ({
    calls: callsOver(dice, count, 60_000),
    reply: () => ({ kind: 'refusal', reason: 'too-long' }),
  }),
} satisfies Trouble;
