import { createRetryFetch, describeFailure, type Failure, outcomeOf, type RetryEvent } from 'retry-transport';

/** What the browser gets for each wait. */
export interface Waiting {
  readonly headline: string;
  /** Milliseconds since the epoch. */
  readonly nextAttemptAt: number;
}

/**
 * The answer of the model. After a wait, a stream: each wait as `event: waiting`, then the answer, or `event: failed`. A
 * failure without a wait keeps its status. A browser that leaves ends the call.
 */
export async function answerWithWaits(inner: typeof fetch, url: string, init: RequestInit): Promise<Response> {
  const leaving = new AbortController();
  const { signal } = leaving;
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  writer.closed.catch(() => leaving.abort());
  const send = (event: string, data: unknown): void =>
    void write(new TextEncoder().encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`));
  const write = (chunk: Uint8Array): Promise<void> => writer.write(chunk).catch(() => {});
  const waiting = new AbortController();
  const hasToWait = new Promise<undefined>((resolve) =>
    waiting.signal.addEventListener('abort', () => resolve(undefined)),
  );
  const onEvent = (event: RetryEvent): void => {
    if (event.type !== 'retry') return;
    send('waiting', { headline: headlineOf(event.failure), nextAttemptAt: event.nextAttemptAt } satisfies Waiting);
    waiting.abort();
  };
  const answer = createRetryFetch({ fetch: inner, onEvent })(url, { ...init, signal });
  const early = await Promise.race([answer, hasToWait]);
  if (early !== undefined) return early;
  const pass = async (): Promise<void> => {
    const response = await answer;
    const end = outcomeOf(response);
    if (!response.ok) return send('failed', { headline: end?.type === 'failed' ? headlineOf(end.failure) : '' });
    for await (const chunk of response.body ?? []) await write(chunk);
  };
  const finish = async (): Promise<void> => {
    await pass().catch(() => send('failed', { headline: 'The connection broke' }));
    await writer.close().catch(() => {});
  };
  void finish();
  return new Response(readable, { headers: { 'content-type': 'text/event-stream' } });
}

const headlineOf = (failure: Failure): string => describeFailure(failure).headline;
