import { describe, expect, test } from 'vitest';
import { isRetryableError, nothingWasSent, OPERATION_WORDING, readError } from '../../src/classify/index.ts';
import { classify } from '../../src/classify/classify.ts';
import { HttpStatusError } from '../../src/failure/http-status-error.ts';
import type { FailureType } from '../../src/failure/failure.ts';
import { serve } from '../serve.ts';

const isUnsent = (error: unknown): boolean => nothingWasSent(error, readError(error));
const withCode = (code: unknown, message = 'It broke'): Error => Object.assign(new Error(message), { code });
const thrown = (url: string, init?: RequestInit): Promise<unknown> =>
  fetch(url, init).then(
    () => null,
    (error: unknown) => error,
  );
const fetchFailed = (cause?: unknown): TypeError => new TypeError('fetch failed', { cause });

const CODES: readonly (readonly [type: FailureType, retryable: boolean, codes: string])[] = [
  [
    'connection_error',
    true,
    'ConnectionClosed ConnectionRefused ConnectionReset EADDRNOTAVAIL EAI_AGAIN ECONNABORTED ECONNREFUSED ' +
      'ECONNRESET EHOSTDOWN EHOSTUNREACH ENETDOWN ENETRESET ENETUNREACH ENOTCONN ENOTFOUND EPIPE EPROTO ' +
      'ERR_HTTP2_GOAWAY_SESSION ERR_HTTP2_INVALID_STREAM ERR_HTTP2_PING_CANCEL ERR_HTTP2_SESSION_ERROR ' +
      'ERR_HTTP2_STREAM_ERROR ERR_NETWORK ERR_NETWORK_CHANGED ERR_SOCKET_CLOSED ' +
      'ERR_SOCKET_CLOSED_BEFORE_CONNECTION ERR_SSL_SSLV3_ALERT_BAD_RECORD_MAC ERR_STREAM_PREMATURE_CLOSE ' +
      'FailedToOpenSocket HPE_INVALID_CONSTANT Malformed_HTTP_Response UND_ERR_INFO UND_ERR_PRX_TLS ' +
      'UND_ERR_RES_CONTENT_LENGTH_MISMATCH UND_ERR_SOCKET UND_ERR_SOCKS5 UND_ERR_SOCKS5_AUTH Z_BUF_ERROR ' +
      'ZlibError',
  ],
  [
    'timeout',
    true,
    'ERR_SOCKET_CONNECTION_TIMEOUT ERR_TLS_HANDSHAKE_TIMEOUT ESOCKETTIMEDOUT ETIMEDOUT UND_ERR_BODY_TIMEOUT ' +
      'UND_ERR_CONNECT_TIMEOUT UND_ERR_HEADERS_TIMEOUT',
  ],
  [
    'connection_error',
    false,
    'CERT_HAS_EXPIRED CRL_HAS_EXPIRED DEPTH_ZERO_SELF_SIGNED_CERT ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION ' +
      'ERR_SSL_WRONG_VERSION_NUMBER ERR_TLS_CERT_ALTNAME_INVALID HOSTNAME_MISMATCH HPE_INVALID_HEADER_TOKEN ' +
      'INVALID_CA INVALID_PURPOSE PATH_LENGTH_EXCEEDED SELF_SIGNED_CERT_IN_CHAIN ' +
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE UND_ERR_CLOSED UND_ERR_DESTROYED UND_ERR_HEADERS_OVERFLOW ' +
      'UND_MOCK_ERR_MOCK_NOT_MATCHED',
  ],
  ['aborted', false, 'ABORT_ERR ERR_CANCELED UND_ERR_ABORT UND_ERR_ABORTED'],
  [
    'invalid_request',
    false,
    'ERR_INVALID_URL ERR_UNSUPPORTED_PROTOCOL UND_ERR_INVALID_ARG UND_ERR_NOT_SUPPORTED ' +
      'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH',
  ],
  ['unknown', false, 'ENOENT ERR_HTTP2_HEADER_SINGLE_VALUE'],
];

