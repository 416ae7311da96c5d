import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { startProxy } from '../../src/proxy/index.ts';
import { freePort, listen, serve } from '../serve.ts';
import { failOnUnhandled } from '../unhandled.ts';
import { endEach, startBoth, startFor, talk, until } from './talk.ts';

endEach();
failOnUnhandled();

const LONG = { baseDelayMs: 60_000, jitter: 'none' } as const;

describe('the health of a proxy', () => {
  it('shows the target, and the calls that run and wait', async () => {
    const { proxy, target, host } = await startBoth(
      (request, response) => (request.url === '/wait' ? response.writeHead(503).end() : undefined),
      { retry: LONG },
    );
    const calls = ['/wait', '/hang', '/wait'].map((path) => fetch(proxy.url + path).catch(() => {}));
    await until(() => proxy.waiting === 2 && target.counts.requests === 3);
    const answer = await fetch(`${proxy.url}/healthz`);
    expect([answer.status, await answer.json()]).toEqual([
      200,
      { status: 'ok', target: new URL(target.url).origin, running: 3, waiting: 2 },
    ]);
    expect((await fetch(`${proxy.url}/healthz`, { method: 'HEAD' })).status).toBe(200);
    const strange = talk(proxy.url, 'GET /healthz HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n');
    expect((await strange.over).text).toContain('foreign_host');
    expect(host).toBe(new URL(proxy.url).host);
    await proxy.cancel();
    await Promise.all(calls);
  });

  it('hides only one path of the target', async () => {
    const { proxy } = await startBoth((request, response) => response.end(`${request.method} ${request.url}`));
    for (const path of ['/healthz?deep=1', '/healthz/', '/v1/healthz', '/Healthz']) {
      expect(await (await fetch(proxy.url + path)).text()).toBe(`GET ${path}`);
    }
    expect(await (await fetch(`${proxy.url}/healthz`, { method: 'POST' })).text()).toBe('POST /healthz');
  });
});

describe('close', () => {
  it('finishes waits and answers, and accepts nothing new', async () => {
    let release: (() => void) | undefined;
    const { proxy, target } = await startBoth(
      (_request, response) => (target.counts.requests === 1 ? response.writeHead(503).end() : response.end('answered')),
      { retry: { runtime: { sleep: () => new Promise((resolve) => (release = resolve)) } } },
    );
    const call = fetch(proxy.url);
    const idle = talk(proxy.url);
    await until(() => proxy.waiting === 1);
    const closed = proxy.close();
    expect(proxy.close()).toBe(closed);
    await expect(fetch(proxy.url)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
    await idle.over;
    expect(proxy.running).toBe(1);
    release?.();
    const answer = await call;
    expect([answer.headers.get('connection'), await answer.text()]).toEqual(['close', 'answered']);
    await closed;
    expect([proxy.running, proxy.waiting]).toEqual([0, 0]);
  });

  it('does not wait for idle connections', async () => {
    const { proxy, host } = await startBoth((_request, response) => response.end('x'));
    const { until: heard, over } = talk(proxy.url, `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    await heard('\r\n\r\nx');
    await proxy.close();
    expect(await over).toMatchObject({ failed: false });
  });

  it('accepts no second call on a connection whose first is still running', async () => {
    const { promise, resolve } = Promise.withResolvers<() => void>();
    const { proxy, host, target } = await startBoth((_request, response) => resolve(() => response.end('first')));
    const request = `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
    const { socket, over } = talk(proxy.url, request);
    const finish = await promise;
    const closed = proxy.close();
    await new Promise((written) => socket.write(request, written));
    setTimeout(finish, 20);
    expect((await over).text).toMatch(/^connection: close\r$[^]*first/im);
    await closed;
    expect(target.counts.requests).toBe(1);
  });
});

describe('cancel', () => {
  // A busy machine may exceed the bound once; a defect exceeds it every time.
  it('ends waits and attempts at once, and says so', { retry: 2 }, async () => {
    const { proxy, target } = await startBoth(
      (request, response) => (request.url === '/wait' ? response.writeHead(503).end() : undefined),
      { retry: LONG },
    );
    const calls = ['/wait', '/hang'].map((path) => fetch(proxy.url + path));
    await until(() => proxy.waiting === 1 && target.counts.requests === 2);
    const startedAt = performance.now();
    const closed = proxy.close();
    await proxy.cancel();
    await closed;
    expect(performance.now() - startedAt).toBeLessThan(900);
    for (const answer of await Promise.all(calls)) {
      expect([answer.status, await answer.json()]).toEqual([
        503,
        {
          type: 'error',
          error: {
            type: 'proxy_refused',
            code: 'stopped',
            message: 'The proxy was stopped before there was an answer.',
          },
          attempts: 1,
        },
      ]);
    }
    expect(target.counts.requests).toBe(2);
  });

  it('ends each of many connections once, so that Node has no reason to warn', async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on('warning', onWarning);
    const { proxy, host } = await startBoth((_request, response) => response.writeHead(503).end(), { retry: LONG });
    const clients = Array.from({ length: 32 }, () => talk(proxy.url, `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`));
    await until(() => proxy.waiting === clients.length);
    await proxy.cancel();
    await Promise.all(clients.map(({ over }) => over));
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });

  it('breaks off answers that have begun', async () => {
    const { proxy, host } = await startBoth((_request, response) => void response.write('the beginning'));
    const begun = talk(proxy.url, `GET / HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    await begun.until('the beginning');
    const sending = talk(proxy.url, `POST / HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 5\r\n\r\nhel`);
    await until(() => proxy.running === 2);
    await proxy.cancel();
    expect((await begun.over).text.endsWith('\r\nthe beginning\r\n')).toBe(true);
    expect((await sending.over).text).toContain('"code":"stopped"');
    expect(proxy.running).toBe(0);
  });

  it('does not wait for a client that does not read', async () => {
    // More in one piece than the sockets of both sides can hold.
    const much = new Uint8Array(64 * 1024 * 1024);
    const proxy = await startFor({ target: 'https://api.example.com', fetch: async () => new Response(much) });
    const { socket } = talk(proxy.url, `GET / HTTP/1.1\r\nHost: ${new URL(proxy.url).host}\r\n\r\n`);
    socket.pause();
    await until(() => proxy.running === 1);
    // Long enough for the answer to begin, and to get stuck.
    await new Promise((resolve) => setTimeout(resolve, 300));
    const startedAt = performance.now();
    await proxy.cancel();
    expect(performance.now() - startedAt).toBeGreaterThan(500);
    expect(proxy.running).toBe(0);
  });
});

/** Ten kinds of them, in turn. */
const REQUESTS = 200;

it(`leaves no socket, timer or call behind after ${REQUESTS} requests`, async () => {
  const before = resources();
  const target = await serve((request, response) => {
    const count = Number(new URL(`http://a${request.url}`).searchParams.get('n'));
    const isRetry = seen.has(count);
    seen.add(count);
    if (count % 10 === 0 && !isRetry) response.writeHead(503).end('not now');
    else if (count % 10 === 1) request.socket.resetAndDestroy();
    else if (count % 10 === 2)
      response.writeHead(200, { 'content-length': '9' }).write('x', () => request.socket.destroy());
    else response.end('x'.repeat(count));
  });
  const seen = new Set<number>();
  const proxy = await startProxy({ target: new URL(target.url).origin, retry: { baseDelayMs: 1, maxRetries: 1 } });
  let next = 0;
  const statuses = new Map<number, number>();
  const lane = async (): Promise<void> => {
    while (next < REQUESTS) {
      const count = next;
      next += 1;
      const leaving = new AbortController();
      const call = fetch(`${proxy.url}/?n=${count}`, { signal: leaving.signal, method: 'POST', body: 'x' });
      if (count % 10 === 3) setImmediate(() => leaving.abort());
      const status = await call.then(
        (response) =>
          response.text().then(
            () => response.status,
            () => -1,
          ),
        () => 0,
      );
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: 32 }, lane));
  expect([statuses.get(502), statuses.get(-1)]).toEqual([undefined, REQUESTS / 10]);
  // A reset of the target, and the clients that leave in time.
  expect(statuses.get(0)).toBeGreaterThanOrEqual(REQUESTS / 10);
  expect(statuses.get(200)).toBeGreaterThanOrEqual(0.7 * REQUESTS);
  await proxy.close();
  expect([proxy.running, proxy.waiting]).toEqual([0, 0]);
  await target.close();
  // The sockets of this process's own fetch end when the other side has ended.
  for (let turns = 0; turns < 200 && resources() > before; turns += 1)
    await new Promise((resolve) => setTimeout(resolve, 10));
  expect(resources()).toBeLessThanOrEqual(before);
});

/** Sockets, servers and timers that keep this process running. */
function resources(): number {
  return process.getActiveResourcesInfo().filter((name) => /^(?:TCP|Timeout)/.test(name)).length;
}

/** An address of this machine that is not its loopback, if it has one. */
function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flatMap((each) => each ?? []);
  return all.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.2';
}

