/** `proxy`: a reverse proxy on the loopback that retries, for programs that can only change their base URL. */

import { describeFailure, formatDelay, type RetryEvent } from '../../index.ts';
import { isLoopback, type Proxy, type ProxyOptions, startProxy } from '../../proxy/index.ts';
import { expectNoMore, readArguments, readShown, SHOWN_OPTIONS, UsageError } from '../arguments.ts';
import type { CliCommand } from '../command.ts';
import { ANSWERED, GIVEN_UP } from '../exit-code.ts';
import { EventLog } from '../display/event-log.ts';
import { codeOf, type Terminal } from '../display/terminal.ts';
import { POLICY_HELP, POLICY_OPTIONS } from '../policy.ts';
import { DEFAULT_PORT, readProxyOptions } from '../proxy-options.ts';

const OPTIONS = {
  target: { type: 'string' },
  host: { type: 'string' },
  port: { type: 'string' },
  ...POLICY_OPTIONS,
  'max-body': { type: 'string' },
  'max-buffer': { type: 'string' },
  'max-calls': { type: 'string' },
  hold: { type: 'string' },
  'keep-alive': { type: 'string' },
  'client-timeout': { type: 'string' },
  ...SHOWN_OPTIONS,
} as const;

/** The exit code for SIGTERM, with which service managers stop a program. */
const TERMINATED = 143;
/** A ctrl-c may arrive twice, from the terminal and from npm. */
const SAME_STOP_MS = 300;

export const proxyCommand: CliCommand = {
  name: 'proxy',
  summary: 'give a program in any language retries, by its base URL',
  help: `Listens on this machine, sends every request to one API, and retries what fails.
Your program changes its base URL, nothing else; its keys pass through, and are
neither stored nor shown. Waits are printed to standard error.

Usage: retry-transport proxy --target <url> [options]

  --target <url>        the API, such as https://api.example.com; nothing is
                        sent anywhere else
  --port <n>            the port (${DEFAULT_PORT}); 0 takes a free one
  --host <address>      the address (127.0.0.1); with another one, other
                        machines may be able to use the proxy
${POLICY_HELP}
                        With the preset fleet, all calls share pace and retry
                        budget. agent-proxy is for coding agents: patient, with
                        --keep-alive 8s
  --hold <moment>       hold a stream until its first content (the default),
                        its first text, or its end, and retry what fails before
                        that; with end, a program gets the whole answer or an
                        error, and the first byte when the answer is complete
  --client-timeout <time>
                        the time limit of your program, such as 15s: a wait that
                        would exceed it is not started, and it gets the failure
  --keep-alive <time>   after this time, a program that asked for a stream and
                        has to wait gets comments until the stream begins; off
                        by default; must be shorter than --client-timeout
  --max-calls <n>       how many calls may run at once (1024); 503 above it
  --max-body <size>     the longest request body (64MiB); it is kept in memory,
                        to be sent again
  --max-buffer <size>   the bodies and held answers of all calls (256MiB); a
                        request above it gets a 503
  --json                one record a line: where it listens on standard output,
                        the events on standard error
  --no-color            no colours; NO_COLOR does the same
  -h, --help            this text

Open the address in a browser to see which calls wait, and to retry or give up.
GET /healthz says how many calls run and how many of them wait.

The first ctrl-c or SIGTERM takes no new calls and lets the running ones finish,
waits included; the second cancels them. The end of the parent process counts as
a SIGTERM where npx or npm started the proxy; started otherwise, it goes on.

Exit codes:
  0    stopped by SIGTERM, every call finished
  1    could not listen
  2    bad arguments
  130  stopped by ctrl-c; another signal gives 128 and its number

Examples:
  retry-transport proxy --target https://api.openai.com
  retry-transport proxy --target https://api.anthropic.com --preset agent-proxy
  retry-transport proxy --target http://127.0.0.1:11434 --port 0 --json
`,
  async run(argv, terminal) {
    const { values, positionals } = readArguments(argv, OPTIONS);
    expectNoMore(positionals);
    const { target, host } = values;
    if (target === undefined) throw new UsageError('proxy needs a target, as in: --target https://api.example.com.');
    const shown = readShown(values);
    const log = new EventLog(terminal, terminal.errors, shown);
    const options: ProxyOptions = { ...readProxyOptions(values, target), onEvent: (event) => showCall(event, log) };
    const proxy = await start(options, terminal);
    if (proxy === undefined) return GIVEN_UP;
    const { url } = proxy;
    const listening = new EventLog(terminal, terminal.output, shown);
    listening.note({ type: 'listening', url, target }, `Listening on ${url}, sending to ${target}`, 'plain');
    if (host !== undefined && !isLoopback(host)) {
      const message = 'Other machines can reach this proxy and send to the target through it.';
      log.note({ type: 'warning', message }, `⚠ ${message}`, 'waiting');
    }
    return untilStopped(proxy, terminal, log);
  },
};

