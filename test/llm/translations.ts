/** Runs events through a translator, as a streamed answer does. */

import type { CompletionEvent, StreamTranslator } from '../../src/llm/index.ts';

/** The parts of the events, with those of the end; null in their place when the answer is not complete. */
export function translate(
  translator: StreamTranslator,
  events: readonly (string | Readonly<Record<string, unknown>>)[],
): { readonly parts: readonly CompletionEvent[]; readonly last: readonly CompletionEvent[] | null } {
  const parts: CompletionEvent[] = [];
  for (const event of events) {
    const data = typeof event === 'string' ? event : JSON.stringify(event);
    parts.push(...translator.translate({ name: '', data, value: typeof event === 'string' ? undefined : event }));
  }
  return { parts, last: translator.end() };
}
