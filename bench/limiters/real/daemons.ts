/**
 * Limiters in processes of their own: nginx, HAProxy and Caddy, each started with a configuration in a folder of its own.
 * Runs at the same time are kept apart by the tenant's name, which has the number of the run in it.
 */

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../../test/serve.ts';
import type { Daemon, DaemonSubject, KnownLimit } from './limiter.ts';

const PATIENCE_MS = 10_000;

interface Program {
  readonly command: string;
  /** What shows that it is installed. */
  readonly version: string;
  readonly file: string;
  readonly args: (file: string, folder: string) => readonly string[];
}

const NGINX: Program = {
  command: 'nginx',
  version: '-v',
  file: 'nginx.conf',
  args: (file, folder) => ['-c', file, '-p', folder, '-e', join(folder, 'error.log')],
};
const HAPROXY: Program = {
  command: 'haproxy',
  version: '-v',
  file: 'haproxy.cfg',
  args: (file) => ['-f', file, '-db'],
};
const CADDY: Program = {
  command: 'caddy',
  version: 'version',
  file: 'Caddyfile',
  args: (file) => ['run', '--config', file, '--adapter', 'caddyfile'],
};

interface Ports {
  readonly port: number;
  readonly upstreamPort: number;
  readonly folder: string;
  readonly runs: number;
}

function daemon(
  name: string,
  program: Program,
  limit: KnownLimit,
  configure: (ports: Ports) => string,
  rest: Pick<DaemonSubject, 'perTenant'> & { readonly headersOf?: (run: number) => Record<string, string> } = {},
): DaemonSubject {
  const { headersOf = () => ({}), ...described } = rest;
  return {
    ...described,
    name,
    limit,
    clock: 'real',
    missing: () => (spawnSync(program.command, [program.version]).error === undefined ? undefined : program.command),
    async start(upstreamPort, runs): Promise<Daemon> {
      const folder = mkdtempSync(join(tmpdir(), 'retry-transport-limiter-'));
      const port = await freePort();
      const file = join(folder, program.file);
      writeFileSync(file, configure({ port, upstreamPort, folder, runs }));
      const environment = { ...process.env, XDG_CONFIG_HOME: folder, XDG_DATA_HOME: folder };
      const child = spawn(program.command, program.args(file, folder), { env: environment });
      const kill = (): unknown => child.kill('SIGKILL');
      process.once('exit', kill);
      let said = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += String(chunk)));
      await listening(port, child, () => said);
      return {
        address: (run) => ({ url: `http://127.0.0.1:${port}`, headers: headersOf(run) }),
        stop: async () => {
          process.off('exit', kill);
          if (child.exitCode === null) {
            kill();
            await once(child, 'exit');
          }
          rmSync(folder, { recursive: true, force: true });
        },
      };
    },
  };
}

async function listening(port: number, child: ChildProcess, said: () => string): Promise<void> {
  const untilMs = Date.now() + PATIENCE_MS;
  while (Date.now() < untilMs && child.exitCode === null) {
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
      socket.on('connect', () => socket.destroy());
    });
    if (isOpen) return;
    await sleep(20);
  }
  throw new Error(`${child.spawnfile} does not listen: ${said()}`);
}

const nginx =
  (zone: string, rule: string) =>
  ({ port, upstreamPort, folder }: Ports): string =>
    `daemon off;
master_process off;
pid ${folder}/nginx.pid;
events { worker_connections 4096; }
http {
  access_log off;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((use) => `${use}_temp_path ${folder}/${use};`).join(' ')}
  keepalive_requests 1000000;
  keepalive_timeout 1h;
  ${zone}
  server {
    listen 127.0.0.1:${port};
    location / {
      ${rule}
      proxy_pass http://127.0.0.1:${upstreamPort};
    }
  }
}
`;

const PER_TENANT = 'limit_req_zone $http_x_tenant zone=tenants:10m rate=10r/s;';

const haproxy =
  (requests: number, perMs: number) =>
  ({ port, upstreamPort }: Ports): string =>
    `global
  maxconn 4096
defaults
  mode http
  timeout client 1h
  timeout server 1h
  timeout connect 5s
  timeout http-keep-alive 1h
frontend limited
  bind 127.0.0.1:${port}
  stick-table type string len 64 size 100k expire 10m store http_req_rate(${perMs}ms)
  http-request track-sc0 hdr(x-tenant)
  http-request deny deny_status 429 if { sc_http_req_rate(0) gt ${requests} }
  default_backend upstream
backend upstream
  server upstream 127.0.0.1:${upstreamPort}
`;

/**
 * Caddy counts the requests of an upstream, so each run has one of its own, at an address of its own. Without the last
 * two lines no failures are allowed, not even none.
 */
function caddy(concurrent: number): (ports: Ports) => string {
  return ({ port, upstreamPort, runs }) => {
    const routes = Array.from({ length: runs }, (_, index) => {
      const run = index + 1;
      const address = `127.0.${1 + Math.floor(run / 250)}.${1 + (run % 250)}:${upstreamPort}`;
      return `  @run${run} header x-run ${run}
  reverse_proxy @run${run} ${address} {
    unhealthy_request_count ${concurrent}
    fail_duration 1s
    max_fails 1000000
  }`;
    });
    return `{
  admin off
  auto_https off
}
http://127.0.0.1:${port} {
${routes.join('\n')}
}
`;
  };
}

const TEN_A_SECOND: KnownLimit = { requests: 1, perMs: 100 };

export const DAEMONS: readonly DaemonSubject[] = [
  daemon('nginx limit_req, 10 a second', NGINX, TEN_A_SECOND, nginx(PER_TENANT, 'limit_req zone=tenants;')),
  daemon(
    'nginx limit_req, 10 a second, burst of 20',
    NGINX,
    TEN_A_SECOND,
    nginx(PER_TENANT, 'limit_req zone=tenants burst=20;'),
  ),
  daemon(
    'nginx limit_req, 10 a second, burst of 20 without delay, 429',
    NGINX,
    TEN_A_SECOND,
    nginx(PER_TENANT, 'limit_req zone=tenants burst=20 nodelay; limit_req_status 429;'),
  ),
  daemon(
    'nginx limit_conn, 4 at a time',
    NGINX,
    { concurrent: 4 },
    nginx('limit_conn_zone $http_x_tenant zone=tenants:10m;', 'limit_conn tenants 4;'),
  ),
  // What it refuses counts too.
  daemon('HAProxy stick table, 50 in 5 s', HAPROXY, { requests: 50, perMs: 5_000 }, haproxy(50, 5_000)),
  daemon('Caddy unhealthy_request_count, 4 at a time', CADDY, { concurrent: 4 }, caddy(4), {
    perTenant: false,
    headersOf: (run) => ({ 'x-run': String(run) }),
  }),
];
