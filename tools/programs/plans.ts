/**
 * The failure plans, as data: the failure, the number of requests or the time that it lasts, and the time that the plan
 * takes. After the failure every request is answered.
 */

export type Failure =
  /** 429 with the remaining seconds of the plan, or without a hint. */
  | { readonly kind: 'rate-limit'; readonly hintIn: 'retry-after' | 'reset-headers' | 'nothing' }
  /** 529 or 503, with the API's own text and no hint. */
  | { readonly kind: 'overloaded' }
  /** 429 that no wait can fix. */
  | { readonly kind: 'quota' }
  /** A 502 of a load balancer, in HTML. */
  | { readonly kind: 'bad-gateway-page' }
  /** 200, then an error as the first event. */
  | { readonly kind: 'error-event' }
  /** 200, then the events before content, then a regular end. */
  | { readonly kind: 'empty-stream' }
  | { readonly kind: 'reset-after-head' }
  | { readonly kind: 'reset-after-content' }
  /** A regular end during an answer, without the API's own last event. */
  | { readonly kind: 'end-after-content' }
  /** The first words of an answer, then nothing more, on an open connection. */
  | { readonly kind: 'stalled-content' }
  /** A JSON document without its second half, and a reset. */
  | { readonly kind: 'broken-json' }
  /** The same without a length. */
  | { readonly kind: 'broken-chunks' }
  /** A JSON document without its second half, on an open connection. */
  | { readonly kind: 'stalled-json' }
  /** 200, then the events before content, then nothing more, on an open connection. */
  | { readonly kind: 'stalled-preamble' }
  /** White space once a second, then the whole JSON document. No failure, but it looks like one. */
  | { readonly kind: 'white-space'; readonly ms: number }
  /** The connection is reset in place of an answer. */
  | { readonly kind: 'reset' }
  /** No answer, on an open connection. */
  | { readonly kind: 'hang' };

export type PlanName =
  | 'calm'
  | 'hint-2'
  | 'hint-12'
  | 'hint-45'
  | 'hint-90'
  | 'hint-330'
  | 'reset-headers-12'
  | 'overloaded-3'
  | 'error-event'
  | 'empty-stream'
  | 'reset-head'
  | 'reset-content'
  | 'cut-content'
  | 'broken-json'
  | 'broken-chunks'
  | 'page-502'
  | 'quota'
  | 'white-space'
  | 'stalled-json'
  | 'stalled-preamble'
  | 'stalled-content'
  | 'limit-60'
  | 'hang'
  | 'down-5'
  | 'down-40'
  | 'down-120';

export interface Plan {
  readonly name: PlanName;
  /** One sentence for the reader of the table. */
  readonly story: string;
  readonly failure?: Failure;
  /** `requests`: that many of each conversation; `ms`: since the first request of the program. */
  readonly lasts: { readonly requests: number } | { readonly ms: number } | 'always';
  /** The requests that the failure can hit. */
  readonly hits: 'any' | 'streamed' | 'whole';
  /** How long a patient program takes; a cell is ended some time after this. */
  readonly costMs: number;
}

const once = { requests: 1 } as const;

