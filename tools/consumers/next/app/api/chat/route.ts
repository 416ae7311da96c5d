import { createOpenAI } from '@ai-sdk/openai';
import {
  convertToModelMessages,
  createUIMessageStream,
  createUIMessageStreamResponse,
  streamText,
  type UIMessage,
} from 'ai';
import { createRetryFetch, createStreamWatch, describeFailure } from 'retry-transport';

/** The time limit of this route on its host, in seconds. */
export const maxDuration = 60;

// Once for the program. A wait that would end after 55 s is not begun, so that this route, and not its host, says what happened.
const fetch = createRetryFetch({ maxRetries: 6, maxElapsedMs: 55_000, streamWatch: createStreamWatch() });

/** What the browser gets for each wait. */
export type ChatMessage = UIMessage<never, { retry: { readonly headline: string; readonly nextAttemptAt: number } }>;

export async function POST(request: Request): Promise<Response> {
  const { messages }: { messages: ChatMessage[] } = await request.json();
  let problem = 'The answer failed';
  const onError = () => problem; // without it the browser reads "An error occurred."
  const stream = createUIMessageStream<ChatMessage>({
    onError,
    execute: async ({ writer }) => {
      const retrying = fetch.with({
        onEvent: (event) => {
          if (event.type === 'failed' || event.type === 'broken') problem = describeFailure(event.failure).headline;
          if (event.type !== 'retry') return;
          const data = { headline: describeFailure(event.failure).headline, nextAttemptAt: event.nextAttemptAt };
          writer.write({ type: 'data-retry', data, transient: true });
        },
      });
      const result = streamText({
        model: createOpenAI({ fetch: retrying }).chat('gpt-5'),
        messages: await convertToModelMessages(messages),
        maxRetries: 0, // two layers of retries would multiply
        abortSignal: request.signal, // the person has left, so the wait ends too
      });
      writer.merge(result.toUIMessageStream({ onError }));
    },
  });
  return createUIMessageStreamResponse({ stream });
}
