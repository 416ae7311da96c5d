/** Reads single keys from a terminal: raw mode is on while there is a listener, and off afterwards. */

import type { TerminalInput } from './terminal.ts';

export type Key = 'enter' | 'escape' | 'give-up' | 'interrupt';

const ESCAPE = '\u001B';
const SEQUENCES = new RegExp(`${ESCAPE}[[O][\\d;]*[ -/]*[@-~]|${ESCAPE}[^${ESCAPE}]|[\\s\\S]`, 'g');

const KEYS: Readonly<Record<string, Key>> = {
  '\r': 'enter',
  '\n': 'enter',
  [ESCAPE]: 'escape',
  '\u0003': 'interrupt',
  g: 'give-up',
  G: 'give-up',
};

/**
 * Reports each key until the returned function is called; none if the input is not a terminal. Arrows and other escape
 * sequences are not keys of ours.
 */
export function listenForKeys(input: TerminalInput, onKey: (key: Key) => void): () => void {
  if (input.isTTY !== true || input.setRawMode === undefined) return () => {};
  const onData = (chunk: Uint8Array | string): void => {
    for (const [sequence] of Buffer.from(chunk).toString().matchAll(SEQUENCES)) {
      const key = KEYS[sequence];
      if (key !== undefined) onKey(key);
    }
  };
  input.setRawMode(true);
  input.on('data', onData);
  input.resume();
  return () => {
    input.off('data', onData);
    // Node itself does so when the process ends.
    input.setRawMode?.(false);
    // An input that is being read keeps the process alive.
    input.pause();
  };
}
