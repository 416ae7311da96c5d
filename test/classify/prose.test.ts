/** Sentences of programs in front of a model, most as they print them, and sentences that look alike. */

import { describe, expect, test } from 'vitest';
import { classify } from '../../src/classify/classify.ts';

const typeOf = (text: string) => {
  const { type, retryable } = classify({ error: new Error(text) }) ?? {};
  return { type, retryable };
};

describe('a sentence that says that the model gave no usable answer is retried', () => {
  test.each([
    "Model didn't respond",
    'Sorry, your request failed. Please report the following request id 2afcf62d and try again',
    ...['No completion choices found', 'No embeddings found in API response.', 'Gemini returned no candidates'],
    'No object generated: response did not match schema. Type validation failed: Value: {"status": 400}',
    'pydantic_core.ValidationError: 4 validation errors for ChatCompletion\nid\n  Input should be a valid string',
    'FetchError: invalid json response body at http://127.0.0.1:5000/api reason: Unexpected end of JSON input',
    'The model has crashed without additional information. (Exit code: 18446744072635812000)',
    '很抱歉，你的请求失败。请报告以下请求 ID 2622，然后重试',
  ])('%s is an error of the server', (text) => {
    expect(typeOf(text)).toEqual({ type: 'server_error', retryable: true });
  });
});

describe('a sentence that says that a step failed, and not why, is retried', () => {
  test.each([
    'Google AI Studio request failed',
    'Horde generation failed: Faulted',
    'Assistant run failed',
    'All models failed',
  ])('%s is an error of the server', (text) => {
    expect(typeOf(text)).toEqual({ type: 'server_error', retryable: true });
  });
});

describe('advice to try again, with no word of a refusal, is followed', () => {
  test.each([
    'You can prompt the model to try again or start a new conversation if the error persists.',
    "Sorry, I don't understand. Please try again.",
    'There was an error handling the response from m-1.\n\nPlease try to submit your message again.',
    'Server error: None.\nPlease retry if you think this is a transient or recoverable error.',
  ])('another attempt can help: %s', (text) => {
    expect(typeOf(text)).toEqual({ type: 'server_error', retryable: true });
  });

  test.each([
    'Please check your input and try again.',
    'Please log in and try again.',
    'Your prompt was filtered. Please rephrase your prompt and try again.',
    'Your message contains sensitive words. Please modify it and send it again.',
  ])('but not if something has to change first: %s', (text) => {
    expect(typeOf(text).retryable).toBe(false);
  });
});

describe('an answer that is no JSON, or has other parts than were asked for, is retried', () => {
  test.each([
    "ValueError: Expected dict_keys(['answer']) but got dict_keys([])",
    'remote compaction v2 expected exactly one compaction output item, got 0 from 1 output items',
  ])('another attempt can help: %s', (text) => {
    expect(typeOf(text)).toEqual({ type: 'server_error', retryable: true });
  });

  test.each([
    'Traceback (most recent call last):\n  File "a.py", line 3, in load\njson.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)',
    'Unexpected token \'R\', "Reusing ex"... is not valid JSON',
  ])('but not what the program itself reads: %s', (text) => {
    expect(typeOf(text).retryable).toBe(false);
  });
});

test('the place in a file with which a line of a log begins says nothing of its message', () => {
  expect(typeOf('[WARNING][2024-06-19 18:07:21][chat_bot.py:145] - [CHATGPT] model did not respond').retryable).toBe(
    true,
  );
  expect(typeOf('[WARNING][2024-06-19 18:07:21][chat_bot.py:145] - [CHATGPT] model gpt-9 not found').retryable).toBe(
    false,
  );
});

describe('what programs themselves say of an answer that they cannot use is retried', () => {
  test.each([
    'Retry attempts exhausted. Last exception: Expecting value: line 1 column 1 (char 0)',
    'Stream finished with no content',
  ])('another attempt can help: %s', (text) => {
    expect(typeOf(text)).toEqual({ type: 'server_error', retryable: true });
  });

  test.each([
    ['connection_error', 'Ollama is not running'],
    ['connection_error', 'No internet connection'],
    ['rate_limit', 'You are sending messages too quickly'],
    ['overloaded', 'We are currently at capacity'],
  ])('a failure that passes is read as %s: %s', (type, text) => {
    expect(typeOf(text)).toEqual({ type, retryable: true });
  });

  test.each([
    ...['-32603: Unexpected response type', 'Missing field in request', 'Failed to convert tools to Gemini format'],
    ...['Could not decode base64 image', 'Only text models are supported', 'Request aborted by user'],
    ...['File upload failed. Try again.', 'Checkout failed, please retry'],
    'Model refused to translate: I cannot assist with that request.',
  ])('but not a refusal: %s', (text) => {
    expect(typeOf(text).retryable).toBe(false);
  });
});

describe('other languages', () => {
  test.each([['rate_limit', '触发限流']])('a failure that passes is retried as %s: %s', (type, text) => {
    expect(typeOf(text)).toEqual({ type, retryable: true });
  });

  test.each([
    ...['El mensaje es demasiado largo', 'Modèle non pris en charge', 'Kontingent überschritten'],
    ...['Превышен лимит токенов', 'Falha na autenticação', 'Quota superata', 'Không tìm thấy mô hình'],
  ])('a refusal is final: %s', (text) => {
    expect(typeOf(text).retryable).toBe(false);
  });
});

