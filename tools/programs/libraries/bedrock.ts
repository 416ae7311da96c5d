import { BedrockRuntimeClient, ConverseCommand, ConverseStreamCommand } from '@aws-sdk/client-bedrock-runtime';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { joined, type Library, PROMPT, type Question } from './library.ts';

const request = {
  modelId: 'anthropic.claude-sonnet-4',
  messages: [{ role: 'user' as const, content: [{ text: PROMPT }] }],
};

type Http = 'http2' | 'http1';

/** Uses HTTP/2 by default. A Bedrock API key signs nothing, so `Host` may change on the way. */
function client({ baseUrl, ownRetries }: Question, http: Http): BedrockRuntimeClient {
  return new BedrockRuntimeClient({
    region: 'us-east-1',
    endpoint: baseUrl,
    token: { token: 'bedrock-api-key-loopback' },
    authSchemePreference: ['httpBearerAuth'],
    ...(http === 'http1' && { requestHandler: new NodeHttpHandler() }),
    ...(ownRetries === 'off' && { maxAttempts: 1 }),
  });
}

export const bedrock: readonly Library[] = (['http2', 'http1'] as const).flatMap((http): readonly Library[] => [
  {
    name: `bedrock converse ${http}`,
    api: 'bedrock',
    isStreamed: false,
    retry: null,
    async run(question) {
      const { output } = await client(question, http).send(new ConverseCommand(request));
      return output?.message?.content?.[0]?.text ?? '';
    },
  },
  {
    name: `bedrock converse stream ${http}`,
    api: 'bedrock',
    isStreamed: true,
    retry: null,
    async run(question) {
      const { stream } = await client(question, http).send(new ConverseStreamCommand(request));
      return stream === undefined ? '' : joined(stream, (event) => event.contentBlockDelta?.delta?.text);
    },
  },
]);
