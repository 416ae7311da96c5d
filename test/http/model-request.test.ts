import { describe, expect, test } from 'vitest';
import { PROVIDERS } from '../../src/classify/providers.ts';
import { asksForText, isModelRequest as asksModel } from '../../src/http/model-request.ts';
import { wordsOf } from '../../src/http/request-words.ts';
import { createRetryFetch, type Fetch, RetryTransport } from '../../src/index.ts';
import { fakeRuntime, scriptTransport } from '../script.ts';
import { oneIn } from '../thorough.ts';

const isModelRequest = ({
  body,
  ...request
}: {
  readonly method: string;
  readonly url: string;
  readonly body: unknown;
}) => asksModel({ ...request, words: wordsOf(body) });

const CHAT = '{"model":"m","messages":[{"role":"user","content":"Hi"}]}';
const CONTENTS = '{"contents":[{"parts":[{"text":"Hi"}]}]}';
const INPUT = '{"input":"Hi","model":"m"}';

/** By the file name of the provider in src/classify/providers: URL and body. */
const OF_PROVIDERS: readonly (readonly [provider: string, url: string, body: string])[] = [
  ['openai', 'https://api.openai.com/v1/chat/completions', CHAT],
  ['openai', 'https://api.openai.com/v1/responses', '{"prompt":{"id":"pmpt_1"}}'],
  ['openai', 'https://api.openai.com/v1/completions', '{}'],
  ['openai', 'https://api.openai.com/v1/embeddings', INPUT],
  ['openai', 'https://api.openai.com/v1/moderations', INPUT],
  ['openai', 'https://api.openai.com/v1/images/generations', '{"prompt":"A cat"}'],
  ['openai', 'https://api.openai.com/v1/audio/speech', INPUT],
  ['openai', 'https://chatgpt.com/backend-api/codex/responses', INPUT],
  ['azure', 'https://x.openai.azure.com/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21', '{}'],
  ['azure', 'https://x.openai.azure.com/openai/deployments/ada/embeddings?api-version=2024-10-21', '{"input":"Hi"}'],
  ['azure', 'https://x.openai.azure.com/openai/responses?api-version=2025-04-01-preview', INPUT],
  ['azure', 'https://x.services.ai.azure.com/models/chat/completions?api-version=2024-05-01-preview', CHAT],
  ['azure', 'https://x.services.ai.azure.com/anthropic/v1/messages', CHAT],
  ['anthropic', 'https://api.anthropic.com/v1/messages', CHAT],
  ['anthropic', 'https://api.anthropic.com/v1/messages?beta=true', CHAT],
  ['anthropic', 'https://api.anthropic.com/v1/messages/count_tokens', CHAT],
  ['anthropic', 'https://gateway.example/v1/messages', CHAT],
  ['google', 'https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent', CONTENTS],
  ['google', 'https://generativelanguage.googleapis.com/v1beta/models/gemini:streamGenerateContent?alt=sse', CONTENTS],
  ['google', 'https://generativelanguage.googleapis.com/v1beta/models/embed:batchEmbedContents', '{"requests":[]}'],
  ['google', 'https://generativelanguage.googleapis.com/v1beta/openai/chat/completions', CHAT],
  ['google', 'https://generativelanguage.googleapis.com/v1beta/interactions', INPUT],
  ['google', 'https://cloudcode-pa.googleapis.com/v1internal:streamGenerateContent?alt=sse', '{"project":"p"}'],
  [
    'google',
    'https://us-central1-aiplatform.googleapis.com/v1/projects/p/locations/us-central1/publishers/anthropic/models/claude:streamRawPredict',
    '{"messages":[]}',
  ],
  ['bedrock', 'https://bedrock-runtime.us-east-1.amazonaws.com/model/us.anthropic.claude-v1%3A0/converse', '{}'],
  ['bedrock', 'https://bedrock-runtime.us-east-1.amazonaws.com/model/anthropic.claude-v1:0/converse-stream', '{}'],
  ['bedrock', 'https://bedrock-runtime.us-east-1.amazonaws.com/model/x/invoke-with-response-stream', '{}'],
  ['openrouter', 'https://openrouter.ai/api/v1/chat/completions', CHAT],
  ['openrouter', 'https://openrouter.ai/api/v1/responses', INPUT],
  ['groq', 'https://api.groq.com/openai/v1/chat/completions', CHAT],
  ['mistral', 'https://api.mistral.ai/v1/chat/completions', CHAT],
  ['mistral', 'https://api.mistral.ai/v1/fim/completions', '{"prompt":"def f("}'],
  ['xai', 'https://api.x.ai/v1/chat/completions', CHAT],
  ['xai', 'https://api.x.ai/v1/responses', INPUT],
  ['cohere', 'https://api.cohere.com/v2/chat', CHAT],
  ['cohere', 'https://api.cohere.com/v2/embed', '{"texts":["Hi"]}'],
  ['cohere', 'https://api.cohere.com/v2/rerank', '{"query":"Hi"}'],
  ['together', 'https://api.together.xyz/v1/chat/completions', CHAT],
  ['deepseek', 'https://api.deepseek.com/chat/completions', CHAT],
  ['deepseek', 'https://api.deepseek.com/anthropic/v1/messages', CHAT],
  ['moonshot', 'https://api.moonshot.ai/v1/chat/completions', CHAT],
  ['zhipu', 'https://open.bigmodel.cn/api/paas/v4/chat/completions', CHAT],
  ['zhipu', 'https://api.z.ai/api/anthropic/v1/messages', CHAT],
  ['alibaba', 'https://dashscope.aliyuncs.com/compatible-mode/v1/chat/completions', CHAT],
  ['alibaba', 'https://dashscope.aliyuncs.com/api/v1/services/aigc/text-generation/generation', '{"model":"qwen"}'],
  ['minimax', 'https://api.minimax.io/v1/text/chatcompletion_v2', CHAT],
  ['minimax', 'https://api.minimax.io/v1/t2a_v2', '{"model":"speech-2.8","text":"Hi"}'],
  ['volcengine', 'https://ark.cn-beijing.volces.com/api/v3/chat/completions', CHAT],
  ['volcengine', 'https://ark.cn-beijing.volces.com/api/v3/responses', INPUT],
  ['baidu', 'https://qianfan.baidubce.com/v2/chat/completions', CHAT],
  ['baidu', 'https://aip.baidubce.com/rpc/2.0/ai_custom/v1/wenxinworkshop/chat/ernie?access_token=t', '{}'],
  ['tencent', 'https://api.hunyuan.cloud.tencent.com/v1/chat/completions', CHAT],
  ['tencent', 'https://hunyuan.tencentcloudapi.com/', '{"Model":"hunyuan"}'],
  ['huggingface', 'https://router.huggingface.co/v1/chat/completions', CHAT],
  ['huggingface', 'https://api-inference.huggingface.co/models/distilbert-base-cased', '{"inputs":"Hi"}'],
  ['huggingface', 'https://router.huggingface.co/hf-inference/models/a/b', '{"inputs":"Hi"}'],
  ['nvidia', 'https://integrate.api.nvidia.com/v1/chat/completions', CHAT],
  ['elevenlabs', 'https://api.elevenlabs.io/v1/text-to-speech/voice/stream?output_format=mp3', '{"text":"Hi"}'],
  ['ollama', 'http://localhost:11434/api/chat', CHAT],
  ['ollama', 'http://localhost:11434/api/generate', '{"prompt":"Hi"}'],
  ['ollama', 'https://ollama.com/api/chat', CHAT],
  ['ollama', 'http://localhost:1234/v1/chat/completions', CHAT],
  ['ollama', 'http://localhost:8080/completion', '{"prompt":"Hi","model":"m"}'],
  ['vllm', 'http://localhost:8000/v1/completions', '{"prompt":"Hi"}'],
  ['cloudflare', 'https://gateway.ai.cloudflare.com/v1/account/gateway/openai/chat/completions', CHAT],
  ['cloudflare', 'https://api.cloudflare.com/client/v4/accounts/a/ai/run/@cf/meta/llama-3-8b', '{"prompt":"Hi"}'],
  ['envoy', 'http://envoy.internal/v1/chat/completions', CHAT],
  ['opencode', 'https://opencode.ai/zen/v1/messages', CHAT],
  ['opencode', 'https://opencode.ai/zen/go/v1/chat/completions', CHAT],
  ['litellm', 'http://localhost:4000/chat/completions', CHAT],
  ['litellm', 'http://localhost:4000/bedrock/model/claude/converse', '{}'],
  ['newapi', 'https://gateway.example/v1/responses', INPUT],
];