describe('codes', () => {
  const codes = CODES.flatMap(([type, retryable, list]) =>
    list.split(' ').map((code) => [code, type, retryable] as const),
  );
  test.each(codes)('%s is %s, retryable: %s', (code, type, retryable) => {
    expect(readError(withCode(code))).toMatchObject({
      type,
      retryable,
      phase: 'connect',
      ...(type === 'unknown' ? {} : { code }),
    });
  });

  test.each([
    ...['ETIMEDOUT', 'UND_ERR_BODY_TIMEOUT', 'ERR_SOCKET_CONNECTION_TIMEOUT', 'ABORT_ERR', 'UND_ERR_INVALID_ARG'],
    ...['HOSTNAME_MISMATCH', 'INVALID_CA', 'ECONNRESET', 'ERR_NETWORK', 'HPE_INVALID_CONSTANT', 'UND_ERR_SOCKET'],
    ...['ConnectionRefused', 'CRL_X', 'ERR_TLS_X', 'UNABLE_TO_X', 'PATH_LENGTH_X', 'ERR_INVALID_URL'],
  ])('%s is recognised as a whole word', (code) => {
    expect(readError(withCode(`X${code}`)).type).toBe('unknown');
  });

  test.each([
    ...['ETIMEDOUT', 'UND_ERR_BODY_TIMEOUT', 'ERR_SOCKET_CONNECTION_TIMEOUT', 'ABORT_ERR', 'UND_ERR_INVALID_ARG'],
    ...['HOSTNAME_MISMATCH', 'INVALID_CA', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE', 'UND_ERR_SOCKET'],
    'ConnectionRefused',
  ])('%s is not recognised as the beginning of another code', (code) => {
    expect(readError(withCode(`${code}-X`)).type).toBe('unknown');
  });

  test('a code is found in causes and in aggregated errors', () => {
    expect(readError(fetchFailed(withCode('ECONNRESET', 'read ECONNRESET')))).toMatchObject({
      type: 'connection_error',
      code: 'ECONNRESET',
      message: 'fetch failed: read ECONNRESET',
    });
    expect(readError(withCode('ECONNRESET', 'read ECONNRESET')).message).toBe('read ECONNRESET');
    const gathered = new AggregateError([withCode('EHOSTUNREACH'), withCode('ECONNREFUSED')]);
    expect(readError(new Error('outer', { cause: fetchFailed(gathered) })).code).toBe('EHOSTUNREACH');
  });

  test('a numeric code, which every DOMException has, is ignored', () => {
    expect(readError(withCode(23, 'socket hang up'))).toMatchObject({ type: 'connection_error', retryable: true });
    expect(readError(withCode(500)).type).toBe('unknown');
  });

  test('cycles and endless chains of causes end', () => {
    const error: Error & { errors?: unknown } = new Error('round');
    error.cause = error;
    error.errors = [error, error];
    expect(readError(error).type).toBe('unknown');
    let chain: Error = withCode('ECONNRESET');
    for (let depth = 0; depth < 15; depth += 1) chain = new Error('link', { cause: chain });
    expect(readError(chain).type).toBe('connection_error');
    expect(readError(new Error('link', { cause: chain })).type).toBe('unknown');
    const links = Array.from({ length: 16 }, () => new Error('link'));
    expect(readError(new AggregateError([...links.slice(2), withCode('ECONNRESET')])).type).toBe('connection_error');
    expect(readError(new AggregateError([...links, withCode('ECONNRESET')])).type).toBe('unknown');
  });
});

describe('a proxy that refuses a tunnel', () => {
  // https://github.com/nodejs/undici/issues/2542
  const undici = (status: number): TypeError => {
    const message = `Proxy response (${status}) !== 200 when HTTP Tunneling`;
    const cause = Object.assign(new Error(message), { name: 'AbortError', code: 'UND_ERR_ABORTED' });
    return fetchFailed(new Error('Request was cancelled.', { cause }));
  };
  // https://github.com/nodejs/node/issues/8681
  const agent = (status: number): Error =>
    withCode('ECONNRESET', `tunneling socket could not be established, statusCode=${status}`);

  test.each([
    [502, true],
    [503, true],
    [400, false],
    [407, false],
  ])('is classified by its status %i, not by the code that hides it', (status, retryable) => {
    for (const error of [undici(status), agent(status)]) {
      expect(readError(error)).toMatchObject({ type: 'connection_error', retryable });
    }
  });
});

test('a port without TLS is permanent', () => {
  for (const words of ['…:SSL routines:ssl3_get_record:wrong version number:…', '…:WRONG_VERSION_NUMBER']) {
    expect(readError(withCode('EPROTO', words))).toMatchObject({ type: 'connection_error', retryable: false });
  }
  expect(readError(withCode('EPROTO', 'write EPROTO'))).toMatchObject({ type: 'connection_error', retryable: true });
});

describe('a signal of the caller', () => {
  test.each(['AbortError', 'TimeoutError'])('%s is final', (name) => {
    expect(readError(new DOMException('The operation was aborted', name))).toMatchObject({
      type: 'aborted',
      retryable: false,
    });
    expect(readError(fetchFailed(new DOMException('…', name)))).toMatchObject({ type: 'aborted', retryable: false });
  });

  test.each(['ECONNRESET', 'EPIPE', 'ETIMEDOUT'])(
    'what the AWS SDK calls a TimeoutError for its %s comes from no signal',
    (code) => {
      const error = Object.assign(new Error('socket hang up'), {
        name: 'TimeoutError',
        code,
        $metadata: { attempts: 2 },
      });
      expect(readError(error)).toMatchObject({ code, retryable: true });
    },
  );
});

describe('a status on the error', () => {
  test.each([
    [{ status: 429, message: 'invalid api key' }, 'rate_limit', true],
    [{ statusCode: '503', message: 'not found' }, 'overloaded', true],
    [{ status: 401, message: 'fetch failed' }, 'auth_invalid', false],
    [{ status: 429, code: 'insufficient_quota', message: '429' }, 'quota_exhausted', false],
    [
      { status: 429, error: { type: 'tokens', message: 'You exceeded your current quota' }, message: '429' },
      'quota_exhausted',
      false,
    ],
    [
      { status: 429, response: { data: { error: { code: 'insufficient_quota' } } }, message: '429' },
      'quota_exhausted',
      false,
    ],
    [{ status: null, statusCode: 500, message: 'x' }, 'server_error', true],
  ] as const)('decides, whatever else it says: %j', (error, type, retryable) => {
    expect(readError(error)).toMatchObject({ type, retryable, phase: 'response', message: error.message });
  });

  test('an invalid status is ignored', () => {
    expect(readError({ status: '12abc', statusCode: 200, message: 'socket hang up' })).toMatchObject({
      type: 'connection_error',
    });
    for (const status of [0, 399, 600, '0429', '4290', '42', Number.NaN]) {
      expect(readError({ status, message: 'Failed' }).status).toBeUndefined();
    }
    expect(readError({ status: 599, message: 'Failed' }).status).toBe(599);
    expect(readError({ status: 400, message: 'Failed' }).status).toBe(400);
  });

  test('a body that the error kept is read before its message', () => {
    const kept = { error: { code: 'insufficient_quota' } };
    expect(readError({ status: 429, data: kept, message: 'm' })).toMatchObject({ code: 'insufficient_quota' });
    expect(readError({ status: 429, type: 'insufficient_quota', message: 'm' })).toMatchObject({
      type: 'quota_exhausted',
      code: 'insufficient_quota',
    });
    expect(readError({ status: 429, message: 'You exceeded your current quota' }).type).toBe('quota_exhausted');
    expect(readError({ status: 429, error: null, data: 'text', message: 'insufficient quota' }).type).toBe(
      'quota_exhausted',
    );
  });

  test('headers that the error kept give the wait and x-should-retry', () => {
    const headers = new Headers({ 'retry-after': '7' });
    expect(readError({ status: 429, headers, message: '' })).toMatchObject({ retryAfterMs: 7_000, retryable: true });
    expect(readError({ status: 429, responseHeaders: { 'x-should-retry': 'False' }, message: '' }).retryable).toBe(
      false,
    );
    expect(readError({ status: 429, response: { headers }, message: '' }).retryAfterMs).toBe(7_000);
    expect(readError({ status: 429, headers: 'none', response: { headers }, message: '' }).retryAfterMs).toBe(7_000);
    expect(readError({ status: 429, headers: null, response: { headers }, message: '' }).retryAfterMs).toBe(7_000);
    expect(readError({ status: 429, headers: { 'x-should-retry': 'true' }, message: '' }).retryable).toBe(true);
  });

  test.each<[string, unknown]>([
    ['a cause', new Error('The model failed', { cause: { statusCode: 503, responseHeaders: { 'retry-after': '3' } } })],
    [
      'a cause below a status',
      Object.assign(new Error('x', { cause: { headers: { 'retry-after': '3' } } }), { status: 503 }),
    ],
    [
      'the cause of "fetch failed"',
      new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { retryAfterMs: 3_000 }) }),
    ],
    ['headers without a status', Object.assign(new Error('fetch failed'), { headers: { 'retry-after': '3' } })],
    ['a member in milliseconds', Object.assign(new Error('fetch failed'), { retryAfterMs: 3_000 })],
    ['a member in seconds', Object.assign(new Error('x'), { status: 503, retryAfter: 3 })],
    ['a member as text', Object.assign(new Error('x'), { status: 503, retryDelay: '3s' })],
    ['a delay in milliseconds', Object.assign(new Error('x'), { status: 503, retryDelayMs: 3_000 })],
  ])('%s gives the wait', (_where, error) => {
    expect(readError(error)).toMatchObject({ retryable: true, retryAfterMs: 3_000 });
  });

  test.each<[string, unknown]>([
    ['an error of the program', Object.assign(new RangeError('x'), { retryAfterMs: 3_000 })],
    ['an abort', Object.assign(new DOMException('x', 'AbortError'), { cause: { retryAfterMs: 3_000 } })],
    [
      'a member that is no time',
      Object.assign(new Error('fetch failed'), { retryAfterMs: Number.NaN, retryAfter: -1 }),
    ],
    [
      'a member that throws',
      Object.defineProperty(new Error('fetch failed'), 'headers', {
        get: () => {
          throw new Error('x');
        },
      }),
    ],
  ])('%s gives none', (_where, error) => {
    expect(readError(error)).not.toHaveProperty('retryAfterMs');
  });

  test('x-should-retry: true counts as listing the status, and does not override the message', () => {
    const headers = { 'x-should-retry': 'true' };
    expect(readError({ status: 409, headers, message: '' })).toMatchObject({
      type: 'invalid_request',
      retryable: true,
    });
    expect(readError({ status: 429, headers, message: 'You exceeded your current quota' }).retryable).toBe(false);
  });

  test('a body that the error kept, or a message that quotes it, gives the wait too', () => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.4s' }];
    const body = { error: { code: 429, message: 'Resource exhausted', status: 'RESOURCE_EXHAUSTED', details } };
    const hint = { type: 'rate_limit', retryable: true, retryAfterMs: 34_400, hintSource: 'body' };
    expect(readError({ status: 429, response: { data: body }, message: '' })).toMatchObject(hint);
    expect(readError({ status: 429, message: JSON.stringify(body) })).toMatchObject(hint);
    expect(readError({ status: 429, message: '429 Rate limit reached. Please try again in 1.5s.' })).toMatchObject({
      retryAfterMs: 1_500,
      hintSource: 'message',
    });
    const headers = { 'retry-after': '7' };
    expect(readError({ status: 429, headers, message: 'try again in 1s' }).retryAfterMs).toBe(7_000);
  });

  const quota = { error: { message: 'x', code: 'insufficient_quota' } };
  const quotaText = JSON.stringify(quota);

  test.each([
    ['the AI SDK', { statusCode: 429, responseBody: quotaText, isRetryable: true }],
    ['undici, parsed', { statusCode: 429, body: quota }],
    ['undici', { statusCode: 429, body: quotaText }],
    ['got, parsed', { response: { statusCode: 429, body: quota } }],
    ['got', { response: { statusCode: 429, body: quotaText } }],
    ['axios, as text', { response: { status: 429, data: quotaText } }],
    ['axios, as bytes', { response: { status: 429, data: new TextEncoder().encode(quotaText) } }],
    ['superagent', { status: 429, response: { status: 429, body: {}, text: quotaText } }],
  ])('a body is read where it was kept by %s', (_library, error) => {
    expect(readError({ message: 'Too Many Requests', ...error })).toMatchObject({
      type: 'quota_exhausted',
      retryable: false,
    });
  });

  test('a thrown response is told by its status, and a body without a message of the error by its own', () => {
    const failure = readError(new Response('', { status: 429 }));
    expect(failure).toMatchObject({ type: 'rate_limit', message: 'HTTP 429' });
    expect(failure).not.toHaveProperty('code');
    expect(readError({ status: 429, body: { error: { message: 'Slow down' } } }).message).toBe('Slow down');
  });

  test('a status is found in causes and in aggregated errors', () => {
    const refused = Object.assign(new Error('Try again in 7s.'), { status: 429 });
    for (const error of [
      new Error('The turn failed', { cause: refused }),
      new AggregateError([refused], 'The turn failed'),
    ])
      expect(readError(error)).toMatchObject({
        type: 'rate_limit',
        retryable: true,
        status: 429,
        retryAfterMs: 7_000,
        message: 'The turn failed: Try again in 7s.',
      });
    expect(readError(new TypeError('x is not a function', { cause: refused })).type).toBe('unknown');
  });

  test.each([
    ['ky', { response: new Response('', { status: 503 }), message: 'Request failed with status code 503' }, true],
    ['got', { response: { statusCode: 502, headers: {} }, message: 'Response code 502' }, true],
    ['axios', { code: 'ERR_BAD_REQUEST', response: { status: 401, headers: {} }, message: 'failed' }, false],
    [
      'the AWS SDK',
      { name: 'ThrottlingException', $metadata: { httpStatusCode: 429 }, message: 'Too many tokens' },
      true,
    ],
    ['huggingface.js', { httpResponse: { status: 503, body: {} }, message: 'Failed to perform inference' }, true],
    ['a success that could not be read', { response: { status: 200 }, message: 'Unexpected token' }, false],
  ])('the status of the response that an error carries counts: %s', (_library, error, retryable) => {
    expect(readError(error).retryable).toBe(retryable);
    expect(isRetryableError(error)).toBe(retryable);
  });

  test('an exception of the AWS SDK is recognised by its name, as in a response', () => {
    const thrownBy = (name: string, httpStatusCode: number): object => ({
      name,
      $fault: 'client',
      $metadata: { httpStatusCode },
      message: 'The system encountered an unexpected error during processing. Try your request again.',
    });
    expect(readError(thrownBy('ModelErrorException', 424))).toMatchObject({ type: 'server_error', retryable: true });
    expect(readError(thrownBy('ThrottlingException', 400))).toMatchObject({ type: 'rate_limit', retryable: true });
    expect(readError(thrownBy('ValidationException', 400))).toMatchObject({
      type: 'invalid_request',
      retryable: false,
    });
    // Of anything else the name is a class, and says nothing of the failure.
    expect(readError({ name: 'ThrottlingException', status: 400, message: 'x' }).type).toBe('invalid_request');
  });

  test('the details that the SDK of Google keeps show a daily quota', () => {
    const violations = [{ quotaId: 'GenerateRequestsPerDayPerProjectPerModel-FreeTier' }];
    const errorDetails = [{ '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations }];
    const message =
      '[GoogleGenerativeAI Error]: Error fetching from https://x: [429 Too Many Requests] You exceeded it';
    expect(readError({ status: 429, errorDetails, message })).toMatchObject({
      type: 'quota_exhausted',
      retryable: false,
    });
  });

  // https://github.com/RooCodeInc/Roo-Code/issues/3883
  test('a status that is only in the message of the SDK of Google counts, and so does the body after it', () => {
    const body = { error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'x', details: [{ retryDelay: '26s' }] } };
    for (const prefix of ['', '[VertexAI.ClientError]: ']) {
      const error = new Error(`${prefix}got status: 429 Too Many Requests. ${JSON.stringify(body)}`);
      expect(readError(error)).toMatchObject({
        type: 'rate_limit',
        retryable: true,
        status: 429,
        retryAfterMs: 26_000,
      });
    }
    expect(readError(new Error('it got status: 429')).type).toBe('rate_limit');
    expect(readError(new Error('got status: 200')).type).toBe('unknown');
  });

  test('an error of this library keeps its failure', () => {
    const failure = classify({ status: 429, body: '{"error":{"code":"insufficient_quota"}}' });
    expect(failure).not.toBeNull();
    if (failure === null) return;
    expect(readError(new HttpStatusError(429, '', failure))).toBe(failure);
    expect(isRetryableError(new HttpStatusError(429, '', failure))).toBe(false);
    expect(readError(new Error('outer', { cause: new HttpStatusError(429, '', failure) }))).toBe(failure);
    expect(readError({ failure: { type: 'rate_limit' }, message: 'half a failure' }).type).toBe('unknown');
    expect(readError({ failure: { type: 'toString', retryable: true, message: '', phase: 'connect' } }).type).toBe(
      'unknown',
    );
  });
});

