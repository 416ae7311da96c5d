/** Not a client: what a program over an HTTP client writes by hand to use OpenAI's Chat API. */

import { KEY, type Program, type Question } from '../client.ts';

export const chatUrl = (origin: string): string => `${origin}/v1/chat/completions`;

export const chatHeaders = { 'content-type': 'application/json', authorization: `Bearer ${KEY}` };

export function chatBody({ prompt, isStreamed }: Question): string {
  return JSON.stringify({ model: 'gpt-5', messages: [{ role: 'user', content: prompt }], stream: isStreamed });
}

export const chatInit = (question: Question): RequestInit => ({
  method: 'POST',
  headers: chatHeaders,
  body: chatBody(question),
});

/** The text of a response. Throws for a failed status, and for an error event. */
export async function readChat(response: Response, question: Question, checksEnd = false): Promise<string> {
  if (!response.ok) throw new Error(`HTTP ${response.status}: ${await response.text()}`);
  if (question.isStreamed && response.body !== null) return readEvents(response.body, question, checksEnd);
  const completion: { choices: { message: { content: string } }[] } = await response.json();
  return completion.choices[0]?.message.content ?? '';
}

/** Reads server-sent events until the stream ends. */
export async function readEvents(
  body: AsyncIterable<Uint8Array>,
  { show }: Question,
  checksEnd = false,
): Promise<string> {
  const decoder = new TextDecoder();
  let rest = '';
  let whole = '';
  let isOver = false;
  for await (const chunk of body) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    isOver ||= lines.includes('data: [DONE]');
    for (const line of lines) {
      if (!line.startsWith('data: {')) continue;
      const event: { error?: { message: string }; choices?: { delta?: { content?: string } }[] } = JSON.parse(
        line.slice(6),
      );
      if (event.error !== undefined) throw new Error(event.error.message);
      const piece = event.choices?.[0]?.delta?.content ?? '';
      if (piece !== '') show(piece);
      whole += piece;
    }
  }
  if (checksEnd && !isOver) throw new Error('The stream has no end.');
  return whole;
}

/** How such a program calls a tool. */
const toolInit = (body: string): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body,
});

type Send = (url: string, init: RequestInit) => Promise<Response>;

/** A program over a client that is called like `fetch`. */
export const overFetch = (origin: string, send: Send): Program => ({
  ask: async (question) => readChat(await send(chatUrl(origin), chatInit(question)), question),
  callTool: async (body) => (await send(`${origin}/mcp`, toolInit(body))).text(),
});

/** A program over a library that repeats any function. A whole answer is read within it, a stream after it. */
export const overRepeat = (origin: string, repeat: <T>(work: () => Promise<T>) => Promise<T>, send: Send): Program => ({
  ask: async (question) =>
    question.isStreamed
      ? readChat(await repeat(() => send(chatUrl(origin), chatInit(question))), question)
      : repeat(async () => readChat(await send(chatUrl(origin), chatInit(question)), question)),
  callTool: (body) => repeat(() => send(`${origin}/mcp`, toolInit(body))),
});