const TURNS = '"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi"}]';

/** Requests to models at paths that other services have too. */
const AT_SHARED_PATHS: readonly (readonly [url: string, body: string])[] = [
  ['https://gateway.example/v1/messages', `{${TURNS}}`],
  ['https://gateway.example/v1/messages', `{"max_tokens":5,${TURNS},"stream":false}`],
  ['https://gateway.example/v1/messages', `{"max_tokens":5,"messages":[],"system":"Hi"}`],
  ['https://gateway.example/v1/messages', `{"anthropic_version":"vertex-2023-10-16",${TURNS}}`],
  [
    'https://gateway.example/v1/messages',
    '{"model":"m","messages":[{"content":[{"type":"tool_result","tool_use_id":"1","content":"to: Ann"}],"role":"user"}]}',
  ],
  ['https://gateway.example/v1/responses', '{"model":"m","input":[{"role":"user","content":"Hi"}],"store":false}'],
  ['https://gateway.example/v1/responses', '{"model":"m","prompt":{"id":"pmpt_1"}}'],
  ['https://gateway.example/v1/complete', '{"prompt":"\\n\\nHuman: Hi\\n\\nAssistant:","max_tokens_to_sample":9}'],
  ['https://gateway.example/v1/complete', '{"model":"claude-2.1","prompt":"Hi"}'],
  ['https://gateway.example/v1/embeddings', '{"model":"m","input":["Hi",[1,2]]}'],
  ['https://gateway.example/v1/moderations', '{"model":"m","input":"Hi"}'],
  ['https://gateway.example/generate', '{"inputs":"Hi","parameters":{"max_new_tokens":20}}'],
  ['https://gateway.example/generate', '{"prompt":"Hi","temperature":0,"stream":false}'],
  ['https://gateway.example/deployments/x/generate', '{"prompt":"Hi"}'],
  ['https://gateway.example/models/x/messages', `{${TURNS}}`],
  ['https://gateway.example/models/llama/chat', `{${TURNS},"temperature":0}`],
  ['https://gateway.example/engines/ada/embeddings', '{"input":"Hi"}'],
  ['https://gateway.example/model/titan/invoke', '{"prompt":"Hi","max_tokens":5}'],
  ['https://gateway.example/rerank', '{"model":"m","query":"Hi","documents":["a","b"]}'],
  ['https://gateway.example/v1/embed', '{"model":"m","texts":["Hi"]}'],
  ['https://us-south.ml.cloud.ibm.com/ml/v1/text/chat?version=1', `{"model_id":"granite","project_id":"p",${TURNS}}`],
  ['https://us-south.ml.cloud.ibm.com/ml/v1/text/chat_stream?version=1', '{}'],
  ['https://us-south.ml.cloud.ibm.com/ml/v1/text/generation?version=1', '{"model_id":"granite","input":"Hi"}'],
  ['https://eu-de.ml.cloud.ibm.com/ml/v1/text/embeddings?version=1', '{"model_id":"slate","inputs":["Hi"]}'],
  ['https://eu-de.ml.cloud.ibm.com/ml/v1/deployments/1/text/generation_stream?version=1', '{"input":"Hi"}'],
  ['https://dbc-1.cloud.databricks.com/serving-endpoints/claude/invocations', `{${TURNS}}`],
  ['https://dbc-1.cloud.databricks.com/serving-endpoints/llama/invocations', '{"prompt":"Hi","max_tokens":5}'],
  ['https://runtime.sagemaker.us-east-1.amazonaws.com/endpoints/llama/invocations', '{"inputs":"Hi"}'],
  ['https://a.snowflakecomputing.com/api/v2/cortex/inference:complete', `{"model":"claude",${TURNS}}`],
  ['http://localhost:8080/generate_stream', '{"inputs":"Hi","parameters":{"max_new_tokens":5}}'],
  ['http://localhost:8080/completion', '{"prompt":"Hi","n_predict":5}'],
  ['http://localhost:8080/v1/interactions', '{"input":"Hi","model":"m"}'],
];

