/**
 * Which requests go to a model. A program may send payments, telemetry and mail through the same fetch, and these must
 * not be repeated, so a request counts only if its URL says so: in doubt it does not.
 */

import { isObject, ownText } from '../runtime/values.ts';
import { jsonOf } from './request-parts.ts';

/** What is looked at. `body` is read only if the path does not decide. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  /** As the caller gave it. */
  readonly body: unknown;
}

/**
 * The ends of paths that only models have. What starts a job (`/batches`, `/predictions`, `:predictLongRunning`,
 * `/async-invoke`) is left out, because a repetition starts a second one.
 */
const MODEL_PATHS = /* @__PURE__ */ pathsEndingIn([
  // OpenAI and all that speak its protocol: platform.openai.com/docs/api-reference
  '/chat/completions',
  '/v\\d+/(?:completions|embeddings|moderations)',
  '/v\\d+/responses/(?:compact|input_tokens)',
  '/v\\d+/images/(?:generations|edits|variations)',
  '/v\\d+/audio/(?:transcriptions|translations|speech)',
  // Azure OpenAI: learn.microsoft.com/azure/ai-services/openai/reference
  '/openai/deployments/[^/]+/(?:completions|embeddings|images/generations|audio/\\w+)',
  '/openai/responses',
  // Mistral: docs.mistral.ai/api
  '/v1/(?:fim|agents)/completions',
  '/v1/ocr',
  // Anthropic: docs.anthropic.com/en/api
  '/v1/messages/count_tokens',
  '/v1/complete',
  // Gemini, Vertex and Cloud Code: ai.google.dev/api, cloud.google.com/vertex-ai/docs/reference/rest
  ':(?:generateContent|streamGenerateContent|embedContent|batchEmbedContents|countTokens|computeTokens)',
  '/(?:models|endpoints)/[^/]+:(?:predict|rawPredict|streamRawPredict)',
  // Bedrock: docs.aws.amazon.com/bedrock/latest/APIReference
  '/model/[^/]+/(?:converse|converse-stream|invoke|invoke-with-response-stream|count-tokens)',
  // Cohere, Voyage, Jina: docs.cohere.com/reference
  '/v\\d+/rerank',
  // Alibaba: help.aliyun.com/en/model-studio/qwen-api-via-dashscope
  '/services/aigc/(?:text|multimodal)-generation/generation',
  '/services/embeddings/[\\w-]+/[\\w-]+',
  // MiniMax: platform.minimax.io/docs/api-reference
  '/v1/text/chatcompletion_v2',
  // Baidu: cloud.baidu.com/doc/WENXINWORKSHOP
  '/wenxinworkshop/(?:chat|completions|embeddings)/[^/]+',
  // ElevenLabs: elevenlabs.io/docs/api-reference
  '/v1/text-to-speech/[^/]+(?:/stream)?(?:/with-timestamps)?',
  '/v1/(?:speech-to-text|speech-to-speech/[^/]+(?:/stream)?|sound-generation)',
  // Cloudflare: developers.cloudflare.com/workers-ai
  '/ai/run/@[^?]+',
  // Hugging Face: huggingface.co/docs/inference-providers
  '(?:api-inference|router)\\.huggingface\\.co/(?:[\\w-]+/)?models/[^?]+',
  // Vercel's gateway: vercel.com/docs/ai-gateway
  '/v\\d+/ai/(?:language|embedding|image|reranking)-model',
  // Paths of other services too, which mean a model at these hosts
  'api\\.(?:openai\\.com|x\\.ai)/v1/responses',
  'api\\.anthropic\\.com/v1/messages',
  'openrouter\\.ai/api/v1/(?:messages|responses)',
  'api\\.cohere\\.(?:com|ai)/v\\d/(?:chat|generate|embed)',
  'hunyuan\\.[\\w.-]*tencentcloudapi\\.com',
  // Ollama, at its own port: github.com/ollama/ollama/blob/main/docs/api.md
  ':11434/api/(?:chat|generate|embed|embeddings)',
]);

/** Of the protocols of Anthropic and OpenAI, but also of services that send messages to people. */
const SHARED_PATHS = /* @__PURE__ */ pathsEndingIn(['/v1/(?:messages|responses)']);

/** Members that a request of these protocols has. */
const MODEL_MEMBERS: readonly string[] = ['model', 'messages', 'input', 'prompt'];

/** Paths that mean a model only if the request names one. */
const AMBIGUOUS_PATHS = /* @__PURE__ */ pathsEndingIn([
  '/(?:messages|responses|interactions|chat|completions?|generate|embeddings|embed|rerank|image_generation|t2a_v2)',
]);

const MODEL_IN_PATH = /\/(?:models?|deployments|engines)\/[^/]+\//;

function pathsEndingIn(ends: readonly string[]): RegExp {
  return new RegExp(`(?:${ends.join('|')})/?$`);
}

/** Whether a request asks a model: POST, to a path that is known. */
export function isModelRequest(request: SentRequest): boolean {
  if (request.method !== 'POST') return false;
  switch (kindOfUrl(request.url)) {
    case 'model':
      return true;
    case 'shared':
      return isOfModelProtocol(request.body);
    case 'model if named':
      return namesModel(request.body);
    case 'other':
      return false;
  }
}

/**
 * Whether the answer is in a protocol that is known: not images or speech, which may be silent for minutes. Attaching to
 * a response of OpenAI again is a GET.
 */
export function asksForText(request: SentRequest): boolean {
  const { method, url } = request;
  if (method === 'GET') return /\/responses\/.+stream=true/.test(url);
  return isModelRequest(request) && !/\/(?:images|audio|[\w-]*speech|sound)/.test(url);
}

type UrlKind = 'model' | 'shared' | 'model if named' | 'other';

/** Most programs ask one URL again and again. */
let lastUrl = '';
let lastKind: UrlKind = 'other';

function kindOfUrl(url: string): UrlKind {
  if (url !== lastUrl) [lastUrl, lastKind] = [url, readKind(url)];
  return lastKind;
}

function readKind(url: string): UrlKind {
  const query = url.search(/[?#]/);
  const path = query < 0 ? url : url.slice(0, query);
  if (MODEL_PATHS.test(path)) return 'model';
  if (SHARED_PATHS.test(path)) return 'shared';
  if (!AMBIGUOUS_PATHS.test(path)) return 'other';
  return MODEL_IN_PATH.test(path) ? 'model' : 'model if named';
}

/** A request whose body is not known here, such as that of a `Request`, counts by its path. */
function isOfModelProtocol(body: unknown): boolean {
  if (body === undefined || body === null || startsWithModel(body)) return true;
  const json = jsonOf(body);
  return isObject(json) && (Object.keys(json).length === 0 || MODEL_MEMBERS.some((name) => Object.hasOwn(json, name)));
}

function namesModel(body: unknown): boolean {
  return startsWithModel(body) || ownText(jsonOf(body), 'model') !== '';
}

/** The usual case, found without parsing a long conversation. */
function startsWithModel(body: unknown): boolean {
  return typeof body === 'string' && /^\s*\{\s*"model"\s*:\s*"/.test(body);
}
