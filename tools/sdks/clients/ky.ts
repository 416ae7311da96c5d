/**
 * `ky`: not the SDK of a provider, but programs use it in place of one. It retries a POST only if an option says so,
 * and `on` sets that option.
 */

import ky, { HTTPError } from 'ky';
import { API_KEY, type Client, PROMPT, type Question } from './client.ts';

interface Chat {
  readonly choices: readonly {
    readonly message?: { readonly content: string };
    readonly delta?: { readonly content?: string };
  }[];
  readonly error?: { readonly message: string };
}

export const kyChat: Client = {
  name: "`ky`, `retry: { methods: ['post'] }`",
  package: 'ky',
  api: 'chat',
  async ask(question) {
    const completion = await post(question, false).json<Chat>();
    return completion.choices[0]?.message?.content ?? '';
  },
  async stream(question) {
    const body = await post(question, true).text();
    const lines = body.split('\n').filter((line) => line.startsWith('data: {'));
    return lines.map((line) => textOf(JSON.parse(line.slice('data: '.length)))).join('');
  },
  readError(error) {
    if (!(error instanceof HTTPError)) return undefined;
    return { status: error.response.status, text: JSON.stringify(error.data) };
  },
  isAbort: (error) => error instanceof Error && error.name === 'AbortError',
};

/** ky returns the body as it was sent; the caller has to notice an error inside it. */
function textOf(chunk: Chat): string {
  if (chunk.error !== undefined) throw new Error(chunk.error.message);
  return chunk.choices[0]?.delta?.content ?? '';
}

function post(
  { baseUrl, fetch, ownRetries, signal, timeoutMs }: Question,
  stream: boolean,
): ReturnType<typeof ky.post> {
  return ky.post(`${baseUrl}/v1/chat/completions`, {
    json: { model: 'gpt-5', messages: [{ role: 'user', content: PROMPT }], stream },
    headers: { authorization: `Bearer ${API_KEY}` },
    timeout: timeoutMs ?? false,
    retry: ownRetries === 'off' ? 0 : { methods: ['post'] },
    ...(fetch === undefined ? {} : { fetch }),
    ...(signal === undefined ? {} : { signal }),
  });
}
