/**
 * Compares the arguments of the inner fetch: on each attempt they must equal those of a bare call. The inner fetch
 * records its arguments and answers 503 until the last attempt.
 */

import type { Observation, Subject } from './observations.ts';

const classOf = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? Object.getPrototypeOf(value)?.constructor?.name : typeof value;

class Options {
  readonly #agent = 'agent';
  readonly method = 'POST';
  readonly headers = new Headers({ 'x-a': '1' });
  readonly body = 'x';
  get agent(): string {
    return this.#agent;
  }
}

const ARGUMENTS: Readonly<Record<string, (subject: Subject) => readonly unknown[]>> = {
  'a string': () => ['http://h/'],
  'a URL': () => [new URL('http://h/')],
  'a Request': ({ Request }) => [new Request('http://h/', { method: 'POST', body: 'x' })],
  'an init that is undefined': () => ['http://h/', undefined],
  Headers: ({ Headers }) => ['http://h/', { headers: new Headers({ 'x-a': '1' }) }],
  'a record and unknown members': () => [
    'http://h/',
    { headers: { 'X-A': '1' }, dispatcher: {}, next: { revalidate: 1 }, cf: {} },
  ],
  pairs: () => ['http://h/', { headers: [['X-A', '1']] }],
  'a Uint16Array': () => ['http://h/', { method: 'POST', body: new Uint16Array([1, 2]) }],
  'a DataView': () => ['http://h/', { method: 'POST', body: new DataView(new ArrayBuffer(2)) }],
  'an ArrayBuffer': () => ['http://h/', { method: 'POST', body: new ArrayBuffer(2) }],
  'a form': ({ FormData }) => ['http://h/', { method: 'POST', body: new FormData() }],
  'an instance of a class': () => ['http://h/', new Options()],
  'a signal': () => ['http://h/', { signal: new AbortController().signal }],
};

function describe(args: readonly unknown[]): unknown {
  const [input, init] = args;
  const members = typeof init === 'object' && init !== null ? init : {};
  const named = ['method', 'headers', 'body', 'signal', 'dispatcher', 'next', 'cf', 'agent'].map((name) => [
    name,
    classOf(Reflect.get(members, name)),
  ]);
  return [args.length, classOf(input), classOf(init), named];
}

/** Each observation returns the arguments of three attempts, or of a bare call three times. */
export const SHAPES: Readonly<Record<string, Observation>> = Object.fromEntries(
  Object.entries(ARGUMENTS).map(([title, make]): [string, Observation] => [
    `what the inner fetch gets: ${title}`,
    async (subject) => {
      const seen: unknown[] = [];
      const wasCalledAtOnce: boolean[] = [];
      let isInCall = false;
      const inner = async (...args: readonly unknown[]): Promise<Response> => {
        seen.push(describe(args));
        wasCalledAtOnce.push(isInCall);
        return new Response(null, { status: seen.length % 3 === 0 ? 200 : 503 });
      };
      const fetch = subject.wrap(inner);
      const args = make(subject);
      for (let call = 0; call < 3 && seen.length < 3; call += 1) {
        isInCall = true;
        const answer = Reflect.apply(fetch, undefined, args);
        isInCall = false;
        await answer;
      }
      return { seen, firstWasCalledAtOnce: wasCalledAtOnce[0] };
    },
  ]),
);
