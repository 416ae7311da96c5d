/**
 * Measures the cost of a waiting stream for the proxy: 512 clients ask for a stream, the target answers `Retry-After:
 * 60`, and the proxy holds them all. Prints the memory of the proxy's process per client, after garbage collection, and
 * its CPU time while it only waits. Run: `node bench/proxy-waiting.ts`.
 */

import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startProxy } from '../src/proxy/index.ts';
import { serve } from '../test/serve.ts';

const CLIENTS = 512;
const BODY = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'x'.repeat(2_048) }] });

interface Measured {
  readonly waiting: number;
  readonly heapBytes: number;
  readonly residentBytes: number;
  /** Before and after the garbage collection of the measurement itself. */
  readonly cpuBeforeMs: number;
  readonly cpuAfterMs: number;
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

async function runProxy(target: string, keepAliveAfterMs: number | undefined): Promise<void> {
  const proxy = await startProxy({ target, keepAliveAfterMs });
  process.send?.(proxy.url);
  process.on('message', () => {
    const cpuBeforeMs = cpuMs();
    for (let round = 0; round < 5; round += 1) globalThis.gc?.();
    const { heapUsed, external, rss } = process.memoryUsage();
    const measured: Measured = {
      waiting: proxy.waiting,
      heapBytes: heapUsed + external,
      residentBytes: rss,
      cpuBeforeMs,
      cpuAfterMs: cpuMs(),
    };
    process.send?.(measured);
  });
}

async function drive(keepAliveAfterMs: number | undefined): Promise<void> {
  const body = JSON.stringify({ error: { type: 'rate_limit_error', message: 'x'.repeat(2_048) } });
  const headers = { 'content-type': 'application/json', 'retry-after': '60' };
  const target = await serve({ status: 429, headers, body });
  const argv = [target.origin, ...(keepAliveAfterMs === undefined ? [] : [String(keepAliveAfterMs)])];
  const child = fork(fileURLToPath(import.meta.url), argv, { execArgv: ['--expose-gc'] });
  const [url] = await once(child, 'message');
  const proxyPort = Number(new URL(String(url)).port);
  const measure = async (): Promise<Measured> => {
    child.send('measure');
    const [measured] = await once(child, 'message');
    return measured;
  };
  const request = `POST /v1/messages HTTP/1.1\r\nHost: 127.0.0.1:${proxyPort}\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`;
  const round = async (): Promise<Socket[]> => {
    const sockets = Array.from({ length: CLIENTS }, (_, index) => {
      const socket = connect(proxyPort, '127.0.0.1');
      // Each has its own key, so that none continues another call.
      socket.write(
        request.replace('\r\nContent-Type', `\r\nX-Api-Key: key-${index}-${performance.now()}\r\nContent-Type`),
      );
      return socket.on('error', () => {}).resume();
    });
    for (;;) {
      await pause(200);
      if ((await measure()).waiting === CLIENTS) return sockets;
    }
  };
  // The first round compiles the code and fills the pools.
  for (const socket of await round()) socket.destroy();
  await pause(1_000);
  const before = await measure();
  const sockets = await round();
  const during = await measure();
  await pause(10_000);
  const after = await measure();
  const perClient = (name: 'heapBytes' | 'residentBytes'): string =>
    `${((during[name] - before[name]) / CLIENTS / 1_024).toFixed(1)} KiB`;
  console.log(
    `${keepAliveAfterMs === undefined ? 'silent' : 'with comments'}: heap and external ${perClient('heapBytes')}, resident ${perClient('residentBytes')} per client; CPU while waiting ${((after.cpuBeforeMs - during.cpuAfterMs) / 100).toFixed(2)} % of one core`,
  );
  for (const socket of sockets) socket.destroy();
  child.kill();
  await target.close();
}

const [, , target, after] = process.argv;
if (target === undefined) {
  await drive(undefined);
  await drive(1_000);
} else await runProxy(target, after === undefined ? undefined : Number(after));
