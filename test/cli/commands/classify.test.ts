import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { bytesOf, type Recording } from '../../../mocks/recording.ts';
import { recordings } from '../../../mocks/recordings.ts';
import { describeFailure, type Failure, formatDelay } from '../../../src/index.ts';
import { FakeInput, FakeOutput, run } from '../fake-terminal.ts';

/** The recording as `curl -i` prints it: over HTTP/2 without a reason, over HTTP/1.1 with what came before. */
function printed({ response }: Recording, http: 1 | 2): (Uint8Array | string)[] {
  const { status, statusText, headers } = response;
  const line = http === 2 ? `HTTP/2 ${status} ` : `HTTP/1.1 ${status} ${statusText}`;
  const before = http === 2 ? '' : 'HTTP/1.1 200 Connection established\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n';
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return [`${before}${line}\r\n${lines.join('')}\r\n`, bytesOf(response)];
}

const classified = (words: readonly string[], pieces: readonly (Uint8Array | string)[], output = new FakeOutput()) =>
  run(['classify', ...words], { input: new FakeInput({ pieces }), output });

async function failureOf(
  pieces: readonly (Uint8Array | string)[],
  ...argv: readonly string[]
): Promise<Failure | null> {
  const { output, exitCode } = await classified(['--json', ...argv], pieces);
  expect(exitCode).toBe(0);
  return JSON.parse(output);
}

const screenOf = (columns: number): FakeOutput => new FakeOutput({ isTTY: true, columns });

const OVERLOADED = '{"error":{"type":"overloaded_error","message":"Overloaded"}}';

describe('classify reads each recording as curl -i prints it', () => {
  it.each(Object.entries(recordings))('with the type that the recording expects: %s', async (_name, recording) => {
    const { expected } = recording;
    for (const http of [1, 2] as const) {
      const failure = await failureOf(printed(recording, http));
      expect([expected.type, ...(expected.alsoAcceptable ?? [])]).toContain(failure?.type);
      expect(failure?.retryable).toBe(expected.retryable);
      const { output: text } = await classified([], printed(recording, http));
      // As a person sees it: the type, the verdict, the wait and what has to be done.
      expect(text).toContain(`\n  type   ${failure?.type}`);
      expect(text).toContain(`\n  retry  ${expected.retryable ? 'yes' : 'no: '}`);
      if (expected.retryAfterMs === null) expect(failure?.retryAfterMs).toBeUndefined();
      else {
        expect(failure?.retryAfterMs).toBeGreaterThanOrEqual(expected.retryAfterMs);
        expect(failure?.retryAfterMs).toBeLessThanOrEqual(expected.retryAfterAtMostMs ?? expected.retryAfterMs + 1);
        expect(text).toContain(formatDelay(failure?.retryAfterMs ?? 0));
      }
      const [action = ''] = failure === null ? [] : describeFailure(failure).actions;
      expect(text.replace(/\s+/g, ' ')).toContain(action);
    }
  });
});

