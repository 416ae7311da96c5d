import { describe, expect, test } from 'vitest';
import { classify } from '../../src/classify/classify.ts';
import { readError } from '../../src/classify/index.ts';
import type { FailureType } from '../../src/failure/failure.ts';
import { describeCases } from './cases.ts';

type Said = readonly [text: string, type: FailureType, retryable: boolean];

const CAPACITY: readonly Said[] = [
  ['We are experiencing a high volume of traffic', 'overloaded', true],
  ['An unusually high volume, hold on', 'overloaded', true],
  ['The system is under heavy load', 'overloaded', true],
];

const LIMITS: readonly Said[] = [
  [
    'You exceeded your current quota, see https://help.aliyun.com/zh/model-studio/error-code#token-limit',
    'rate_limit',
    true,
  ],
  ['The free tier of the model has been exhausted', 'quota_exhausted', false],
  ['Model is getting throttled', 'rate_limit', true],
];

const OF_THE_REQUEST: readonly Said[] = [
  ['ValidationException: prompt is too long: 210000 tokens > 200000 maximum', 'context_too_long', false],
  ['prompt token count of 135000 exceeds the limit of 128000', 'context_too_long', false],
  ['MiniMax 1026: input new_sensitive', 'content_policy', false],
];

const NETWORK: readonly Said[] = [
  ['Load of models: Failed to fetch', 'connection_error', true],
  ['请求超时', 'timeout', true],
  ['DeepSeek timeout after 180s', 'timeout', true],
  ['litellm.Timeout: Timeout passed=12.0, time taken=12.003 seconds', 'timeout', true],
  ['GroqException - [Errno 11001] getaddrinfo failed', 'connection_error', true],
  ['LLM call failed: [Errno 111] Connection refus', 'connection_error', true],
  ['connectex: the target machine actively refused it.', 'connection_error', true],
  ['unable to perform operation on <TCPTransport closed=True>', 'connection_error', true],
  ['Cannot connect to API: other side closed', 'connection_error', true],
  ['java.io.IOException: HTTP/1.1 header parser received no bytes', 'connection_error', true],
  ['FetchError: request to https://api.example.com/v1/messages failed', 'connection_error', true],
  ['Cannot connect to API: bad port', 'invalid_request', false],
];

const THE_SERVER: readonly Said[] = [
  ['Unexpected server error. Check server logs for details.', 'server_error', true],
  ['Request to Plugin Daemon Service failed-500', 'server_error', true],
  ['Empty response received from LLM', 'server_error', true],
  ['Failed to generate an LLM response.', 'server_error', true],
];

const OTHERS: readonly Said[] = [
  ['Transport closed', 'unknown', false],
  ['You have reached your pull rate limit', 'unknown', false],
  ['An unknown error occurred', 'unknown', false],
  ['Empty response', 'unknown', false],
  ['The job has timeout 30', 'unknown', false],
];

describe.each([
  ['a want of capacity', CAPACITY],
  ['a limit', LIMITS],
  ['a request that stays wrong', OF_THE_REQUEST],
  ['the network', NETWORK],
  ['the server', THE_SERVER],
  ['others, which look alike', OTHERS],
])('texts of %s', (_what, said) => {
  test.each(said)('"%s" is %s', (text, type, retryable) => {
    expect(classify({ error: new Error(text) })).toMatchObject({ type, retryable });
  });
});

describe('a body that the AI SDK quotes because it is no answer', () => {
  const schema =
    'Error message: [ { "code": "invalid_union", "message": "Invalid input: expected array, received undefined" } ]';

  test.each<Said>([
    ['{"code":429,"error":"slow down"}', 'rate_limit', true],
    ['{"error":{"type":"overloaded_error","message":"a } in a text"}}', 'overloaded', true],
    ['{"error":{"code":"insufficient_quota","message":"x"}}', 'quota_exhausted', false],
    ['{"id":"","choices":null}', 'unknown', false],
  ])('%s is %s', (value, type, retryable) => {
    const error = new Error(`Type validation failed: Value: ${value}. ${schema}`);
    expect(classify({ error })).toMatchObject({ type, retryable });
  });
});

