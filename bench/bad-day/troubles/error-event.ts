import { callsOver, failuresPerCall, type Trouble } from '../trouble.ts';

export default {
  name: 'Overload inside a 200',
  what: 'The first one or two attempts of each call get a stream with status 200 whose first event is an overload.',
  source: 'Anthropic: "errors after a 200 response"; OpenAI: response.failed.',
  endsWellWith: 'answer',
  deadlineMs: 120_000,
  plan(dice, count) {
    const failures = failuresPerCall(dice, count, 1, 2);
    return {
      calls: callsOver(dice, count, 60_000, ['stream']),
      reply: ({ call, nth }) => (nth > failures(call) ? { kind: 'answer' } : { kind: 'error-event' }),
    };
  },
} satisfies Trouble;
