/**
 * Tells thinking from text, per protocol: which output of a model is none that its reader waits for. In doubt it is
 * text: a stream that is held too briefly costs a retry, one that is held too long keeps its reader waiting.
 */

import { isObject, objectsOf, own, ownText } from '../runtime/values.ts';
import { isBlank, valueOf } from './event-kinds.ts';
import type { StreamEvent } from './split-events.ts';

/** Whether an event has no other output than thinking, or none yet. */
export function isThinking(event: StreamEvent): boolean {
  const value = valueOf(event);
  if (!isObject(value)) return false;
  const type = (event.name === 'chunk' ? '' : event.name) || ownText(value, 'type');
  if (type.startsWith('response.')) return isThinkingOfResponses(type, value);
  if (type === 'content_block_start') return THOUGHTS.test(ownText(own(value, 'content_block'), 'type'));
  const delta = own(value, 'delta');
  if (type === 'content_block_delta') return THOUGHTS.test(ownText(delta, 'type'));
  if (type === 'contentBlockDelta') return own(delta, 'reasoningContent') !== undefined;
  if (type === 'content-delta') return own(own(own(delta, 'message'), 'content'), 'thinking') !== undefined;
  const choices = objectsOf(own(value, 'choices'));
  if (choices.length > 0) return choices.every(isThinkingChoice);
  const response = own(value, 'response');
  const candidates = objectsOf(own(isObject(response) ? response : value, 'candidates'));
  if (candidates.length > 0) return candidates.every(isThinkingCandidate);
  const isOpen = own(value, 'done') === false;
  const said = [response, ...['content', 'tool_calls', 'images'].map((key) => own(own(value, 'message'), key))];
  return isOpen && said.every(isBlank);
}

const THOUGHTS = /^(?:thinking|redacted_thinking|thinking_delta|signature_delta)$/;

/** An item or a part that is added has no text yet. */
function isThinkingOfResponses(type: string, value: unknown): boolean {
  if (type.startsWith('response.reasoning')) return true;
  const added = own(value, 'item') ?? own(value, 'part');
  const kind = ownText(added, 'type');
  if (kind.startsWith('reasoning')) return true;
  if (type === 'response.output_item.added') return kind === 'message' && isBlank(own(added, 'content'));
  return type === 'response.content_part.added' && kind === 'output_text' && ownText(added, 'text') === '';
}

/** DeepSeek, vLLM, OpenRouter and others; Mistral has a list of parts. */
function isThinkingChoice(choice: unknown): boolean {
  const delta = own(choice, 'delta');
  if (!isObject(delta) || !isBlank(own(choice, 'finish_reason'))) return false;
  return Object.entries(delta).every(([key, value]) => {
    if (key === 'role' || isBlank(value) || /^(?:reasoning|thinking)/.test(key)) return true;
    const parts = objectsOf(value);
    return key === 'content' && parts.length > 0 && parts.every((part) => ownText(part, 'type') === 'thinking');
  });
}

function isThinkingCandidate(candidate: unknown): boolean {
  if (!isBlank(own(candidate, 'finishReason'))) return false;
  const parts = objectsOf(own(own(candidate, 'content'), 'parts'));
  return parts.every((part) => own(part, 'thought') === true || Object.keys(part).every((key) => isBlank(part[key])));
}
