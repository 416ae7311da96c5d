import { describe, expect, test } from 'vitest';
import {
  createGate,
  type OperationContext,
  outcomeOf,
  RetryController,
  retryStream,
  type StreamRetryConfig,
} from '../src/index.ts';
import { fakeRuntime, heldRuntime, observedOperation, settle, thrownBy } from './script.ts';
import { failOnUnhandled } from './unhandled.ts';

failOnUnhandled();

type Event = { readonly type: string; readonly [name: string]: unknown };

const start = { type: 'start' };
const text = { type: 'text', delta: 'hi' };
const finish = { type: 'finish' };
const overloaded = { type: 'error', message: 'overloaded_error', retryable: true };
const down = (): Error => Object.assign(new Error('overloaded_error'), { status: 529 });
const isContent = ({ type }: Event): boolean => type === 'text';

/** Streams of these values, one for each attempt; an Error is thrown. The last repeats. */
function streams(...attempts: readonly (readonly (Event | Error)[])[]) {
  const log: string[] = [];
  const contexts: OperationContext[] = [];
  async function* make(context: OperationContext): AsyncGenerator<Event, string, unknown> {
    const number = contexts.push(context);
    try {
      for (const value of attempts[Math.min(number, attempts.length) - 1] ?? []) {
        if (value instanceof Error) throw value;
        yield value;
      }
      return `end ${number}`;
    } finally {
      log.push(`closed ${number}`);
    }
  }
  return { make, contexts, log };
}

/** What a consumer sees, and how it ends. */
async function consume(stream: AsyncIterable<Event>): Promise<unknown[]> {
  const seen: unknown[] = [];
  try {
    for await (const value of stream) seen.push(value.type);
  } catch (error) {
    seen.push(error);
  }
  return seen;
}

const config = (more: StreamRetryConfig<Event> = {}) => ({
  ...observedOperation({ runtime: fakeRuntime(), jitter: 'none' }),
  isContent,
  ...more,
});
const typesOf = ({ events }: { readonly events: readonly { readonly type: string }[] }) =>
  events.map(({ type }) => type);

