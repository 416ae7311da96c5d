/** Finds out whether JSON inside a success is a failure: servers answer 200 and then say that they have failed. */

import { isBlank, isObject, memberAt, objectsOf, own, ownText, type JsonObject } from '../runtime/values.ts';

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

/** Whether JSON inside a success is a failure or contains one. */
export function isInBandError(value: unknown): boolean {
  if (Array.isArray(value)) return value.some((item) => isTruthyError(own(item, 'error')));
  if (!isObject(value)) return false;
  const object = ownText(value, 'object');
  // A failed batch or fine-tuning job is a successful response; so is an error of JSON-RPC (MCP).
  if ((object !== '' && !ANSWERS.test(object)) || Object.hasOwn(value, 'jsonrpc') || isReport(value)) return false;
  return (
    /^(?:error|response\.(?:failed|error))$/.test(ownText(value, 'type')) ||
    object === 'error' ||
    (isTruthyError(own(value, 'error')) && !isHollow(value)) ||
    ownText(value, 'status') === 'failed' ||
    // Cohere, at the end of a stream.
    [value, own(value, 'delta')].some((part) => ownText(part, 'finish_reason') === 'ERROR') ||
    // MiniMax, Baidu and Tencent, where 0 is a success.
    Number(memberAt(value, 'base_resp.status_code') ?? 0) !== 0 ||
    (Number(own(value, 'error_code') ?? 0) !== 0 && ownText(value, 'error_msg') !== '') ||
    // Venice and DeepInfra, in a stream.
    (ownText(value, 'error_type') !== '' && ownText(value, 'error_message') !== '') ||
    isObject(memberAt(value, 'Response.Error')) ||
    isMalformedCall(value) ||
    objectsOf(own(value, 'choices')).some(
      (choice) => /^(?:network_)?error$/.test(ownText(choice, 'finish_reason')) || isObject(own(choice, 'error')),
    )
  );
}

const ANSWERS = /^(?:error|response|chat\.completion|text_completion|list)/;

/** The content of an error inside a success. */
export function inBandError(content: ErrorContent): ErrorContent {
  const { value } = content;
  // It has no member that a message could be read from, and what the model wrote is no message.
  return isObject(value) && isMalformedCall(value) ? { ...content, message: MALFORMED_CALL } : content;
}

const MALFORMED_CALL = 'MALFORMED_FUNCTION_CALL';

/**
 * Gemini: the model wrote a function call that could not be read, and nothing else. The same request mostly passes. Any
 * other finish without content is an answer: the last turn of an agent is empty.
 */
function isMalformedCall(value: JsonObject): boolean {
  const candidates = objectsOf(own(insideOf(value), 'candidates'));
  return (
    candidates.length > 0 &&
    candidates.every(
      (candidate) => ownText(candidate, 'finishReason') === MALFORMED_CALL && !isSayingSomething(candidate),
    )
  );
}

/** A chunk of Gemini, which Cloud Code puts into a member. */
export function insideOf(value: JsonObject): JsonObject {
  const response = own(value, 'response');
  return isObject(response) ? response : value;
}

/** Whether a candidate of Gemini has output. */
function isSayingSomething(candidate: JsonObject): boolean {
  const content = own(candidate, 'content');
  return !isBlank(own(content, 'parts')) || (typeof content === 'string' && content !== '');
}

/** A line of a batch's output or of a log, or a long-running operation of Google: the error is the requested result. */
function isReport(value: JsonObject): boolean {
  return (
    ownText(value, 'custom_id') !== '' ||
    own(value, 'level') !== undefined ||
    (own(value, 'done') === true && ownText(value, 'name') !== '')
  );
}

/** Some relays send an empty error with every success. */
function isHollow(value: JsonObject): boolean {
  const error = own(value, 'error');
  return objectsOf(own(value, 'choices')).length > 0 && isObject(error) && Object.values(error).every(isBlank);
}

function isTruthyError(error: unknown): boolean {
  return isObject(error) || (typeof error === 'string' && error !== '');
}
