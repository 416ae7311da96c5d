/** `proxy`: a reverse proxy on the loopback that retries, for programs that can change nothing but their base URL. */

import { isLoopback, type Proxy, type ProxyOptions, startProxy } from '../../proxy/index.ts';
import { expectNoMore, readArguments, readCount, readShown, SHOWN_OPTIONS, UsageError } from '../arguments.ts';
import type { CliCommand } from '../command.ts';
import { ANSWERED, GIVEN_UP } from '../exit-code.ts';
import { POLICY_OPTIONS, readPolicy } from '../policy.ts';
import { JsonLog, LineLog, type ProxyLog } from '../display/proxy-log.ts';
import type { Terminal } from '../display/terminal.ts';

const OPTIONS = {
  target: { type: 'string' },
  host: { type: 'string' },
  port: { type: 'string' },
  ...POLICY_OPTIONS,
  'max-body': { type: 'string' },
  ...SHOWN_OPTIONS,
} as const;

const DEFAULT_PORT = 8529;
/** 128 and the number of SIGTERM, by which services are stopped in good order. */
const TERMINATED = 143;
/** A terminal and npm may both pass one ctrl-c on. */
const SAME_STOP_MS = 300;

export const proxyCommand: CliCommand = {
  name: 'proxy',
  summary: 'retries for a program in any language, by its base URL',
  help: `Listens on this machine and sends every request on to one API, and again while
asking again can help. The program behind it changes its base URL, nothing else;
its keys go through, and are neither kept nor shown. Waits are told on standard
error.

Usage: retry-transport proxy --target <url> [options]

  --target <url>        the API, such as https://api.example.com; nothing is
                        sent to any other
  --port <n>            ${DEFAULT_PORT} unless said; 0 takes a free one
  --host <address>      127.0.0.1 unless said; another lets other machines in
  --preset <name>       standard (the default), patient, background, agent or
                        taxonomy
  --max-retries <n>     at most so many retries; 0 is never
  --deadline <time>     no attempt begins later than this after the first: 30s,
                        2m, 1h30m; an attempt in progress is not cut
  --max-body <size>     the longest request body, kept in memory to be sent
                        again; 64MiB unless said
  --json                one record a line: where it listens on standard output,
                        the events on standard error
  --no-color            no colours; NO_COLOR does the same
  -h, --help            this text

GET /healthz tells how many calls run and how many of them wait.

The first ctrl-c or SIGTERM takes no new calls and lets the running ones finish,
waits included; the second cancels them.

Exit codes:
  0    stopped by SIGTERM, every call finished
  1    could not listen
  2    bad arguments
  130  stopped by ctrl-c; another signal gives 128 and its number

Examples:
  retry-transport proxy --target https://api.openai.com
  retry-transport proxy --target https://api.anthropic.com --preset patient
  retry-transport proxy --target http://127.0.0.1:11434 --port 0 --json
`,
  async run(argv, terminal) {
    const { values, positionals } = readArguments(argv, OPTIONS);
    expectNoMore(positionals);
    const { target, host } = values;
    if (target === undefined) throw new UsageError('proxy needs a target, as in: --target https://api.example.com.');
    const { json, colour } = readShown(values);
    const log = json ? new JsonLog(terminal) : new LineLog(terminal, colour);
    let calls = 0;
    const options: ProxyOptions = {
      target,
      host,
      port: values.port === undefined ? DEFAULT_PORT : readCount('port', values.port),
      // Short, for a person tells calls of the same path apart by it.
      retry: { ...readPolicy(values), requestId: () => String((calls += 1)) },
      maxBodyBytes: values['max-body'] === undefined ? undefined : readSize('max-body', values['max-body']),
      onEvent: (event) => log.event(event),
    };
    const proxy = await start(options, terminal);
    if (proxy === undefined) return GIVEN_UP;
    log.listening(proxy.url, target);
    if (host !== undefined && !isLoopback(host)) {
      log.warning('Other machines can reach this proxy: whoever does can send to the target through it.');
    }
    return untilStopped(proxy, terminal, log);
  },
};

async function start(options: ProxyOptions, terminal: Terminal): Promise<Proxy | undefined> {
  try {
    return await startProxy(options);
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message.replaceAll(/`(\w+)`/g, '--$1'));
    terminal.errors.write(`${whyNot(error, options)}\n`);
    return undefined;
  }
}

function whyNot(error: unknown, { host = '127.0.0.1', port }: ProxyOptions): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
  if (code === 'EADDRINUSE') return `Port ${port} is taken; choose another with --port, or 0 for a free one.`;
  return `Cannot listen on ${JSON.stringify(host)}, port ${port} (${code}); choose others with --host and --port.`;
}

/** Gives the exit code when the proxy has ended. */
function untilStopped(proxy: Proxy, terminal: Terminal, log: ProxyLog): Promise<number> {
  return new Promise((resolve, reject) => {
    let stoppedAt: number | undefined;
    let endsWith = ANSWERED;
    const release = terminal.onStop((exitCode) => {
      const now = terminal.now();
      if (stoppedAt === undefined) {
        stoppedAt = now;
        endsWith = exitCode === TERMINATED ? ANSWERED : exitCode;
        const { running, waiting, nextAttemptAt } = proxy;
        const nextAttemptMs = nextAttemptAt === null ? null : Math.max(0, nextAttemptAt - now);
        if (running > 0) log.stopping({ running, waiting, nextAttemptMs });
        proxy.close().then(() => {
          release();
          resolve(endsWith);
        }, reject);
      } else if (now - stoppedAt > SAME_STOP_MS) {
        endsWith = exitCode;
        log.cancelling(proxy.running);
        proxy.cancel().catch(reject);
      }
    });
  });
}

const UNIT_BYTES: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  kib: 1_024,
  mib: 1_048_576,
  gib: 1_073_741_824,
};

function readSize(option: string, value: string): number {
  const [, number = '', unit = ''] = /^(\d{1,9}(?:\.\d{1,3})?) ?([kmg]?i?b|)$/i.exec(value) ?? [];
  const unitBytes = UNIT_BYTES[unit.toLowerCase()];
  if (number !== '' && unitBytes !== undefined) return Math.floor(Number(number) * unitBytes);
  throw new UsageError(`Expected --${option} to be a size such as 10MB, 64MiB or 1000, got ${JSON.stringify(value)}.`);
}
