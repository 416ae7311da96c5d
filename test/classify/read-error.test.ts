import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { classify } from '../../src/classify/classify.ts';
import { oneIn } from '../thorough.ts';
import { readCases, SAMPLES } from '../../tools/accuracy/sample.ts';

/** The ways in which programs wrap an error, or print it again. */
const WAYS: Readonly<Record<string, (text: string) => unknown>> = {
  cause: (text) => new Error('Request failed', { cause: new Error(text) }),
  'cause of a cause': (text) =>
    new Error('Agent run failed', { cause: new Error('LLM call failed', { cause: new Error(text) }) }),
  'vague words above a cause': (text) => new Error('Something went wrong', { cause: new Error(text) }),
  errors: (text) => new AggregateError([new Error(text)], 'All attempts failed'),
  originalError: (text) => Object.assign(new Error('Failed to generate response'), { originalError: new Error(text) }),
  'error as an object': (text) => Object.assign(new Error('LLM request failed'), { error: { message: text } }),
  'data of JSON-RPC': (text) => Object.assign(new Error('Internal error'), { code: -32603, data: { details: text } }),
  'data as a text': (text) => Object.assign(new Error('Internal error'), { data: text }),
  prefix: (text) => new Error(`Request failed: ${text}`),
  'prefix with the name of an error': (text) => new Error(`Error: LLM call failed: ${text}`),
  JSON: (text) => new Error(JSON.stringify({ error: { message: text } })),
  'JSON quotes': (text) => new Error(JSON.stringify(text)),
  stack: (text) => new Error(`${text}\n    at run (/app/src/agent.ts:10:5)\n    at main (/app/src/main.ts:3:1)`),
  'a cut after the evidence': (text) => new Error(`${text} ... [truncated]`),
  'an aggregate as a cause': (text) =>
    new Error('Request failed', { cause: new AggregateError([new Error(text)], '') }),
  'a member of any name': (text) => Object.assign(new Error('Request failed'), { innerException: new Error(text) }),
  'a member of a member': (text) => Object.assign(new Error('Request failed'), { context: { cause: new Error(text) } }),
  'a list of objects': (text) => Object.assign(new Error('Request failed'), { details: [{ message: text }] }),
  'an info beside it': (text) => Object.assign(new Error('Request failed'), { info: { message: text } }),
  'a rejected promise': (text) => ({ status: 'rejected', reason: new Error(text) }),
  'the name of a class': (text) =>
    Object.assign(new Error('Request failed', { cause: new Error(text) }), { name: 'AgentError' }),
  'what Node prints': (text) => new Error(inspect(new Error('Request failed', { cause: new Error(text) }))),
  'what Python prints': (text) =>
    new Error(
      `Traceback (most recent call last):\n  File "/app/agent.py", line 41, in run\n    result = await client.call(prompt)\napp.ModelCallError: ${text}\n\nThe above exception was the direct cause of the following exception:\n\nTraceback (most recent call last):\n  File "/app/main.py", line 12, in <module>\n    main()\nRuntimeError: Agent run failed`,
    ),
  'what Python prints, without its beginning': (text) =>
    new Error(`app/agent.py", line 1005, in run\n    raise ModelCallError(\napp.ModelCallError: ${text}`),
  'what Java prints': (text) =>
    new Error(
      `java.lang.RuntimeException: Request failed\n\tat com.acme.Agent.run(Agent.java:41)\nCaused by: com.acme.LlmException: ${text}\n\tat com.acme.Client.call(Client.java:88)\n\t... 12 more`,
    ),
  'what .NET prints': (text) =>
    new Error(
      `System.AggregateException: One or more errors occurred.\n ---> Acme.LlmException: ${text}\n   at Acme.Client.Call() in C:\\app\\Client.cs:line 42\n   --- End of inner exception stack trace ---`,
    ),
  'what Rust prints': (text) =>
    new Error(`Error: request failed\n\nCaused by:\n    0: calling the model\n    1: ${text}`),
  'what Go prints': (text) => new Error(`run agent: call model: ${text}`),
  'a line of a log in JSON': (text) =>
    new Error(
      JSON.stringify({
        level: 50,
        err: { type: 'Error', message: text, stack: `Error: ${text}\n    at run (agent.js:1:2)` },
        msg: 'Request failed',
      }),
    ),
  'JSON in JSON': (text) => new Error(JSON.stringify({ error: JSON.stringify({ message: text }) })),
  colours: (text) =>
    new Error(
      text
        .split('\n')
        .map((line) => `\u001B[31m${line}\u001B[39m`)
        .join('\n'),
    ),
  'the line ends of Windows': (text) => new Error(`${text.replaceAll('\n', '\r\n')}\r\n`),
};