describe('an error of fetch', () => {
  test.each([
    ...['redirect count exceeded', 'unexpected redirect', 'unknown scheme', 'URL scheme must be a HTTP(S) scheme'],
    ...['about scheme is not supported', 'bad port', 'integrity mismatch', 'invalid method'],
    ...['failed to fetch the data URL', 'not implemented... yet...'],
    'cross origin not allowed for request mode "cors"',
    ...['invalid URL', 'local URLs may not be fetched', 'only if cached is for the same origin', 'blocked by policy'],
    ...['cors failure', 'request mode cannot be "navigate"', 'proxy authentication required'],
    'range start is greater than its end',
  ])('with its own refusal "%s" is permanent', (text) => {
    expect(readError(fetchFailed(new Error(text)))).toMatchObject({
      type: 'invalid_request',
      retryable: false,
      message: `fetch failed: ${text}`,
    });
  });

  test.each([
    'Network access is disabled in tests',
    'Outbound requests are blocked',
    'Network calls are not allowed here',
    '[MSW] Cannot bypass a request when using the "error" strategy for the "onUnhandledRequest" option.',
    'Access to this API has been restricted. Use --allow-net to manage permissions.',
  ])('of a mock or a guard of the program, "%s", is final', (text) => {
    expect(readError(fetchFailed(new Error(text)))).toMatchObject({
      type: 'connection_error',
      retryable: false,
      message: `fetch failed: ${text}`,
    });
    const bySystem = Object.assign(new Error(text), { syscall: 'connect', code: 'ECONNREFUSED' });
    expect(readError(fetchFailed(bySystem)).retryable).toBe(true);
  });

  test('with any other "fetch failed" is a network error', () => {
    expect(readError(fetchFailed())).toMatchObject({ type: 'connection_error', retryable: true });
    expect(readError(fetchFailed(new Error('Failed to fetch'))).retryable).toBe(true);
    expect(readError(fetchFailed({}))).toMatchObject({ retryable: true, message: 'fetch failed' });
    expect(readError(fetchFailed(new Error('')))).toMatchObject({ retryable: true, message: 'fetch failed' });
    for (const text of [
      ...['a bad port', 'no integrity', 'an invalid method', 'no local URLs', 'it was a blocker', 'no cors'],
      ...['it is not implemented', 'read only if cached', 'a cross origin', 'a request mode', 'no proxy auth'],
      'a range start',
    ]) {
      expect(readError(fetchFailed(new Error(text)))).toMatchObject({ type: 'connection_error', retryable: true });
    }
    expect(readError(new Error('failed', { cause: new Error('bad port') })).type).toBe('unknown');
  });

  test.each([
    'Failed to fetch',
    'NetworkError when attempting to fetch resource.',
    'network error',
    'terminated',
    'Network connection lost',
  ])('with the TypeError "%s" of some runtime is a network error', (message) => {
    expect(readError(new TypeError(message))).toMatchObject({ type: 'connection_error', retryable: true });
  });

  test('in this version of Node has the expected text', async () => {
    const server = await serve((request, response) => {
      if (request.url === '/loop') response.writeHead(302, { location: '/loop' }).end();
      else if (request.url === '/reset') request.socket.destroy();
      else response.end('{}');
    });
    const { origin: base, port } = server;
    try {
      expect(readError(await thrown(`${base}/loop`))).toMatchObject({ type: 'invalid_request', retryable: false });
      expect(readError(await thrown(`${base}/loop`, { redirect: 'error' }))).toMatchObject({ retryable: false });
      expect(readError(await thrown(`${base}/`, { integrity: 'sha256-abc' }))).toMatchObject({ retryable: false });
      expect(readError(await thrown('http://127.0.0.1:25/'))).toMatchObject({ retryable: false });
      expect(readError(await thrown('nope:x'))).toMatchObject({ retryable: false });
      expect(readError(await thrown('no url'))).toMatchObject({ type: 'invalid_request', retryable: false });
      expect(readError(await thrown(`https://127.0.0.1:${port}/`))).toMatchObject({ retryable: false });
      expect(readError(await thrown(`${base}/reset`))).toMatchObject({
        type: 'connection_error',
        code: 'UND_ERR_SOCKET',
        retryable: true,
      });
    } finally {
      await server.close();
    }
    const refused = await thrown(`${base}/`);
    expect(readError(refused)).toMatchObject({ code: 'ECONNREFUSED', retryable: true });
    expect(isUnsent(refused)).toBe(true);
  });
});