test.each(AT_SHARED_PATHS)('%s with %s is a model request', (url, body) => {
  expect(isModelRequest({ method: 'POST', url, body })).toBe(true);
});

test.each(OF_PROVIDERS)('%s: %s is a model request', (_provider, url, body) => {
  expect(isModelRequest({ method: 'POST', url, body })).toBe(true);
});

test('each provider with rules of its own has a request in the list', () => {
  expect(OF_PROVIDERS.map(([provider]) => provider)).toEqual(expect.arrayContaining(Object.keys(PROVIDERS)));
});

/** What a program sends beside its model requests, which may cost money or reach a person when it is repeated. */
const OTHERS: readonly (readonly [url: string, body: unknown])[] = [
  ['https://api.stripe.com/v1/payment_intents', 'amount=100&currency=eur'],
  ['https://api.stripe.com/v1/charges', 'amount=100'],
  ['https://api-m.paypal.com/v2/checkout/orders', '{"intent":"CAPTURE"}'],
  ['https://checkout-test.adyen.com/v71/payments', '{"amount":{"value":100}}'],
  ['https://api.mollie.com/v2/payments', '{"amount":{}}'],
  ['https://o1.ingest.sentry.io/api/1/envelope/', '{"event_id":"1"}'],
  ['https://otel.example/v1/traces', '{"resourceSpans":[]}'],
  ['https://otel.example/v1/metrics', '{"resourceMetrics":[]}'],
  ['https://api.segment.io/v1/track', '{"event":"paid"}'],
  ['https://eu.i.posthog.com/batch/', '{"batch":[]}'],
  ['https://http-intake.logs.datadoghq.com/api/v2/logs', '[]'],
  ['https://api.smith.langchain.com/runs', '{"inputs":{},"model":"m"}'],
  ['https://mcp.example/mcp', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"model":"m"}}'],
  ['https://mcp.example/messages?sessionId=1', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"model":"m"}}'],
  ['https://mcp.example/v1/messages', '{"jsonrpc":"2.0","id":1,"method":"tools/call"}'],
  ['https://auth.example/oauth/token', 'grant_type=refresh_token'],
  ['https://github.com/login/oauth/access_token', '{"code":"1"}'],
  ['https://oauth2.googleapis.com/token', new URLSearchParams({ grant_type: 'authorization_code' })],
  ['https://api.openai.com/v1/files', new FormData()],
  ['https://api.openai.com/v1/uploads/1/parts', new FormData()],
  ['https://generativelanguage.googleapis.com/upload/v1beta/files', new Uint8Array(8)],
  ['https://api.anthropic.com/v1/files', new FormData()],
  ['https://discord.com/api/v10/channels/1/messages', '{"content":"the \\"model\\":\\"m\\" is here"}'],
  ['https://discord.com/api/v10/channels/1/messages', '{"embeds":[{"model":"m"}]}'],
  ['https://graph.microsoft.com/v1.0/me/messages', '{"subject":"Hi"}'],
  ['https://graph.microsoft.com/v1.0/me/messages', new TextEncoder().encode('{"subject":"Hi"}')],
  ['https://graph.facebook.com/v23.0/1/messages', '{"messaging_product":"whatsapp","to":"1"}'],
  ['https://api.nexmo.com/v1/messages', '{"message_type":"text","to":"1","from":"2","text":"Hi","channel":"sms"}'],
  ['https://gateway.example/v1/messages', 'to=1&text=Hi'],
  ['https://waba.360dialog.io/v1/messages', { recipient_type: 'individual', to: '1', type: 'text' }],
  ['https://api.typeform.com/forms/1/responses', '{"answers":[]}'],
  ['https://survey.example/v1/responses', '{"answers":[]}'],
  ['https://api.openai.com/v1/threads/thread_1/messages', '{"role":"user","content":"Hi"}'],
  ['https://api.openai.com/v1/threads/thread_1/runs', '{"assistant_id":"1","model":"m"}'],
  ['https://api.openai.com/v1/batches', '{"endpoint":"/v1/chat/completions"}'],
  ['https://api.openai.com/v1/fine_tuning/jobs', '{"model":"m"}'],
  ['https://api.openai.com/v1/videos', '{"model":"m","prompt":"A cat"}'],
  ['https://api.openai.com/v1/responses/resp_1/cancel', '{}'],
  ['https://api.anthropic.com/v1/messages/batches', '{"requests":[]}'],
  ['https://generativelanguage.googleapis.com/v1beta/models/m:batchGenerateContent', '{}'],
  ['https://generativelanguage.googleapis.com/v1beta/models/veo:predictLongRunning', '{}'],
  ['https://bedrock-runtime.us-east-1.amazonaws.com/async-invoke', '{"modelId":"m"}'],
  ['https://api.replicate.com/v1/models/a/b/predictions', '{"input":{}}'],
  ['https://api.replicate.com/v1/predictions', '{"model":"m","input":{}}'],
  ['https://queue.fal.run/fal-ai/flux', '{"prompt":"A cat"}'],
  ['https://slack.com/api/chat.postMessage', '{"channel":"1","text":"Hi"}'],
  ['https://api.telegram.org/bot1/sendMessage', '{"chat_id":1,"text":"Hi"}'],
  ['https://api.twilio.com/2010-04-01/Accounts/1/Messages.json', 'To=1&Body=Hi'],
  ['https://api.sendgrid.com/v3/mail/send', '{"personalizations":[]}'],
  ['https://api.mailgun.net/v3/example.com/messages', new FormData()],
  ['https://api.github.com/repos/a/b/issues', '{"title":"model"}'],
  ['https://api.example/graphql', '{"query":"mutation { pay }"}'],
  ['https://shop.example/api/chat', '{"id":"1","messages":[]}'],
  ['https://shop.example/cars/models/roadster/orders', '{"model":"roadster"}'],
  ['https://index.svc.pinecone.io/vectors/upsert', '{"vectors":[]}'],
  ['https://hooks.example/deploy?path=/v1/chat/completions', '{"model":"m"}'],
  ['https://sms.example/v1/messages', '{"messages":[{"to":"+4911","text":"Your code is 1"}]}'],
  ['https://sms.example/v1/messages', '{"messages":[{"content":"Hi","destination_number":"+4911"}]}'],
  ['https://sms.example/v1/messages', '{"messages":[{"role":"user","content":"Hi","to":"+4911"}],"model":"m"}'],
  ['https://sms.example/v1/messages', '{"model":"sms-1","input":"Hi","to":["+4911"]}'],
  ['https://sms.example/v1/messages', '{"from":"shop","to":"1","prompt":"Press 1","max_tokens":1}'],
  ['https://mail.example/v1/messages', '{"messages":[],"subject":"Hi"}'],
  ['https://mail.example/v1/messages', '{"messages":[{"role":"reply","content":"Hi"}]}'],
  ['https://push.example/v1/messages', '{"input":"Hi"}'],
  ['https://push.example/v1/messages', '{}'],
  ['https://push.example/v1/messages', 'Hi'],
  ['https://chat.example/v1/messages', '{"role":"user","content":"Hi"}'],
  ['https://dealer.example/v1/messages', '{"model":"roadster","message":"Is it available?"}'],
  ['https://survey.example/v1/responses', '{"input":"Hi","survey":1}'],
  ['https://survey.example/v1/responses', '{"model":"s1","answers":[1]}'],
  ['https://tasks.example/v1/complete', '{"task":"1"}'],
  ['https://tasks.example/v1/complete', '{"prompt":"Ship it?"}'],
  ['https://shop.example/orders/1/v1/complete', '{"model":"roadster","amount":1,"prompt":"x"}'],
  ['https://search.example/v1/completions', '{"query":"app"}'],
  ['https://lms.example/v1/completions', '{"course":"1","user":"2"}'],
  ['https://vectors.example/v1/embeddings', '{"vectors":[[1]]}'],
  ['https://forum.example/v1/moderations', '{"post":1,"verdict":"ban"}'],
  ['https://ocr.example/v1/ocr', '{"url":"https://a.example/1.png"}'],
  ['https://invoices.example/generate', '{"order":1}'],
  ['https://invoices.example/generate', '{"prompt":"Invoice"}'],
  ['https://songs.example/api/v1/generate', '{"model":"V5","prompt":"A song","callBackUrl":"https://a.example"}'],
  ['https://ci.example/deployments/x/generate', '{"report":7}'],
  ['https://ci.example/deployments/x/generate', '{"messages":[{"to":"1","text":"Hi"}]}'],
  ['https://shop.example/models/roadster/messages', '{"text":"Hi"}'],
  ['https://shop.example/models/roadster/messages', '{"to":"1","messages":[{"role":"user","content":"Hi"}]}'],
  ['https://shop.example/model/roadster/invoke', '{"quantity":1}'],
  ['https://search.example/chat', '{"query":"Hi"}'],
  ['https://dbc-1.cloud.databricks.com/serving-endpoints/churn/invocations', '{"dataframe_records":[{"age":1}]}'],
  ['https://lambda.example/functions/endpoints/pay/invocations', '{"amount":1,"prompt":"x"}'],
  ['https://reports.example/generate_stream', '{"report":7}'],
  ['https://eu-de.ml.cloud.ibm.com/ml/v1/text/extractions?version=1', '{"document":"a.pdf"}'],
];

