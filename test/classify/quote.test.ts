import { describe, expect, test } from 'vitest';
import { OPERATION_WORDING, readError } from '../../src/classify/index.ts';
import type { FailureType } from '../../src/failure/failure.ts';
import { classify } from '../../src/classify/classify.ts';

const ANTHROPIC = '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}';

/** A text, what it quotes, and the status of that; 0 where the response is quoted without one. */
const QUOTED: readonly (readonly [text: string, type: FailureType, retryable: boolean, status: number])[] = [
  // Frames around a status.
  ['Request failed with status code 429', 'rate_limit', true, 429],
  ['Request failed with status code 401', 'auth_invalid', false, 401],
  ['503 Service Unavailable', 'overloaded', true, 503],
  ['Too Many Requests (429)', 'rate_limit', true, 429],
  ['HTTP/1.1 502 Bad Gateway', 'provider_unavailable', true, 502],
  ['HTTP 504', 'timeout', true, 504],
  ['API Error: 529 overloaded', 'overloaded', true, 529],
  ['API Error (529 Overloaded)', 'overloaded', true, 529],
  ['error, status code: 500, message: The server had an error', 'server_error', true, 500],
  ['exceeded retry limit, last status: 429 Too Many Requests', 'rate_limit', true, 429],
  ['[GoogleGenerativeAI Error]: Error fetching from https://x: [503 Service Unavailable] x', 'overloaded', true, 503],
  ['HTTP status server error (500 Internal Server Error) for url (https://x)', 'server_error', true, 500],
  ['Unexpected server response: 502', 'provider_unavailable', true, 502],
  ['<Response [503]>', 'overloaded', true, 503],
  ['403 Forbidden', 'permission_denied', false, 403],
  ['422 status code (no body)', 'invalid_request', false, 422],
  ['The server returned a status code of 504 for it', 'timeout', true, 504],
  ['Bad answer (HTTP response code was 401)', 'auth_invalid', false, 401],
  ['aborting request: 404 Resource not found', 'invalid_request', false, 404],
  ['No answer.\n422 status code (no body)', 'invalid_request', false, 422],
  ['Http Status 413 Request Entity Too Large', 'context_too_long', false, 413],
  ['It answered with a page: <title>relay.example | 524: A timeout occurred</title>', 'timeout', true, 524],
  ['状态码：503', 'overloaded', true, 503],
  // The text around the status decides, as in a response.
  ['429 You exceeded your current quota, please check your plan and billing details.', 'quota_exhausted', false, 429],
  ["400 This model's maximum context length is 8192 tokens.", 'context_too_long', false, 400],
  // A body, as JSON.
  [`Error: 529 ${ANTHROPIC}`, 'overloaded', true, 529],
  [`stream error: ${ANTHROPIC}`, 'overloaded', true, 0],
  ['Error: {"error":{"code":"insufficient_quota","message":"x"}}', 'quota_exhausted', false, 0],
  ['{"error":{"code":502,"message":"Bad luck"}}', 'provider_unavailable', true, 502],
];

/** The same in other notations, which operations alone can meet. */
const PRINTED: readonly (readonly [text: string, type: FailureType, retryable: boolean, status: number])[] = [
  [
    "Error code: 500 - {'error': {'message': 'The server had an error', 'type': 'server_error', 'param': None}}",
    'server_error',
    true,
    500,
  ],
  [
    "openai.RateLimitError: Error code: 429 - {'error': {'message': 'x', 'code': 'insufficient_quota'}}",
    'quota_exhausted',
    false,
    429,
  ],
  ["APIError { code: 'rate_limit_exceeded', message: 'x' }", 'rate_limit', true, 0],
  [':body => { "error" => { "code" => "invalid_api_key", "message" => "x" } }', 'auth_invalid', false, 0],
  ['{"type":"error","error":{"type":"overloaded_error","mess', 'overloaded', true, 0],
  ["{'error': {'code': 503, 'message': 'x', 'status': 'UNAVAILABLE'", 'overloaded', true, 503],
  [
    "BadRequestError('Error code: 400 - {\\'error\\': {\\'code\\': \\'context_length_exceeded\\'}}')",
    'context_too_long',
    false,
    400,
  ],
  [
    'Traceback (most recent call last):\n  File "a.py", line 429, in f\n    raise E\nanthropic.APIStatusError: Error code: 529',
    'overloaded',
    true,
    529,
  ],
  [`Command failed with exit code 1: API Error: 529 ${ANTHROPIC}`, 'overloaded', true, 0],
];

