import { callsOver, type Trouble } from '../trouble.ts';

export default {
  name: 'Gateway time-out',
  what: 'The model needs longer than the gateway before it waits: each request gets a 504 after 60 s, and is billed. A good client asks at most twice.',
  source: 'nginx and load balancers with a limit of 60 s before models that think.',
  endsWellWith: 'twice',
  deadlineMs: 400_000,
  plan: (dice, count) => ({
    calls: callsOver(dice, count, 60_000, ['json']),
    reply: () => ({ kind: 'page', status: 504, afterMs: 60_000 }),
  }),
} satisfies Trouble;