test.each(OTHERS)('%s with %j is no model request', (url, body) => {
  expect(isModelRequest({ method: 'POST', url, body })).toBe(false);
});

test('only a POST asks a model', () => {
  const url = 'https://api.openai.com/v1/chat/completions';
  for (const method of ['GET', 'PUT', 'DELETE']) expect(isModelRequest({ method, url, body: CHAT })).toBe(false);
});

const FIRST_TURN = '{"role":"user","content":"Hi"}';

test.each<[string, unknown, boolean | undefined]>([
  ['a conversation as an object', { max_tokens: 5, messages: [] }, true],
  ['a conversation as bytes', new TextEncoder().encode(`{"messages":[${FIRST_TURN}]}`), true],
  [
    'a conversation as a view of a buffer',
    new DataView(new TextEncoder().encode(`{"messages":[${FIRST_TURN}]}`).buffer),
    true,
  ],
  ['a model after white space', `{ "temperature": 1, "model": "m", "messages":[${FIRST_TURN}] }`, true],
  ['a conversation after a byte order mark', `\uFEFF{"messages":[${FIRST_TURN}]}`, true],
  [
    'a conversation whose model comes last',
    `{"messages":[${`${FIRST_TURN},`.repeat(9_999)}${FIRST_TURN}],"model":"m"}`,
    true,
  ],
  ['a long conversation that is not parsed', `{"model":"m","messages":[${`${FIRST_TURN},`.repeat(9_999)}`, true],
  ['a Blob that was not read', new Blob([`{"messages":[${FIRST_TURN}]}`]), undefined],
  ['a request without a body', new Request('https://gateway.example', { method: 'POST' }), false],
  ['an empty object', '{}', false],
  ['a name of a model alone', '{"model":"m"}', false],
  ['nothing', undefined, false],
  ['null', null, false],
  ['text that is no JSON', 'Hi', false],
  ['a form', new FormData(), false],
])('/v1/messages of an unknown host with %s → %j', (_what, body, expected) => {
  expect(isModelRequest({ method: 'POST', url: 'https://gateway.example/v1/messages', body })).toBe(expected);
});

