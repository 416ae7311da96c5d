import { createRetryFetch, describeFailure } from 'retry-transport';

/** What the browser gets for each wait. */
export interface Waiting {
  readonly headline: string;
  /** Milliseconds since the epoch. */
  readonly nextAttemptAt: number;
}

/** A response that first sends each wait as `event: waiting`, and then the answer of the model, event by event. */
export function answerWithWaits(inner: typeof fetch, url: string, init: RequestInit): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      const send = (data: Waiting) =>
        controller.enqueue(encoder.encode(`event: waiting\ndata: ${JSON.stringify(data)}\n\n`));
      const retrying = createRetryFetch({
        fetch: inner,
        onEvent: (event) => {
          if (event.type !== 'retry') return;
          send({ headline: describeFailure(event.failure).headline, nextAttemptAt: event.nextAttemptAt });
        },
      });
      const answer = await retrying(url, init);
      for await (const chunk of answer.body ?? []) controller.enqueue(chunk);
      controller.close();
    },
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}
