import { createRetryFetch } from 'retry-transport';

const fetch = createRetryFetch({
  answers: { checkEnd: true, idleTimeoutMs: 180_000, outputTimeoutMs: 300_000 },
});
const url = 'https://api.openai.com/v1/responses';
const headers = { authorization: 'Bearer your-key', 'content-type': 'application/json' };

/** The text of a whole answer. If the stream breaks, reads on where it broke. */
async function* readAnswer(input: string): AsyncGenerator<string> {
  const body = JSON.stringify({ model: 'gpt-5', input, stream: true, background: true, store: true });
  let response = await fetch(url, { method: 'POST', headers, body });
  let id: string | undefined;
  for (;;) {
    try {
      for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) yield text;
      return;
    } catch (error) {
      const { responseId, sequenceNumber } = positionIn(error);
      // Only the first event has the id.
      id ??= responseId;
      if (id === undefined || sequenceNumber === undefined) throw error;
      // With the openai SDK: client.responses.retrieve(id, { stream: true, starting_after: sequenceNumber }).
      response = await fetch(`${url}/${id}?stream=true&starting_after=${sequenceNumber}`, { headers });
      // OpenAI refuses this about five minutes after the first request.
      if (!response.ok) throw error;
    }
  }
}

/** What an error of the watch says about the last event. */
function positionIn(error: unknown): { readonly responseId?: string; readonly sequenceNumber?: number } {
  return typeof error === 'object' && error !== null ? error : {};
}

for await (const text of readAnswer('Hello')) console.log(text);
