/** A client that sends any bytes over a socket, and a proxy and a target for it that end with the test. */

import { connect, type Socket } from 'node:net';
import { afterEach } from 'vitest';
import { completions } from '../../mocks/index.ts';
import { type Proxy, type ProxyOptions, startProxy } from '../../src/proxy/index.ts';
import type { RetryEvent } from '../../src/index.ts';
import { type Served, serve, type SocketStep, type SocketSteps } from '../serve.ts';

export interface Setting {
  readonly proxy: Proxy;
  readonly target: Served;
  /** What the Host header has to say. */
  readonly host: string;
  /** What the calls report, unless the test has its own listener. */
  readonly events: RetryEvent[];
}

const ends: (() => Promise<void>)[] = [];

/** Ends everything that the tests of the file have started, after each. */
export function endEach(): void {
  afterEach(async () => {
    await Promise.all(ends.splice(0).map((end) => end()));
  });
}

/** An answer of the target; one without headers of its own has none. */
export const reply = (status: number, body: string = '', headers: Record<string, string> = {}) => ({
  status,
  headers,
  body,
});

/** A proxy in front of a target that answers with these in turn, the last again and again, with waits of a millisecond. */
export async function startBoth(
  steps: SocketStep | SocketSteps,
  options: Partial<ProxyOptions> = {},
): Promise<Setting> {
  const target = await serve(...([steps].flat() as [SocketStep, ...SocketStep[]]));
  ends.push(() => target.close());
  const events: RetryEvent[] = [];
  const onEvent = (event: RetryEvent): void => void (event.type !== 'attempt' && events.push(event));
  const proxy = await startFor({ target: new URL(target.url).origin, onEvent, ...options });
  return { proxy, target, host: new URL(proxy.url).host, events };
}

type Question = Omit<RequestInit, 'headers'> & { readonly headers?: Readonly<Record<string, string>> };

/** Sends a question of the Messages API. */
export function ask({ proxy }: Pick<Setting, 'proxy'>, init: Question = {}, path = '/v1/messages'): Promise<Response> {
  const headers = { 'content-type': 'application/json', 'x-api-key': KEY, ...init.headers };
  return fetch(proxy.url + path, { method: 'POST', body: '{"model":"m"}', ...init, headers });
}

/** Has no known shape, so only its place says that it is a key. */
export const KEY = 'a-key-of-no-known-shape';

/** Sends a question, and leaves in the middle of the wait that follows; gives the moment that it had to wait for. */
export async function leaveInWait(setting: Setting, init: Question = {}, path?: string): Promise<number> {
  const leaving = new AbortController();
  const call = ask(setting, { ...init, signal: leaving.signal }, path).catch(() => {});
  await until(() => setting.proxy.waiting === 1);
  leaving.abort();
  await call;
  await until(() => setting.proxy.running === 0);
  return momentOf(setting);
}

/** When the next attempt is sent, as the last event says. */
export function momentOf({ events }: Setting): number {
  return events.reduce((moment, event) => ('nextAttemptAt' in event ? event.nextAttemptAt : moment), 0);
}

/** What is answered to these bytes: a first line, the Host of the proxy, more lines, and a body. */
export async function answerTo(
  { proxy, host }: Setting,
  first: string,
  lines: readonly string[] = [],
  body: string = '',
): Promise<string> {
  const text = [first, `Host: ${host}`, ...lines, 'Connection: close', '', body].join('\r\n');
  return (await talk(proxy.url, text).over).text;
}

/** A proxy that ends with the test. */
export async function startFor(options: ProxyOptions): Promise<Proxy> {
  const proxy = await startProxy({ ...options, retry: { baseDelayMs: 1, ...options.retry } });
  ends.push(() => proxy.cancel());
  return proxy;
}

/** A server that is overloaded, behind a bad gateway, reset, and overloaded inside a stream; then it answers. */
export const TROUBLED: SocketSteps = [
  'anthropic-429-overloaded-bare',
  'anthropic-502-overloaded-bare',
  'network-error',
  'anthropic-stream-first-event-overloaded',
  { recording: completions.anthropicStream('The answer came only once.\n') },
];

export interface Talk {
  readonly socket: Socket;
  /** What has arrived so far. */
  readonly text: string;
  /** Resolves with what has arrived when it contains this. */
  readonly until: (part: string) => Promise<string>;
  /** Resolves with everything when the connection is over; `failed`: by a reset. */
  readonly over: Promise<{ readonly text: string; readonly failed: boolean }>;
}

/** Opens a connection to a proxy and says this. */
export function talk(url: string, ...parts: readonly string[]): Talk {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let text = '';
  let failed = false;
  let arrived: (() => void)[] = [];
  socket.on('data', (data: Buffer) => {
    text += data.toString('latin1');
    for (const tell of arrived.splice(0)) tell();
  });
  socket.on('error', () => (failed = true));
  for (const part of parts) socket.write(part, 'latin1');
  const over = new Promise<{ readonly text: string; readonly failed: boolean }>((resolve) =>
    socket.once('close', () => {
      resolve({ text, failed });
      for (const tell of arrived.splice(0)) tell();
    }),
  );
  ends.push(async () => void socket.destroy());
  return {
    socket,
    over,
    get text() {
      return text;
    },
    async until(part) {
      while (!text.includes(part)) {
        if (socket.destroyed) throw new Error(`The connection ended before ${JSON.stringify(part)}: ${text}`);
        await new Promise<void>((resolve) => (arrived = [...arrived, resolve]));
      }
      return text;
    },
  };
}

/** The proxy's own page, as a browser asks for it. */
export async function pageOf({ proxy }: Pick<Setting, 'proxy'>): Promise<string> {
  return (await fetch(proxy.url, { headers: { accept: 'text/html,application/xhtml+xml' } })).text();
}

/** Presses a button of the page. */
export async function press(
  setting: Pick<Setting, 'proxy'>,
  fields: Record<string, string>,
  origin: string = setting.proxy.url,
): Promise<Response> {
  const token = /name="token" value="([^"]+)"/.exec(await pageOf(setting))?.[1] ?? '';
  return fetch(`${setting.proxy.url}/-/waits`, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin },
    body: new URLSearchParams({ token, ...fields }),
  });
}

/** Resolves when the condition holds; checks it repeatedly, because sockets take their time. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

/** The status and the JSON of an answer of the proxy's own. */
export function refusalIn(text: string): { readonly status: number; readonly code: unknown; readonly message: string } {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const { error } = JSON.parse(body);
  return { status: Number(head.split(' ')[1]), code: error.code, message: error.message };
}