/** Five hundred of them: a share of one in a hundred is five. */
const CASES = oneIn(
  20,
  SAMPLES.flatMap((sample) => [...readCases(sample, 'texts'), ...readCases(sample, 'programs')]),
  8,
).map(({ text }) => ({ text, retryable: classify({ error: new Error(text) })?.retryable }));

test.each(Object.entries(WAYS))('wrapping as %s changes at most one answer in a hundred', (_, wrap) => {
  const changed = CASES.filter(({ text, retryable }) => classify({ error: wrap(text) })?.retryable !== retryable);
  expect(changed.length).toBeLessThanOrEqual(CASES.length / 100);
});

const HEADS = [
  'Request failed',
  'LLM call failed',
  'Agent run failed',
  'Something went wrong',
  'Failed to generate response',
];

test.each(HEADS)('"%s" above a permanent cause is not retried', (head) => {
  for (const text of [
    'insufficient_quota',
    'maximum context length is 8192 tokens',
    'Incorrect API key provided',
    'disk full',
  ])
    expect(classify({ error: new Error(head, { cause: new Error(text) }) })?.retryable).toBe(false);
});

test('data of JSON-RPC that is a response is read with its body', () => {
  const data = { status: 429, body: { error: { code: 'insufficient_quota' } } };
  const error = Object.assign(new Error('Internal error'), { code: -32603, data });
  expect(classify({ error })).toMatchObject({ type: 'quota_exhausted', status: 429, retryable: false });
});

const withCode = (code: string, syscall: string) => Object.assign(new Error(`${code}: ${syscall}`), { code, syscall });
const BUGS = [
  new TypeError('x is not a function'),
  new SyntaxError('Unexpected token < in JSON at position 0'),
  Object.assign(new Error('1 == 2'), { name: 'AssertionError', code: 'ERR_ASSERTION' }),
  withCode('ENOENT', 'open'),
];

test.each(BUGS)('an error of the program is not retried, however deep it is: %s', (bug) => {
  for (const head of [...HEADS, 'The model is overloaded', 'socket hang up', 'fetch failed'])
    for (const wrapped of [
      new Error(head, { cause: bug }),
      new Error(head, { cause: new Error('Failed', { cause: bug }) }),
      new Error(head, { cause: new AggregateError([bug], '') }),
      Object.assign(new Error(head), { inner: bug }),
      Object.assign(new Error(head), { previous: bug }),
      Object.assign(new Error(head), { context: { cause: bug } }),
      Object.assign(new Error(head), { details: [bug] }),
      { message: head, error: bug },
    ])
      expect(classify({ error: wrapped })).toMatchObject({ type: 'unknown', retryable: false });
});

test('an error of the program below a failed status follows the status', () => {
  const error = Object.assign(new Error('Bad gateway', { cause: new SyntaxError('Unexpected token <') }), {
    status: 502,
  });
  expect(classify({ error })).toMatchObject({ type: 'provider_unavailable', retryable: true });
});

test('a socket file that does not exist is a connection that was refused', () => {
  expect(classify({ error: new Error('Request failed', { cause: withCode('ENOENT', 'connect') }) })).toMatchObject({
    type: 'connection_error',
    retryable: true,
  });
});

test('the innermost response decides, and its message is shown', () => {
  const inner = Object.assign(new Error('You exceeded your current quota'), { status: 429 });
  const failure = classify({ error: Object.assign(new Error('Upstream failed', { cause: inner }), { status: 502 }) });
  expect(failure).toMatchObject({
    type: 'quota_exhausted',
    status: 429,
    message: 'Upstream failed: You exceeded your current quota',
  });
});

