/**
 * Classifies the events of a stream, per protocol: preamble, which may be discarded with a failed attempt; content,
 * which a caller would see; and errors inside a success.
 *
 * `StreamReader` is for holding a stream: it reads chunk by chunk and returns `hold` until the first decisive event,
 * then `release` or the error; later events do not matter. `findStreamError` reads a whole body at once, including the
 * content.
 *
 * Preamble contains no output yet (`message_start`, `response.created`, a role, usage). Any event that is not known as
 * preamble releases the stream: a stream that is held too briefly costs a retry, one that is held too long would break.
 */

import { fromBase64 } from '../redact/redact.ts';
import { isObject, objectsOf, own, ownText, parseJson, type JsonObject } from '../runtime/values.ts';
import { createSplitter, type EventSplitter, type Framing, type StreamEvent } from './split-events.ts';

/** The content of a failed body, parsed once. */
export interface ErrorContent {
  /** The parsed JSON; undefined if it was not JSON. */
  readonly value: unknown;
  readonly text: string;
  /** The exception in a frame (Bedrock). */
  readonly exception: string | null;
  /** A message that replaces that of the content. */
  readonly message?: string;
}

/** `content`: output, or the end of it. */
export type EventKind = 'preamble' | 'content' | 'error' | 'unknown';

/** How a streamed body of this content type is framed; null if it is not a stream of events. */
export function protocolOf(contentType: string | null | undefined): Framing | null {
  const type = contentType ?? '';
  if (/^\s*(?:text\/event-stream|application\/(?:x-)?(?:nd-?json|json-?l(?:ines)?|stream\+json))\b/i.test(type))
    return 'text';
  return /^\s*application\/vnd\.amazon\.eventstream\b/i.test(type) ? 'frames' : null;
}

/** Classifies an event. */
export function kindOf(event: StreamEvent): EventKind {
  const { name, data, exception } = event;
  if (exception !== undefined) return 'error';
  if (data.trim() === '[DONE]') return 'content';
  const kind = kindByName(name);
  if (kind !== undefined) return kind;
  const value = valueOf(event);
  return value === undefined && BROKEN_ERROR.test(data) ? 'error' : kindByValue(name, value);
}

/** The beginning of an error that cannot be parsed, because it was cut or is not JSON. */
const BROKEN_ERROR = /^\s*(?:\{\s*["']?(?:error\b|type["']?\s*:\s*["']error)|\[error\])/i;

/** Whether JSON inside a success is a failure or contains one. */
export function isInBandError(value: unknown): boolean {
  if (Array.isArray(value)) return value.some((item) => isTruthyError(own(item, 'error')));
  if (!isObject(value)) return false;
  const type = ownText(value, 'type');
  const object = ownText(value, 'object');
  // A failed batch or fine-tuning job is a successful response; so is an error of JSON-RPC (MCP).
  if ((object !== '' && !ANSWERS.test(object)) || Object.hasOwn(value, 'jsonrpc') || isReport(value)) return false;
  return (
    FAILED.test(type) ||
    object === 'error' ||
    (isTruthyError(own(value, 'error')) && !isHollow(value)) ||
    ownText(value, 'status') === 'failed' ||
    // Cohere, at the end of a stream.
    [value, own(value, 'delta')].some((part) => ownText(part, 'finish_reason') === 'ERROR') ||
    // MiniMax, Baidu and Tencent, where 0 is a success.
    Number(own(own(value, 'base_resp'), 'status_code') ?? 0) !== 0 ||
    (Number(own(value, 'error_code') ?? 0) !== 0 && ownText(value, 'error_msg') !== '') ||
    // Venice and DeepInfra, in a stream.
    (ownText(value, 'error_type') !== '' && ownText(value, 'error_message') !== '') ||
    isObject(own(own(value, 'Response'), 'Error')) ||
    isMalformedCall(value) ||
    objectsOf(own(value, 'choices')).some(
      (choice) => /^(?:network_)?error$/.test(ownText(choice, 'finish_reason')) || isObject(own(choice, 'error')),
    )
  );
}

/**
 * Gemini: the model wrote a function call that could not be read, and nothing else. The same request mostly passes. Any
 * other finish without content is an answer: the last turn of an agent is empty.
 */
function isMalformedCall(value: JsonObject): boolean {
  const response = own(value, 'response');
  const candidates = objectsOf(own(isObject(response) ? response : value, 'candidates'));
  return (
    candidates.length > 0 &&
    candidates.every(
      (candidate) => ownText(candidate, 'finishReason') === MALFORMED_CALL && !isSayingSomething(candidate),
    )
  );
}

