/**
 * Every provider. Written by `node scripts/list-providers.mjs` from the files in this folder; to add one, add its file
 * and run the script again. Where several recognise a response as theirs, the first is meant: Azure sends OpenAI's
 * headers as well.
 */

import type { Family } from '../family.ts';
import { ALIBABA } from './alibaba.ts';
import { ANTHROPIC } from './anthropic.ts';
import { AZURE } from './azure.ts';
import { BAIDU } from './baidu.ts';
import { BEDROCK } from './bedrock.ts';
import { CLOUDFLARE } from './cloudflare.ts';
import { COHERE } from './cohere.ts';
import { DEEPSEEK } from './deepseek.ts';
import { ELEVENLABS } from './elevenlabs.ts';
import { ENVOY } from './envoy.ts';
import { GOOGLE } from './google.ts';
import { GROQ } from './groq.ts';
import { HUGGINGFACE } from './huggingface.ts';
import { LITELLM } from './litellm.ts';
import { MINIMAX } from './minimax.ts';
import { MISTRAL } from './mistral.ts';
import { MOONSHOT } from './moonshot.ts';
import { NEWAPI } from './newapi.ts';
import { NVIDIA } from './nvidia.ts';
import { OLLAMA } from './ollama.ts';
import { OPENAI } from './openai.ts';
import { OPENCODE } from './opencode.ts';
import { OPENROUTER } from './openrouter.ts';
import { TENCENT } from './tencent.ts';
import { TOGETHER } from './together.ts';
import { VLLM } from './vllm.ts';
import { VOLCENGINE } from './volcengine.ts';
import { XAI } from './xai.ts';
import { ZHIPU } from './zhipu.ts';

export const PROVIDERS: readonly Family[] = [
  ALIBABA,
  ANTHROPIC,
  AZURE,
  BAIDU,
  BEDROCK,
  CLOUDFLARE,
  COHERE,
  DEEPSEEK,
  ELEVENLABS,
  ENVOY,
  GOOGLE,
  GROQ,
  HUGGINGFACE,
  LITELLM,
  MINIMAX,
  MISTRAL,
  MOONSHOT,
  NEWAPI,
  NVIDIA,
  OLLAMA,
  OPENAI,
  OPENCODE,
  OPENROUTER,
  TENCENT,
  TOGETHER,
  VLLM,
  VOLCENGINE,
  XAI,
  ZHIPU,
];