/** In the order of their cost. */
export const plans: readonly Plan[] = [
  { name: 'calm', story: 'Nothing fails.', lasts: { requests: 0 }, hits: 'any', costMs: 5_000 },
  hint(2),
  {
    name: 'error-event',
    story: "The first event of the first stream is an error: `overloaded_error`, or the API's word for it.",
    failure: { kind: 'error-event' },
    lasts: once,
    hits: 'streamed',
    costMs: 10_000,
  },
  {
    name: 'empty-stream',
    story: 'The first stream ends before its first content.',
    failure: { kind: 'empty-stream' },
    lasts: once,
    hits: 'streamed',
    costMs: 10_000,
  },
  {
    name: 'reset-head',
    story: 'The first answer is reset after its headers.',
    failure: { kind: 'reset-after-head' },
    lasts: once,
    hits: 'any',
    costMs: 10_000,
  },
  {
    name: 'reset-content',
    story: 'The first stream is reset after its first words.',
    failure: { kind: 'reset-after-content' },
    lasts: once,
    hits: 'streamed',
    costMs: 10_000,
  },
  {
    name: 'cut-content',
    story: 'The first stream ends without an error after its first words, but its last event is missing.',
    failure: { kind: 'end-after-content' },
    lasts: once,
    hits: 'streamed',
    costMs: 10_000,
  },
  {
    name: 'broken-json',
    story: 'The first JSON body is reset in its middle.',
    failure: { kind: 'broken-json' },
    lasts: once,
    hits: 'whole',
    costMs: 10_000,
  },
  {
    name: 'broken-chunks',
    story: 'The first JSON body, which has no length, is reset in its middle.',
    failure: { kind: 'broken-chunks' },
    lasts: once,
    hits: 'whole',
    costMs: 10_000,
  },
  {
    name: 'page-502',
    story: "The first two answers are a load balancer's 502, in HTML.",
    failure: { kind: 'bad-gateway-page' },
    lasts: { requests: 2 },
    hits: 'any',
    costMs: 15_000,
  },
  {
    name: 'overloaded-3',
    story: 'The first three answers are 529 or 503 `overloaded_error`.',
    failure: { kind: 'overloaded' },
    lasts: { requests: 3 },
    hits: 'any',
    costMs: 20_000,
  },
  {
    name: 'quota',
    story: 'Each answer is a 429 for a quota that no wait clears.',
    failure: { kind: 'quota' },
    lasts: 'always',
    hits: 'any',
    costMs: 50_000,
  },
  down(5),
  hint(12),
  {
    name: 'reset-headers-12',
    story:
      'For 12 s each answer is a 429. Its reset headers have the time (`RetryInfo` for Gemini), without a `Retry-After`.',
    failure: { kind: 'rate-limit', hintIn: 'reset-headers' },
    lasts: { ms: 12_000 },
    hits: 'any',
    costMs: 20_000,
  },
  down(40),
  {
    name: 'white-space',
    story:
      'The first JSON body begins with white space, once a second for 40 s; then it comes whole. Nothing has failed.',
    failure: { kind: 'white-space', ms: 40_000 },
    lasts: once,
    hits: 'whole',
    costMs: 60_000,
  },
  hint(45),
  {
    name: 'limit-60',
    story: 'For 60 s each answer is a 429, without a hint.',
    failure: { kind: 'rate-limit', hintIn: 'nothing' },
    lasts: { ms: 60_000 },
    hits: 'any',
    // A schedule may have just missed the end, and then waits as long again.
    costMs: 150_000,
  },
  {
    name: 'stalled-json',
    story: 'The first JSON body stops in its middle; its connection stays open.',
    failure: { kind: 'stalled-json' },
    lasts: once,
    hits: 'whole',
    // Some programs have a time limit of a minute.
    costMs: 75_000,
  },
  {
    name: 'stalled-preamble',
    story: 'The first stream stops before its first content; its connection stays open.',
    failure: { kind: 'stalled-preamble' },
    lasts: once,
    hits: 'streamed',
    // The watch tells it after three minutes.
    costMs: 200_000,
  },
  hint(90),
  {
    name: 'hang',
    story: 'The first request is never answered.',
    failure: { kind: 'hang' },
    lasts: once,
    hits: 'any',
    costMs: 60_000,
  },
  down(120),
  {
    name: 'stalled-content',
    story: 'The first stream stops after its first words; its connection stays open.',
    failure: { kind: 'stalled-content' },
    lasts: once,
    hits: 'streamed',
    // The watch tells it after three minutes.
    costMs: 200_000,
  },
  hint(330),
];

function hint(seconds: 2 | 12 | 45 | 90 | 330): Plan {
  return {
    name: `hint-${seconds}`,
    story: `For ${seconds} s each answer is a 429. Its \`Retry-After\` has the seconds that are left.`,
    failure: { kind: 'rate-limit', hintIn: 'retry-after' },
    lasts: { ms: seconds * 1000 },
    hits: 'any',
    // A hint may be padded by up to a fifth.
    costMs: seconds * 1200 + 5_000,
  };
}

function down(seconds: 5 | 40 | 120): Plan {
  return {
    name: `down-${seconds}`,
    story: `Each connection is reset for ${seconds} s.`,
    failure: { kind: 'reset' },
    lasts: { ms: seconds * 1000 },
    hits: 'any',
    costMs: seconds * 1500 + 10_000,
  };
}

/** Throws if no plan has this name. */
export function planOf(name: string): Plan {
  const plan = plans.find((candidate) => candidate.name === name);
  if (plan === undefined) throw new Error(`No plan ${name}; there are ${plans.map((each) => each.name).join(', ')}.`);
  return plan;
}
