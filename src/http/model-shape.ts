/**
 * How much the JSON of a request looks like one for a model. Services that send messages to people, take orders or
 * collect answers use the same paths and some of the same names, so what they have in common with a model counts little.
 */

import { isObject, type JsonObject, objectsOf, own, ownText } from '../runtime/values.ts';

/**
 * `whole`: something to answer, and the name of a model or a setting that only models have. `conversation`: turns, each
 * with its role. `content`: something to answer. `none`: in doubt.
 */
export type ModelShape = 'whole' | 'conversation' | 'content' | 'none';

const MODEL_NAMES: readonly string[] = ['model', 'Model', 'model_id', 'modelId'];

/** Settings of a model. Words of other services too, such as `stream` or `n`, are left out. */
const SETTINGS: readonly string[] =
  /* @__PURE__ */ 'max_tokens max_completion_tokens max_output_tokens max_new_tokens max_tokens_to_sample maxOutputTokens maxTokens n_predict temperature top_p top_k topP topK stop_sequences logit_bias anthropic_version generationConfig'.split(
    ' ',
  );
/** Members that may hold the settings. */
const SETTINGS_MEMBERS: readonly string[] = ['parameters', 'options', 'inferenceConfig'];

const ROLES: readonly string[] = ['system', 'developer', 'user', 'assistant', 'tool', 'function', 'model'];
const TURN_MEMBERS: readonly string[] = ['content', 'parts', 'tool_calls', 'function_call'];

/**
 * Members of requests to other services: who gets it, what it costs, where the result of a job is sent. A request of a
 * model has none of them.
 */
const OF_OTHER_SERVICES =
  /^(?:to|from|b?cc|reply_?to|recipients?|destinations?|sender|subject|phone(?:_?numbers?)?|msisdn|chat_?id|channel|personalizations|amount|currency|price|quantity|order_?id|jsonrpc|\w*(?:callback|webhook)\w*)$/i;

/** A long text that begins with the name of a model is not parsed. */
const LONG_TEXT = 65_536;

export function beginsLikeModelRequest(text: string): boolean {
  return text.length >= LONG_TEXT && /^\s*\{\s*"model"\s*:\s*"[^"\\]{1,256}"\s*,/.test(text);
}

export function modelShapeOf(json: unknown): ModelShape {
  if (!isObject(json) || isOfOtherService(json)) return 'none';
  const messages = own(json, 'messages');
  const isConversation = isListOf(messages, isTurn) || isListOf(own(json, 'contents'), isTurn);
  const isNamed = MODEL_NAMES.some((name) => ownText(json, name) !== '');
  const isContent = isConversation || hasPrompt(json) || (Array.isArray(messages) && messages.length === 0);
  if (isNamed && (isContent || hasInput(json))) return 'whole';
  if (isContent && hasSettings(json)) return 'whole';
  if (isConversation) return 'conversation';
  return hasPrompt(json) ? 'content' : 'none';
}

function isOfOtherService(json: JsonObject): boolean {
  return [json, ...objectsOf(own(json, 'messages'))].some((each) =>
    Object.keys(each).some((name) => OF_OTHER_SERVICES.test(name)),
  );
}

function isTurn(item: unknown): boolean {
  return isObject(item) && ROLES.includes(ownText(item, 'role').toLowerCase()) && hasSome(item, TURN_MEMBERS);
}

/** Members that mean a model by themselves. */
function hasPrompt(json: JsonObject): boolean {
  const { contents } = json;
  return (
    isInput(own(json, 'prompt')) ||
    isInput(own(json, 'inputs')) ||
    isListOf(contents, (item) => own(item, 'parts') !== undefined)
  );
}

/** Members that mean a model if the request names one. */
function hasInput(json: JsonObject): boolean {
  if (isInput(own(json, 'input')) || isInput(own(json, 'texts'))) return true;
  return (
    ['prompt', 'document'].some((name) => isObject(own(json, name))) ||
    (ownText(json, 'query') !== '' && Array.isArray(own(json, 'documents')))
  );
}

function hasSettings(json: JsonObject): boolean {
  return [json, ...SETTINGS_MEMBERS.map((name) => own(json, name))].some(
    (each) => isObject(each) && hasSome(each, SETTINGS),
  );
}

/** A text, or a list of texts, tokens or parts. */
function isInput(value: unknown): boolean {
  return typeof value === 'string' || Array.isArray(value);
}

function isListOf(list: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(list) && list.length > 0 && list.every(isItem);
}

function hasSome(json: JsonObject, names: readonly string[]): boolean {
  return names.some((name) => Object.hasOwn(json, name));
}
