import axios, { type AxiosError } from 'axios';
import axiosRetry, { exponentialDelay, type IAxiosRetryConfig, isNetworkError, isRetryableError } from 'axios-retry';
import { type Client, defaultsAndBest, PATIENCE, type Program } from '../client.ts';
import { chatBody, chatHeaders, chatUrl, readEvents } from './chat-by-hand.ts';

function overAxios(origin: string, options?: IAxiosRetryConfig): Program {
  const client = axios.create({ headers: chatHeaders });
  axiosRetry(client, options);
  return {
    async ask(question) {
      const body = chatBody(question);
      if (question.isStreamed)
        return readEvents((await client.post(chatUrl(origin), body, { responseType: 'stream' })).data, question);
      return (await client.post(chatUrl(origin), body)).data.choices[0].message.content;
    },
    callTool: async (body) => (await client.post(`${origin}/mcp`, body)).data,
  };
}

/** A POST is not retried by default, and without a wait. */
const best: IAxiosRetryConfig = {
  retries: PATIENCE.retries,
  retryCondition: (error: AxiosError) =>
    isNetworkError(error) || isRetryableError(error) || error.response?.status === 429,
  retryDelay: (count, error) => exponentialDelay(count, error, PATIENCE.firstDelayMs / 2),
};

export default {
  name: 'axios-retry',
  package: 'axios-retry',
  api: 'chat',
  documentation: 'https://github.com/softonic/axios-retry#options',
  settings: defaultsAndBest(overAxios, best),
} satisfies Client;
