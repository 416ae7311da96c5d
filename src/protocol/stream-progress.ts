/**
 * Follows a stream of events to its end: which protocol it has, whether an event is more than a ping, and whether the
 * answer is complete. A protocol that is not recognised is `foreign`, and nothing is said about it.
 *
 * A stream has many thousands of events, so most are searched for a few marker words only. An event is parsed when it
 * contains one of them, because an answer may contain the same words.
 */

import { isObject, objectsOf, own, ownText, type JsonObject } from '../runtime/values.ts';
import { isBlank, kindOf, valueOf } from './event-kinds.ts';
import type { StreamEvent } from './split-events.ts';

/** The protocols whose last event is known. */
export type StreamProtocol = 'anthropic' | 'chat' | 'responses' | 'gemini' | 'ollama' | 'cohere' | 'converse';

/** `ping`: keeps the connection open. `output`: anything else. `end`: the answer is complete. `error`: it failed. */
export type EventProgress = 'ping' | 'output' | 'end' | 'error';

/** Where a stream broke: what an application needs to report it, or to attach to the response again. */
export interface StreamPosition {
  /** The name or type of the last complete event; null if there was none. */
  readonly lastEvent: string | null;
  /** The id of the response, where the protocol has one. */
  readonly responseId?: string;
  /** The `sequence_number` of the last event, where the protocol has one. */
  readonly sequenceNumber?: number;
}

/** After so many events that no protocol is recognised by, a stream is foreign. */
const MAX_UNKNOWN_EVENTS = 8;

/** Parts of the words without which an event does not fail a stream, and is no ping. Few, because each takes time. */
const COMMON = 'rror|RROR|fail|base_resp|ping|alive|heartbeat';

/**
 * Words without which an event of a protocol neither ends nor fails a stream, and is no ping. The text of an answer may
 * have them too, so an event with one of them is parsed.
 */
export const MARKERS: Readonly<Record<StreamProtocol, RegExp>> = /* @__PURE__ */ makeMarkers();

function makeMarkers(): Readonly<Record<StreamProtocol, RegExp>> {
  return {
    anthropic: markers('message_stop'),
    chat: markers('finish_reason"\\s*:\\s*"|DONE\\]|"index"\\s*:\\s*[1-9]'),
    responses: markers('response\\.(?:completed|incomplete|cancel)'),
    gemini: markers('finishReason|blockReason'),
    ollama: markers('"done"\\s*:\\s*true'),
    cohere: markers('message-end|stream-end'),
    converse: markers('messageStop'),
  };
}

function markers(words: string): RegExp {
  return new RegExp(`${COMMON}|${words}`);
}

/** Gets each event of a stream in order. */
export class StreamProgress {
  /** `unknown`: no event has shown it yet. */
  protocol: StreamProtocol | 'unknown' | 'foreign' = 'unknown';
  /** Whether the answer is complete, or has failed with an event that says so. */
  isOver = false;
  #unknownEvents = 0;
  #last: StreamEvent | undefined;
  #responseId: string | undefined;
  /** The choices of OpenAI Chat that have begun, and whether they have ended. */
  readonly #choices = new Map<number, boolean>();

