/** A client that sends any bytes over a socket, and a proxy and a target for it that end with the test. */

import { connect, type Socket } from 'node:net';
import { afterEach } from 'vitest';
import { completions } from '../../mocks/index.ts';
import { type Proxy, type ProxyOptions, startProxy } from '../../src/proxy/index.ts';
import { type Answer, playing, type Served, serve } from '../serve.ts';

export interface Setting {
  readonly proxy: Proxy;
  readonly target: Served;
  /** What the Host header has to say. */
  readonly host: string;
}

const ends: (() => Promise<void>)[] = [];

/** Ends everything that the tests of the file have started, after each. */
export function endEach(): void {
  afterEach(async () => {
    await Promise.all(ends.splice(0).map((end) => end()));
  });
}

/** A proxy in front of a target that answers like this, with waits of a millisecond. */
export async function startBoth(answer: Answer, options: Partial<ProxyOptions> = {}): Promise<Setting> {
  const target = await serve(answer);
  ends.push(() => target.close());
  const proxy = await startFor({ target: new URL(target.url).origin, ...options });
  return { proxy, target, host: new URL(proxy.url).host };
}

/** A proxy that ends with the test. */
export async function startFor(options: ProxyOptions): Promise<Proxy> {
  const proxy = await startProxy({ ...options, retry: { baseDelayMs: 1, ...options.retry } });
  ends.push(() => proxy.cancel());
  return proxy;
}

/** A server that is overloaded, behind a bad gateway, reset, and overloaded inside a stream; then it answers. */
export function troubled(): Answer {
  return playing(
    'anthropic-429-overloaded-bare',
    'anthropic-502-overloaded-bare',
    'network-error',
    'anthropic-stream-first-event-overloaded',
    { recording: completions.anthropicStream('The answer came only once.\n') },
  );
}

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