test.each([
  { code: 'rate_limit_exceeded', message: 'x' },
  { type: 'overloaded_error', message: 'x' },
  { type: 'server_error', message: 'x', code: null },
  { code: '429', message: 'x' },
  { code: 502, message: 'x' },
  { type: 'insufficient_quota', message: 'x' },
  { code: 'unheard_of', message: 'x' },
])('an object that a stream reports as its error is read alone as it is inside of `error`: %j', (reported) => {
  const { type, retryable, status } = classify({ error: { error: reported } }) ?? {};
  expect(classify({ error: reported })).toMatchObject({ type, retryable, message: 'x', ...(status && { status }) });
});

test.each([{ code: 'cancelled', message: 'By the user' }, { type: 'cancelation' }, { type: 'error', code: 'UNKNOWN' }])(
  'an object that a program may throw for its own reasons is not retried: %j',
  (thrown) => {
    expect(classify({ error: thrown })).toMatchObject({ type: 'unknown', retryable: false });
  },
);

test('what a thrown object quotes of its request says nothing', () => {
  const prompt = 'HTTP 503: the server is overloaded';
  expect(classify({ error: { code: 'odd', message: 'failed', request: { prompt } } })).toMatchObject({
    type: 'unknown',
  });
});

test('what a text quotes of its request is no refusal', () => {
  const text = '502 {"error":{"message":"Bad gateway"},"request":{"prompt":"the value must be set"}}';
  expect(classify({ error: new Error(text) })).toMatchObject({ type: 'provider_unavailable', retryable: true });
});

test.each([
  'Something went wrong',
  'Internal error',
  'Please try again.',
  'Something went wrong. Please try again.',
  '[ERROR] Internal error',
  '❌ Internal error',
  "Turn 4 failed: 'Please try again later'",
])('"%s" alone names no cause', (text) => {
  expect(classify({ error: new Error(text) })).toMatchObject({ type: 'unknown', retryable: false });
  expect(classify({ error: Object.assign(new Error(text), { status: 500 }) })?.retryable).toBe(true);
});

test('the reason phrases of HTTP keep their meaning', () => {
  expect(classify({ error: new Error('Internal Server Error') })).toMatchObject({
    type: 'server_error',
    retryable: true,
  });
});

test('a proxy that wants a login is named, with what to do', () => {
  const error = new TypeError('fetch failed', { cause: new Error('Proxy response (407) !== 200 when HTTP Tunneling') });
  const failure = classify({ error });
  expect(failure).toMatchObject({ type: 'connection_error', retryable: false });
  expect(failure?.message).toContain('Proxy response (407)');
  expect(failure?.action).toContain('proxy');
});

test.each([
  ['got', { name: 'HTTPError', message: 'Response code 500 (Internal Server Error)', response: { statusCode: 500 } }],
  ['axios', { name: 'AxiosError', message: 'Request failed with status code 500', response: { status: 500 } }],
])(
  'of two texts, the body that %s keeps counts, not its own sentence about the status',
  (_, { name, message, response }) => {
    const body = 'upstream request failed: invalid api key provided';
    const error = Object.assign(new Error(message), { name, response: { ...response, body, data: body } });
    const { type, retryable } = classify({ status: 500, body }) ?? {};
    expect(classify({ error })).toMatchObject({ type, retryable });
  },
);

test('a name that is no text leaves the rest of the evidence', () => {
  const cause = { type: Object.create(null), code: undefined };
  expect(classify({ error: new Error('429 rate limit exceeded', { cause }) })?.type).toBe('rate_limit');
});

test('an object that contains itself in each of many members is read as far as 512 values', () => {
  let reads = 0;
  const details: Record<string, unknown> = {};
  for (let index = 0; index < 40; index += 1)
    Object.defineProperty(details, `part${index}`, { enumerable: true, get: () => ((reads += 1), details) });
  const error = Object.assign(new Error('429 rate limit exceeded'), { details });
  expect(classify({ error })?.type).toBe('rate_limit');
  expect(reads).toBeLessThan(40_000);
});

test('an abort by which an SDK ends a request that takes too long is the time limit that the error around it names', () => {
  const cause = new DOMException('This operation was aborted', 'AbortError');
  const types = [
    new Error('Request timed out.', { cause }),
    Object.assign(new Error('x', { cause }), { code: 'ETIMEDOUT' }),
    new Error('Request was aborted.', { cause }),
    new Error('Request failed', { cause }),
  ].map((error) => classify({ error })?.type);
  expect(types).toEqual(['timeout', 'timeout', 'aborted', 'aborted']);
});