describe('classify', () => {
  it('prints the failure, whether and when to retry, and what to do', async () => {
    expect((await classified(['openai-429-tpm-6ms'], [])).lines).toEqual([
      '⚠ Rate limit reached (HTTP 429)',
      expect.stringMatching(/^ {2}More requests or tokens were sent/),
      ...Array.from({ length: 4 }, () => expect.stringMatching(/^ {2}\S/)),
      '  type   rate_limit, from openai, code rate_limit_exceeded',
      '  retry  yes',
      '  when   in 6ms (the text of the message)',
      '  do     nothing: wait, then retry',
    ]);
  });

  it('prints the same failure as JSON', async () => {
    const failure = await failureOf([`HTTP/2 429\nretry-after: 20\n\n${OVERLOADED}`]);
    expect(failure).toEqual({
      type: 'overloaded',
      retryable: true,
      category: 'retryable',
      status: 429,
      code: 'overloaded_error',
      message: 'Overloaded',
      phase: 'response',
      retryAfterMs: 20_000,
      hintSource: 'retry-after',
    });
  });

  it('prints that a success is no failure', async () => {
    const success = ['HTTP/2 200\ncontent-type: application/json\n\n{"content":"Hello"}'];
    expect((await classified([], success)).output).toBe('✓ HTTP 200: no failure, nothing to retry\n');
    expect(await failureOf(success)).toBeNull();
    expect((await classified([], ['HTTP/2 302\nlocation: /\n\n'])).output).toContain('✓ HTTP 302: no failure');
  });

  it('reads a body alone, without inventing a status', async () => {
    const failure = await failureOf([OVERLOADED]);
    expect(failure).toMatchObject({ type: 'overloaded', phase: 'response' });
    expect(failure).not.toHaveProperty('status');
    expect((await classified([], [OVERLOADED])).lines[0]).toBe('⚠ Service overloaded (overloaded_error)');
    const stream = await failureOf([`event: error\ndata: ${OVERLOADED}\n\n`]);
    expect(stream).toMatchObject({ type: 'overloaded', phase: 'stream', status: 200 });
  });

  it('applies --status to a body alone', async () => {
    const page = '<html>Bad gateway</html>';
    expect(await failureOf([page], '--status', '502')).toMatchObject({ type: 'provider_unavailable', status: 502 });
    expect((await classified(['--status', '200'], [page])).output).toContain('✓ HTTP 200');
  });

  it('reads dates in an old response relative to its own date', async () => {
    const head = 'HTTP/2 429\ndate: Mon, 05 Jan 2026 10:00:00 GMT\nretry-after: Mon, 05 Jan 2026 10:01:30 GMT\n';
    expect(await failureOf([`${head}\n`])).toMatchObject({ retryAfterMs: 90_000 });
    // A cache held it for half a minute.
    expect(await failureOf([`${head}age: 30\n\n`])).toMatchObject({ retryAfterMs: 60_000 });
  });

  it.each([
    ['the server says no', 'x-should-retry: false', 'no: the server says so (x-should-retry: false)', 'not by itself'],
    ['a wait that is accepted', 'retry-after: 60', 'yes', 'in 1m (the Retry-After header)'],
    [
      'a wait that patience accepts',
      'retry-after: 3600',
      'yes',
      'in 1h (the Retry-After header); by default no more than 1m is accepted: set maxRetryAfterMs, as the preset patient does',
    ],
    [
      'a wait of weeks',
      'retry-after: 2592000',
      'yes',
      'in 30d (the Retry-After header); by default no more than 1m is accepted: set maxRetryAfterMs',
    ],
    ['no hint', 'a: b', 'yes', 'the server names no wait; by default a growing backoff'],
  ])('prints when to retry: %s', async (_case, header, retry, when) => {
    const text = (await classified([], [`HTTP/2 429\n${header}\n\n${OVERLOADED}`])).output.replace(/\s+/g, ' ');
    expect(text).toContain(` retry ${retry} when ${when} do `);
  });

  it('advises to send another request, not to retry, if part of the answer came', async () => {
    const { output: text } = await classified(['anthropic-stream-api-error-after-text'], []);
    expect(text).toContain('  retry  no: part of the answer had already been sent\n');
    expect(text).toContain('  do     send the request again yourself, and drop the part that came\n');
  });

  it.each([
    ['no failure', 'HTTP/2 200\n\n', 0],
    ['one that can be retried', 'HTTP/2 503\n\n', 1],
    ['one that cannot', 'HTTP/2 401\n\n', 3],
  ])('ends with the exit code of the failure if --exit-code is given: %s', async (_what, text, exitCode) => {
    expect((await classified(['--exit-code'], [text])).exitCode).toBe(exitCode);
    expect((await classified([], [text])).exitCode).toBe(0);
  });

  it('prints nothing that could move a cursor', async () => {
    const body = JSON.stringify({ error: { type: 'overloaded_error', message: 'a\u001B[2Jb\u202Ec' } });
    const { output: text } = await classified([], [`HTTP/2 529\n\n${body}`], screenOf(80));
    expect(stripVTControlCharacters(text)).not.toMatch(/[^\P{C}\n]/u);
    expect(text).not.toContain('\u001B[2J');
  });

  it.each([40, 80])('fits into the %i columns of a terminal, in colour', async (columns) => {
    for (const name of ['gemini-429-quota-zero', 'groq-429-tpd-minutes', 'nginx-502-html']) {
      const { output: text } = await classified([name], [], screenOf(columns));
      expect(text).toContain('\u001B[');
      for (const line of stripVTControlCharacters(text).split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
    }
  });

  it('prints no colour with --no-color, and tells a person at a terminal what to do', async () => {
    const input = new FakeInput({ isTTY: true, pieces: [OVERLOADED] });
    const { output, errors } = await run('classify --no-color', { input, output: screenOf(80) });
    expect(output).not.toMatch(/\p{Cc}\[/u);
    expect(errors).toMatch(/^Paste the response as curl -i prints it, then press ctrl-d/);
    expect(Math.max(...errors.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  it.each([
    ['Error: 429 Too Many Requests', 'rate_limit'],
    ['API Error: 529 overloaded', 'overloaded'],
    ["openai.RateLimitError: Error code: 429 - {'error': {'code': 'insufficient_quota'}}", 'quota_exhausted'],
    ['{"error":{"type":"overloaded_er', 'overloaded'],
    ['请求过于频繁，请稍后再试', 'overloaded'],
    ['connect ECONNREFUSED 127.0.0.1:443', 'connection_error'],
  ])('reads the text of an error: %s', async (text, type) => {
    expect(JSON.parse((await classified(['--json'], [`${text}\n`])).output)).toMatchObject({ type });
  });

  it('says so if it has not read the whole input', async () => {
    const { errors, output: text } = await classified([], ['HTTP/2 503\n\n', new Uint8Array(1024 * 1024 + 1)]);
    expect(errors).toBe('Only the first 1 MiB was read.\n');
    expect(text).toContain('(HTTP 503)');
  });
});