test.each<[string, unknown, boolean]>([
  ['https://gateway.example/generate', { model: 'm', prompt: 'Hi' }, true],
  ['https://gateway.example/generate', new TextEncoder().encode('{"prompt":"Hi","model":"m"}').buffer, true],
  ['https://gateway.example/generate', '{"model":7,"prompt":"Hi"}', false],
  ['https://gateway.example/generate', undefined, false],
  ['https://gateway.example/models/llama/generate', undefined, false],
  ['/api/v1/chat/completions#top', undefined, true],
])('%s with %j, a path that other services have too: %j', (url, body, expected) => {
  expect(isModelRequest({ method: 'POST', url, body })).toBe(expected);
});

/** How programs hand over a body. */
const BODY_KINDS: readonly (readonly [kind: string, make: (text: string) => BodyInit])[] = [
  ['a text', (text) => text],
  ['a text with a byte order mark', (text) => `\uFEFF${text}`],
  ['a Buffer', (text) => Buffer.from(text)],
  ['bytes with a byte order mark', (text) => new TextEncoder().encode(`\uFEFF${text}`)],
  ['a Blob', (text) => new Blob(['\uFEFF', text], { type: 'text/plain' })],
];
const CONTENT_TYPES: readonly HeadersInit[] = [
  { 'content-type': 'application/json' },
  { 'content-type': 'text/plain' },
  {},
];

