import { callsOver, type Trouble } from '../trouble.ts';

export default {
  name: 'JSON body breaks',
  what: 'The first JSON answer of each call breaks off or stalls in its middle.',
  source: 'Gateways that send 200 before the model has finished; ECONNRESET while a body is read.',
  endsWellWith: 'answer',
  deadlineMs: 400_000,
  plan(dice, count) {
    return {
      calls: callsOver(dice, count, 60_000, ['json']),
      reply: ({ call, nth }) =>
        nth > 1 ? { kind: 'answer' } : { kind: 'body', how: call % 2 === 0 ? 'breaks' : 'stalls' },
    };
  },
} satisfies Trouble;
