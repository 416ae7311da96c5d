import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { requestCommand } from '../../../src/cli/commands/request.ts';
import type { RetryEvent } from '../../../src/index.ts';
import { type Served, serve } from '../../serve.ts';
import { FakeInput, FakeOutput, fakeTerminal, run } from '../fake-terminal.ts';

const FILE = fileURLToPath(import.meta.url);
const BYTES = Buffer.from([0, 255, 27, 91, 50, 74, 10, 195]);

interface Seen {
  readonly method: string | undefined;
  readonly type: string | undefined;
  readonly key: string | string[] | undefined;
  readonly body: string;
}

describe('request', () => {
  /** What the server answers next; the last one again and again. */
  let answers: ((response: ServerResponse) => void)[] = [];
  const seen: Seen[] = [];
  let server: Served;
  const answered = (response: ServerResponse): void => void response.end(BYTES);
  const overloaded = (response: ServerResponse): void =>
    void response.writeHead(503, { 'retry-after-ms': '1' }).end('{"error":{"type":"overloaded_error"}}');
  const unhurried = (response: ServerResponse): void =>
    void response.writeHead(503, { 'retry-after': '50' }).end('later');
  const refusing = (response: ServerResponse): void => void response.writeHead(401).end('no');
  let origin: string;
  beforeAll(async () => {
    server = await serve(({ method, headers }, response, body) => {
      seen.push({ method, type: headers['content-type'], key: headers['x-api-key'], body: body.toString() });
      (answers.length > 1 ? answers.shift() : answers[0])?.(response);
    });
    origin = server.origin;
  });
  afterAll(() => server.close());
  afterEach(() => {
    seen.length = 0;
  });

  it('passes the answer on byte for byte, and prints the waits to standard error', async () => {
    answers = [overloaded, answered];
    const { exitCode, terminal } = await run(['request', origin, '-d', '{}']);
    expect(exitCode).toBe(0);
    expect(terminal.output.bytes).toEqual(BYTES);
    expect(terminal.errors.lines).toEqual([
      '⚠ overloaded (HTTP 503): retry 1 of 10 in 1ms, as the server asked',
      expect.stringMatching(/^✓ succeeded after 2 attempts in [\d.]+m?s \(overloaded, waited [\d.]+m?s\)$/),
    ]);
    expect(seen.map(({ method }) => method)).toEqual(['POST', 'POST']);
  });

  it('writes nothing to standard error if the first attempt is answered', async () => {
    answers = [answered];
    expect(await run(['request', origin, '-X', 'delete'])).toMatchObject({ exitCode: 0, errors: '' });
    expect(seen).toMatchObject([{ method: 'DELETE' }]);
  });

  it('writes events for a program to standard output, and the answer to standard error', async () => {
    answers = [overloaded, answered];
    const { lines, terminal } = await run(['request', origin, '--json', '-X', 'PUT', '-d', '{}']);
    expect(lines.map((line): RetryEvent => JSON.parse(line))).toMatchObject([
      { type: 'retry', method: 'PUT', failure: { type: 'overloaded' } },
      { type: 'attempt', attempt: 2 },
      { type: 'recovered', attempts: 2 },
    ]);
    expect(terminal.errors.bytes.subarray(0, BYTES.length)).toEqual(BYTES);
  });

  it.each([
    [1, 'no retries are left', overloaded, '{"error":{"type":"overloaded_error"}}', '--max-retries 2', 3],
    [1, 'the next attempt would come after the deadline', unhurried, 'later', '--deadline 30s', 1],
    [3, 'a retry cannot help', refusing, 'no', '--preset agent', 1],
  ])('ends with %i if %s, with the last answer', async (exitCode, because, answer, output, words, requests) => {
    answers = [answer];
    const given = await run(`request ${origin} ${words}`);
    expect(given).toMatchObject({ exitCode, output });
    expect(given.errors).toMatch(new RegExp(`^✗ .*: failed after ${requests} attempts? in .*, ${because}`, 'm'));
    expect(seen).toHaveLength(requests);
  });

  it('ends with 3 when nothing can be sent', async () => {
    // A port that fetch refuses to speak to.
    const { exitCode, output, terminal } = await run('request http://127.0.0.1:1/');
    expect([exitCode, output]).toEqual([3, '']);
    expect(terminal.errors.lines[0]).toMatch(/^✗ .*, a retry cannot help$/);
  });

  it.each([
    ['before the answer', () => {}, 0],
    ['during the stream', (response: ServerResponse) => void response.write('first'), 5],
  ])('ends with 130 on an interrupt %s', async (_phase, answer, written) => {
    answers = [answer];
    const terminal = fakeTerminal();
    const running = requestCommand.run([origin], terminal);
    while (seen.length === 0 || terminal.output.bytes.length < written) await new Promise(setImmediate);
    terminal.stop(130);
    expect(await running).toBe(130);
    expect(terminal.errors.lines.at(-1)).toMatch(/^✗ cancelled/);
    expect(terminal.listeners).toBe(0);
  });

  it('ends with 130 on ctrl-c during a wait, and restores the terminal', async () => {
    answers = [unhurried];
    const [errors, input] = [new FakeOutput({ isTTY: true, columns: 200 }), new FakeInput({ isTTY: true })];
    const running = run(['request', origin], { errors, input });
    await errors.until('left, enter retries, esc cancels');
    input.press('\u0003');
    expect((await running).exitCode).toBe(130);
    expect(input).toMatchObject({ raw: false, reading: false });
  });

  it.each<readonly [string, readonly string[], Partial<Seen>]>([
    [
      'JSON, with a key',
      ['-H', 'X-Api-Key: k:1', '-d', '{"ü":1}'],
      { type: 'application/json', key: 'k:1', body: '{"ü":1}' },
    ],
    [
      'another type',
      ['-H', 'content-type: application/x-ndjson', '-d', '{}'],
      { type: 'application/x-ndjson', body: '{}' },
    ],
    ['plain text', ['-d', 'plain'], { type: undefined, body: 'plain' }],
    ['a repeated header', ['-X', 'POST', '-H', 'x-api-key:a', '-H', 'X-API-Key: b'], { key: 'a, b', body: '' }],
    ['a file byte for byte', ['-d', `@${FILE}`], { body: readFileSync(FILE).toString() }],
    ['standard input to its end', ['-d', '-'], { body: '{piped}' }],
    ['standard input, spelt as a file', ['-d', '@-'], { body: '{piped}' }],
  ])('sends %s', async (_what, words, expected) => {
    answers = [answered];
    const input = new FakeInput({ pieces: ['{pi', Buffer.from('ped}')] });
    expect((await run(['request', origin, ...words], { input })).exitCode).toBe(0);
    expect(seen).toMatchObject([{ method: 'POST', ...expected }]);
  });

  it.each(['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'])('sends a %s without a body', async (method) => {
    answers = [answered];
    const { exitCode, terminal } = await run(['request', origin, '-X', method]);
    expect([exitCode, terminal.output.bytes.length]).toEqual([0, method === 'HEAD' ? 0 : BYTES.length]);
    expect(seen).toEqual([{ method, type: undefined, key: undefined, body: '' }]);
  });

  it('passes on the answer of a failure too, and nothing of one without a body', async () => {
    answers = [refusing];
    expect(await run(['request', origin])).toMatchObject({ exitCode: 3, output: 'no' });
    answers = [(response) => void response.writeHead(204).end()];
    expect(await run(['request', origin])).toMatchObject({ exitCode: 0, output: '' });
  });

  it('follows a redirect, but without a key', async () => {
    const moved = (response: ServerResponse): void => void response.writeHead(307, { location: '/' }).end();
    answers = [moved, answered];
    expect((await run(['request', origin, '-H', 'accept: */*'])).exitCode).toBe(0);
    answers = [moved, answered];
    expect((await run(['request', origin, '-H', 'x-goog-api-key: k'])).exitCode).toBe(3);
    expect(seen).toHaveLength(3);
  });
});