describe('the message of an error', () => {
  test.each([
    ...['getaddrinfo ENOTFOUND api.example.com', 'write EPIPE', 'fetch failed', 'socket hang up'],
    ...['aborted due to connection closure', 'Connection error.', 'Premature close', 'other side closed'],
    ...['getaddrinfo EAI_AGAIN x', 'Failed to fetch', 'connection aborted', 'network lost', 'network'],
    ...['stream has been aborted', 'Error in input stream', 'Error in body stream', 'Connect Timeout Error (10 s)'],
    ...['net::ERR_NAME_NOT_RESOLVED', 'net::ERR_HTTP2_PROTOCOL_ERROR', '14 UNAVAILABLE: No connection established'],
    ...['13 INTERNAL: Received RST_STREAM with code 2', 'client error (Connect)', 'client error (SendRequest)'],
    ...['Cannot connect to API: x', 'Invalid response body while trying to fetch https://x/: Premature close'],
    ...['request to https://x/ failed, reason: ', 'http2 request did not get a response'],
    ...['request ended without sending any chunks', 'The socket connection was closed unexpectedly.'],
    ...['[X Error]: Error fetching from https://x: Load failed', 'unable to connect', 'TypeError: terminated'],
    ...['Operation timed out', 'Request timed out after 5 s'],
  ])('"%s" is retried', (message) => {
    expect(readError(new Error(message)).retryable).toBe(true);
    expect(readError(message).retryable).toBe(true);
  });

  test.each([
    ...['Invalid API key', 'unauthorized', 'authentication failed', 'insufficient_quota'],
    ...['permission denied by network policy', 'network policy forbids this', 'invalid network error'],
    ...['Model not found', 'something else', 'processed 15000 tokens', 'account terminated'],
    "Cannot read properties of undefined (reading 'network')",
    ...['net::ERR_CERT_DATE_INVALID', 'net::ERR_BLOCKED_BY_CLIENT', 'net::ERR_ABORTED', 'a net::ERR_FAILED'],
    ...['Invalid response body', '3 INVALID_ARGUMENT: 14 UNAVAILABLE', 'client error (Decode)'],
    ...['networking', 'a network', 'it was terminated', 'TypeErrors: terminated', 'terminatedly', 'subnetwork error'],
    ...['network errors', 'the test timed out', 'request timed outside', 'unauthorised: network error'],
    ...['bad request: network error', 'forbidden by the network: socket hang up', 'authentication: socket hang up'],
    ...['api key: socket hang up', 'not found: socket hang up', 'no permission: socket hang up'],
    ...['invalid_api_key: socket hang up', 'insufficient_quota: socket hang up', 'unauthorized: socket hang up'],
    '',
  ])('"%s" is not retried', (message) => {
    expect(readError(new Error(message))).toMatchObject({
      type: 'unknown',
      retryable: false,
      category: 'non-retryable',
    });
  });

  test.each([
    'unable to verify the first certificate',
    'error sending request for url (https://x/): invalid peer certificate: UnknownIssuer',
  ])('a certificate error is permanent by its message too: "%s"', (message) => {
    expect(readError(new TypeError(message))).toMatchObject({ type: 'connection_error', retryable: false });
  });

  test('a timeout is recognised by its message', () => {
    expect(readError(new Error('network timeout at: https://x')).type).toBe('timeout');
    expect(readError(new Error('Request timed out.')).type).toBe('timeout');
    expect(readError(new Error('connection timed out')).type).toBe('timeout');
    expect(readError(new Error('socket hang up after a timeouting')).type).toBe('connection_error');
  });

  test('the network error at the end of a chain decides, whatever the messages above it say', () => {
    const cause = new Error('socket hang up');
    expect(readError(new Error('Authentication failed', { cause })).retryable).toBe(true);
  });
});

