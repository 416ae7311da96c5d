/** Sentences of programs in front of a model, most as they print them, and sentences that look alike. */

import { describe, expect, test } from 'vitest';
import { classify } from '../../src/classify/classify.ts';

const typeOf = (text: string) => {
  const { type, retryable } = classify({ error: new Error(text) }) ?? {};
  return { type, retryable };
};

describe('a sentence that says that the model gave no usable answer is retried', () => {
  test.each([
    "Roo is having trouble... This may indicate a failure in the model's thought process or inability to use a tool properly",
    "Model didn't respond",
    'There was an unexpected issue getting a response from the AI model.',
    'Error: Something went wrong before I could finish that response',
    'Sorry, your request failed. Please report the following request id 2afcf62d and try again',
    ...['No completion choices found', 'No embeddings found in API response.', 'Gemini returned no candidates'],
    'Gemini audio response did not contain audio data',
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
    'LLM request failed',
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
    'Sorry, I was unable to answer that. Try again.',
    'Failed to generate. Please try again',
    'Failed to load the response from the chat:\n{"detail":"An error occurred. Try reloading or refreshing your browser."}',
    'An unknown request error occurred. Check the information below or try again.',
  ])('another attempt can help: %s', (text) => {
    expect(typeOf(text)).toEqual({ type: 'server_error', retryable: true });
  });

  test.each([
    'Please check your input and try again.',
    'Please log in and try again.',
    'The file is too large. Please try again with a smaller file.',
    "Extension 'file_manager' not found. Please check the extension name and try again.",
    'Your prompt was filtered. Please rephrase your prompt and try again.',
    'Authentication failed. Please try again with `tool auth`',
    'The latest version is required. Please update and try again.',
    'Your message contains sensitive words. Please modify it and send it again.',
  ])('but not if something has to change first: %s', (text) => {
    expect(typeOf(text).retryable).toBe(false);
  });
});

describe('an answer that is no JSON, or has other parts than were asked for, is retried', () => {
  test.each([
    'Error in callchat : Unexpected token \'A\' , "An intern" is not valid JSON.',
    'Unexpected token \'I\', "Internal S"... is not valid JSON',
    "ValueError: Expected dict_keys(['answer']) but got dict_keys([])",
    'remote compaction v2 expected exactly one compaction output item, got 0 from 1 output items',
  ])('another attempt can help: %s', (text) => {
    expect(typeOf(text)).toEqual({ type: 'server_error', retryable: true });
  });

  test.each([
    'Traceback (most recent call last):\n  File "a.py", line 3, in load\njson.decoder.JSONDecodeError: Expecting value: line 1 column 1 (char 0)',
    'Unexpected token \'R\', "Reusing ex"... is not valid JSON',
    'Unexpected token \'B\', "Billing ha"... is not valid JSON',
    'Error in MCP: Unexpected token \'I\', "Installing"... is not valid JSON',
    "Error occurred while processing the summary with llama: 'local_llm'",
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
    'Something went wrong while trying to provide suggestions. Please, try again.',
    'We hit a response formatting issue. Please try again.',
    'RuntimeError: model call failed',
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
    'Curl failed with exit code 60. See its manpage.',
    ...['-32603: Unexpected response type', 'Missing field in request', 'Failed to convert tools to Gemini format'],
    ...['Could not decode base64 image', 'Only text models are supported', 'Request aborted by user'],
    ...['File upload failed. Try again.', 'Checkout failed, please retry'],
    'Model refused to translate: I cannot assist with that request.',
    'Claude hat das Antwort-Token-Limit erreicht. Erhöhen Sie die Länge und versuchen Sie es erneut.',
  ])('but not a refusal: %s', (text) => {
    expect(typeOf(text).retryable).toBe(false);
  });
});

describe('other languages', () => {
  test.each([['rate_limit', '触发限流']])('a failure that passes is retried as %s: %s', (type, text) => {
    expect(typeOf(text)).toEqual({ type, retryable: true });
  });

  test.each([
    '接口地址错误',
    'Przekroczyłeś limit dla tego modelu. Spróbuj ponownie za 3 godziny.',
    '模型拒绝回答',
    '触发内容安全策略',
    '残高が不足しています',
    'モデルは対応していません',
    '한도를 초과했습니다',
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
    'Failed to get a response: you do not have access to this project',
    'Agent failed before reply: LLM request failed: provider rejected the request schema or tool payload.',
    'LLM call failed: provider rejected the request',
    'The model did not return a response because the feature is not enabled for your account',
    'Ollama does not provide the model `m-1`',
    'The api_key client option must be set either by passing api_key to the client or by an environment variable',
    'APIError: The api_key client option must be set',
    'ApiError: {"error":{"code":"http_error","message":"Not Found"}}',
    'failed to deserialize api response: invalid type: integer `400`, expected a string at line 1 column 87',
    "Error in streaming response: 'DashscopeClient' object has no attribute 'generate_content'",
    '1 validation error for FunctionCallingParams\nmodel.entity\n  Input should be a valid dictionary',
    'Invalid response_format: must be json',
    'Recorded audio is empty',
    'Fish Audio does not provide language models',
    'Could not load the image: the file is missing',
    ...['Failed to read response file', 'No data found in table', 'failed to create completion script'],
    ...['Empty response', 'server connection failed: spawn unknown.'],
    "Failed to connect to MCP server: code=32600 message='Session terminated by server' data=None",
    'Failed to connect client for server tools: Connection closed',
    'ACP connection closed before cancellation.',
    'Language server stopped responding',
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
