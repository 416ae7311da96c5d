import { retryStream } from 'retry-transport';
import { type ProviderRetryEvent, providerRetryEvents } from 'retry-transport/events';

export type ProviderEvent =
  | { readonly type: 'text' | 'reasoning' | 'tool-call' | 'usage' | 'finish' }
  | { readonly type: 'error'; readonly message: string; readonly code?: string; readonly retryable?: boolean };
export interface Step {
  readonly stream: (signal: AbortSignal) => AsyncIterable<ProviderEvent>;
  readonly emit: (event: ProviderEvent | ProviderRetryEvent) => void;
  readonly signal: AbortSignal;
  readonly turn: { readonly conversationId: string; readonly turnId: string };
  /** The wait before a retry, from 0; undefined: no further retry. */
  readonly delayFor: (retry: number) => number | undefined;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** One step of a turn. A retry is announced before its wait; after the first content nothing is repeated. */
export async function executeStep({ stream, emit, signal, turn, delayFor, sleep }: Step): Promise<Ending> {
  const events = retryStream((context) => stream(context.signal), {
    signal,
    backoff: delayFor,
    maxRetries: Infinity,
    // An emitted error says itself whether it is retried. What is thrown is, unless it is a bug or permanent.
    retryUnknownErrors: true,
    runtime: { sleep },
    onEvent: providerRetryEvents(turn, emit),
  });
  let ending: Ending = 'stop';
  try {
    for await (const event of events) {
      if (event.type === 'error') ending = 'error';
      emit(event);
    }
    return ending;
  } catch (error) {
    if (!signal.aborted) emit({ type: 'error', message: error instanceof Error ? error.message : String(error) });
    return signal.aborted ? 'aborted' : 'error';
  }
}
type Ending = 'stop' | 'error' | 'aborted';
