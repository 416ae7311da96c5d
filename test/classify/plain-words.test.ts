/** Sentences of programs in front of a model, most as they print them, and sentences that look alike. */

import { describe, expect, test } from 'vitest';
import { classify } from '../../src/classify/classify.ts';

const typeOf = (text: string) => {
  const { type, retryable } = classify({ error: new Error(text) }) ?? {};
  return { type, retryable };
};

describe('a sentence that says that the model gave no usable answer is retried', () => {
  test.each([
    'Unexpected API Response: The language model did not provide any assistant messages.',
    "Roo is having trouble... This may indicate a failure in the model's thought process or inability to use a tool properly",
    'The model unexpectedly did not return a response, which may indicate a service issue. Please report a bug.',
    "Model didn't respond",
    'Could not respond to message.',
    'There was an unexpected issue getting a response from the AI model.',
    'Error: Something went wrong before I could finish that response',
    'Sorry, your request failed. Please report the following request id 2afcf62d and try again',
    'Error processing request: Error: Invalid response structure from OpenAI',
    'No completion choices found',
    'No embeddings found in API response.',
    'Gemini returned no candidates',
    'Empty JSON content in DeepSeek response',
    'LLM response is missing "evaluations" array',
    'Response is not valid JSON',
    'Prodia multipart response missing output image',
    'Google TTS returned empty audio',
    'No speech audio generated.',
    'SSE response body is empty',
    'Gemini audio response did not contain audio data',
    'Unexpected Bedrock count tokens response',
    'ValueError: Could not parse LLM output: `Thought: Do I need a tool?`',
    'Failed to parse model output as JSON',
    'No object generated: response did not match schema. Type validation failed: Value: {"status": 400}',
    'pydantic_core.ValidationError: 4 validation errors for ChatCompletion\nid\n  Input should be a valid string',
    'FetchError: invalid json response body at http://127.0.0.1:5000/api reason: Unexpected end of JSON input',
    'Exceeded maximum output retries (1)',
    'The model has crashed without additional information. (Exit code: 18446744072635812000)',
    '模型响应缺少 content',
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
    'The agent run failed before producing a reply.',
    'Failed to get response after retries',
    'Error calling OpenAI API',
    'Server returned an error.',
    'All models failed',
    'OpenAI service not available',
  ])('%s is an error of the server', (text) => {
    expect(typeOf(text)).toEqual({ type: 'server_error', retryable: true });
  });
});

describe('a sentence about a stream, a connection or a wait is retried', () => {
  test.each([
    ['stream_interrupted', 'Received message_stop without a current message'],
    ['stream_interrupted', 'Unexpected event order, got content_block_delta before receiving "message_start"'],
    ['stream_interrupted', 'Stream ended without finish_reason'],
    ['stream_interrupted', 'Codex stream idle for 300 seconds.'],
    ['stream_interrupted', 'Failed to process response: The pending stream has been canceled (caused by: )'],
    ['stream_interrupted', 'Error: JSON error injected into SSE stream'],
    ['stream_interrupted', 'The provider repeatedly ended the response before returning usable output.'],
    ['connection_error', '{"error": true, "message": "Failed to fetch"}'],
    ['connection_error', 'Network response was not ok'],
    ['connection_error', 'Ollama: Network Problem'],
    ['connection_error', 'Lost connection to the server'],
    ['timeout', 'Timed out waiting for response'],
    ['timeout', 'Transcription job polling timed out'],
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
    'Clipboard API not available',
    'Invalid response_format: must be json',
    'Recorded audio is empty',
    'Fish Audio does not provide language models',
    'Could not load the image: the file is missing',
    'Failed to read response file',
    'No data found in table',
    'failed to create completion script',
    'Empty response',
    'server connection failed: spawn unknown.',
    "Failed to connect to MCP server: code=32600 message='Session terminated by server' data=None",
    'Failed to connect client for server tools: Connection closed',
    'ACP connection closed before cancellation.',
    'Language server stopped responding',
  ])('is read as final: %s', (text) => {
    expect(typeOf(text).retryable).toBe(false);
  });
});

describe('a status in the words of a client counts', () => {
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