describe('any thrown value', () => {
  const hostile = new Proxy(
    {},
    {
      get: () => {
        throw new Error('no');
      },
      has: () => {
        throw new Error('no');
      },
      getPrototypeOf: () => {
        throw new Error('no');
      },
    },
  );
  test.each([[null], [undefined], [0], [''], [{}], [[]], [() => 'f'], [hostile], [Object.create(null)]])(
    'case %#',
    (value) => {
      expect(readError(value)).toMatchObject({ type: 'unknown', retryable: false, phase: 'connect' });
      expect(isRetryableError(value)).toBe(false);
    },
  );

  test.each([
    [429, '429'],
    [true, 'true'],
    [10n, '10'],
    ['x', 'x'],
    [Symbol('s'), ''],
    [{ message: 5 }, ''],
  ])('number %# is unknown and has the expected message', (value, message) => {
    expect(readError(value)).toMatchObject({ type: 'unknown', retryable: false, phase: 'connect', message });
  });

  test('that is a function with a code is read like an error', () => {
    expect(readError(Object.assign(() => 'f', { code: 'ECONNRESET' })).code).toBe('ECONNRESET');
  });

  test('that cannot be read is unknown, and the message says so', () => {
    const errors = new Proxy([], { get: () => Symbol('no') });
    expect(readError({ errors })).toMatchObject({ type: 'unknown', message: 'An error that cannot be read' });
  });

  test.each([
    ['Step 3 failed: 16 UNAUTHENTICATED: no key', { type: 'auth_invalid', retryable: false }],
    ['Error in step 12: 429', { type: 'rate_limit', status: 429 }],
  ])('is read behind the number of a step: %s', (text, expected) => {
    expect(readError(new Error(text), { wording: OPERATION_WORDING })).toMatchObject(expected);
  });

  test('whose message begins with the words of ten thousand wrappers is read', () => {
    expect(readError(new Error(`${'Error: '.repeat(10_000)}Overloaded`)).message).toMatch(/^Error: Error: /);
  });

  test('with a getter that throws hides only that property', () => {
    const error = Object.defineProperty(withCode('ECONNRESET'), 'status', {
      get() {
        throw new Error('no');
      },
    });
    expect(readError(error)).toMatchObject({ type: 'connection_error', code: 'ECONNRESET' });
  });

  test('with a secret in its message has it masked', () => {
    expect(
      readError(new Error('fetch failed for my-own-secret-value'), { secrets: ['my-own-secret-value'] }).message,
    ).not.toContain('my-own');
  });
});