describe('before content', () => {
  test('a thrown error and a reported one are retried, and the values before them are dropped', async () => {
    const { make, contexts, log } = streams([start, down()], [start, overloaded, finish], [start, text, finish]);
    const watched = config();
    expect(await consume(retryStream(make, watched))).toEqual(['start', 'text', 'finish']);
    expect(contexts.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(typesOf(watched)).toEqual(['retry', 'retry', 'recovered']);
    expect(log).toEqual(['closed 1', 'closed 2', 'closed 3']);
  });

  test('`recovered` comes before the first content', async () => {
    const order: string[] = [];
    const onEvent = ({ type }: { readonly type: string }): void => void order.push(type);
    const stream = retryStream(streams([down()], [text, finish]).make, { runtime: fakeRuntime(), onEvent });
    for await (const { type } of stream) order.push(type);
    expect(order).toEqual(['retry', 'attempt', 'recovered', 'text', 'finish']);
  });

  test('the last attempt passes as it came: a thrown error is thrown, after what came before it', async () => {
    const error = down();
    const seen = await consume(retryStream(streams([start, error]).make, config({ maxRetries: 1 })));
    expect(seen).toEqual(['start', error]);
    expect(outcomeOf(error)?.history).toHaveLength(2);
  });

  test('and a reported error is a value, with the rest of its stream', async () => {
    const { make } = streams([start, overloaded, finish]);
    const watched = config({ maxRetries: 1 });
    expect(await consume(retryStream(make, watched))).toEqual(['start', 'error', 'finish']);
    expect(typesOf(watched)).toEqual(['retry', 'failed']);
  });

  test('a reported error that is permanent is a value at once', async () => {
    const { make, contexts } = streams([{ ...overloaded, retryable: false }, finish]);
    expect(await consume(retryStream(make, config()))).toEqual(['error', 'finish']);
    expect(contexts).toHaveLength(1);
  });

  test.each([
    ['that does not say so', { type: 'error', message: 'overloaded_error' }, 1],
    ['whose error does not say so', { type: 'error', error: { status: 529 } }, 1],
    ['that says so, whatever its words', { type: 'error', message: 'HTTP 400: invalid', retryable: true }, 2],
    ['whose error says so', { type: 'error', error: { message: 'later', isRetryable: true } }, 2],
  ])('a reported error %s: how often it is asked', async (_what, event, calls) => {
    const { make, contexts } = streams([event], [text]);
    await consume(retryStream(make, config()));
    expect(contexts).toHaveLength(calls);
  });

  test('`classify` gets both kinds of error, `errorIn` finds those of another shape', async () => {
    const told: unknown[] = [];
    const failed = { type: 'response.failed', response: { error: { message: 'boom' } } };
    const thrown = new Error('bang');
    const { make } = streams([failed], [thrown], [{ type: 'text', delta: '' }], [text]);
    const stream = retryStream<Event>(make, {
      ...config(),
      errorIn: (value) => (value['delta'] === '' ? 'an empty answer' : value['response']),
      classify: (_failure, { error }) => (told.push(error), 'retry'),
    });
    expect(await consume(stream)).toEqual(['text']);
    expect(told).toEqual([failed.response, thrown, new Error('an empty answer')]);
  });

  test('a stream that ends without content is a success', async () => {
    const { make, contexts } = streams([start, finish]);
    expect(await consume(retryStream(make, config()))).toEqual(['start', 'finish']);
    expect(contexts).toHaveLength(1);
  });

  test.each(['isContent', 'errorIn'] as const)('what `%s` throws ends the stream, which is closed', async (name) => {
    const { make, contexts, log } = streams([start, text]);
    const bug = new Error('bug');
    const throws = (): never => {
      throw bug;
    };
    const watched = config({ [name]: throws, retryUnknownErrors: true });
    expect(await consume(retryStream(make, watched))).toEqual(['start', bug]);
    expect([contexts.length, log, typesOf(watched)]).toEqual([1, ['closed 1'], ['failed']]);
  });

  test('`make` may be asynchronous and may throw', async () => {
    let calls = 0;
    const make = async (): Promise<AsyncIterable<Event>> => {
      calls += 1;
      if (calls === 1) throw down();
      return streams([text]).make({} as OperationContext);
    };
    expect(await consume(retryStream(make, config()))).toEqual(['text']);
    const sync = (): never => {
      throw new TypeError('a bug');
    };
    expect(await consume(retryStream(sync, config()))).toEqual([new TypeError('a bug')]);
  });

  test('an attempt without content in time is aborted and retried; content ends the limit', async () => {
    let calls = 0;
    const signals: AbortSignal[] = [];
    async function* make({ signal }: OperationContext): AsyncGenerator<Event> {
      calls += 1;
      signals.push(signal);
      if (calls === 1) await new Promise(() => {});
      yield text;
      await new Promise((resolve) => setTimeout(resolve, 40));
      yield finish;
    }
    expect(await consume(retryStream(make, config({ attemptTimeoutMs: 15 })))).toEqual(['text', 'finish']);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  });
});

describe('after content', () => {
  test('a thrown error passes, and nothing is repeated', async () => {
    const { make, contexts } = streams([start, text, down()]);
    const watched = config();
    expect(await consume(retryStream(make, watched))).toEqual(['start', 'text', expect.any(Error)]);
    expect(contexts).toHaveLength(1);
    expect(watched.events).toEqual([]);
  });

  test('a reported error passes too', async () => {
    const { make, contexts } = streams([text, overloaded, finish]);
    expect(await consume(retryStream(make, config()))).toEqual(['text', 'error', 'finish']);
    expect(contexts).toHaveLength(1);
  });

  test('without `isContent` every value is content', async () => {
    const { make, contexts } = streams([start, down()]);
    expect(await consume(retryStream(make, { runtime: fakeRuntime() }))).toEqual(['start', expect.any(Error)]);
    expect(contexts).toHaveLength(1);
  });

  test('the returned value of the stream is kept', async () => {
    const stream = retryStream(streams([text]).make, config());
    async function* outer(): AsyncGenerator<Event> {
      expect(yield* stream).toBe('end 1');
    }
    expect(await consume(outer())).toEqual(['text']);
  });
});

describe('an abort', () => {
  test('ends a wait at once, with its reason', async () => {
    const runtime = heldRuntime();
    const caller = new AbortController();
    const { make, contexts, log } = streams([start, down()]);
    const watched = config({ runtime, signal: caller.signal });
    const waiting = runtime.untilWaiting();
    const seen = consume(retryStream(make, watched));
    await waiting;
    caller.abort('enough');
    expect(await seen).toEqual(['enough']);
    expect([contexts.length, log, typesOf(watched)]).toEqual([1, ['closed 1'], ['retry', 'cancelled']]);
  });

  test('after content closes the stream, also one that ignores its signal', async () => {
    const caller = new AbortController();
    let closed = 0;
    const hanging = {
      [Symbol.asyncIterator]: () => {
        let calls = 0;
        return {
          next: () =>
            (calls += 1) === 1 ? Promise.resolve({ done: false as const, value: text }) : new Promise<never>(() => {}),
          return: async () => ((closed += 1), { done: true as const, value: undefined }),
        };
      },
    };
    const seen = consume(retryStream<Event>(() => hanging, config({ signal: caller.signal })));
    await settle();
    caller.abort('enough');
    expect(await seen).toEqual(['text', 'enough']);
    expect(closed).toBe(1);
  });

  test('leaves no listener behind', async () => {
    const { getEventListeners } = await import('node:events');
    const { signal } = new AbortController();
    await consume(retryStream(streams([down()], [text, finish]).make, config({ signal, attemptTimeoutMs: 5_000 })));
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});

describe('a consumer that leaves', () => {
  test('closes the stream, and waits until it is closed', async () => {
    const { make, log } = streams([text, finish]);
    for await (const _ of retryStream(make, config())) break;
    expect(log).toEqual(['closed 1']);
  });

  test('during a wait ends it at once', async () => {
    const runtime = heldRuntime();
    const watched = config({ runtime });
    const { make, contexts } = streams([down()]);
    const stream = retryStream(make, watched);
    const waiting = runtime.untilWaiting();
    const pending = stream.next();
    await waiting;
    expect(await stream.return('left')).toEqual({ done: true, value: 'left' });
    expect(await pending).toEqual({ done: true, value: undefined });
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    await settle();
    expect([contexts.length, typesOf(watched)]).toEqual([1, ['retry', 'cancelled']]);
  });

  test('during an attempt aborts its signal', async () => {
    let signal: AbortSignal | undefined;
    async function* make(context: OperationContext): AsyncGenerator<Event> {
      signal = context.signal;
      await new Promise(() => {});
      yield text;
    }
    const stream = retryStream(make, config());
    const pending = stream.next();
    await settle();
    await stream.return(undefined);
    expect(await pending).toEqual({ done: true, value: undefined });
    expect(signal?.aborted).toBe(true);
  });

  test('before the first value sends nothing', async () => {
    const { make, contexts } = streams([text]);
    const stream = retryStream(make, config());
    await stream.return(undefined);
    expect([await stream.next(), contexts.length]).toEqual([{ done: true, value: undefined }, 0]);
  });

  test('with an error rejects with it', async () => {
    const { make, log } = streams([text, finish]);
    const stream = retryStream(make, config());
    await stream.next();
    expect(await thrownBy(stream.throw('mine'))).toBe('mine');
    expect(log).toEqual(['closed 1']);
  });
});

test('giving up ends a wait: the last attempt passes, with the rest of its stream', async () => {
  const runtime = heldRuntime();
  const controller = new RetryController();
  const waiting = runtime.untilWaiting();
  const seen = consume(retryStream(streams([start, overloaded, finish]).make, config({ runtime, controller })));
  await waiting;
  controller.giveUp();
  expect(await seen).toEqual(['start', 'error', 'finish']);
});

test('calls of `next` that overlap are answered in order', async () => {
  const stream = retryStream(streams([down()], [start, text, finish]).make, config());
  const steps = await Promise.all([stream.next(), stream.next(), stream.next(), stream.next()]);
  expect(steps.map(({ value }) => (typeof value === 'object' ? value.type : value))).toEqual([
    'start',
    'text',
    'finish',
    'end 2',
  ]);
});

test.each([
  [{ isContent: 1 }, 'Expected `isContent` to be a function, got 1.'],
  [{ isContents: () => true }, 'Unknown option `isContents`. Did you mean `isContent`?'],
  [{ abortSignal: null }, 'Unknown option `abortSignal`. Use `signal`.'],
])('with the options %j it is refused at once', (options: object, message) => {
  expect(() => retryStream(streams().make, options)).toThrow(new TypeError(message));
});

test('what is no function is refused at once', () => {
  // @ts-expect-error -- callers in JavaScript
  expect(() => retryStream('make')).toThrow('Expected `make` to be a function');
});

test('`progress()` before the content makes every attempt a first one', async () => {
  let calls = 0;
  async function* make({ progress }: OperationContext): AsyncGenerator<Event> {
    calls += 1;
    progress();
    if (calls < 4) throw down();
    yield text;
  }
  const watched = config({ maxRetries: 1 });
  expect(await consume(retryStream(make, watched))).toEqual(['text']);
  expect(typesOf(watched)).toEqual(['retry', 'recovered', 'retry', 'recovered', 'retry', 'recovered']);
});

/** A source that counts what is called, and never ends. */
function counted(...values: readonly Event[]) {
  const calls = { next: 0, return: 0 };
  const source: AsyncIterable<Event> = {
    [Symbol.asyncIterator]: () => ({
      next: () => {
        const value = values[calls.next];
        calls.next += 1;
        return value === undefined ? new Promise(() => {}) : Promise.resolve({ done: false, value });
      },
      return: () => {
        calls.return += 1;
        return Promise.resolve({ done: true, value: undefined });
      },
    }),
  };
  return { make: () => source, calls };
}

describe('the source', () => {
  test('is read one value at a time, for one `next()` each', async () => {
    const { make, calls } = counted(start, text, finish, finish);
    const stream = retryStream(make, config());
    expect(calls.next).toBe(0);
    await stream.next();
    await settle();
    // Up to the first content.
    expect(calls.next).toBe(2);
    await stream.next();
    await settle();
    expect(calls.next).toBe(2);
    await Promise.all([stream.next(), stream.next()]);
    await settle();
    expect(calls.next).toBe(4);
    await stream.return(undefined);
  });

  test.each<[string, (stream: AsyncGenerator<Event>, caller: AbortController) => Promise<unknown> | void]>([
    ['the consumer leaves, twice', async (stream) => (await stream.return(undefined), stream.return(undefined))],
    ['the consumer leaves during a `next()`', (stream) => (void stream.next(), stream.return(undefined))],
    [
      'the caller aborts, and the consumer leaves',
      async (stream, caller) => (caller.abort(), await settle(), stream.return(undefined)),
    ],
    [
      'the caller aborts during a `next()`',
      async (stream, caller) => {
        const pending = thrownBy(stream.next());
        await settle();
        caller.abort();
        return pending;
      },
    ],
  ])('is closed once if %s', async (_when, act) => {
    const caller = new AbortController();
    const { make, calls } = counted(text);
    const stream = retryStream(make, config({ signal: caller.signal }));
    await stream.next();
    await act(stream, caller);
    await settle();
    expect(calls.return).toBe(1);
  });

  test('is closed once if it comes after the abort', async () => {
    const caller = new AbortController();
    const late = counted(text);
    const coming = Promise.withResolvers<AsyncIterable<Event>>();
    const seen = consume(retryStream(() => coming.promise, config({ signal: caller.signal })));
    await settle();
    caller.abort('enough');
    expect(await seen).toEqual(['enough']);
    coming.resolve(late.make());
    await settle();
    expect(late.calls).toEqual({ next: 0, return: 1 });
  });

  test('is closed once if it says nothing before its time limit, and what it had said comes before the error', async () => {
    const { make, calls } = counted(start);
    const seen = await consume(retryStream(make, config({ attemptTimeoutMs: 15, maxRetries: 0 })));
    expect(seen).toEqual(['start', expect.objectContaining({ name: 'TimeoutError' })]);
    expect(calls.return).toBe(1);
  });

  test.each([
    [[], 'an error of its own'],
    [['text'], 'an error of its own'],
    [[], 'its end'],
    [['text'], 'its end'],
  ])('that answers an abort after %j with %s: then comes the reason', async (before, answer) => {
    const caller = new AbortController();
    async function* make({ signal }: OperationContext): AsyncGenerator<Event> {
      if (before.length > 0) yield text;
      await new Promise<void>((resolve, reject) =>
        signal.addEventListener('abort', () => (answer === 'its end' ? resolve() : reject(new Error('my own')))),
      );
    }
    const seen = consume(retryStream(make, config({ signal: caller.signal })));
    await settle();
    caller.abort('enough');
    expect(await seen).toEqual([...before, 'enough']);
  });

  test('that fails to close tells the consumer that leaves', async () => {
    const { make } = counted(text);
    const broken = { ...make()[Symbol.asyncIterator](), return: () => Promise.reject(new Error('not closed')) };
    const stream = retryStream(() => ({ [Symbol.asyncIterator]: () => broken }), config());
    await stream.next();
    expect(await thrownBy(stream.return(undefined))).toEqual(new Error('not closed'));
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });

  test('of a retried attempt is closed before the wait', async () => {
    const runtime = heldRuntime();
    const { make, log } = streams([start, overloaded, finish], [text]);
    const seen = consume(retryStream(make, config({ runtime })));
    await settle();
    expect([runtime.waits.length, log]).toEqual([1, ['closed 1']]);
    runtime.waits[0]?.end();
    expect(await seen).toEqual(['text']);
  });
});

test('an abort before the first `next()` calls nothing', async () => {
  const { make, contexts } = streams([text]);
  const watched = config({ signal: AbortSignal.abort('no') });
  const stream = retryStream(make, watched);
  expect(await thrownBy(stream.next())).toBe('no');
  expect([await stream.next(), contexts.length]).toEqual([{ done: true, value: undefined }, 0]);
});

test('an abort in the moment of the first content closes the stream', async () => {
  for (const turns of [0, 1, 2, 3, 4, 5, 6, 8, 10]) {
    const caller = new AbortController();
    const { make, calls } = counted(text);
    const abortsSoon = (): true => {
      void (async () => {
        for (let turn = 0; turn < turns; turn += 1) await Promise.resolve();
        caller.abort('enough');
      })();
      return true;
    };
    const seen = await consume(retryStream(make, { signal: caller.signal, isContent: abortsSoon }));
    await settle();
    expect([seen.at(-1), calls.return]).toEqual(['enough', 1]);
  }
});

test('an abort after content drops what was held', async () => {
  const caller = new AbortController();
  const { make } = counted(start, text);
  const stream = retryStream(make, config({ signal: caller.signal }));
  await stream.next();
  caller.abort('enough');
  expect(await thrownBy(stream.next())).toBe('enough');
});

describe('a gate', () => {
  const gated = () => config({ gate: createGate({ limits: { concurrent: 1 } }), runtime: undefined, baseDelayMs: 0 });

  test.each<[string, Event | Error, (stream: AsyncGenerator<Event>, caller: AbortController) => unknown]>([
    ['has ended', finish, async (stream) => expect(await consume(stream)).toEqual(['finish'])],
    ['is left', finish, (stream) => stream.return(undefined)],
    ['fails', down(), (stream) => thrownBy(stream.next())],
    ['is aborted', finish, (_stream, caller) => caller.abort()],
  ])('counts a stream until it %s', async (_end, last, act) => {
    const options = gated();
    const caller = new AbortController();
    const first = retryStream(streams([text, last]).make, { ...options, signal: caller.signal });
    await first.next();
    const other = streams([text]);
    const second = consume(retryStream(other.make, options));
    await settle();
    expect(other.contexts).toHaveLength(0);
    await act(first, caller);
    expect(await second).toEqual(['text']);
  });

  test('does not count the stream of an attempt that has failed, nor one without content', async () => {
    const options = gated();
    expect(await consume(retryStream(streams([overloaded], [start, finish]).make, options))).toEqual([
      'start',
      'finish',
    ]);
    expect(await consume(retryStream(streams([text]).make, options))).toEqual(['text']);
  });

  test('takes back the slot of a stream from which nothing is read for a minute', async () => {
    const options = gated();
    const runtime = fakeRuntime();
    const first = retryStream(streams([text, finish]).make, { ...options, runtime });
    await first.next();
    runtime.time += 61_000;
    const second = consume(retryStream(streams([text]).make, { ...options, runtime }));
    expect(await second).toEqual(['text']);
    expect(await consume(first)).toEqual(['finish']);
  });
});
