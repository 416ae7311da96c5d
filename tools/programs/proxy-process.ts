/** Runs a proxy in its own process on a free port. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import type { Way } from './cell.ts';

/** Which proxy to start. */
export interface ProxyCommand {
  /** The built command, `dist/cli.js` of this checkout or of another. */
  readonly script: string;
  /** Further options, as they are typed. */
  readonly options: readonly string[];
}

/** The options of a way, after those that were typed. */
export function optionsFor(way: Way, command: ProxyCommand): ProxyCommand {
  return way === 'proxy-end' ? { ...command, options: [...command.options, '--hold', 'end'] } : command;
}

export interface RunningProxy {
  readonly origin: string;
  stop(): Promise<void>;
}

export async function startProxyProcess(target: string, { script, options }: ProxyCommand): Promise<RunningProxy> {
  const child = spawn(process.execPath, [script, 'proxy', '--target', target, '--port', '0', '--json', ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let complaint = '';
  child.stderr.on('data', (chunk: Buffer) => {
    complaint = `${complaint}${chunk.toString()}`.slice(-2_000);
  });
  for await (const line of createInterface(child.stdout)) {
    const { url }: { url?: unknown } = JSON.parse(line);
    if (typeof url === 'string') return { origin: url, stop: () => stop(child) };
  }
  throw new Error(`The proxy did not start. ${complaint}`);
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}