describe('startProxy', () => {
  it('refuses to be its own target', async () => {
    const target = await serve(() => {});
    const port = Number(new URL(target.url).port);
    await target.close();
    await expect(startProxy({ target: `http://localhost:${port}`, port })).rejects.toThrow(
      `Expected \`target\` to be another server than the proxy on port ${port} itself.`,
    );
    expect(await isFree(port)).toBe(true);
  });

  it.each([
    ['0.0.0.0', '0.0.0.0'],
    ['0.0.0.0', '127.0.0.1'],
    ['127.0.0.1', '[::ffff:127.0.0.1]'],
    ['127.0.0.1', '0.0.0.0'],
    ['0.0.0.0', ownAddress()],
    [ownAddress(), ownAddress()],
  ])('that listens at %s refuses %s with its own port as its target', async (host, name) => {
    const port = await freePort();
    const starting = startProxy({ target: `http://${name}:${port}`, host, port });
    await expect(starting).rejects.toThrow('another server than the proxy');
    expect(await isFree(port)).toBe(true);
  });

  it('accepts another server of this machine at the same port', async () => {
    const target = await listen((_request, response) => response.end('other'), ownAddress());
    const proxy = await startFor({ target: `http://${ownAddress()}:${target.port}`, port: target.port });
    expect(await (await fetch(proxy.url)).text()).toBe('other');
    await target.close();
  });

  it('rejects if the port is in use', async () => {
    const { proxy } = await startBoth(() => {});
    const port = Number(new URL(proxy.url).port);
    await expect(startProxy({ target: 'https://api.example.com', port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  it('puts the path of the target before each path', async () => {
    const { target } = await startBoth((request, response) => response.end(request.url));
    const proxy = await startFor({ target: new URL('/v1/', target.url) });
    expect(await (await fetch(`${proxy.url}/chat?a=b`)).text()).toBe('/v1/chat?a=b');
  });

  it('sends through the given fetch', async () => {
    const sent: unknown[] = [];
    const proxy = await startFor({
      target: 'https://api.example.com',
      fetch: async (input, init) => {
        sent.push(input, init?.redirect);
        return new Response('from nowhere');
      },
    });
    expect(await (await fetch(`${proxy.url}/v1`)).text()).toBe('from nowhere');
    expect(sent).toEqual(['https://api.example.com/v1', 'manual']);
  });
});

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', () => resolve(true));
  });
}