describe('a text that quotes a response is read as that response', () => {
  test.each(QUOTED)('by its status and its type: %s', (text, type, retryable, status) => {
    const wanted = { type, retryable, phase: 'response', ...(status > 0 && { status }) };
    for (const error of [text, new Error(text), new Error('The model call failed', { cause: new Error(text) })]) {
      expect(readError(error)).toMatchObject(wanted);
      expect(classify({ error })).toMatchObject(wanted);
    }
  });

  test.each(PRINTED)('also as it is printed: %s', (text, type, retryable, status) => {
    const wanted = { type, retryable, ...(status > 0 && { status }) };
    for (const error of [text, new Error(text)]) expect(classify({ error })).toMatchObject(wanted);
  });

  test('the message stays complete, and the code and the provider are those of the response', () => {
    const text = 'Error: 429 {"error":{"code":"rate_limit_exceeded","message":"See https://platform.openai.com."}}';
    expect(classify({ error: new Error(text) })).toMatchObject({
      message: text,
      code: 'rate_limit_exceeded',
      provider: 'openai',
    });
  });

  test.each([
    ['Error: 429 {"error":{"retry_after":7,"message":"x"}}', 7_000, 'body'],
    ["Error code: 429 - {'error': {'message': 'x', 'retry_after': 7}}", 7_000, 'body'],
    ['429 Rate limit reached. Please try again in 1.5s.', 1_500, 'message'],
    ['429 Too Many Requests (retry-after-ms=250)', 250, 'body'],
  ])('a quoted wait is the hint: %s', (text, retryAfterMs, hintSource) => {
    expect(classify({ error: new Error(text) })).toMatchObject({ retryable: true, retryAfterMs, hintSource });
  });

  test('a text that says only when to come back is a temporary refusal', () => {
    const error = 'Nothing is free. Try again in 60 seconds.';
    expect(classify({ error })).toMatchObject({ type: 'rate_limit', retryable: true, retryAfterMs: 60_000 });
    expect(readError(error)).toMatchObject({ type: 'unknown', retryable: false });
  });

  test('a quoted request is not a message of the server', () => {
    const body = '{"error":{"code":"server_error","message":"It failed."},"moderation":null,"input":"not supported"';
    for (const text of [`${body}}`, body])
      expect(classify({ error: `failed: ${text}` })).toMatchObject({ type: 'server_error', retryable: true });
  });

  test('the name in a body overrides the text around it', () => {
    const text = 'Unsupported event: {"error":{"type":"overloaded_error","message":"Overloaded"}}';
    expect(classify({ error: text })).toMatchObject({ type: 'overloaded', retryable: true });
  });

  test('a body is not an error of the program, whatever its message', () => {
    const text = '{"error":{"type":"invalid_request_error","message":"Expected a number, but got 100"}';
    expect(classify({ error: text })).toMatchObject({ type: 'invalid_request', retryable: false });
  });

  test('a note on retries by the client is not a hint', () => {
    const failure = classify({
      error: new Error('API Error (529 Overloaded) · Retrying in 34 seconds… (attempt 8/10)'),
    });
    expect(failure?.retryable).toBe(true);
    expect(failure?.retryAfterMs).toBeUndefined();
  });

  test('the output of a child process counts like its message', () => {
    const error = Object.assign(new Error('Command failed with exit code 1'), {
      stderr: `API Error: 529 ${ANTHROPIC}`,
    });
    expect(classify({ error })).toMatchObject({ type: 'overloaded', retryable: true });
  });

  test('a quoted key is masked', () => {
    const failure = readError(new Error('401 Invalid key my-own-secret-value'), { secrets: ['my-own-secret-value'] });
    expect(failure.message).not.toContain('my-own');
  });
});