/** How often a request is sent that meets a reset, as arguments and as a `Request`. */
async function timesSent(url: string, init: () => RequestInit): Promise<readonly number[]> {
  const ways: readonly (() => Parameters<Fetch>)[] = [
    () => [url, init()],
    () => [new Request(url, init())],
    () => [new Request(url, { method: 'POST' }), init()],
  ];
  return Promise.all(
    ways.map(async (argumentsOf) => {
      let count = 0;
      const inner: Fetch = async (input, given) => {
        count += 1;
        // Uses the body up, as fetch does.
        await new Request(input, given).arrayBuffer();
        throw new TypeError('fetch failed', { cause: Object.assign(new Error(), { code: 'ECONNRESET' }) });
      };
      const retrying = createRetryFetch({
        fetch: inner,
        runtime: fakeRuntime(),
        retryOnly: 'model-requests',
        maxRetries: 2,
      });
      await expect(retrying(...argumentsOf())).rejects.toThrow('fetch failed');
      return count;
    }),
  );
}

describe.each(BODY_KINDS)("under `retryOnly: 'model-requests'`, as %s", (_kind, make) => {
  const timesOfEach = (requests: readonly (readonly [url: string, body: string])[]): Promise<readonly unknown[]> =>
    Promise.all(
      requests.map(async ([url, body], index) => {
        const headers = CONTENT_TYPES[index % CONTENT_TYPES.length];
        return [
          url,
          body,
          await timesSent(url, () => ({ method: 'POST', body: make(body), ...(headers && { headers }) })),
        ];
      }),
    );

  test('no request to another service is repeated', async () => {
    const others = OTHERS.flatMap(([url, body]) => (typeof body === 'string' ? [[url, body] as const] : []));
    expect(others.length).toBeGreaterThan(60);
    expect(await timesOfEach(others)).toEqual(others.map(([url, body]) => [url, body, [1, 1, 1]]));
  });

  test('each request to a model is repeated', async () => {
    const models = oneIn(3, [...OF_PROVIDERS.map(([, url, body]) => [url, body] as const), ...AT_SHARED_PATHS]);
    expect(await timesOfEach(models)).toEqual(models.map(([url, body]) => [url, body, [3, 3, 3]]));
  });
});