describe('whether anything was sent', () => {
  test.each([
    ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_PRX_CONN', 'ConnectionRefused'],
    ...['ERR_TLS_HANDSHAKE_TIMEOUT', 'FailedToOpenSocket'],
  ])('nothing was sent after %s, which comes from the connect phase', (code) => {
    expect(isUnsent(fetchFailed(withCode(code)))).toBe(true);
    expect(isUnsent(fetchFailed(withCode(`${code}-X`)))).toBe(false);
  });

  // https://man7.org/linux/man-pages/man7/ip.7.html: an established connection can report these as well.
  test.each(['ENETUNREACH', 'EHOSTUNREACH', 'ENETDOWN', 'EHOSTDOWN', 'EADDRNOTAVAIL', 'ETIMEDOUT'])(
    'nothing after %s of connect, perhaps something after that of any other call',
    (code) => {
      const failedAt = (syscall: string): Error => Object.assign(withCode(code, `${syscall} ${code}`), { syscall });
      expect(isUnsent(fetchFailed(failedAt('connect')))).toBe(true);
      expect(isUnsent(fetchFailed(failedAt('read')))).toBe(false);
      expect(isUnsent(fetchFailed(failedAt('write')))).toBe(false);
      expect(isUnsent(withCode(code))).toBe(false);
      const gathered = (...calls: readonly string[]): Error =>
        Object.assign(new AggregateError(calls.map(failedAt)), { code });
      expect(isUnsent(gathered('connect', 'connect'))).toBe(true);
      expect(isUnsent(gathered('connect', 'read'))).toBe(false);
    },
  );

  test('a status means that the request was sent', () => {
    expect(isUnsent({ status: 503, code: 'ECONNREFUSED' })).toBe(false);
    expect(isUnsent(new Error('fetch failed'))).toBe(false);
  });
});