  see(event: StreamEvent): EventProgress {
    if (isPing(event)) return 'ping';
    this.#last = event;
    if (this.protocol === 'unknown') this.#recognise(event);
    else if (!this.isOver && this.#isPlain(event)) return 'output';
    if (this.#mayFail(event) && kindOf(event) === 'error') {
      this.isOver = true;
      return 'error';
    }
    const isEnd = this.#isEnd(event);
    // Some servers send a finish reason with every part.
    this.isOver = isEnd || (this.isOver && this.protocol !== 'gemini');
    return isEnd ? 'end' : 'output';
  }

  /**
   * Gets an event that the end of the body has cut, or that lacks the empty line after it. It counts only if its JSON
   * can be parsed. Returns whether it was cut.
   */
  seeLast(event: StreamEvent): boolean {
    if (event.data.trim() === '[DONE]' || valueOf(event) !== undefined) {
      this.see(event);
      return false;
    }
    if (this.protocol === 'unknown' && NAMES.test(event.name)) this.protocol = protocolOfName(event.name);
    return event.data === '' ? event.name !== '' : /^\s*[{[]/.test(event.data);
  }

  /** Whether any event has arrived that is no ping. */
  get hasBegun(): boolean {
    return this.#last !== undefined;
  }

  get position(): StreamPosition {
    const last = this.#last;
    if (last === undefined) return { lastEvent: null };
    const value = valueOf(last);
    const sequenceNumber = own(value, 'sequence_number');
    const responseId = this.#responseId ?? ownText(own(value, 'response'), 'id');
    return {
      lastEvent: last.name || ownText(value, 'type') || ownText(value, 'object') || last.data.slice(0, 64),
      ...(responseId !== '' && { responseId }),
      ...(typeof sequenceNumber === 'number' && { sequenceNumber }),
    };
  }

  #recognise(event: StreamEvent): void {
    const value = valueOf(event);
    this.protocol = event.data.trim() === '[DONE]' ? 'foreign' : protocolIn(event, value);
    this.#unknownEvents += 1;
    if (this.protocol === 'unknown' && this.#unknownEvents >= MAX_UNKNOWN_EVENTS) this.protocol = 'foreign';
    if (this.protocol === 'responses') {
      this.#responseId = ownText(own(value, 'response'), 'id') || undefined;
    }
  }

  /** Whether nothing in it may be an end or a failure. The events in a frame of Bedrock are in base64. */
  #isPlain({ name, data, exception }: StreamEvent): boolean {
    if (this.protocol === 'unknown' || this.protocol === 'foreign') return this.protocol === 'foreign';
    const marker = MARKERS[this.protocol];
    const isReadable = exception === undefined && name !== 'chunk';
    return isReadable && !marker.test(data) && (name === '' || !marker.test(name));
  }

  #mayFail({ name, data, exception }: StreamEvent): boolean {
    if (this.protocol === 'foreign') return false;
    return exception !== undefined || /^error$|failed$/.test(name) || MAY_FAIL.test(data);
  }

  #isEnd(event: StreamEvent): boolean {
    const { name, data } = event;
    switch (this.protocol) {
      case 'unknown':
      case 'foreign':
        return false;
      case 'anthropic':
        return name === 'message_stop' || (mayHide(event, 'message_stop') && typeOf(event) === 'message_stop');
      case 'responses':
        return RESPONSE_ENDS.test(name) || (name === '' && RESPONSE_ENDS.test(typeOf(event)));
      case 'cohere':
        return name === 'message-end' || (/message-end|stream-end/.test(data) && COHERE_ENDS.test(typeOf(event)));
      case 'converse':
        return name === 'messageStop' || name === 'metadata';
      case 'chat':
        return data.trim() === '[DONE]' || (MAY_END_CHOICE.test(data) && this.#endsChoices(valueOf(event)));
      case 'gemini':
        return (this.isOver || /(?:finish|block)Reason/.test(data)) && isLastOfGemini(geminiOf(valueOf(event)));
      case 'ollama':
        return /"done"\s*:\s*true/.test(data) && own(valueOf(event), 'done') === true;
    }
  }

  /** Whether every choice that has begun has ended. */
  #endsChoices(value: unknown): boolean {
    for (const choice of objectsOf(own(value, 'choices'))) {
      const index = Number(own(choice, 'index') ?? 0);
      const reason = own(choice, 'finish_reason');
      const isEnd = !isBlank(reason) && reason !== 'null';
      this.#choices.set(index, isEnd || this.#choices.get(index) === true);
    }
    return this.#choices.size > 0 && [...this.#choices.values()].every(Boolean);
  }
}

/** Keys of errors inside a success. In the text of an answer their quotes are escaped. */
const MAY_FAIL =
  /"(?:error|error_code|error_type|Error|base_resp)"\s*:\s*[^n\s]|"(?:finish_reason|type|status|object)"\s*:\s*"[\w.]*(?:error|ERROR|failed)"/;

/** A finish reason, or any other choice than the first: a call of a tool may have the same index. */
const MAY_END_CHOICE = /"finish_reason"\s*:\s*"[^"]|"index"\s*:\s*[1-9]/;

const RESPONSE_ENDS = /^response\.(?:completed|incomplete|failed|cancell?ed)$/;
const COHERE_ENDS = /^(?:message|stream)-end$/;
const PINGS = /^(?:ping|keep-?alive|heartbeat)$/;

