import { describe, expect, test } from 'vitest';
import { classify } from '../../src/classify/classify.ts';

const read = (text: string) => {
  const { type, retryable, status } = classify({ error: new Error(text) }) ?? {};
  return { type, retryable, status };
};

describe('a refusal behind a general head is final', () => {
  test.each([
    ["Internal error: Error from provider: Extra inputs are not permitted, field: 'promptCacheKey'", 'invalid_request'],
    ['InternalServerError: OpenAIException - Each message must have valid role', 'invalid_request'],
    [
      'InternalServerError: OpenAIException - Post "https://api.example.com/v1/responses": Not Found',
      'invalid_request',
    ],
    ['An error occurred while processing your request. * contents.parts must not be empty.', 'invalid_request'],
    ['litellm.APIConnectionError: The model does not support image input', 'unsupported_feature'],
  ])('%s is read as %s', (text, type) => {
    expect(read(text)).toMatchObject({ type, retryable: false });
  });
});

test('a final status that a text quotes as the cause of a 502 decides, and its own status is kept', () => {
  expect(read('HTTP 502: Provider error (m-1): Ollama Cloud API error 410: Gone')).toMatchObject({
    retryable: false,
    status: 502,
  });
  expect(read('HTTP 502: an upstream returned 404, another returned 503')).toMatchObject({ retryable: true });
});

describe('a failure that passes is retried, although a gateway gave it the status of a refusal', () => {
  test.each([
    [400, 'connection_error', 'Post "http://127.0.0.1:5259/tokenize": the machine actively refused it. (status 400)'],
    [
      403,
      'connection_error',
      '403 Invalid response body while trying to fetch https://a.example: Parse Error: Expected HTTP/',
    ],
    [422, 'connection_error', '{"error":{"message":"APIConnectionError: Connection closed.","code":"422"}}'],
    [424, 'timeout', 'Your invocation timed out while waiting for a response (Status Code: 424)'],
    [
      400,
      'server_error',
      "Error code: 400 - {'error': {'message': 'Failed to call a function. Please adjust your prompt.'}}",
    ],
  ])('a %i is read as %s: %s', (status, type, text) => {
    expect(read(text)).toEqual({ status, type, retryable: true });
  });
});

test.each([
  'Failed to execute thread run: {"error": {"message": "Thread thread_1 already has an active run run_1.", "type": "invalid_request_error"}}',
  'Another generation is already in progress',
])('what waits for an earlier call is retried: %s', (text) => {
  expect(read(text)).toMatchObject({ type: 'overloaded', retryable: true });
});

test.each([
  'stream error: unexpected status 400 Bad Request: {"detail":"Instructions are not valid"}; retrying 1/5',
  'API Error: 400 due to tool use concurrency issues. Run /rewind to recover the conversation.',
  'Error code: 404 - The API deployment does not exist. If you created it recently, wait a moment and try again.',
])('a refusal stays final, whatever is said beside it: %s', (text) => {
  expect(read(text)).toMatchObject({ retryable: false });
});

test.each([
  'An error occurred while processing your request.\nMcpManager not initialized: An unexpected error occurred',
  "Failed to initialize server 'context7': connection closed: initialize response.",
  "Failed to connect to MCP server 'm-1': [WinError 2] 系统找不到指定的文件。",
  "RuntimeError: Failed to create LLM 'llama'",
  '处理请求时发生错误: Object of type Model is not JSON serializable',
  'The pending stream has been canceled (caused by: getaddrinfo ENOTFOUND bedrock-runtime.undefined.amazonaws.com)',
])('an error of a program stays final behind a general head: %s', (text) => {
  expect(read(text)).toMatchObject({ retryable: false });
});

test.each([
  '⚠ MCP client for `mail` failed to start: handshaking with MCP server failed: error sending request for url (http://127.0.0.1:8765/mcp/)',
  'MCP startup failed: request timed out',
  'SSE error: TypeError: fetch failed: connect ECONNREFUSED 127.0.0.1:3001',
])('the connection of another server than that of a model is not retried: %s', (text) => {
  expect(read(text)).toMatchObject({ retryable: false });
});

test('a line of a log is read with the quotes in its message', () => {
  const line = 'level=warning msg="retrying err=Post \\"https://a.example/v1\\": dial tcp 192.0.2.1:443: i/o timeout"';
  expect(read(line)).toMatchObject({ type: 'timeout', retryable: true });
});

test('an error with a status of its own is not read again', () => {
  const error = Object.assign(new Error('Connection closed'), { status: 400 });
  expect(classify({ error })).toMatchObject({ type: 'invalid_request', retryable: false });
});

/** Heads that clients put before the message of another program. */
const HEADS: readonly string[] = [
  'Internal error: Error from provider: ',
  'litellm.InternalServerError: InternalServerError: OpenAIException - ',
  'litellm.APIConnectionError: OllamaException - ',
  'Sorry, your request failed. Please try again. Request id: 7d5a Reason: ',
  'An error occurred while processing your request. ',
  ...['LLM request failed: ', 'openai.APIError: ', 'Agent failed before reply: ', 'LLM error: '],
  ...['Error in LLM call: ', 'Failed to get response: '],
  "Something went wrong. Here's the specific error message we encountered: ",
  'AstrBot 请求失败。\n错误类型: Exception\n错误信息: ',
  '请求失败: ',
];

describe.each(HEADS)('behind the head “%s”', (head) => {
  test.each([
    'messages.0.content.0.text.text: Field required',
    'Unknown model: foo',
    'Your monthly quota has been exhausted',
    'Your credit balance is too low to access the Anthropic API.',
    'You are not logged in. Please sign in',
    'Function calling is not enabled for this model',
    ...['Input is too long for requested model.', 'Wrong API key', 'You have reached your free plan limit'],
    ...['The response was blocked due to safety', 'Your license has expired'],
    'This model is only served through the Responses API',
    'AI features are turned off',
    '余额不足，请充值',
  ])('a refusal is final: %s', (text) => {
    expect(read(head + text).retryable).toBe(false);
  });

  test.each([
    'Overloaded',
    'The model took too long to respond',
    'upstream request timeout',
    'Expecting value: line 1 column 1 (char 0)',
    'Bad Gateway',
  ])('a failure that passes is retried: %s', (text) => {
    expect(read(head + text).retryable).toBe(true);
  });
});
