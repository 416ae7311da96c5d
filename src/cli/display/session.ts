/**
 * Runs one call for a person at a terminal: events are shown, keys and signals go to the call. In the end the terminal is
 * as it was before.
 */

import { once } from 'node:events';
import { RetryController, type RetryEvent, type StopReason } from '../../index.ts';
import type { Shown } from '../command.ts';
import { ANSWERED, CANCELLED, GIVEN_UP, PERMANENT } from '../exit-code.ts';
import { EventLog } from './event-log.ts';
import { type Key, listenForKeys } from './keys.ts';
import { harmlessText } from './layout.ts';
import type { Terminal, TerminalOutput } from './terminal.ts';

export interface SessionContext {
  readonly controller: RetryController;
  readonly signal: AbortSignal;
  /** Writes a piece of the answer. Resolves when the output can take the next one; rejects when the signal aborts. */
  readonly answer: (piece: Uint8Array | string) => Promise<void>;
}

/** Runs a task that makes one call and shows its answer. Events go to `output`. Returns the exit code. */
export async function runSession(
  terminal: Terminal,
  shown: Shown,
  output: TerminalOutput,
  task: (context: SessionContext) => Promise<void>,
): Promise<number> {
  const log = new EventLog(terminal, shown.json ? terminal.output : output, shown);
  const answers = shown.json ? terminal.errors : terminal.output;
  const controller = new RetryController();
  const abort = new AbortController();
  const decoder = new TextDecoder();
  let isLineOpen = false;
  let last: RetryEvent | undefined;
  let stoppedWith = CANCELLED;
  const stop = (exitCode: number): void => {
    if (!abort.signal.aborted) stoppedWith = exitCode;
    abort.abort(new DOMException('Cancelled', 'AbortError'));
  };
  const onKey: Readonly<Record<Key, () => void>> = {
    enter: () => controller.retryNow(),
    'give-up': () => controller.giveUp(),
    escape: () => stop(CANCELLED),
    interrupt: () => stop(CANCELLED),
  };
  const endLine = (): void => {
    if (isLineOpen && answers.isTTY === true) answers.write('\n');
    isLineOpen = false;
  };
  controller.subscribe((event) => {
    last = event;
    if (event.type === 'cancelled') endLine();
    log.show(event);
  });
  // A person who presses keys must see their effect on a terminal.
  const ignoreKeys = log.isScreen ? listenForKeys(terminal.input, (key) => onKey[key]()) : () => {};
  const stopCountdown = log.countDown(controller, terminal.input.isTTY === true);
  const release = [terminal.onStop(stop), ignoreKeys, stopCountdown];
  const answer = async (piece: Uint8Array | string): Promise<void> => {
    const text = typeof piece === 'string' ? piece : decoder.decode(piece, { stream: true });
    if (text !== '') isLineOpen = !text.endsWith('\n');
    const isShown = answers.isTTY === true;
    if (isShown && text === '') return;
    if (!answers.write(isShown ? harmlessText(text) : piece)) await once(answers, 'drain', abort);
  };
  try {
    await task({ controller, signal: abort.signal, answer });
    return last?.type === 'failed' ? exitCodeOf(last.because) : ANSWERED;
  } catch (error) {
    if (abort.signal.aborted) {
      endLine();
      if (last?.type !== 'cancelled') log.note({ type: 'cancelled' }, '✗ cancelled', 'bad');
      return stoppedWith;
    }
    if (last?.type === 'failed') return exitCodeOf(last.because);
    // The answer broke off, or an error happened that no event reports.
    endLine();
    terminal.errors.write(`✗ ${reasonOf(error)}\n`);
    return GIVEN_UP;
  } finally {
    for (const undo of release) undo();
  }
}

const FINAL: readonly StopReason[] = ['not-retryable', 'server-said-no'];

function exitCodeOf(because: StopReason): number {
  return FINAL.includes(because) ? PERMANENT : GIVEN_UP;
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  // fetch reports "terminated" or "fetch failed"; the cause says what happened.
  const { message, cause } = error;
  return cause instanceof Error && cause.message !== '' ? `${message}: ${cause.message}` : message;
}
