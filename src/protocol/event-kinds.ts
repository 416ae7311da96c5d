/**
 * Says what an event of a stream is: a ping, preamble, thinking, other content, the end of the answer, or an error. Most
 * protocols name their events, and one table has all names. OpenAI Chat, Gemini and Ollama are known by the members of
 * their events, and have a function each.
 *
 * In doubt an event is content, and releases a stream that is held: a stream that is held too briefly costs a retry, one
 * that is held too long would break.
 */

import { isBlank, isObject, memberAt, objectsOf, own, ownText, parseJson, type JsonObject } from '../runtime/values.ts';
import { type ErrorContent, inBandError, insideOf, isInBandError } from './in-band-error.ts';
import { createSplitter, type Framing, type StreamEvent } from './split-events.ts';

/**
 * `ping`: only keeps the connection open. `preamble`: no output yet, such as a role. `thinking`: output that is not a
 * part of the answer. `content`: any other output. `end`: all output of this event's part of the answer is complete.
 */
export type EventKind = 'ping' | 'preamble' | 'thinking' | 'content' | 'end' | 'error';

/** What an event is. */
export interface EventReading {
  readonly kind: EventKind;
  /** Whether only a language model sends such an event. */
  readonly isProof?: boolean;
  /** OpenAI Chat: the choices in the event by index, and whether each has ended. */
  readonly choices?: readonly (readonly [index: number, hasEnded: boolean])[];
  /** Gemini: it goes on, even if an event before it was an end. Some servers send a finish reason with every part. */
  readonly goesOn?: boolean;
}

/** What an event is by its name or type. The first pattern counts. */
const NAMES: readonly (readonly [EventKind, RegExp])[] = [
  ['ping', /^(?:ping|keep-?alive|heartbeat)$/],
  ['error', /^(?:error|response\.(?:failed|error))$/],
  [
    'preamble',
    /^(?:message_start|content_block_stop|response\.(?:created|queued|in_progress|debug)|messageStart|contentBlockStop|(?:message|content|stream)-start|initial-response|vertex_event|interaction\.(?:created|status_update)|step\.st(?:art|op))$/,
  ],
  [
    'end',
    /^(?:message_stop|messageStop|metadata|(?:message|stream)-end|(?:response|interaction)\.(?:completed|incomplete|cancell?ed|done))$/,
  ],
  ['thinking', /^response\.reasoning[\w.]*$/],
  [
    'content',
    /^(?:content_block_delta|message_delta|contentBlockDelta|content-(?:delta|end)|tool-(?:plan-delta|call-start)|citation-start|response\.[\w.]+|step\.delta)$/,
  ],
];

/** Names that are not in use elsewhere; beside any other, a member shows that a language model sends the event. */
const NAMES_OF_MODELS = /^(?:content_?block|response\.(?:output|reasoning))/i;
const PROOFS = ['message.content', 'role', 'delta.message', 'event_type', 'response', 'sequence_number'];

function kindByName(name: string): EventKind | undefined {
  return name === '' ? undefined : NAMES.find(([, pattern]) => pattern.test(name))?.[0];
}

/** Reads an event. */
export function readEvent(event: StreamEvent): EventReading {
  const { name, exception } = event;
  const data = event.data.trim();
  if (exception !== undefined) return { kind: 'error' };
  if (data === '[DONE]') return { kind: 'end', isProof: true };
  const named = kindByName(name);
  if (name === '' && data === '') return { kind: 'ping' };
  const value = valueOf(event);
  // Cohere's first protocol, and Gemini's interactions, have the type under another name.
  const type = named === undefined ? ownText(value, 'type') || ownText(value, 'event_type') : name;
  // The name counts for more than the data, except where an end may say that it is an error.
  if ((named === undefined || named === 'end') && isInBandError(value)) return { kind: 'error' };
  const kind = named ?? kindByName(type);
  // DeepSeek's imitation ends there, and all others send the count of tokens in it.
  if (type === 'message_delta' && hasReason(memberAt(value, 'delta.stop_reason')))
    return { kind: 'end', isProof: true };
  if (kind !== undefined) {
    const isThought = kind === 'content' && isThinking(type, value);
    const isProof = NAMES_OF_MODELS.test(type) || PROOFS.some((path) => memberAt(value, path) !== undefined);
    return { kind: isThought ? 'thinking' : kind, isProof };
  }
  if (value === undefined && BROKEN_ERROR.test(data)) return { kind: 'error' };
  return isObject(value) ? readMembers(type || name, value) : { kind: 'content' };
}

