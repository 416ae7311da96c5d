import { callsOver, type Trouble } from '../trouble.ts';

export default {
  name: 'Connection refused',
  what: 'For 20 s nothing listens at the port of the server.',
  source: 'ECONNREFUSED while a local engine or a gateway starts again.',
  endsWellWith: 'answer',
  deadlineMs: 120_000,
  plan: (dice, count) => ({
    calls: callsOver(dice, count, 15_000),
    isClosedForMs: 20_000,
    reply: () => ({ kind: 'answer' }),
  }),
} satisfies Trouble;