describe("gRPC's codes of a failing server are retried", () => {
  test.each([
    [true, "{'code': 13, 'message': 'Failed to send request.', 'details': []}"],
    [true, "{'code': 14, 'message': 'No connection.', 'details': []}"],
    [false, "{'code': 3, 'message': 'Failed to read the request.', 'details': []}"],
  ])('retried, %s: %s', (retryable, text) => {
    expect(typeOf(text).retryable).toBe(retryable);
  });
});

describe('a sentence about a stream, a connection or a wait is retried', () => {
  test.each([
    ['stream_interrupted', 'Received message_stop without a current message'],
    ['stream_interrupted', 'Unexpected event order, got content_block_delta before receiving "message_start"'],
    ['stream_interrupted', 'Stream ended without finish_reason'],
    ['stream_interrupted', 'Codex stream idle for 300 seconds.'],
    ['stream_interrupted', 'Failed to process response: The pending stream has been canceled (caused by: )'],
    ['connection_error', 'Network response was not ok'],
    ['connection_error', 'Ollama: Network Problem'],
    ['connection_error', 'Lost connection to the server'],
    ['timeout', 'Timed out waiting for response'],
    ['timeout', 'Agent execution timed out'],
    ['timeout', 'Gemini request failed (timed out): the cause is unknown'],
    ['overloaded', 'no AI workers available to process request'],
  ])('is read as %s: %s', (type, text) => {
    expect(typeOf(text)).toEqual({ type, retryable: true });
  });
});

describe('a sentence that also refuses the request, or is about another program, is not retried', () => {
  test.each([
    'Agent failed before reply: LLM request failed: provider rejected the request schema or tool payload.',
    'The model did not return a response because the feature is not enabled for your account',
    'APIError: The api_key client option must be set',
    ...['Failed to read response file', 'No data found in table', 'failed to create completion script'],
    ...['Empty response', 'server connection failed: spawn unknown.'],
    "Failed to connect to MCP server: code=32600 message='Session terminated by server' data=None",
    'Failed to connect client for server tools: Connection closed',
  ])('is read as final: %s', (text) => {
    expect(typeOf(text).retryable).toBe(false);
  });
});

describe('a status in the words of a client counts', () => {
  test.each(["Step failed 2/4 times:\n ('', 503)"])('one of a server that failed is retried: %s', (text) => {
    expect(classify({ error: new Error(text) })?.retryable).toBe(true);
  });

  test.each([
    [500, true, "Server error '500 Internal Server Error' for url 'http://host.docker.internal:38693/api'"],
    [401, false, "Client error '401 Unauthorized' for url 'https://api.example.com/v1/chat/completions'"],
    [400, false, '请求失败: 400 - Expecting value: line 1 column 1 (char 0)'],
  ])('%i, retried: %s: %s', (status, retryable, text) => {
    expect(classify({ error: new Error(text) })).toMatchObject({ status, retryable });
  });
});

describe('a refusal with a wait of more than an hour is a used-up quota', () => {
  test.each([
    ['quota_exhausted', false, 'Sorry, your request was rate-limited. Please wait 71 minutes before trying again.'],
    ['quota_exhausted', false, 'Rate limit exceeded. Retry after 7200 seconds.'],
    ['rate_limit', true, 'Too many requests, please wait 45 minutes.'],
  ])('%s, retried: %s: %s', (type, retryable, text) => {
    expect(typeOf(text)).toEqual({ type, retryable });
  });
});

describe('of the 5xx', () => {
  const isRetried = (status: number, message: string) => classify({ status, body: message })?.retryable;

  test('one whose answer was blocked for prohibited content is not retried', () => {
    expect(isRetried(502, 'PROXY ERROR 502: Response blocked/empty due to PROHIBITED_CONTENT.')).toBe(false);
  });

  test('one that names the model as invalid is not retried, although it repeats its own status', () => {
    const said = 'StatusCode: 400, ValidationException: The provided model identifier is invalid. StatusCode:500';
    expect(isRetried(500, `{Error:{Message:InvokeModel: ${said}}}`)).toBe(false);
  });

  test('one that quotes a status of its kind is retried, although it speaks of credentials', () => {
    expect(isRetried(503, 'Credentials validation: API request failed with status code 503:')).toBe(true);
  });
});

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
    'Your credit balance is too low to access the Anthropic API.',
    'You are not logged in. Please sign in',
    ...['Input is too long for requested model.', 'Wrong API key', 'You have reached your free plan limit'],
    ...['The response was blocked due to safety', 'Your license has expired'],
    '余额不足，请充值',
  ])('a refusal is final: %s', (text) => {
    expect(read(head + text).retryable).toBe(false);
  });

  test.each(['Expecting value: line 1 column 1 (char 0)'])('a failure that passes is retried: %s', (text) => {
    expect(read(head + text).retryable).toBe(true);
  });
});