/** The beginning of an error that cannot be parsed, because it was cut or is not JSON. */
const BROKEN_ERROR = /^(?:\{\s*["']?(?:error\b|type["']?\s*:\s*["']error)|\[error\])/i;

/** The parsed data of an event. */
export function valueOf(event: StreamEvent): unknown {
  return event.value ?? parseJson(event.data);
}

const THOUGHTS = /^(?:(?:redacted_)?thinking|signature_delta|reasoning|thought)/;

/** Whether an event with content has no other output than thinking, or none yet. In doubt it is other output. */
function isThinking(type: string, value: unknown): boolean {
  const parts = ['content_block', 'delta', 'item', 'part'].map((name) => own(value, name));
  if (parts.some((part) => THOUGHTS.test(ownText(part, 'type')))) return true;
  if (['delta.reasoningContent', 'delta.message.content.thinking'].some((path) => memberAt(value, path) !== undefined))
    return true;
  // OpenAI Responses: a message, or a part of one, that is added has no text yet.
  const added = type.endsWith('.added') ? parts.find(isObject) : undefined;
  const isText = /^(?:message|output_text)$/.test(ownText(added, 'type'));
  return isText && isBlank(own(added, 'content')) && isBlank(own(added, 'text'));
}

/** Reads an event that has no known name. */
function readMembers(type: string, value: JsonObject): EventReading {
  if (type === 'content_block_start') return { kind: kindOfBlock(own(value, 'content_block')), isProof: true };
  if (type === 'contentBlockStart')
    return { kind: isObject(own(value, 'start')) ? 'content' : 'preamble', isProof: true };
  if (Array.isArray(own(value, 'choices'))) return readChoices(value);
  const chunk = insideOf(value);
  if (['candidates', 'usageMetadata', 'promptFeedback', 'modelVersion'].some((key) => own(chunk, key) !== undefined))
    return readCandidates(chunk);
  const isOllama = typeof own(value, 'done') === 'boolean' || hasReason(own(value, 'done_reason'));
  return isOllama ? readOllama(value) : { kind: 'content' };
}

/** Anthropic: an empty text block is not content; a block of a tool already is. */
function kindOfBlock(block: unknown): EventKind {
  const type = own(block, 'type');
  const mayBeEmpty = type === undefined || type === 'text' || type === 'thinking';
  if (mayBeEmpty && !isSaying(block, /^type$/)) return 'preamble';
  return THOUGHTS.test(String(type)) ? 'thinking' : 'content';
}

/** Whether an object has other members than those in `silent`. */
function isSaying(object: unknown, silent: RegExp): boolean {
  return isObject(object) && Object.keys(object).some((key) => !silent.test(key) && !isBlank(object[key]));
}

/** What several parts of an answer are together: an end only if each has ended. */
function together(kinds: readonly EventKind[]): EventKind {
  if (kinds.length > 0 && kinds.every((kind) => kind === 'end')) return 'end';
  if (kinds.includes('content') || kinds.includes('end')) return 'content';
  return kinds.includes('thinking') ? 'thinking' : 'preamble';
}

/** OpenAI Chat and its many imitations. Azure begins with an event without choices. */
function readChoices(chunk: JsonObject): EventReading {
  const choices = objectsOf(own(chunk, 'choices'));
  const kinds = choices.map((choice) => kindOfPart(choice, SILENT_IN_CHOICE));
  const [first] = choices;
  const hasOutput = isObject(own(first, 'delta')) || typeof own(first, 'text') === 'string';
  const marks = ['finish_reason', 'finishReason', 'delta.role', 'delta.content', 'delta.tool_calls'];
  const isNamed = /^(?:chat\.completion\.chunk|text_completion)$/.test(ownText(chunk, 'object'));
  return {
    kind: together(kinds),
    isProof:
      hasOutput && (isNamed || kinds[0] === 'thinking' || marks.some((path) => memberAt(first, path) !== undefined)),
    choices: choices.map((choice, index) => [Number(own(choice, 'index') ?? 0), kinds[index] === 'end']),
  };
}

/** Members that say nothing of their own before the first content. Any other member may be content of another protocol. */
const SILENT_IN_CHOICE = /^(?:index|finish_?[rR]eason|logprobs|text|content_filter_\w+)$/;
const SILENT_IN_CANDIDATE = /^(?!content$)/;
const SILENT_IN_CHUNK =
  /^(?:candidates|usageMetadata|promptFeedback|modelVersion|modelStatus|responseId|createTime|nonce)$/;