function isPing({ name, data, exception }: StreamEvent): boolean {
  if (exception !== undefined) return false;
  if (name !== '') return PINGS.test(name);
  // A short event that is only a type.
  if (data.length > 80) return false;
  return data.trim() === '' || /^\{\s*"type"\s*:\s*"(?:ping|keep-?alive|heartbeat)"/.test(data);
}

/** The models of Bedrock without Converse hide their events in base64. */
function mayHide({ name, data }: StreamEvent, word: string): boolean {
  return name === 'chunk' || data.includes(word);
}

/** Cohere's first protocol has the type under another name. */
function typeOf(event: StreamEvent): string {
  const value = valueOf(event);
  return ownText(value, 'type') || ownText(value, 'event_type');
}

/** The names that only one protocol has. */
const NAMES = /^(?:message_start|content_block_(?:start|delta|stop)|message_(?:delta|stop)|response\.[\w.]+)$/;

function protocolOfName(name: string): StreamProtocol {
  return name.startsWith('response.') ? 'responses' : 'anthropic';
}

/** The protocol of a stream, by one of its first events. */
function protocolIn(event: StreamEvent, value: unknown): StreamProtocol | 'unknown' | 'foreign' {
  if (!isObject(value)) return isBlank(event.data) ? 'unknown' : 'foreign';
  const type = (event.name === 'chunk' ? '' : event.name) || ownText(value, 'type');
  if (type === 'message_start' && Array.isArray(own(own(value, 'message'), 'content'))) return 'anthropic';
  if (/^response\.\w/.test(type) && (isObject(own(value, 'response')) || isNumber(own(value, 'sequence_number')))) {
    return 'responses';
  }
  if (type === 'messageStart' && ownText(value, 'role') !== '') return 'converse';
  if (type === 'message-start' && isObject(own(own(value, 'delta'), 'message'))) return 'cohere';
  if (ownText(value, 'event_type') === 'stream-start') return 'cohere';
  if (Array.isArray(own(value, 'choices'))) return protocolOfChoices(value);
  if (isGemini(geminiOf(value))) return 'gemini';
  const isOllama = typeof own(value, 'done') === 'boolean' && ownText(value, 'model') !== '';
  if (isOllama && (isObject(own(value, 'message')) || typeof own(value, 'response') === 'string')) return 'ollama';
  return event.name === '' || kindOf(event) === 'unknown' ? 'foreign' : 'unknown';
}

const isNumber = (value: unknown): boolean => typeof value === 'number';

/** Azure begins with an event without choices. */
function protocolOfChoices(chunk: JsonObject): StreamProtocol | 'unknown' | 'foreign' {
  const [choice] = objectsOf(own(chunk, 'choices'));
  const isNamed = /^(?:chat\.completion\.chunk|text_completion)$/.test(ownText(chunk, 'object'));
  if (choice === undefined) return 'unknown';
  const hasOutput = isObject(own(choice, 'delta')) || typeof own(choice, 'text') === 'string';
  return hasOutput && (isNamed || Object.hasOwn(choice, 'finish_reason')) ? 'chat' : 'foreign';
}

/** Cloud Code puts the answer into a member. */
function geminiOf(value: unknown): unknown {
  const response = own(value, 'response');
  return isObject(response) ? response : value;
}

function isGemini(chunk: unknown): boolean {
  const hasMeta = ['usageMetadata', 'modelVersion', 'responseId'].some((key) => own(chunk, key) !== undefined);
  const [candidate] = objectsOf(own(chunk, 'candidates'));
  if (candidate !== undefined) return hasMeta || isObject(own(candidate, 'content')) || hasReason(candidate);
  return hasMeta && (own(chunk, 'usageMetadata') !== undefined || isObject(own(chunk, 'promptFeedback')));
}

const hasReason = (candidate: unknown): boolean =>
  !isBlank(own(candidate, 'finishReason')) && own(candidate, 'finishReason') !== 'FINISH_REASON_UNSPECIFIED';

/** The last chunk has a reason; after it only counts of tokens may follow. */
function isLastOfGemini(chunk: unknown): boolean {
  const candidates = objectsOf(own(chunk, 'candidates'));
  if (candidates.length > 0) return candidates.every(hasReason);
  return !isBlank(own(own(chunk, 'promptFeedback'), 'blockReason')) || own(chunk, 'usageMetadata') !== undefined;
}