test('a transport reads a Blob too', async () => {
  const url = 'https://gateway.example/v1/messages';
  for (const [body, times] of [
    [`{"messages":[${FIRST_TURN}]}`, 3],
    ['{"messages":[{"to":"1","text":"Hi"}]}', 1],
  ] as const) {
    const inner = scriptTransport(503, 503, 200);
    const headers = { 'x-a': '1' };
    const sent = new RetryTransport(inner, { runtime: fakeRuntime(), retryOnly: 'model-requests' });
    const response = sent.post(url, new Blob([body]), headers);
    // The caller may use its headers again.
    headers['x-a'] = '2';
    expect((await response).status).toBe(times === 1 ? 503 : 200);
    expect(inner.calls.map(([, , given]) => given)).toEqual(Array.from({ length: times }, () => ({ 'x-a': '1' })));
  }
});

test.each<[method: string, url: string, expected: boolean]>([
  ['POST', 'https://api.openai.com/v1/chat/completions', true],
  ['POST', 'https://api.openai.com/v1/responses', true],
  ['GET', 'https://api.openai.com/v1/responses/resp_1?stream=true&starting_after=7', true],
  ['GET', 'https://api.openai.com/v1/responses/resp_1', false],
  ['POST', 'https://api.openai.com/v1/images/generations', false],
  ['POST', 'https://api.openai.com/v1/audio/speech', false],
  ['POST', 'https://api.elevenlabs.io/v1/text-to-speech/voice/stream', false],
  ['POST', 'https://api.elevenlabs.io/v1/sound-generation', false],
  ['POST', 'https://mcp.example/mcp', false],
])('%s %s asks for text: %j', (method, url, expected) => {
  expect(asksForText({ method, url, words: wordsOf('{"model":"m"}') })).toBe(expected);
});
