/** Restarts a program of this folder so that it can reach only the loopback. */

import { spawn, spawnSync } from 'node:child_process';

/** Set in a process that was restarted here. */
const MARK = 'RETRY_TRANSPORT_PROGRAMS_ISOLATED';

/** A new namespace has no network except its own loopback, which must be switched on. */
const NAMESPACE = ['unshare', '--net', '--map-root-user', 'sh', '-c', 'ip link set lo up && exec "$0" "$@"'] as const;

/** No server listens on port 9, so a program that uses a proxy reaches no other machine. */
const DEAD_PROXY = 'http://127.0.0.1:9';
const BEHIND_DEAD_PROXY = {
  HTTP_PROXY: DEAD_PROXY,
  HTTPS_PROXY: DEAD_PROXY,
  ALL_PROXY: DEAD_PROXY,
  http_proxy: DEAD_PROXY,
  https_proxy: DEAD_PROXY,
  NO_PROXY: '127.0.0.1,localhost',
  no_proxy: '127.0.0.1,localhost',
} as const;

/**
 * How the programs are kept off the network. Without a namespace, one that ignores the proxy variables can reach it.
 */
export type Isolation = 'namespace' | 'dead proxy';

export function isolation(): Isolation | undefined {
  const value = process.env[MARK];
  return value === 'namespace' || value === 'dead proxy' ? value : undefined;
}

/** The variables that a program inherits from the isolation. */
export function isolationEnvironment(): Readonly<Record<string, string>> {
  return isolation() === 'namespace' ? {} : BEHIND_DEAD_PROXY;
}

/** Runs the command of this process again, isolated, and returns its exit code. */
export function runIsolated(): Promise<number> {
  const [program, ...before] = NAMESPACE;
  const hasNamespace = spawnSync(program, [...before, 'true']).status === 0;
  const mark: Isolation = hasNamespace ? 'namespace' : 'dead proxy';
  const command = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  const [file = '', ...args] = hasNamespace ? [...NAMESPACE, ...command] : command;
  const child = spawn(file, args, {
    stdio: 'inherit',
    env: { ...process.env, ...(hasNamespace ? {} : BEHIND_DEAD_PROXY), [MARK]: mark },
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => resolve(code ?? 1));
  });
}
