/**
 * Which requests go to a model. A program may send payments, telemetry and mail through the same fetch, and these must
 * not be repeated, so a request counts only if its URL says so. At a path that other services have too its body must say
 * so as well. In doubt a request does not count.
 */

import type { ModelShape } from './model-shape.ts';
import type { Words } from './request-words.ts';

/** What is looked at. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  /** Asked for only if the path does not decide. undefined: the body has to be read first. */
  readonly words?: Words | undefined;
}

/**
 * The ends of paths that only models have. What starts a job (`/batches`, `/predictions`, `:predictLongRunning`,
 * `/async-invoke`) is left out, because a repetition starts a second one.
 */
const MODEL_PATHS = /* @__PURE__ */ pathsEndingIn([
  // OpenAI and all that speak its protocol: platform.openai.com/docs/api-reference
  '/chat/completions',
  '/v\\d+/responses/(?:compact|input_tokens)',
  '/v\\d+/images/(?:generations|edits|variations)',
  '/v\\d+/audio/(?:transcriptions|translations|speech)',
  'api\\.openai\\.com/v1/(?:completions|embeddings|moderations|responses)',
  // Azure OpenAI: learn.microsoft.com/azure/ai-services/openai/reference
  '/openai/deployments/[^/]+/(?:completions|images/generations|audio/\\w+)',
  '/(?:deployments|engines)/[^/]+/embeddings',
  '/openai/(?:v1/)?responses',
  // Mistral: docs.mistral.ai/api
  '/v1/(?:fim|agents)/completions',
  'api\\.mistral\\.ai/v1/(?:ocr|embeddings|moderations)',
  // Anthropic: docs.anthropic.com/en/api
  '/v1/messages/count_tokens',
  'api\\.anthropic\\.com/v1/(?:messages|complete)',
  // Gemini, Vertex and Cloud Code: ai.google.dev/api, cloud.google.com/vertex-ai/docs/reference/rest
  ':(?:generateContent|streamGenerateContent|embedContent|batchEmbedContents|countTokens|computeTokens)',
  '/(?:models|endpoints)/[^/]+:(?:predict|rawPredict|streamRawPredict)',
  // Bedrock: docs.aws.amazon.com/bedrock/latest/APIReference
  '/model/[^/]+/(?:converse|converse-stream|invoke-with-response-stream|count-tokens)',
  'bedrock[^?]{0,256}/model/[^/]+/invoke',
  // Cohere, Voyage, Jina: docs.cohere.com/reference
  '/v\\d+/rerank',
  // Alibaba: help.aliyun.com/en/model-studio/qwen-api-via-dashscope
  '/services/aigc/(?:text|multimodal)-generation/generation',
  '/services/embeddings/[\\w-]+/[\\w-]+',
  // MiniMax: platform.minimax.io/docs/api-reference
  '/v1/(?:text/chatcompletion_v2|t2a_v2|image_generation)',
  // Baidu: cloud.baidu.com/doc/WENXINWORKSHOP
  '/wenxinworkshop/(?:chat|completions|embeddings)/[^/]+',
  // watsonx: cloud.ibm.com/apidocs/watsonx-ai
  '/ml/v\\d+/(?:deployments/[^/]+/)?text/(?:(?:chat|generation)(?:_stream)?|embeddings|rerank)',
  // Snowflake: docs.snowflake.com/developer-guide/snowflake-rest-api
  '/cortex/inference:(?:complete|embed)',
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
  'api\\.x\\.ai/v1/(?:messages|responses|complete)',
  'openrouter\\.ai/api/v1/(?:messages|responses)',
  'api\\.cohere\\.(?:com|ai)/v\\d/(?:chat|generate|embed)',
  'hunyuan\\.[\\w.-]*tencentcloudapi\\.com',
  // Ollama, at its own port: github.com/ollama/ollama/blob/main/docs/api.md
  ':11434/api/(?:chat|generate|embed|embeddings)',
]);

/** Of the protocols of OpenAI, where a server with one model needs no name of it. */
const COMPLETION_PATHS = /* @__PURE__ */ pathsEndingIn(['/v\\d+/(?:completions|embeddings|moderations)']);

/** Of the protocols of Anthropic and OpenAI, but also of services that send messages to people. */
const SHARED_PATHS = /* @__PURE__ */ pathsEndingIn(['/v1/(?:messages|responses)']);

/** Words that a model's path may end in, and the paths of many other services do. */
const AMBIGUOUS_PATHS = /* @__PURE__ */ pathsEndingIn([
  '/(?:messages|responses|interactions|chat|complete|completions?|generate|generate_stream|invoke|invocations|embeddings|embed|rerank)',
]);

const MODEL_IN_PATH = /\/(?:models?|deployments|engines|(?:serving-)?endpoints)\/[^/]+\//;

function pathsEndingIn(ends: readonly string[]): RegExp {
  return new RegExp(`(?:${ends.join('|')})/?$`);
}

/** Whether a request asks a model. undefined: its body has to be read first. */
export function isModelRequest(request: SentRequest): boolean | undefined {
  if (request.method !== 'POST') return false;
  const needed = shapesFor(request.url);
  // The body is not asked for in vain.
  if (typeof needed === 'boolean') return needed;
  const { words } = request;
  return words && needed.includes(words.modelShape);
}

/**
 * Whether the answer is in a protocol that is known: not images or speech, which may be silent for minutes. Attaching to
 * a response of OpenAI again is a GET.
 */
export function asksForText(request: SentRequest): boolean {
  const { method, url } = request;
  if (method === 'GET') return /\/responses\/.+stream=true/.test(url);
  return isModelRequest(request) === true && !/\/(?:images|audio|[\w-]*speech|sound)/.test(url);
}

/** The shapes of bodies that count at a URL; true: any, false: none. */
type NeededShapes = boolean | readonly ModelShape[];

/** Most programs ask one URL again and again. */
let lastUrl = '';
let lastNeeded: NeededShapes = false;

function shapesFor(url: string): NeededShapes {
  if (url !== lastUrl) [lastUrl, lastNeeded] = [url, readNeeded(url)];
  return lastNeeded;
}

function readNeeded(url: string): NeededShapes {
  const query = url.search(/[?#]/);
  const path = query < 0 ? url : url.slice(0, query);
  if (MODEL_PATHS.test(path)) return true;
  if (COMPLETION_PATHS.test(path)) return ['whole', 'conversation', 'content'];
  if (SHARED_PATHS.test(path)) return ['whole', 'conversation'];
  if (!AMBIGUOUS_PATHS.test(path)) return false;
  return MODEL_IN_PATH.test(path) ? ['whole', 'conversation', 'content'] : ['whole'];
}