function showCall(event: RetryEvent, log: EventLog): void {
  // The origin is the same for all calls.
  const path = URL.canParse(event.url) ? new URL(event.url).pathname : event.url;
  const call = `#${event.callId} ${event.method} ${path}`;
  if (event.type !== 'failed' || event.attempts > 0) return log.showBriefly(event, call);
  const { headline } = describeFailure(event.failure);
  log.note({ ...event }, `${call} ✗ ${headline} — nothing was sent`, 'bad');
}

async function start(options: ProxyOptions, terminal: Terminal): Promise<Proxy | undefined> {
  try {
    return await startProxy(options);
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message.replaceAll(/`(\w+)`/g, optionFor));
    terminal.errors.write(`${whyNot(error, options)}\n`);
    return undefined;
  }
}

const OPTION_NAMES: Readonly<Record<string, string>> = {
  clientTimeoutMs: 'client-timeout',
  keepAliveAfterMs: 'keep-alive',
  maxBodyBytes: 'max-body',
  maxBufferedBytes: 'max-buffer',
  maxCalls: 'max-calls',
};

function optionFor(_: string, name: string): string {
  return `--${OPTION_NAMES[name] ?? name}`;
}

function whyNot(error: unknown, { host = '127.0.0.1', port }: ProxyOptions): string {
  const code = codeOf(error);
  if (code === 'EADDRINUSE') return `Port ${port} is taken; choose another with --port, or 0 for a free one.`;
  return `Cannot listen on ${JSON.stringify(host)}, port ${port} (${code}); choose others with --host and --port.`;
}

function untilStopped(proxy: Proxy, terminal: Terminal, log: EventLog): Promise<number> {
  return new Promise((resolve, reject) => {
    let stoppedAt: number | undefined;
    let endsWith = ANSWERED;
    const release = terminal.onStop((exitCode) => {
      const now = terminal.now();
      if (stoppedAt === undefined) {
        stoppedAt = now;
        endsWith = exitCode === TERMINATED ? ANSWERED : exitCode;
        if (proxy.running > 0) showStopping(proxy, log, now);
        proxy.close().then(() => {
          release();
          resolve(endsWith);
        }, reject);
      } else if (Math.abs(now - stoppedAt) > SAME_STOP_MS) {
        endsWith = exitCode;
        const { running } = proxy;
        log.note({ type: 'cancelling', running }, `Cancelling ${callsOf(running)}`, 'plain');
        proxy.cancel().catch(reject);
      }
    });
  });
}

function showStopping({ running, waiting, nextAttemptAt }: Proxy, log: EventLog, now: number): void {
  const nextAttemptMs = nextAttemptAt === null ? null : Math.max(0, nextAttemptAt - now);
  const seconds = Math.max(1, Math.ceil((nextAttemptMs ?? 0) / 1_000));
  const next = nextAttemptMs === null ? '' : `, the next attempt in ${formatDelay(seconds * 1_000)}`;
  const waits = waiting === 0 ? '' : ` (${waiting === running ? '' : `${waiting} `}waiting to retry${next})`;
  const words = `Stopping after ${callsOf(running)}${waits}; stop again to cancel`;
  log.note({ type: 'stopping', running, waiting, nextAttemptMs } as const, words, 'plain');
}

function callsOf(count: number): string {
  return count === 1 ? '1 call' : `${count} calls`;
}
