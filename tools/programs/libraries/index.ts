import { aiSdk } from './ai-sdk.ts';
import { anthropic } from './anthropic.ts';
import { bedrock } from './bedrock.ts';
import { cohere } from './cohere.ts';
import { googleGenai } from './google-genai.ts';
import { groq } from './groq.ts';
import { httpClients } from './http-clients.ts';
import { langchain } from './langchain.ts';
import type { Library } from './library.ts';
import { llamaindex } from './llamaindex.ts';
import { mistral } from './mistral.ts';
import { ollama } from './ollama.ts';
import { openai4 } from './openai-4.ts';
import { openai } from './openai.ts';
import { openaiAgents } from './openai-agents.ts';
import { together } from './together.ts';
import { voyageai } from './voyageai.ts';

/** In the order of the tables. */
export const libraries: readonly Library[] = [
  ...openai,
  ...openai4,
  ...openaiAgents,
  ...anthropic,
  ...aiSdk,
  ...langchain,
  ...googleGenai,
  ...cohere,
  ...ollama,
  ...bedrock,
  ...mistral,
  ...groq,
  ...together,
  ...llamaindex,
  ...voyageai,
  ...httpClients,
];
