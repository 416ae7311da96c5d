import { expectTypeOf, test } from 'vitest';
import {
  type OperationRetryConfig,
  type RetryController,
  type RetryEvent,
  RetrySession,
  retryStream,
  presets,
  type StreamRetryConfig,
  withRetry,
} from '../../src/index.ts';

test('an operation always has a signal', () => {
  const send = (signal: AbortSignal): Promise<number> => Promise.resolve(signal.aborted ? 1 : 2);
  expectTypeOf(withRetry(({ signal }) => send(signal))).toEqualTypeOf<Promise<number>>();
  expectTypeOf(withRetry(({ signal }) => fetch('x:', { signal }))).toEqualTypeOf<Promise<Response>>();
});

test('`classify` gets the error, and `errorIn` the type of the value, which it does not widen', () => {
  const config: OperationRetryConfig = {
    classify: (failure, { error }) => (failure.retryable || error instanceof RangeError ? 'retry' : undefined),
  };
  const value = withRetry(async () => ({ text: '' }), { ...config, errorIn: ({ text }) => text === '' && 'empty' });
  expectTypeOf(value).toEqualTypeOf<Promise<{ text: string }>>();
  // @ts-expect-error -- the value is a number
  void withRetry(() => 1, { errorIn: (text: string) => text === '' });
});

test('a turn and a step compile as a program writes them', () => {
  interface ProviderEvent {
    readonly type: 'text' | 'error' | 'usage';
    readonly retryable?: boolean;
    readonly message?: string;
  }
  const step = (
    stream: (signal: AbortSignal) => AsyncIterable<ProviderEvent>,
    strategy: {
      readonly delayFor: (retry: number) => number | undefined;
      readonly sleep: (ms: number) => Promise<void>;
    },
    signal: AbortSignal,
    emit: (event: RetryEvent) => void,
  ) =>
    retryStream((context) => stream(context.signal), {
      signal,
      backoff: strategy.delayFor,
      maxRetries: Infinity,
      runtime: { sleep: strategy.sleep },
      retryUnknownErrors: true,
      onEvent: emit,
      isContent: ({ type }) => type !== 'error',
    });
  expectTypeOf<ReturnType<typeof step>>().toExtend<AsyncGenerator<ProviderEvent>>();
  const turn = withRetry(({ progress }) => (progress(), 'x'), { ...presets.agent, errorIn: (text) => text === '' });
  expectTypeOf(turn).toEqualTypeOf<Promise<string>>();
});

test('a session is a controller, and a run has options of its own', () => {
  expectTypeOf<RetrySession>().toExtend<RetryController>();
  const session = new RetrySession({ ...presets.background, gateKey: 'reports' });
  expectTypeOf(session.run(() => 1, { errorIn: (value) => value === 0, maxRetries: undefined })).toEqualTypeOf<
    Promise<number>
  >();
});

test('a stream keeps the types of its values and of its end', () => {
  interface Value {
    readonly type: 'text' | 'end';
  }
  async function* make(): AsyncGenerator<Value, number> {
    yield { type: 'text' };
    return 1;
  }
  const config: StreamRetryConfig<Value> = { isContent: ({ type }) => type === 'text' };
  const stream = retryStream(make, config);
  expectTypeOf(stream).toEqualTypeOf<AsyncGenerator<Value, number | undefined>>();
  expectTypeOf(retryStream(async () => make())).toEqualTypeOf<typeof stream>();
});