describe('a number that is not a status is not a quote', () => {
  test.each([
    ...['processed 500 items', '500 tests passed', 'ERROR: 429 files changed', '15000 tokens'],
    'listening on port 503',
    'listen EADDRINUSE: address already in use :::503',
    ...['Process exited with code 429', 'exit status 503', 'Error on line 429', 'src/api.ts(503,12): error TS2322: no'],
    ...['at foo (file.js:429:10)', 'took 503 ms', 'failed after 500 ms', 'npm ERR! code E429', 'id 429-1234'],
    ...['version 5.0.3', 'error 404.html'],
  ])('as in "%s"', (text) => {
    for (const failure of [readError(new Error(text)), classify({ error: text })]) {
      expect(failure).toMatchObject({ retryable: false });
      expect(failure?.status).toBeUndefined();
    }
  });
});

describe('an error of the program is never retried, whatever its text', () => {
  test.each([
    new TypeError("Cannot read properties of undefined (reading '429')"),
    new TypeError('Expected 503 Service Unavailable'),
    new SyntaxError('Unexpected token < in JSON at position 503'),
    new RangeError('status: 503'),
    Object.assign(new Error('expected 503 Service Unavailable to be 200'), { name: 'AssertionError' }),
    new Error('expected status 200 but got 503'),
    new Error('✗ should retry overloaded_error: test timed out in 5000ms'),
    new Error("Cannot find module 'express-rate-limit'"),
    new Error("KeyError: 'rate_limit_exceeded'"),
    new Error('Validation error: rateLimit must be a number'),
    new Error('column "rate_limit" does not exist'),
    new Error('timeout option must be a positive integer'),
    new Error("ENOENT: no such file or directory, open 'overloaded_error.txt'"),
    new Error("thread 'main' panicked at src/main.rs:429:5: Too Many Requests"),
    new Error('ReferenceError: overloaded_error is not defined'),
    new Error('Tests run: 3, Failures: 1 in RateLimitedClientTest'),
    new Error('OSError: [Errno 28] rate limited'),
    new Error('Timeout of 2000ms exceeded. For async tests and hooks, ensure "done()" is called'),
    new Error('Exceeded timeout of 5000 ms for a test'),
    new Error('TimeoutError: locator.click: Timeout 30000ms exceeded.'),
    new Error('Hook timed out in 10000ms.'),
    new Error('TimeoutError: the step timed out after 60s'),
  ])('as in "%s"', (error) => {
    expect(classify({ error })?.retryable).toBe(false);
    expect(readError(error).retryable).toBe(false);
    expect(readError(error, { wording: OPERATION_WORDING }).retryable).toBe(false);
  });
});

test('the title of a test is not a response', () => {
  const error = 'FAIL test/retry.test.ts > retries on 429 Too Many Requests';
  expect(classify({ error })).toMatchObject({ type: 'unknown', retryable: false });
});

