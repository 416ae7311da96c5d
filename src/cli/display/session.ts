/**
 * Runs one call for a person at a terminal: events go to the display, keys and signals go to the call. In the end the
 * terminal is as it was before.
 */

import { RetryController, type RetryEvent, type StopReason } from '../../index.ts';
import type { Display } from './display.ts';
import { ANSWERED, CANCELLED, GIVEN_UP, PERMANENT } from '../exit-code.ts';
import { type Key, listenForKeys } from './keys.ts';
import type { Ending, EventOf } from './lines.ts';
import type { Terminal } from './terminal.ts';

/** What a task needs to make its call. */
export interface SessionContext {
  readonly controller: RetryController;
  readonly signal: AbortSignal;
  readonly display: Display;
}

type LastEvent = EventOf<'recovered' | 'failed' | 'cancelled'>;

/** Runs a task that makes one call and shows its answer. Returns the exit code. */
export async function runSession(
  terminal: Terminal,
  display: Display,
  { keys }: { readonly keys: boolean },
  task: (context: SessionContext) => Promise<void>,
): Promise<number> {
  const controller = new RetryController();
  const abort = new AbortController();
  let last: LastEvent | undefined;
  let stoppedWith = CANCELLED;
  const stop = (exitCode: number): void => {
    if (abort.signal.aborted) return;
    stoppedWith = exitCode;
    abort.abort(new DOMException('Cancelled', 'AbortError'));
  };
  const onKey: Readonly<Record<Key, () => void>> = {
    enter: () => {
      if (controller.nextAttemptAt === null) return;
      display.hurry();
      controller.retryNow();
    },
    'give-up': () => controller.giveUp(),
    escape: () => stop(CANCELLED),
    interrupt: () => stop(CANCELLED),
  };
  controller.subscribe((event: RetryEvent) => {
    if (event.type === 'recovered' || event.type === 'failed' || event.type === 'cancelled') last = event;
    display.show(event);
  });
  const ignoreKeys = keys ? listenForKeys(terminal.input, (key) => onKey[key]()) : () => {};
  const release = [
    terminal.onStop(stop),
    ignoreKeys,
    terminal.onExit(() => {
      ignoreKeys();
      display.close();
    }),
  ];
  try {
    const ending = await endingOf(task({ controller, signal: abort.signal, display }), abort.signal, () => last);
    display.end(ending);
    return exitCodeOf(ending, stoppedWith);
  } finally {
    for (const undo of release) undo();
    display.close();
  }
}

async function endingOf(
  running: Promise<void>,
  signal: AbortSignal,
  last: () => LastEvent | undefined,
): Promise<Ending> {
  try {
    await running;
  } catch (error) {
    const event = last();
    if (signal.aborted) return { how: 'cancelled', event: event?.type === 'cancelled' ? event : undefined };
    if (event?.type === 'failed') return { how: 'given-up', event };
    return { how: 'broken', error };
  }
  const event = last();
  if (event?.type === 'failed') return { how: 'given-up', event };
  return { how: 'answered', event: event?.type === 'recovered' ? event : undefined };
}

function exitCodeOf(ending: Ending, stoppedWith: number): number {
  if (ending.how === 'answered') return ANSWERED;
  if (ending.how === 'cancelled') return stoppedWith;
  return ending.how === 'given-up' && FINAL.includes(ending.event.because) ? PERMANENT : GIVEN_UP;
}

const FINAL: readonly StopReason[] = ['not-retryable', 'server-said-no'];
