/** `proxy`: a reverse proxy on the loopback that retries, for programs that can only change their base URL. */

import { describeFailure, type presets, type RetryEvent } from '../../index.ts';
import { isLoopback, type Proxy, type ProxyOptions, startProxy } from '../../proxy/index.ts';
import { UsageError, defineCommand, nameOf, option, type CliCommand, type Option, type ValuesOf } from '../command.ts';
import { ANSWERED, GIVEN_UP } from '../exit-code.ts';
import { EventLog } from '../display/event-log.ts';
import { codeOf, type Terminal } from '../display/terminal.ts';
import { LIMITS, policyOf, PRESET_HELP, PRESETS } from '../policy.ts';
import { anyText, count, size, timeLimit, word } from '../values.ts';

/** The exit code for SIGTERM, with which service managers stop a program. */
const TERMINATED = 143;
/** A ctrl-c may arrive twice, from the terminal and from npm. */
const SAME_STOP_MS = 300;

const DEFAULT_PORT = 8529;
/** The preset for agents: no person waits in front of them, so the proxy waits for hours and keeps the agent waiting too. */
const AGENT_PROXY = 'agent-proxy' as const;
const AGENT_KEEP_ALIVE_MS = 8_000;

/** By the names in `ProxyOptions` and `RetryConfig`. */
const OPTIONS = {
  target: option('--target <url>', 'the API, such as https://api.example.com; nothing is sent anywhere else', anyText),
  port: option('--port <n>', `the port (${DEFAULT_PORT}); 0 takes a free one`, count),
  host: option(
    '--host <address>',
    'the address (127.0.0.1); with another one, other machines may be able to use the proxy',
    anyText,
  ),
  preset: option(
    '--preset <name>',
    `${PRESET_HELP}. With fleet, all calls share pace and retry budget. agent-proxy is for coding agents: patient, with
    --keep-alive 8s`,
    word([...PRESETS, AGENT_PROXY]),
  ),
  ...LIMITS,
  hold: option(
    '--hold <moment>',
    `hold a stream until its first content (the default), its first text, or its end, and retry what fails before that;
    with end, a program gets the whole answer or an error, and the first byte when the answer is complete`,
    word(['content', 'text', 'end']),
  ),
  clientTimeoutMs: option(
    '--client-timeout <time>',
    `the time limit of your program, such as 15s: a wait that would exceed it is not started, and it gets the failure`,
    timeLimit,
  ),
  keepAliveAfterMs: option(
    '--keep-alive <time>',
    `after this time, a program that asked for a stream and has to wait gets comments until the stream begins; off by
    default; must be shorter than --client-timeout`,
    timeLimit,
  ),
  maxCalls: option('--max-calls <n>', 'how many calls may run at once (1024); 503 above it', count),
  maxBodyBytes: option(
    '--max-body <size>',
    'the longest request body (64MiB); it is kept in memory, to be sent again',
    size,
  ),
  maxBufferedBytes: option(
    '--max-buffer <size>',
    'the bodies and held answers of all calls (256MiB); a request above it gets a 503',
    size,
  ),
} as const;

export const proxyCommand: CliCommand = defineCommand({
  name: 'proxy',
  summary: 'give a program in any language retries, by its base URL',
  about: `Listens on this machine, sends every request to one API, and retries what fails.
Your program changes its base URL, nothing else; its keys pass through, and are
neither stored nor shown. Waits are printed to standard error.`,
  usage: ' --target <url>',
  takes: 0,
  options: OPTIONS,
  json: 'one record a line: where it listens on standard output, the events on standard error',
  notes: `Open the address in a browser to see which calls wait, and to retry or give up.
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
  retry-transport proxy --target http://127.0.0.1:11434 --port 0 --json`,
  run: async ({ values, shown, terminal }) => {
    const { target, ...given } = values;
    if (target === undefined) throw new UsageError('proxy needs a target, as in: --target https://api.example.com.');
    const log = new EventLog(terminal, terminal.errors, shown);
    const options = { ...proxyOptionsOf(given, target), onEvent: (event: RetryEvent) => showCall(event, log) };
    const proxy = await start(options, terminal);
    if (proxy === undefined) return GIVEN_UP;
    const { url } = proxy;
    const listening = new EventLog(terminal, terminal.output, shown);
    listening.note({ type: 'listening', url, target }, `Listening on ${url}, sending to ${target}`, 'plain');
    if (given.host !== undefined && !isLoopback(given.host)) {
      const message = 'Other machines can reach this proxy and send to the target through it.';
      log.note({ type: 'warning', message }, `⚠ ${message}`, 'waiting');
    }
    return untilStopped(proxy, terminal, log);
  },
});

interface ProxyValues extends Omit<ProxyOptions, 'target' | 'retry'>, ValuesOf<typeof LIMITS> {
  readonly preset?: keyof typeof presets | typeof AGENT_PROXY;
  readonly hold?: 'content' | 'text' | 'end';
}

export function proxyOptionsOf(values: ProxyValues, target: string): ProxyOptions {
  const { host, port = DEFAULT_PORT, preset, hold, clientTimeoutMs, ...others } = values;
  const { keepAliveAfterMs, maxCalls, maxBodyBytes, maxBufferedBytes, ...limits } = others;
  const isForAgents = preset === AGENT_PROXY;
  // A client with a shorter limit would never see a comment.
  const isPatient = isForAgents && (clientTimeoutMs ?? Infinity) > AGENT_KEEP_ALIVE_MS;
  return {
    ...{ target, host, port, clientTimeoutMs, maxCalls, maxBodyBytes, maxBufferedBytes },
    keepAliveAfterMs: keepAliveAfterMs ?? (isPatient ? AGENT_KEEP_ALIVE_MS : undefined),
    retry: {
      ...policyOf(isForAgents ? 'patient' : preset, limits),
      ...(hold !== undefined && { answers: { holdUntil: hold } }),
    },
  };
}

function showCall(event: RetryEvent, log: EventLog): void {
  // The origin is the same for all calls.
  const path = URL.canParse(event.url) ? new URL(event.url).pathname : event.url;
  const call = `#${event.callId} ${event.method} ${path}`;
  if (event.type !== 'failed' || event.attempts > 0) return log.show(event, call);
  const { headline } = describeFailure(event.failure);
  log.note({ ...event }, `${call} ✗ ${headline} — nothing was sent`, 'bad');
}

async function start(options: ProxyOptions, terminal: Terminal): Promise<Proxy | undefined> {
  try {
    return await startProxy(options);
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(inOptions(error.message));
    terminal.errors.write(`${whyNot(error, options)}\n`);
    return undefined;
  }
}

/** With the option of the command in place of each name of the library. */
function inOptions(message: string): string {
  const names = Object.entries<Option<unknown>>(OPTIONS);
  return names.reduce((text, [name, each]) => text.replaceAll(`\`${name}\``, nameOf(each)), message);
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
        const { running, waiting } = proxy;
        const words = `Stopping after ${callsOf(running)}, ${waiting} waiting to retry; stop again to cancel`;
        if (running > 0) log.note({ type: 'stopping', running, waiting }, words, 'plain');
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

function callsOf(running: number): string {
  return running === 1 ? '1 call' : `${running} calls`;
}
