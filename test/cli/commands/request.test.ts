import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/cli/arguments.ts';
import { requestCommand } from '../../../src/cli/commands/request.ts';
import type { RetryEvent } from '../../../src/index.ts';
import { type Served, serve } from '../../serve.ts';
import { FakeInput, FakeOutput, fakeTerminal } from '../fake-terminal.ts';

const URL = 'https://api.example.com/v1/messages';
const BYTES = Buffer.from([0, 255, 27, 91, 50, 74, 10, 195]);

describe('request', () => {
  /** What the server answers next; the last one again and again. */
  let answers: ((response: ServerResponse) => void)[] = [];
  const methods: (string | undefined)[] = [];
  let server: Served;
  const answered = (response: ServerResponse): void => void response.end(BYTES);
  const overloaded = (response: ServerResponse): void =>
    void response.writeHead(503, { 'retry-after-ms': '1' }).end('{"error":{"type":"overloaded_error"}}');
  const unhurried = (response: ServerResponse): void =>
    void response.writeHead(503, { 'retry-after': '50' }).end('later');
  let origin: string;
  beforeAll(async () => {
    server = await serve((request, response) => {
      methods.push(request.method);
      (answers.length > 1 ? answers.shift() : answers[0])?.(response);
    });
    origin = server.origin;
  });
  afterAll(() => server.close());
  afterEach(() => {
    methods.length = 0;
  });

  it('passes the answer on byte for byte, and prints the waits to standard error', async () => {
    answers = [overloaded, answered];
    const terminal = fakeTerminal();
    expect(await requestCommand.run([origin, '-d', '{}'], terminal)).toBe(0);
    expect(terminal.output.bytes).toEqual(BYTES);
    expect(terminal.errors.lines).toEqual([
      '⚠ overloaded (HTTP 503): retry 1 of 10 in 1ms, as the server asked',
      expect.stringMatching(/^✓ succeeded after 2 attempts in [\d.]+m?s \(overloaded, waited [\d.]+m?s\)$/),
    ]);
    expect(methods).toEqual(['POST', 'POST']);
  });

  it('writes nothing to standard error if the first attempt is answered', async () => {
    answers = [answered];
    const terminal = fakeTerminal();
    expect(await requestCommand.run([origin, '-X', 'delete'], terminal)).toBe(0);
    expect(terminal.errors.text).toBe('');
    expect(methods).toEqual(['DELETE']);
  });

  it('writes events for a program to standard output, and the answer to standard error', async () => {
    answers = [overloaded, answered];
    const terminal = fakeTerminal();
    expect(await requestCommand.run([origin, '--json', '-X', 'PUT', '-d', '{}'], terminal)).toBe(0);
    expect(terminal.output.lines.map((line): RetryEvent => JSON.parse(line))).toMatchObject([
      { type: 'retry', method: 'PUT', failure: { type: 'overloaded' } },
      { type: 'attempt', attempt: 2 },
      { type: 'recovered', attempts: 2 },
    ]);
    expect(terminal.errors.bytes.subarray(0, BYTES.length)).toEqual(BYTES);
  });

  it('ends with 1 and the last answer when the retries are used up', async () => {
    answers = [overloaded];
    const terminal = fakeTerminal();
    expect(await requestCommand.run([origin, '--max-retries', '2'], terminal)).toBe(1);
    expect(terminal.output.text).toBe('{"error":{"type":"overloaded_error"}}');
    expect(terminal.errors.text).toMatch(
      /✗ overloaded \(HTTP 503\): failed after 3 attempts in .*, no retries are left/,
    );
    expect(methods).toHaveLength(3);
  });

  it('ends with 1 at once if the next attempt would come after the deadline', async () => {
    answers = [unhurried];
    const terminal = fakeTerminal();
    expect(await requestCommand.run([origin, '--deadline', '30s'], terminal)).toBe(1);
    expect(terminal.output.text).toBe('later');
    expect(terminal.errors.text).toContain('the next attempt would come after the deadline');
    expect(methods).toHaveLength(1);
  });

  it('ends with 3 when a retry cannot help', async () => {
    const terminal = fakeTerminal();
    // A port that fetch refuses to speak to, so nothing is sent.
    expect(await requestCommand.run(['http://127.0.0.1:1/'], terminal)).toBe(3);
    expect(terminal.output.text).toBe('');
    expect(terminal.errors.lines[0]).toMatch(/^✗ .*, a retry cannot help$/);
  });

  it.each([
    ['before the answer', () => {}, 0],
    ['during the stream', (response: ServerResponse) => void response.write('first'), 5],
  ])('ends with 130 on an interrupt %s', async (_phase, answer, written) => {
    answers = [answer];
    const terminal = fakeTerminal();
    const running = requestCommand.run([origin], terminal);
    while (methods.length === 0 || terminal.output.bytes.length < written) await new Promise(setImmediate);
    terminal.stop(130);
    expect(await running).toBe(130);
    expect(terminal.errors.lines.at(-1)).toMatch(/^✗ cancelled/);
    expect(terminal.listeners).toBe(0);
  });

  it('ends with 130 on ctrl-c during a wait, and restores the terminal', async () => {
    answers = [unhurried];
    const [errors, input] = [new FakeOutput({ isTTY: true, columns: 200 }), new FakeInput({ isTTY: true })];
    const running = requestCommand.run([origin], fakeTerminal({ errors, input }));
    await errors.until('left, enter retries, esc cancels');
    input.press('\u0003');
    expect(await running).toBe(130);
    expect(input).toMatchObject({ raw: false, reading: false });
  });

  it.each([
    [[], 'request needs a URL, as in: request https://api.example.com/v1/messages.'],
    [[URL, 'x'], 'Unexpected argument "x"; leave it out, or put quotes around a value with spaces.'],
    [[URL, 'x'], 'Unexpected argument "x"; leave it out, or put quotes around a value with spaces.'],
    [['messages'], 'Expected <url> to be a whole URL such as https://api.example.com/v1/messages, got "messages".'],
    [
      [URL, '--speed', '2'],
      'Unknown option --speed; the options are --method, --header, --data, --preset, --max-retries, --max-retry-after, --deadline, --json, --no-color, --help.',
    ],
    [
      [URL, '-X', 'TRACE'],
      'Expected --method to be one that fetch can send, such as GET, POST, PUT, PATCH or DELETE, got "TRACE".',
    ],
    [
      [URL, '-X', 'G ET'],
      'Expected --method to be one that fetch can send, such as GET, POST, PUT, PATCH or DELETE, got "G ET".',
    ],
    [[URL, '-X', 'get', '-d', 'x'], 'GET sends no --data; leave out --method, or say --method POST.'],
    [[URL, '-d', 'x', '-d', 'y'], 'Expected one --data; put all of the body into it, or into a file for --data @file.'],
    [[URL, '--max-retries', 'many'], 'Expected --max-retries to be a whole number such as 5, got "many".'],
    [[URL, '--deadline', '30'], 'Expected --deadline to be a duration such as 30s, 2m, 1h30m or 250ms, got "30".'],
    [
      [URL, '--preset', 'eager'],
      'Expected --preset to be one of recommended, patient, background, agent, taxonomy, fleet, got "eager".',
    ],
    [[URL, '-d', '-1'], 'Expected a value after -d; one that begins with a dash is written -d-…, without a space.'],
    [
      [URL, '-d', '@/does/not/exist'],
      'Expected --data @file to name a file that can be read, got "/does/not/exist" (ENOENT).',
    ],
  ])('refuses %j in one line that names the fix, and sends nothing', async (argv, message) => {
    await expect(requestCommand.run(argv, fakeTerminal())).rejects.toThrow(new UsageError(message));
  });
});
