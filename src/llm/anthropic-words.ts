/** Reads Anthropic's finish reasons and usage. */

import type { FinishReason, Usage } from './completion.ts';
import { own } from '../runtime/values.ts';

const FINISH_REASONS: ReadonlyMap<string, FinishReason> = /* @__PURE__ */ new Map([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['tool_use', 'tool-calls'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['refusal', 'content-filter'],
]);

/** undefined: not known yet. */
export function anthropicFinishReason(reason: unknown): FinishReason | undefined {
  const word = typeof reason === 'string' ? reason : '';
  return word === '' ? undefined : (FINISH_REASONS.get(word) ?? word);
}

/** `before`: the usage in an earlier event. The numbers are totals, so the last one counts. */
export function anthropicUsage(usage: unknown, before?: Usage): Usage | undefined {
  const [input, output] = [own(usage, 'input_tokens'), own(usage, 'output_tokens')];
  if (typeof input !== 'number' && typeof output !== 'number') return before;
  const cached = ['cache_creation_input_tokens', 'cache_read_input_tokens'].map((name) => own(usage, name));
  return {
    inputTokens:
      typeof input === 'number'
        ? cached.reduce<number>((sum, tokens) => (typeof tokens === 'number' ? sum + tokens : sum), input)
        : (before?.inputTokens ?? 0),
    outputTokens: typeof output === 'number' ? output : (before?.outputTokens ?? 0),
  };
}