describe('the error of a tool over MCP', () => {
  const text = (message: string): Error => Object.assign(new Error(message), { code: -32_001 });

  test.each(['[filesystem] [error] Server disconnected. See https://modelcontextprotocol.io/docs/tools/debugging'])(
    '%s is not retried',
    (message) => {
      expect(classify({ error: text(message) })).toMatchObject({ type: 'unknown', retryable: false });
    },
  );

  test('is not retried below a transport either', () => {
    expect(readError(text('MCP error -32000: Connection closed')).retryable).toBe(false);
  });
});

describe('the network of another program', () => {
  test.each([
    'x could not install the server: `npm install -g x` exited with 1: npm error code ECONNREFUSED',
    "fatal: unable to access 'https://github.com/a/b.git/': Failed to connect to github.com port 443: Connection refused",
    'ssh: connect to host github.com port 22: Connection timed out',
    'docker: Error response from daemon: Get "https://registry.example/v2/": dial tcp: i/o timeout',
    'connect ECONNREFUSED 127.0.0.1:27017',
    'page.goto: net::ERR_CONNECTION_REFUSED at http://localhost:3000/',
    'go: example.com/a@v1.0.0: Get "https://proxy.example/a": dial tcp: lookup proxy.example: no such host',
  ])('%s is not retried', (message) => {
    expect(classify({ error: new Error(message) })?.retryable).toBe(false);
  });

  test.each([
    'connect ECONNREFUSED 127.0.0.1:11434',
    'API Error: 500 {"error":"dial tcp 10.0.0.4:5432: connect: connection refused"}',
  ])('%s may be the network of a provider, and is retried', (message) => {
    expect(classify({ error: new Error(message) })?.retryable).toBe(true);
  });
});

describe('an answer that is none', () => {
  test.each([
    '请求失败: JSONDecodeError: Expecting value: line 1 column 1 (char 0)',
    'requests.exceptions.JSONDecodeError: Expecting value: line 1 column 1 (char 0)',
    "Error: invalid character '<' looking for beginning of value",
    'Sorry, no response was returned',
    'Error: No valid response found. Check the network.',
    'Server error, please report the following request id: x',
    'org.springframework.ai.retry.TransientAiException: Image generation still pending',
    'API Error: Response stalled mid-stream',
    'ERROR: Reconnecting... 1/5',
    'curl: (52) Empty reply from server',
    ...['Could not reach the API server', 'Request to OpenAI timed out'],
    ...['LLM provider is not responding', 'Retry error: Timeout of 600.0s exceeded'],
    '网络错误，请重试',
    'No object generated: could not parse the response',
    'provider_stream_interrupted: The model provider interrupted the response stream.',
    'AI_APICallError: provider unavailable',
    'OpenAI 没有返回可读文本',
    'LLM 返回内容为空',
  ])('%s is retried', (message) => {
    expect(classify({ error: new Error(message) })?.retryable).toBe(true);
  });

  test.each(["litellm.APIConnectionError: create() got an unexpected keyword argument 'output_config'"])(
    '%s is not',
    (message) => {
      expect(classify({ error: new Error(message) })?.retryable).toBe(false);
    },
  );
});

describe('what a client says of its own error', () => {
  test('a non-retryable error stays final, whatever its status', () => {
    const error = new Error('Failed with non-retryable error: 503 Service Unavailable');
    expect(classify({ error })).toMatchObject({ status: 503, retryable: false });
  });

  test.each(['Request was aborted.', 'APIUserAbortError: Request was aborted.'])('%s is an abort', (message) => {
    expect(classify({ error: new Error(message) })).toMatchObject({ type: 'aborted', retryable: false });
  });
});

test('a refusal of fetch counts as a text in `cause`, too', () => {
  const error = new TypeError('Failed to fetch', { cause: 'URL scheme must be HTTP(S)' });
  expect(readError(error)).toMatchObject({ type: 'invalid_request', retryable: false });
});

describeCases('a refusal with 400 that only its words explain', {
  context_too_long: { 'too many tokens': [400, { error: { message: 'Request has too many tokens' } }] },
  content_policy: { 'blocked content': [400, { error: { message: 'User input or prompt contains blocked content' } }] },
});
