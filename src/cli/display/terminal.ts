/**
 * The parts of a process that the command uses, few enough for a test to replace: three streams, the environment, the
 * clock, and the reasons to stop: a signal, a closed output, the end of the parent process.
 */

import type { EventEmitter } from 'node:events';
import { constants } from 'node:os';
import { get } from '../../runtime/values.ts';
import { GIVEN_UP } from '../exit-code.ts';
import type { Look } from './layout.ts';

/** Standard input. On a terminal it can report single keys. */
export interface TerminalInput extends EventEmitter, AsyncIterable<Uint8Array | string> {
  readonly isTTY?: boolean | undefined;
  setRawMode?(raw: boolean): unknown;
  resume(): unknown;
  pause(): unknown;
}

export interface TerminalOutput extends EventEmitter {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  /** False: wait for `drain` before the next write. */
  write(chunk: Uint8Array | string): boolean;
}

export interface Terminal {
  readonly input: TerminalInput;
  readonly output: TerminalOutput;
  readonly errors: TerminalOutput;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Calls the listener with an exit code when the program should end: after a signal, or when an output was closed. */
  onStop(listener: (exitCode: number) => void): () => void;
}

interface ProcessLike extends EventEmitter {
  readonly stdin: TerminalInput;
  readonly stdout: TerminalOutput;
  readonly stderr: TerminalOutput;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly ppid?: number;
  exitCode?: number | string | null | undefined;
}

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const PARENT_CHECK_MS = 500;

export function terminalOf(owner: ProcessLike): Terminal {
  const listeners = new Set<(exitCode: number) => void>();
  const stop = (exitCode: number): void => {
    for (const listener of listeners) listener(exitCode);
  };
  let isClosed = false;
  // Without a listener these errors would end the process. Each further line fails too, also one that tells of the stop.
  owner.stderr.on('error', () => {
    if (isClosed) return;
    isClosed = true;
    stop(128 + constants.signals.SIGPIPE);
  });
  owner.stdout.on('error', ({ code }: NodeJS.ErrnoException) => {
    // The reader of the output has gone, such as `head`.
    if (code === 'EPIPE') return stop(128 + constants.signals.SIGPIPE);
    // The output is incomplete, for example on a full disk, even if the command succeeded.
    if (owner.exitCode !== GIVEN_UP) owner.stderr.write(`Standard output cannot be written (${code ?? 'unknown'}).\n`);
    owner.exitCode = GIVEN_UP;
    return stop(GIVEN_UP);
  });
  return {
    input: owner.stdin,
    output: owner.stdout,
    errors: owner.stderr,
    environment: owner.env,
    now: () => Date.now(),
    onStop: (listener) => {
      const handlers = STOP_SIGNALS.map((signal) => [signal, () => listener(128 + constants.signals[signal])] as const);
      for (const [signal, handler] of handlers) owner.on(signal, handler);
      listeners.add(listener);
      const stopWatching = watchParent(owner, () => listener(128 + constants.signals.SIGTERM));
      return () => {
        for (const [signal, handler] of handlers) owner.off(signal, handler);
        listeners.delete(listener);
        stopWatching();
      };
    },
  };
}

/**
 * Calls `onEnd` when the parent process has ended. `npx` and `npm start` run the command in a shell and send SIGTERM to
 * that shell only, which ends without forwarding it. A command started in any other way may outlive its parent.
 */
function watchParent(owner: ProcessLike, onEnd: () => void): () => void {
  if (owner.env.npm_config_user_agent === undefined) return () => {};
  const parent = owner.ppid;
  const timer = setInterval(() => {
    if (owner.ppid === parent) return;
    clearInterval(timer);
    onEnd();
  }, PARENT_CHECK_MS);
  timer.unref();
  return () => clearInterval(timer);
}

export function isScreen(output: TerminalOutput, environment: Terminal['environment']): boolean {
  return output.isTTY === true && environment.TERM !== 'dumb';
}

const NARROWEST = 20;

/** The look of text that is printed once: as wide as the terminal, or 80 columns if there is none. */
export function lookOf(output: TerminalOutput, environment: Terminal['environment'], allowed: boolean): Look {
  // A terminal without a size reports 0.
  const columns = Math.max(NARROWEST, output.columns || 80);
  // `NO_COLOR` counts if it is not empty.
  return { columns, colour: allowed && isScreen(output, environment) && (environment.NO_COLOR ?? '') === '' };
}

/** The bytes of an input, up to a number of them; `isCut`: whether there were more. */
export async function readBytes(
  source: AsyncIterable<Uint8Array | string>,
  most: number = Infinity,
): Promise<{ readonly bytes: Uint8Array<ArrayBuffer>; readonly isCut: boolean }> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of source) {
    const bytes = Buffer.from(piece);
    pieces.push(bytes);
    length += bytes.length;
    if (length > most) break;
  }
  return { bytes: Buffer.concat(pieces).subarray(0, most), isCut: length > most };
}

/** Why a file cannot be read, or a port cannot be used. */
export const codeOf = (error: unknown): string => String(get(error, 'code') ?? error);
