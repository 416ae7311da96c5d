import { callsOver, type Trouble } from '../trouble.ts';

export default {
  name: 'Connection resets',
  what: 'The connection of the first request of each call is reset, before or after the response headers. Every fourth call runs a tool, and the connection is reset after the tool has run. The good end of such a call is an error, without a second run of the tool. Clients that call no tools have only the other calls.',
  source: 'ECONNRESET and "terminated" in the issues of the SDKs; tools/call of the Model Context Protocol.',
  endsWellWith: 'answer',
  deadlineMs: 120_000,
  plan(dice, count) {
    return {
      calls: callsOver(dice, count, 60_000, ['json', 'stream', 'json', 'tool']),
      reply: ({ call, nth }) =>
        nth > 1
          ? { kind: 'answer' }
          : { kind: 'reset', at: (call >> 1) % 2 === 0 ? 'before-headers' : 'after-headers' },
    };
  },
} satisfies Trouble;
