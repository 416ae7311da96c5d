/**
 * What the command needs of the process it runs in, small enough for a test to play: three streams, the environment,
 * the clock, and what should end it: a signal, a reader that has gone, a parent that has gone.
 */

import { constants } from 'node:os';
import { GIVEN_UP } from '../exit-code.ts';
import type { Look } from './layout.ts';

/** Standard input. A terminal can hand over single keys. */
export interface TerminalInput {
  readonly isTTY?: boolean | undefined;
  setRawMode?(raw: boolean): unknown;
  resume(): unknown;
  pause(): unknown;
  on(event: 'data', listener: (chunk: Uint8Array | string) => void): unknown;
  off(event: 'data', listener: (chunk: Uint8Array | string) => void): unknown;
  [Symbol.asyncIterator](): AsyncIterator<Uint8Array | string>;
}

/** Standard output or standard error. */
export interface TerminalOutput {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  /** False: wait for `drain` before the next. */
  write(chunk: Uint8Array | string): boolean;
  on(event: string, listener: (error: NodeJS.ErrnoException) => void): unknown;
  once(event: string, listener: () => void): unknown;
  off(event: string, listener: () => void): unknown;
}

export interface Terminal {
  readonly input: TerminalInput;
  readonly output: TerminalOutput;
  readonly errors: TerminalOutput;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since the epoch. */
  now(): number;
  /** Hears what asks the program to end, with the exit code for it: a signal, or a reader that went away. */
  onStop(listener: (exitCode: number) => void): () => void;
  /** Called once, synchronously, when the process ends in whatever way it can still notice. */
  onExit(listener: () => void): () => void;
}

/** The part of `process` that this reads. */
interface ProcessLike {
  readonly stdin: TerminalInput;
  readonly stdout: TerminalOutput;
  readonly stderr: TerminalOutput;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly ppid?: number;
  exitCode?: number | string | null | undefined;
  on(event: string, listener: () => void): unknown;
  off(event: string, listener: () => void): unknown;
}

const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const PARENT_CHECK_MS = 500;

/** The terminal of a process. */
export function terminalOf(owner: ProcessLike): Terminal {
  const listeners = new Set<(exitCode: number) => void>();
  const stop = (exitCode: number): void => {
    for (const listener of listeners) listener(exitCode);
  };
  // Without a listener these errors would end the process.
  owner.stderr.on('error', () => stop(128 + constants.signals.SIGPIPE));
  owner.stdout.on('error', ({ code }) => {
    // The reader has gone, as `head` does.
    if (code === 'EPIPE') return stop(128 + constants.signals.SIGPIPE);
    // A full disk, for one: what was written is not whole, though the command may be over and content.
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
    onExit: (listener) => {
      owner.on('exit', listener);
      return () => void owner.off('exit', listener);
    },
  };
}

/**
 * Hears that the parent process has ended. `npx` and `npm start` run the command in a shell and pass a SIGTERM on to that
 * shell, which ends without passing it on. A command that was started in another way may outlive its parent.
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

/** Whether an output can be repainted: a terminal, and one that knows how. */
export function isScreen(output: TerminalOutput, environment: Terminal['environment']): boolean {
  return output.isTTY === true && environment.TERM !== 'dumb';
}

/** Whether an output is shown in colour. `NO_COLOR` counts when it is set and not empty. */
export function wantsColour(output: TerminalOutput, environment: Terminal['environment'], allowed: boolean): boolean {
  return allowed && isScreen(output, environment) && (environment.NO_COLOR ?? '') === '';
}

/** The width of a terminal; `unknown` if it does not say. One without a size says 0. */
export function columnsOf(output: TerminalOutput, unknown: number): number {
  return output.columns || unknown;
}

const NARROWEST = 20;
const DEFAULT_COLUMNS = 80;

/** How what is printed once is to look: as wide as the terminal, or as 80 columns where there is none. */
export function lookOf(output: TerminalOutput, environment: Terminal['environment'], allowed: boolean): Look {
  const columns = Math.max(NARROWEST, columnsOf(output, DEFAULT_COLUMNS));
  return { columns, colour: wantsColour(output, environment, allowed), keys: false };
}

/** Writes, and waits until there is room for more. Rejects with the signal's reason when it aborts meanwhile. */
export async function writeTo(output: TerminalOutput, chunk: Uint8Array | string, signal: AbortSignal): Promise<void> {
  if (output.write(chunk)) return;
  signal.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const settle = (): void => {
      output.off('drain', settle);
      signal.removeEventListener('abort', settle);
      if (signal.aborted) reject(signal.reason);
      else resolve();
    };
    output.once('drain', settle);
    signal.addEventListener('abort', settle);
  });
}