describe('text alone', () => {
  /** What is said without any status and any body, by operations of any kind. */
  const WORDED: readonly (readonly [text: string, type: FailureType, retryable: boolean])[] = [
    ['rate limit exceeded', 'rate_limit', true],
    ['rate limit', 'rate_limit', true],
    ['server error', 'server_error', true],
    ['Request has too many tokens', 'context_too_long', false],
    ['User input or prompt contains blocked content', 'content_policy', false],
    // Runtimes and clients.
    ['Post "https://x": context deadline exceeded', 'timeout', true],
    ['dial tcp 1.2.3.4:443: i/o timeout', 'timeout', true],
    ['java.io.InterruptedIOException: timeout', 'timeout', true],
    ['Read: unexpected EOF', 'connection_error', true],
    ['dial tcp: lookup api.example.com: no such host', 'connection_error', true],
    ['http2: server sent GOAWAY and closed the connection; LastStreamID=1999', 'connection_error', true],
    ["ProtocolError: ('Connection broken: IncompleteRead(0 bytes read)')", 'stream_interrupted', true],
    ['RemoteProtocolError: Server disconnected without sending a response.', 'connection_error', true],
    ['stream disconnected before completion', 'stream_interrupted', true],
    ['model stream ended unexpectedly: EOF', 'stream_interrupted', true],
    // The relays of China.
    ['模型服务繁忙，请稍后重试', 'overloaded', true],
    ['请求过于频繁', 'rate_limit', true],
    ['用户额度不足', 'billing_error', false],
    ['This request would exceed the rate limit of your team.', 'rate_limit', true],
    ['Tokens per minute limit exceeded', 'rate_limit', true],
    ['Concurrency limit reached', 'rate_limit', true],
    ['You have hit your session limit · resets 5pm', 'quota_exhausted', false],
    ['5-hour limit reached', 'quota_exhausted', false],
    ['Account balance not enough', 'billing_error', false],
    ['Authentication failed', 'auth_invalid', false],
    ['Sorry: { "code": "UNAUTHORIZED" }', 'auth_invalid', false],
    ['Error: 9 FAILED_PRECONDITION: the session is over', 'invalid_request', false],
    ['[unauthenticated] because', 'auth_invalid', false],
    ['Input length (160 tokens) exceeds the maximum', 'context_too_long', false],
    ['You are sending too many messages', 'rate_limit', true],
    ['You have reached the maximum number of requests per hour', 'rate_limit', true],
    ['TencentCloudSDKException code:RequestLimitExceeded', 'rate_limit', true],
    ['Stream idle timeout', 'timeout', true],
    ['Max retries exceeded with url: / (Caused by [Errno 113] No route to host)', 'connection_error', true],
    ['POSIX error 57 "Socket is not connected"', 'connection_error', true],
    ["Permission 'x.predict' denied on resource", 'permission_denied', false],
    ['Your request was blocked by our content policies', 'content_policy', false],
    ['The prompt length exceeds the limit of 4096', 'context_too_long', false],
    ['The model is wrong: it may not exist or you may not have access to it', 'model_not_found', false],
    ['Invalid API parameter', 'invalid_request', false],
    ['net/http: request canceled (Client.Timeout exceeded while awaiting headers)', 'timeout', true],
    ['libcurl error: 28 (Timeout was reached)', 'timeout', true],
    ["libcurl error: 7 (Couldn't connect to server)", 'connection_error', true],
    ['npx[17]: TypeError: terminated', 'connection_error', true],
    ['POST /chat net::ERR_INCOMPLETE_CHUNKED_ENCODING 200 (OK)', 'stream_interrupted', true],
    ['An internal error has occurred', 'server_error', true],
    ['The assistant encountered an internal error. Nobody knows why.', 'server_error', true],
    ['Error: Unauthorized', 'auth_invalid', false],
    ['Model x is currently loading', 'overloaded', true],
    ['timed out waiting for llama runner to start', 'timeout', true],
    [
      'An error occurred while processing your request. The model `x` has been decommissioned.',
      'model_deprecated',
      false,
    ],
    ['APIConnectionError: BackendException - access is denied', 'permission_denied', false],
  ];

  test.each(WORDED)('%s: counts for an operation', (text, type, retryable) => {
    for (const error of [text, new Error(text)]) expect(classify({ error })).toMatchObject({ type, retryable });
  });

  test.each([
    'overloaded',
    'overloaded_error',
    'rate limit exceeded',
    'Too Many Requests',
    'context deadline exceeded',
  ])('%s: counts as a guess below a transport', (text) => {
    expect(readError(new Error(text))).toMatchObject({ type: 'unknown', retryable: false });
  });

  test('a timeout is the caller’s below a transport; for an operation it may be its own', () => {
    const error = new DOMException('The operation timed out', 'TimeoutError');
    expect(readError(error)).toMatchObject({ type: 'aborted', retryable: false });
    expect(classify({ error })).toMatchObject({ type: 'timeout', retryable: false });
  });
});

test('"Failed to fetch" is a network error only as the whole message', () => {
  for (const text of ['Failed to fetch', 'TypeError: Failed to fetch', 'Failed to fetch (api.example.com)']) {
    expect(readError(new Error(text))).toMatchObject({ type: 'connection_error', retryable: true });
  }
  for (const text of ['Failed to fetch image: 402', 'Failed to fetch user 42 from the local cache']) {
    expect(readError(new Error(text))).toMatchObject({ type: 'unknown', retryable: false });
    expect(classify({ error: text })).toMatchObject({ retryable: false });
  }
});
