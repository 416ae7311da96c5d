import { retryStream } from 'retry-transport';

interface ProviderEvent {
  readonly type: 'start' | 'text' | 'error' | 'finish';
  readonly text?: string;
}

/** Nothing is retried after the first text, so nothing is shown twice. */
export async function show(stream: (signal: AbortSignal) => AsyncIterable<ProviderEvent>): Promise<void> {
  const events = retryStream(({ signal }) => stream(signal), { isContent: ({ type }) => type === 'text' });
  for await (const { type, text } of events) console.log(type, text ?? '');
}
