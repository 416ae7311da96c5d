import { createOpenAI } from '@ai-sdk/openai';
import {
  convertToModelMessages,
  createUIMessageStream,
  createUIMessageStreamResponse,
  isStepCount,
  streamText,
  tool,
  toUIMessageStream,
  type UIMessage,
} from 'ai';
import { createRetryFetch, describeFailure } from 'retry-transport';
import { z } from 'zod';

/** The time limit of this route on its host, in seconds. */
export const maxDuration = 60;

// Five seconds less than the host allows, so that this route, and not its host, says what happened.
const LIMIT_MS = 55_000;

// Once for the program.
const fetch = createRetryFetch({
  maxRetries: 6,
  answers: { idleTimeoutMs: 180_000, outputTimeoutMs: 300_000 },
});

/** What the browser gets when a wait begins; `null` when it has ended. */
export type ChatMessage = UIMessage<
  never,
  { retry: { readonly headline: string; readonly nextAttemptAt: number } | null }
>;

const weather = tool({
  description: 'The weather of a city',
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => `It rains in ${city}.`,
});

export async function POST(request: Request): Promise<Response> {
  const startedAt = Date.now();
  const { messages }: { messages: ChatMessage[] } = await request.json();
  let problem = 'The answer failed';
  const onError = () => problem; // without it the browser reads "An error occurred."
  const stream = createUIMessageStream<ChatMessage>({
    onError,
    execute: async ({ writer }) => {
      const retrying: typeof globalThis.fetch = (input, init) =>
        fetch.with({
          // What is left of the route's time: each result of a tool is sent in a call of its own.
          maxElapsedMs: Math.max(1, startedAt + LIMIT_MS - Date.now()),
          onEvent: (event) => {
            if (event.type === 'failed' || event.type === 'broken') problem = describeFailure(event.failure).headline;
            if (event.type === 'attempt') writer.write({ type: 'data-retry', data: null, transient: true });
            if (event.type !== 'retry') return;
            const data = { headline: describeFailure(event.failure).headline, nextAttemptAt: event.nextAttemptAt };
            writer.write({ type: 'data-retry', data, transient: true });
          },
        })(input, init);
      const result = streamText({
        model: createOpenAI({ fetch: retrying }).chat('gpt-5'),
        messages: await convertToModelMessages(messages),
        tools: { weather },
        stopWhen: isStepCount(5),
        maxRetries: 0, // two layers of retries would multiply
        abortSignal: request.signal, // the person has left, so the wait ends too
      });
      writer.merge(toUIMessageStream({ stream: result.stream, onError }));
    },
  });
  return createUIMessageStreamResponse({ stream });
}
