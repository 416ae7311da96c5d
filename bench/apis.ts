/** The four APIs that servers play: which requests belong to each, and its answers, which are those of `mocks`. */

import { completions } from '../mocks/completions.ts';
import type { Answer } from '../mocks/recording.ts';

export type Api = 'chat' | 'responses' | 'messages' | 'gemini';

const ANSWERS = {
  chat: [completions.openai, completions.openaiStream],
  responses: [completions.responses, completions.responsesStream],
  messages: [completions.anthropic, completions.anthropicStream],
  gemini: [completions.gemini, completions.geminiStream],
} as const;

const PATHS: ReadonlyMap<string, Api> = new Map([
  ['/v1/chat/completions', 'chat'],
  ['/v1/responses', 'responses'],
  ['/v1/messages', 'messages'],
]);

/** The API that a request calls, and whether it asks for a stream; undefined if it calls none. */
export function readRequest(
  path: string,
  body: string,
): { readonly api: Api; readonly isStreamed: boolean } | undefined {
  const [pathname = ''] = path.split('?');
  const [, gemini] = /^\/v1(?:beta)?\/models\/[^/:]+:(generateContent|streamGenerateContent)$/.exec(pathname) ?? [];
  if (gemini !== undefined) return { api: 'gemini', isStreamed: gemini === 'streamGenerateContent' };
  const api = PATHS.get(pathname);
  return api && { api, isStreamed: /"stream":\s*true/.test(body) };
}

/** An answer with this text, whole or as a stream. */
export const answerOf = (api: Api, text: string, isStreamed: boolean): Answer => ANSWERS[api][isStreamed ? 1 : 0](text);

/** The events of a stream with this text, one for each word, as they go over the wire. */
export const eventsOf = (api: Api, text: string): readonly string[] =>
  answerOf(api, text, true).body.split(/(?<=\n\n)/);