const typed = (status: number | undefined, isRetryable: boolean): object => ({
  message: 'x',
  isRetryable,
  ...(status === undefined ? {} : { status }),
});

describe('isRetryableError', () => {
  test.each<[what: string, error: unknown, codes: readonly number[] | undefined, expected: boolean]>([
    [
      'an AbortError with a status',
      Object.assign(new Error('x'), { name: 'AbortError', status: 503 }),
      undefined,
      false,
    ],
    [
      'an AbortError that says it may be',
      Object.assign(new Error('x'), { name: 'AbortError', retryable: true }),
      undefined,
      false,
    ],
    ['a status above the flag: 429', typed(429, false), undefined, true],
    ['a status above the flag: 500', typed(500, false), undefined, true],
    ['the flag alone: true', typed(undefined, true), undefined, true],
    ['the flag alone: false', Object.assign(withCode('ECONNRESET'), { retryable: false }), undefined, false],
    ['418 that was listed', { status: 418 }, [418], true],
    ['429 that was not', { status: 429 }, [418], false],
    ['429 of a spent quota', { status: 429, code: 'insufficient_quota' }, undefined, false],
    ['429 of a spent quota that was listed', { status: 429, code: 'insufficient_quota' }, [429], false],
    ['402 of a limit that will be free again', { status: 402, code: 'openrouter_in_flight_budget' }, undefined, true],
  ])('says whether a retry can help: %s', (_what, error, codes, expected) => {
    expect(isRetryableError(error, codes)).toBe(expected);
  });
});

test.each([
  ['NGHTTP2_REFUSED_STREAM', true],
  ['NGHTTP2_INTERNAL_ERROR', false],
])('of an HTTP/2 stream that ends with %s, it is %s that nothing was processed', (code, isNothing) => {
  const cause = withCode('ERR_HTTP2_STREAM_ERROR', `Stream closed with error code ${code}`);
  expect(isUnsent(fetchFailed(cause))).toBe(isNothing);
});
