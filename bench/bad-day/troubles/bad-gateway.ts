import { callsOver, failuresPerCall, type Trouble } from '../trouble.ts';

export default {
  name: '502 pages',
  what: 'One or two requests of each call get the 502 page of a gateway.',
  source: 'The page that nginx sends when the server behind it is down.',
  endsWellWith: 'answer',
  deadlineMs: 120_000,
  plan(dice, count) {
    const failures = failuresPerCall(dice, count, 1, 2);
    return {
      calls: callsOver(dice, count, 60_000),
      reply: ({ call, nth }) => (nth > failures(call) ? { kind: 'answer' } : { kind: 'page' }),
    };
  },
} satisfies Trouble;
