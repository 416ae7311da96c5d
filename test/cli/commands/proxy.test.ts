import { type ChildProcess, spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { proxyCommand, proxyOptionsOf } from '../../../src/cli/commands/proxy.ts';
import { presets } from '../../../src/index.ts';
import { type Served, serve, type SocketStep } from '../../serve.ts';
import { type FakeTerminal, fakeTerminal } from '../fake-terminal.ts';

const MAIN = fileURLToPath(new URL('../../../src/cli/main.ts', import.meta.url));
const POSIX = process.platform !== 'win32';

let target: Served | undefined;
afterEach(async () => {
  await target?.close();
  target = undefined;
});

const unavailable = { status: 503, headers: {}, body: 'not now' };

interface Running {
  readonly terminal: FakeTerminal;
  readonly url: string;
  readonly ended: Promise<number>;
  readonly api: Served;
}

/** The command in front of a target, on a free port, with a clock that a test can move. */
async function start(
  step: SocketStep,
  ...argv: readonly string[]
): Promise<Running & { readonly clock: { ms: number } }> {
  target = await serve(step);
  const clock = { ms: 0 };
  const terminal = Object.assign(fakeTerminal(), { now: () => Date.now() + clock.ms });
  const options = ['--target', new URL(target.url).origin, '--port', '0', ...argv];
  const ended = proxyCommand.run(options, terminal);
  await Promise.race([terminal.output.until('\n'), ended]);
  const url = /http:\/\/[\w.:[\]]+/.exec(terminal.output.text)?.[0] ?? '';
  return { terminal, url, ended, api: target, clock };
}

const retryOf = (values: Parameters<typeof proxyOptionsOf>[0]) =>
  proxyOptionsOf(values, 'https://api.example.com').retry;

describe('proxy', () => {
  it('says of an answer that it remembers that nothing was sent', async () => {
    const body = JSON.stringify({ error: { code: 'insufficient_quota', message: 'No.' } });
    const { terminal, url, ended, api } = await start((_request, response) => response.writeHead(429).end(body));
    for (const _ of [1, 2]) await fetch(`${url}/v1/responses`, { method: 'POST', body: '{}' });
    terminal.stop(143);
    await ended;
    expect(api.counts.requests).toBe(1);
    expect(terminal.errors.lines[1]).toMatch(/^#2 POST \/v1\/responses ✗ .* \(HTTP 429\) — nothing was sent$/);
  });

  it('prints its address and its events, and ends with 0 on SIGTERM', async () => {
    let requests = 0;
    const { terminal, url, ended, api } = await start((_request, response) =>
      response.writeHead((requests += 1) === 1 ? 503 : 200, { 'retry-after-ms': '1' }).end('x'),
    );
    expect(terminal.output.text).toBe(`Listening on ${url}, sending to ${new URL(api.url).origin}\n`);
    expect(await (await fetch(`${url}/v1/models`)).text()).toBe('x');
    terminal.stop(143);
    expect(await ended).toBe(0);
    expect(terminal.errors.lines).toEqual([
      '#1 GET /v1/models ⚠ overloaded (HTTP 503): retry 1 of 10 in 1ms, as the server asked',
      expect.stringMatching(/^#1 GET \/v1\/models ✓ succeeded after 2 attempts in \d+ms \(overloaded, waited \d+ms\)$/),
    ]);
    expect(terminal.listeners).toBe(0);
    await expect(fetch(url)).rejects.toThrow('fetch failed');
  });

  it('prints the same as JSON', async () => {
    const { terminal, url, ended } = await start(401, '--json');
    expect((await fetch(url)).headers.get('x-should-retry')).toBe('false');
    expect((await fetch(url)).status).toBe(401);
    terminal.stop(130);
    expect(await ended).toBe(130);
    expect(JSON.parse(terminal.output.text)).toMatchObject({ type: 'listening', url });
    expect(terminal.errors.lines.map((line): unknown => JSON.parse(line))).toMatchObject([
      { type: 'failed', callId: '1', because: 'not-retryable' },
      { type: 'failed', callId: '2' },
    ]);
  });

  it('finishes a wait when it is stopped', async () => {
    let requests = 0;
    const { terminal, url, ended } = await start((_request, response) =>
      response.writeHead((requests += 1) === 1 ? 503 : 200, { 'retry-after-ms': '300' }).end('x'),
    );
    const call = fetch(url);
    await terminal.errors.until(': retry 1 ');
    terminal.stop(143);
    expect(terminal.errors.lines.at(-1)).toBe('Stopping after 1 call, 1 waiting to retry; stop again to cancel');
    expect((await call).status).toBe(200);
    expect(await ended).toBe(0);
  });

  it.each([
    ['', 301],
    [', also if the clock was set back since', -3_600_000],
  ])('cancels a wait when it is stopped again, but not by the same ctrl-c twice%s', async (_, laterMs) => {
    const { terminal, url, ended, clock, api } = await start(unavailable, '--preset', 'background');
    const call = fetch(url);
    await terminal.errors.until('in 3s');
    terminal.stop(143);
    terminal.stop(143);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(terminal.listeners).toBeGreaterThan(0);
    clock.ms = laterMs;
    terminal.stop(143);
    expect(await ended).toBe(143);
    expect((await call).status).toBe(503);
    expect(terminal.errors.lines.slice(-2)).toEqual([
      'Cancelling 1 call',
      expect.stringMatching(/^#1 GET \/ ✗ cancelled after 1 attempt in /),
    ]);
    expect(api.counts.requests).toBe(1);
    expect(terminal.listeners).toBe(0);
  });

  it('accepts the options of a policy and the limit of a body', async () => {
    const { terminal, url, ended, api } = await start(
      unavailable,
      ...['--max-retries', '0', '--max-body', '1KiB', '--deadline', '1s'],
    );
    expect((await fetch(url, { method: 'POST', body: 'x'.repeat(1_024) })).status).toBe(503);
    expect((await fetch(url, { method: 'POST', body: 'x'.repeat(1_025) })).status).toBe(413);
    expect(api.counts.requests).toBe(1);
    terminal.stop(143);
    await ended;
  });

  it('accepts the preset fleet: all calls share its gate', async () => {
    let requests = 0;
    const { terminal, url, ended } = await start(
      (_request, response) => {
        requests += 1;
        response.writeHead(requests === 1 ? 503 : 200, { 'retry-after-ms': '1' }).end('x');
      },
      ...['--preset', 'fleet'],
    );
    expect((await Promise.all([fetch(url), fetch(url)])).map(({ status }) => status)).toEqual([200, 200]);
    terminal.stop(143);
    expect(await ended).toBe(0);
  });

  it('returns the failure itself if a wait would exceed the time limit of the client', async () => {
    const { terminal, url, ended, api } = await start(
      { status: 529, headers: { 'retry-after': '20' }, body: 'overloaded' },
      ...['--client-timeout', '15'],
    );
    const answer = await fetch(url, { method: 'POST', body: '{}' });
    expect([answer.status, await answer.text(), api.counts.requests]).toEqual([529, 'overloaded', 1]);
    terminal.stop(143);
    await ended;
  });

  it('warns if other machines can reach it', async () => {
    const { terminal, ended } = await start(unavailable, '--host', '0.0.0.0');
    expect(terminal.errors.lines).toEqual(['⚠ Other machines can reach this proxy and send to the target through it.']);
    terminal.stop(143);
    await ended;
    const own = await start(unavailable, '--host', 'localhost');
    expect(own.terminal.errors.text).toBe('');
    own.terminal.stop(143);
    await own.ended;
  });

  it('ends with 1 and a fix if it cannot listen', async () => {
    target = await serve(unavailable);
    const { port } = target;
    const terminal = fakeTerminal();
    expect(await proxyCommand.run(['--target', 'https://api.example.com', '--port', String(port)], terminal)).toBe(1);
    expect(terminal.errors.text).toBe(`Port ${port} is taken; choose another with --port, or 0 for a free one.\n`);
    const elsewhere = fakeTerminal();
    const argv = ['--target', 'https://api.example.com', '--host', '192.0.2.1', '--port', '0'];
    expect(await proxyCommand.run(argv, elsewhere)).toBe(1);
    expect(elsewhere.errors.text).toBe(
      'Cannot listen on "192.0.2.1", port 0 (EADDRNOTAVAIL); choose others with --host and --port.\n',
    );
  });

  it('takes the longest hint that is obeyed, and how long a stream is held', () => {
    expect(retryOf({ maxRetryAfterMs: 300_000 })).toMatchObject({ maxRetryAfterMs: 300_000 });
    expect(retryOf({ hold: 'end' })).toMatchObject({ answers: { holdUntil: 'end' } });
  });

  it.each([
    ['waits for hours, and sends comments meanwhile', {}, presets.patient, 8_000],
    ['gives way to other options', { keepAliveAfterMs: 3_000, maxRetries: 1 }, { maxRetries: 1 }, 3_000],
    ['sends no comments to a client that goes before the first one', { clientTimeoutMs: 8_000 }, {}, undefined],
  ])('for agents %s', (_what, values, retry, keepAliveAfterMs) => {
    const options = proxyOptionsOf({ preset: 'agent-proxy', ...values }, 'https://api.example.com');
    expect(options).toMatchObject({ retry, port: 8_529 });
    expect(options.keepAliveAfterMs).toBe(keepAliveAfterMs);
  });
});

describe.runIf(POSIX)('proxy in a process of its own', () => {
  async function run(): Promise<{
    readonly child: ChildProcess;
    readonly url: string;
    readonly ended: Promise<unknown[]>;
  }> {
    target = await serve(unavailable);
    const options = ['--target', new URL(target.url).origin, '--port', '0', '--preset', 'patient', '--json'];
    const child = spawn(process.execPath, [MAIN, 'proxy', ...options], { stdio: ['ignore', 'pipe', 'pipe'] });
    const ended = Promise.all([new Promise((resolve) => child.once('close', resolve)), text(child.stderr)]);
    const line = await new Promise<Buffer>((resolve) => child.stdout.once('data', resolve));
    return { child, url: JSON.parse(line.toString()).url, ended };
  }

  it.each([
    ['SIGTERM', 0],
    ['SIGINT', 130],
  ] as const)('leaves nothing behind after %s, also when a call was made', async (signal, expected) => {
    const { child, url, ended } = await run();
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    child.kill(signal);
    const [exitCode, errors] = await ended;
    expect([exitCode, errors]).toEqual([expected, '']);
  });

  it('ends when npx, which started it in a shell, has been stopped', async () => {
    const argv = [process.execPath, MAIN, 'proxy', '--target', 'https://api.example.com', '--port', '0', '--json'];
    const env = { ...process.env, npm_config_user_agent: 'npm/11.0.0 node/v26.0.0 linux x64' };
    // The command after it keeps the shell from becoming the proxy itself.
    const shell = spawn('sh', ['-c', '"$0" "$@"; :', ...argv], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    const line = await new Promise<Buffer>((resolve) => shell.stdout.once('data', resolve));
    const { url } = JSON.parse(line.toString());
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    shell.kill('SIGTERM');
    // Standard output ends with the last process that has it.
    await new Promise((resolve) => shell.stdout.once('close', resolve).resume());
    await expect(fetch(url)).rejects.toThrow('fetch failed');
  });

  it('is interrupted by a second ctrl-c during a wait', async () => {
    const { child, url, ended } = await run();
    const call = fetch(url, { method: 'POST', body: 'x' });
    await new Promise((resolve) => child.stderr?.once('data', resolve));
    child.kill('SIGINT');
    await new Promise((resolve) => setTimeout(resolve, 400));
    child.kill('SIGINT');
    expect((await call).status).toBe(503);
    const [exitCode, errors] = await ended;
    expect(exitCode).toBe(130);
    expect(
      String(errors)
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).type),
    ).toEqual(['retry', 'stopping', 'cancelling', 'cancelled']);
    expect(target?.counts.requests).toBe(1);
  });
});
