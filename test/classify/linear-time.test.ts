import { test } from 'vitest';
import { parseRetryAfterHeader } from '../../src/hints/retry-after.ts';
import { retryHint } from '../../src/hints/retry-hint.ts';
import { classify } from '../../src/classify/classify.ts';
import { expectLinearTime } from '../linear-time.ts';

/** What patterns begin with, repeat or look for the end of. */
const UNITS: readonly string[] = [
  ...['A', '1', '1112|', '#', ':', '_', '.', '-', '{', '[', '"', '\\', '\n', '\r', ' ', '\t', '<', '<p ', '{"', '{ '],
  ...['retry ', 'retry after 1', 'again aaaaaaaaaaaa ', 'wait\\', 'r=1', 'Sun, ', 'data: {\n', 'event: x\n', '{}\n'],
  ...['error', 'error 4', '(4', "{'a': ", 'a=', 'status', 'code: ', 'model.1', 'quota', 'limit1,', "'", 'Error: '],
  ...['\n    at ', '  File "', 'A_B ', 'aB', 'context window ', 'exceed', '429 ', 'expected ', 'timeout '],
  ...['MCP error -32000: ', '{% ', '{{', 'Validation failed: Value: {', 'upstream returned 4', 'returned status code '],
  ...['failed to get a ', 'stream ended a ', 'no valid response ', 'empty a response ', 'the model a ', 'acp '],
  ...[
    ...['api error ', 'must be ', 'invalid a ', 'unexpected token <', 'response is ', 'maximum a '],
    '请求失败',
    'post a',
    '<title>',
  ],
  ...['{"error":', 'retry after 1 s, ', "retry-after'", 'limit per model request '],
  ...['resets ', 'resets 8pm (', 'resets Jan 1, ', 'limit reached|1', '\u200B', '## ', '____ '],
];

/** Every place in which a server or a library can put a text, of the given length. */
const PLACES: Readonly<Record<string, (text: string) => unknown>> = {
  'the name of an exception in a body': (text) =>
    classify({ status: 429, body: JSON.stringify({ __type: text, message: 'm' }) }),
  'a code and a message': (text) =>
    classify({ status: 429, body: JSON.stringify({ error: { code: text, message: text } }) }),
  'a body that is no JSON': (text) => classify({ status: 429, body: text }),
  'a page': (text) => classify({ status: 502, body: `<${text}` }),
  'a body that was cut': (text) => classify({ status: 429, body: `{"error":{"message":"${text}` }),
  'an error event under a 200': (text) =>
    classify({
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      body: `event: error\ndata: ${JSON.stringify({ error: { type: text, __type: text, message: text } })}\n\n`,
    }),
  'a stream under a 200': (text) =>
    classify({ status: 200, headers: { 'content-type': 'text/event-stream' }, body: text }),
  'the headers': (text) =>
    classify({
      status: 429,
      headers: {
        'x-amzn-errortype': text,
        'retry-after': text,
        ratelimit: text,
        'x-ratelimit-reset': text,
        date: text,
      },
      body: '{"message":"m"}',
    }),
  'the message of an error': (text) => classify({ error: new Error(text) }),
  'the fields of an error': (text) =>
    classify({ error: { name: text, code: text, status: 429, error: { code: text, __type: text, message: text } } }),
  'the name of an exception of the AWS SDK': (text) =>
    classify({ error: { name: text, $fault: 'client', $metadata: { httpStatusCode: 429 }, message: text } }),
  'the body and the headers of a hint': (text) =>
    retryHint({ headers: { 'retry-after': text, ratelimit: text, 'x-ratelimit-reset': text }, body: text }),
  'a Retry-After': (text) => parseRetryAfterHeader(text),
};

test.each(Object.entries(PLACES))('%s takes linear time with any repeated part', (_place, read) => {
  for (const unit of UNITS) {
    const pumped = (length: number): string => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
    const texts: Readonly<Record<number, string>> = { 65_536: pumped(65_536), 262_144: pumped(262_144) };
    expectLinearTime((length) => void read(texts[length] ?? ''), { short: 65_536, long: 262_144 });
  }
});
