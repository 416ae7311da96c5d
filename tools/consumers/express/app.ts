import express from 'express';
import OpenAI from 'openai';
import { createRetryFetch, describeFailure, outcomeOf, type RetryEvent } from 'retry-transport';

// Once for the whole program. A wait that would end after 25 s is not begun: a person waits for this server.
const fetch = createRetryFetch({
  maxRetries: 6,
  maxElapsedMs: 25_000,
  answers: { idleTimeoutMs: 180_000, outputTimeoutMs: 300_000 },
});
const openai = new OpenAI({ fetch, maxRetries: 0 });

export const app = express();
app.use(express.json());

/** The whole answer; or a 503 whose `Retry-After` says when it is worth asking again. What no wait can help is a 502. */
app.post('/answer', async (request, response) => {
  const abort = new AbortController();
  response.on('close', () => abort.abort()); // the person has left, so the wait ends too
  try {
    const completion = await openai.chat.completions.create(
      { model: 'gpt-5', messages: [{ role: 'user', content: request.body.question }] },
      { signal: abort.signal },
    );
    response.json({ answer: completion.choices[0]?.message.content });
  } catch (error) {
    const end = outcomeOf(error);
    if (end?.type === 'cancelled' || abort.signal.aborted) return;
    if (end?.type !== 'failed') throw error;
    const { failure, possibleAt } = end;
    if (possibleAt !== undefined) response.set('Retry-After', `${Math.ceil((possibleAt - Date.now()) / 1_000)}`);
    response.status(failure.retryable ? 503 : 502).json({ error: describeFailure(failure).headline });
  }
});

/** Server-sent events: each wait as it begins, then the answer, piece by piece. */
app.post('/chat', async (request, response) => {
  const abort = new AbortController();
  response.on('close', () => abort.abort()); // the person has left, so the wait ends too
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const send = (event: string, data: unknown) => response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
  const onEvent = (event: RetryEvent): void => {
    if (event.type !== 'retry') return;
    send('waiting', { headline: describeFailure(event.failure).headline, nextAttemptAt: event.nextAttemptAt });
  };
  try {
    const stream = await openai
      .withOptions({ fetch: fetch.with({ onEvent }) })
      .chat.completions.create(
        { model: 'gpt-5', stream: true, messages: [{ role: 'user', content: request.body.question }] },
        { signal: abort.signal },
      );
    for await (const chunk of stream) send('text', chunk.choices[0]?.delta.content ?? '');
  } catch (error) {
    send('failed', { message: error instanceof Error ? error.message : String(error) });
  }
  response.end();
});