const MALFORMED_CALL = 'MALFORMED_FUNCTION_CALL';

/** The content of an error inside a success. */
export function inBandError(content: ErrorContent): ErrorContent {
  const { value } = content;
  // It has no member that a message could be read from, and what the model wrote is no message.
  return isObject(value) && isMalformedCall(value) ? { ...content, message: MALFORMED_CALL } : content;
}

/** Whether a candidate of Gemini has output. */
function isSayingSomething(candidate: JsonObject): boolean {
  const content = own(candidate, 'content');
  return !isBlank(own(content, 'parts')) || (typeof content === 'string' && content !== '');
}

const ANSWERS = /^(?:error|response|chat\.completion|text_completion|list)/;
const FAILED = /^(?:error|response\.(?:failed|error))$/;

/** A line of a batch's output, or a long-running operation of Google: the error is the requested result. */
function isReport(value: JsonObject): boolean {
  return ownText(value, 'custom_id') !== '' || (own(value, 'done') === true && ownText(value, 'name') !== '');
}

/** Some relays send an empty error with every success. */
function isHollow(value: JsonObject): boolean {
  const error = own(value, 'error');
  return objectsOf(own(value, 'choices')).length > 0 && isObject(error) && Object.values(error).every(isBlank);
}

function isTruthyError(error: unknown): boolean {
  return isObject(error) || (typeof error === 'string' && error !== '');
}

/** The parsed data of an event. */
export function valueOf(event: StreamEvent): unknown {
  const value = event.value ?? parseJson(event.data);
  // Bedrock without Converse: the model's own event, in base64.
  return event.name === 'chunk' ? (parseJson(fromBase64(ownText(value, 'bytes'))) ?? value) : value;
}

const PREAMBLE =
  /^(?:message_start|ping|response\.(?:created|queued|in_progress|debug)|keepalive|messageStart|message-start|content-start|stream-start|initial-response|vertex_event|content_block_stop|contentBlockStop)$/;
const CONTENT =
  /^(?:content_block_delta|contentBlockDelta|(?:content|tool-plan)-delta|tool-call-start|citation-start|response\.[\w.]+|message_(?:delta|stop)|messageStop|metadata)$/;

/** Most events are recognised by their name, which avoids parsing an echo of the request. */
function kindByName(name: string): EventKind | undefined {
  if (PREAMBLE.test(name)) return 'preamble';
  if (FAILED.test(name)) return 'error';
  return CONTENT.test(name) ? 'content' : undefined;
}

function kindByValue(name: string, value: unknown): EventKind {
  if (isInBandError(value)) return 'error';
  if (!isObject(value)) return 'unknown';
  if (name === 'contentBlockStart') return isObject(own(value, 'start')) ? 'content' : 'preamble';
  // Cohere's first protocol uses another name.
  const type = ownText(value, 'type') || ownText(value, 'event_type');
  if (type === 'content_block_start') return isEmptyBlock(own(value, 'content_block')) ? 'preamble' : 'content';
  const known = kindByName(type);
  if (known !== undefined) return known;
  if (/^(?:message|content|stream)-end$/.test(type)) return 'content';
  if (Array.isArray(own(value, 'choices'))) return kindOfChoices(value);
  const response = own(value, 'response');
  const gemini = isObject(response) ? response : value;
  if (['candidates', 'usageMetadata', 'promptFeedback', 'modelVersion'].some((key) => own(gemini, key) !== undefined)) {
    return kindOfCandidates(gemini);
  }
  return typeof own(value, 'done') === 'boolean' ? kindOfOllama(value) : 'unknown';
}

/** An empty text block is not content; a block of a tool already is. */
function isEmptyBlock(block: unknown): boolean {
  const type = own(block, 'type');
  return (type === undefined || type === 'text' || type === 'thinking') && !isSaying(block, /^type$/);
}

/** Whether an object has other members than those in `silent`. */
function isSaying(object: unknown, silent: RegExp): boolean {
  return isObject(object) && Object.keys(object).some((key) => !silent.test(key) && !isBlank(object[key]));
}

/** The members of a choice and a chunk before their first content. Any other member belongs to an unknown protocol. */
const SILENT_IN_CHOICE = /^(?:index|finish_reason|logprobs|text|content_filter_\w+)$/;
const SILENT_IN_CHUNK =
  /^(?:candidates|usageMetadata|promptFeedback|modelVersion|modelStatus|responseId|createTime|nonce)$/;