/** What a choice of OpenAI Chat says, a candidate of Gemini, or a line of Ollama. A role is preamble. */
function kindOfPart(part: JsonObject, silent: RegExp): EventKind {
  const isEnd = ['finish_reason', 'finishReason', 'done_reason'].some((name) => hasReason(own(part, name)));
  // A spoken answer ends with the second.
  if (isEnd || typeof memberAt(part, 'delta.audio.expires_at') === 'number') return 'end';
  const outputs = ['delta', 'message', 'content'].map((name) => own(part, name)).filter(isObject);
  const texts = ['text', 'response', 'thinking'].map((name): [string, unknown] => [name, own(part, name)]);
  const said = [...texts, ...outputs.flatMap(Object.entries)].filter(
    ([key, value]) => key !== 'role' && !isBlank(value),
  );
  if (said.length > 0) return said.every(isThoughtMember) ? 'thinking' : 'content';
  return outputs.length === 0 && isSaying(part, silent) ? 'content' : 'preamble';
}

/** DeepSeek, vLLM, OpenRouter, Ollama and others; Mistral and Gemini have a list of parts. */
function isThoughtMember([key, value]: readonly [string, unknown]): boolean {
  const parts = /^(?:content|parts)$/.test(key) ? objectsOf(value) : [];
  return /^(?:reasoning|thinking)/.test(key) || (parts.length > 0 && parts.every(isThoughtPart));
}

function isThoughtPart(part: JsonObject): boolean {
  return ownText(part, 'type') === 'thinking' || own(part, 'thought') === true || Object.values(part).every(isBlank);
}

/** Whether a finish reason is one. */
function hasReason(reason: unknown): boolean {
  return !isBlank(reason) && reason !== 'null' && reason !== 'FINISH_REASON_UNSPECIFIED';
}

/** Gemini: the last chunk has a reason; after it only counts of tokens may follow. */
function readCandidates(chunk: JsonObject): EventReading {
  const candidates = objectsOf(own(chunk, 'candidates'));
  const feedback = own(chunk, 'promptFeedback');
  const said = together(candidates.map((candidate) => kindOfPart(candidate, SILENT_IN_CANDIDATE)));
  let kind = said;
  if (said === 'preamble' && isSaying(chunk, SILENT_IN_CHUNK)) kind = 'content';
  else if (said === 'preamble' && feedback !== undefined)
    kind = isBlank(own(feedback, 'blockReason')) ? 'content' : 'end';
  const [first] = candidates;
  const hasMeta = own(chunk, 'usageMetadata') !== undefined || isObject(feedback);
  return {
    kind,
    isProof: hasMeta || isObject(own(first, 'content')) || said === 'end',
    goesOn: candidates.length > 0 && said !== 'end',
  };
}

function readOllama(line: JsonObject): EventReading {
  const message = own(line, 'message');
  const isOutput = isObject(message) || own(line, 'response') !== undefined;
  const isOfModel = ownText(line, 'model') !== '' || ownText(message, 'role') !== '';
  const isProof = isOfModel && (isObject(message) || typeof own(line, 'response') === 'string');
  if (own(line, 'done') === true) return { kind: 'end', isProof };
  // Other protocols also have `done`, and their output in other members.
  return { kind: kindOfPart(line, isOutput ? /^/ : /^$/), isProof };
}

/** How a streamed body of this content type is framed; null if it is not a stream of events. */
export function protocolOf(contentType: string | null | undefined): Framing | null {
  const type = contentType ?? '';
  if (/^\s*(?:text\/event-stream|application\/(?:x-)?(?:nd-?json|json-?l(?:ines)?|stream\+json))\b/i.test(type))
    return 'text';
  return /^\s*application\/vnd\.amazon\.eventstream\b/i.test(type) ? 'frames' : null;
}

/** The content of an event that is an error. */
export function errorOf(event: StreamEvent): ErrorContent {
  return inBandError({ value: valueOf(event), text: event.data, exception: event.exception ?? null });
}

/** A failure inside a body, and whether content came before it. */
export interface FoundError {
  readonly error: ErrorContent;
  readonly isAfterContent: boolean;
}

/** The first failure in a whole body or its beginning; null if there is none. */
export function findStreamError(body: Uint8Array | string, framing: Framing): FoundError | null {
  let found: ErrorContent | undefined;
  let isAfterContent = false;
  const visit = (event: StreamEvent): boolean => {
    const { kind } = readEvent(event);
    if (kind === 'error') found = errorOf(event);
    else if (kind !== 'preamble' && kind !== 'ping') isAfterContent = true;
    return found !== undefined;
  };
  const splitter = createSplitter(framing);
  if (!splitter.feed(body, visit)) splitter.end(visit);
  return found === undefined ? null : { error: found, isAfterContent };
}
