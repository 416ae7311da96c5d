import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { RetryEvent } from '../../src/index.ts';
import { serve } from '../serve.ts';

const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));

/** Elsewhere a process cannot be interrupted from outside. */
const POSIX = process.platform !== 'win32';

function start(words: string, input: string = '') {
  const child = spawn(process.execPath, [MAIN, ...words.split(' ')], { stdio: 'pipe' });
  child.stdin.end(input);
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  const ended = Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { child, ended: ended.then(([output, errors, exitCode]) => ({ output, errors, exitCode })) };
}

describe('the command in a process of its own', () => {
  it('reports a 429, a 502, a reset and the recovery, and nothing else on standard output', async () => {
    const { exitCode, output } = await start('demo --json --speed 400').ended;
    const events = output
      .trimEnd()
      .split('\n')
      .map((line): RetryEvent => JSON.parse(line))
      .filter(({ type }) => type !== 'attempt');
    expect(events).toMatchObject([
      { type: 'retry', failure: { status: 429 } },
      { type: 'retry', failure: { status: 502 } },
      { type: 'retry', failure: { type: 'connection_error' } },
      { type: 'retry', failure: { type: 'overloaded', phase: 'stream' } },
      { type: 'recovered', attempts: 5 },
    ]);
    expect(exitCode).toBe(0);
  });

  it('ends with 2 for bad arguments', async () => {
    const { exitCode, output, errors } = await start('demo --speed fast').ended;
    expect({ exitCode, output }).toEqual({ exitCode: 2, output: '' });
    expect(errors).toBe(
      'Expected --speed to be a number above 0, such as 2 for twice as fast, got "fast". See --help.\n',
    );
  });

  it.runIf(POSIX)('ends with 130 at once on an interrupt during a wait', async () => {
    const { child, ended } = start('demo --speed 0.001');
    child.stdout.once('data', () => child.kill('SIGINT'));
    const { exitCode, output } = await ended;
    expect(exitCode).toBe(130);
    expect(output).toMatch(/^⚠ overloaded \(HTTP 429\): retry 1 of 4 in 13m 20s\n✗ cancelled after 1 attempt in .*\n$/);
  });

  it.runIf(POSIX)('ends with 130 on an interrupt during a stream, with the connection closed', async () => {
    const closed = Promise.withResolvers<void>();
    const server = await serve((_request, response) => {
      response.once('close', closed.resolve);
      response.write('data: 1\n\n');
    });
    const { child, ended } = start(`request ${server.origin}/`);
    child.stdout.once('data', () => child.kill('SIGINT'));
    const { exitCode, output, errors } = await ended;
    expect({ exitCode, output }).toEqual({ exitCode: 130, output: 'data: 1\n\n' });
    expect(errors).toMatch(/^✗ cancelled/);
    await closed.promise;
    await server.close();
  });

  it('classifies standard input', async () => {
    const response = 'HTTP/2 429 \r\ncontent-type: application/json\r\n\r\n{"error":{"type":"overloaded_error"}}';
    const { exitCode, output, errors } = await start('classify', response).ended;
    expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: '' });
    expect(output).toMatch(/^⚠ Service overloaded \(HTTP 429\)\n/);
  });

  it.runIf(POSIX)('ends when the reader of its output has gone', async () => {
    const child = spawn(process.execPath, [MAIN, 'demo', '--json', '--speed', '20'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    child.stdout.once('data', () => child.stdout.destroy());
    expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(141);
  });
});
