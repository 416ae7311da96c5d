import { aiAnthropic, aiGoogle, aiOpenAI, aiOpenAIChat } from './ai-sdk.ts';
import { anthropic } from './anthropic.ts';
import type { Client } from './client.ts';
import { googleGenAI } from './google-genai.ts';
import { kyChat } from './ky.ts';
import { langchain } from './langchain.ts';
import { openaiChat, openaiResponses } from './openai.ts';

export { type Client, type Question, REPLY } from './client.ts';

/** In the order of the tables. */
export const clients: readonly Client[] = [
  openaiChat,
  openaiResponses,
  anthropic,
  aiOpenAI,
  aiOpenAIChat,
  aiAnthropic,
  aiGoogle,
  googleGenAI,
  langchain,
  kyChat,
];
