import { callsOver, type Trouble } from '../trouble.ts';

export default {
  name: 'Used-up quota',
  what: 'The quota of the key is used up, so that no request is answered any more. A good client asks once for each call.',
  source: 'OpenAI: insufficient_quota with 429; Anthropic: credit balance with 400; Gemini: a quota of 0 with 429.',
  endsWellWith: 'once',
  deadlineMs: 120_000,
  plan: (dice, count) => ({
    calls: callsOver(dice, count, 60_000),
    reply: () => ({ kind: 'refusal', reason: 'quota' }),
  }),
} satisfies Trouble;