/** OpenAI Chat and its many imitations: a role or usage is preamble, anything else in a delta is output. */
function kindOfChoices(chunk: JsonObject): EventKind {
  for (const choice of objectsOf(own(chunk, 'choices'))) {
    const delta = own(choice, 'delta');
    const isContent =
      !isBlank(own(choice, 'finish_reason')) || !isBlank(own(choice, 'text')) || isObject(own(choice, 'message'));
    if (isContent || isSaying(delta, /^role$/)) return 'content';
    if (!isObject(delta) && isSaying(choice, SILENT_IN_CHOICE)) return 'unknown';
  }
  return 'preamble';
}

function kindOfCandidates(chunk: JsonObject): EventKind {
  const candidates = objectsOf(own(chunk, 'candidates'));
  if (candidates.some(isSayingSomething)) return 'content';
  if (isSaying(chunk, SILENT_IN_CHUNK)) return 'unknown';
  const isOver = candidates.some((candidate) => !isBlank(own(candidate, 'finishReason')));
  return isOver || own(chunk, 'promptFeedback') !== undefined ? 'content' : 'preamble';
}

function kindOfOllama(line: JsonObject): EventKind {
  if (own(line, 'done') === true) return 'content';
  const message = own(line, 'message');
  // Other protocols also have `done`, and their output in other members.
  if (!isObject(message) && !Object.hasOwn(line, 'response')) return 'unknown';
  const parts = [
    ...['response', 'thinking'].map((key) => own(line, key)),
    ...['content', 'thinking', 'tool_calls', 'images'].map((key) => own(message, key)),
  ];
  return parts.every(isBlank) ? 'preamble' : 'content';
}

/** Nothing, an empty text, an empty list or an empty object. */
export function isBlank(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** The content of an event that is an error. */
export function errorOf(event: StreamEvent): ErrorContent {
  const value = valueOf(event);
  // Secrets in base64 would not be found.
  const text = event.name === 'chunk' && isObject(value) ? JSON.stringify(value) : event.data;
  return inBandError({ value, text, exception: event.exception ?? null });
}

/** No event of SSE or NDJSON begins with this. Bytes are read as Latin-1, so `ï` is the first byte of a byte order mark. */
const PLAIN_TEXT = /^[^\s:{[deirï\uFEFF]/;

/** Reads the stream of one body until the first decisive event. */
export class StreamReader {
  readonly #splitter: EventSplitter;
  /** Some servers send plain text as an event stream. It may never have the end of a line. */
  #mayBePlainText: boolean;
  #decided: 'release' | ErrorContent | undefined;
  #hasPreamble = false;

  constructor(framing: Framing) {
    this.#splitter = createSplitter(framing);
    this.#mayBePlainText = framing === 'text';
  }

  /** Reads the next part of the body. `hold`: no decision yet. Later calls repeat the decision. */
  feed(chunk: Uint8Array | string): 'hold' | 'release' | ErrorContent {
    if (this.#mayBePlainText && chunk.length > 0) {
      this.#mayBePlainText = false;
      const start = typeof chunk === 'string' ? chunk : String.fromCharCode(chunk[0] ?? 0);
      if (PLAIN_TEXT.test(start)) this.#decided = 'release';
    }
    if (this.#decided === undefined) this.#splitter.feed(chunk, this.#visit);
    return this.#decided ?? 'hold';
  }

  /** Ends the body. `interrupted`: a known protocol began and broke off before its first content. */
  end(): 'interrupted' | 'release' | ErrorContent {
    if (this.#decided === undefined) this.#splitter.end(this.#visitLast);
    return this.#decided ?? (this.#hasPreamble || this.#splitter.isAnnounced ? 'interrupted' : 'release');
  }

  /** An unfinished event that is not valid JSON was cut off. */
  readonly #visitLast = (event: StreamEvent): boolean => {
    if (kindOf(event) !== 'unknown') return this.#visit(event);
    if (/^\s*[{[]/.test(event.data) && valueOf(event) === undefined) this.#hasPreamble = true;
    return false;
  };

  readonly #visit = (event: StreamEvent): boolean => {
    const kind = kindOf(event);
    if (kind === 'preamble') this.#hasPreamble = true;
    else this.#decided = kind === 'error' ? errorOf(event) : 'release';
    return this.#decided !== undefined;
  };
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
    const kind = kindOf(event);
    if (kind === 'error') found = errorOf(event);
    else if (kind !== 'preamble') isAfterContent = true;
    return found !== undefined;
  };
  const splitter = createSplitter(framing);
  if (!splitter.feed(body, visit)) splitter.end(visit);
  return found === undefined ? null : { error: found, isAfterContent };
}
