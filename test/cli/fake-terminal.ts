/** A terminal in memory: what was written, which keys are pressed, which signals come. */

import { EventEmitter } from 'node:events';
import { runCommandLine } from '../../src/cli/command-line.ts';
import type { Terminal, TerminalInput, TerminalOutput } from '../../src/cli/display/terminal.ts';

export class FakeOutput extends EventEmitter implements TerminalOutput {
  readonly isTTY: boolean;
  columns: number | undefined;
  /** True: `write` asks to wait for `drain`. */
  full = false;
  readonly #bytes: Uint8Array[] = [];

  constructor({ isTTY = false, columns }: { readonly isTTY?: boolean; readonly columns?: number } = {}) {
    super();
    this.isTTY = isTTY;
    this.columns = columns;
  }

  write(chunk: Uint8Array | string): boolean {
    this.#bytes.push(typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk);
    this.emit('written');
    return !this.full;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#bytes);
  }

  get text(): string {
    return this.bytes.toString();
  }

  get lines(): string[] {
    return this.text.split('\n').filter((line) => line !== '');
  }

  /** Resolves as soon as the text contains this. */
  async until(part: string): Promise<void> {
    while (!this.text.includes(part)) await new Promise((resolve) => this.once('written', resolve));
  }
}

export class FakeInput extends EventEmitter implements TerminalInput {
  readonly isTTY: boolean;
  raw = false;
  reading = false;
  readonly pieces: readonly (Uint8Array | string)[];

  constructor({
    isTTY = false,
    pieces = [],
  }: { readonly isTTY?: boolean; readonly pieces?: readonly (Uint8Array | string)[] } = {}) {
    super();
    this.isTTY = isTTY;
    this.pieces = pieces;
  }

  setRawMode(raw: boolean): void {
    this.raw = raw;
  }

  resume(): void {
    this.reading = true;
  }

  pause(): void {
    this.reading = false;
  }

  press(keys: string): void {
    this.emit('data', Buffer.from(keys));
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array | string> {
    yield* this.pieces;
  }
}

export interface FakeTerminal extends Terminal {
  readonly input: FakeInput;
  readonly output: FakeOutput;
  readonly errors: FakeOutput;
  /** A signal, with its exit code. */
  stop(exitCode: number): void;
  /** How many listeners are left for signals. */
  readonly listeners: number;
}

export interface FakeTerminalOptions {
  readonly input?: FakeInput;
  readonly output?: FakeOutput;
  readonly errors?: FakeOutput;
  readonly environment?: Readonly<Record<string, string>>;
}

export function fakeTerminal(options: FakeTerminalOptions = {}): FakeTerminal {
  const bus = new EventEmitter();
  return {
    input: options.input ?? new FakeInput(),
    output: options.output ?? new FakeOutput(),
    errors: options.errors ?? new FakeOutput(),
    environment: options.environment ?? {},
    now: () => Date.now(),
    onStop: (listener) => {
      bus.on('stop', listener);
      return () => void bus.off('stop', listener);
    },
    stop: (exitCode) => void bus.emit('stop', exitCode),
    get listeners() {
      return bus.listenerCount('stop');
    },
  };
}

/** Runs the command line to its end; the words are separated by spaces, or given one by one. */
export async function run(words: string | readonly string[], options: FakeTerminalOptions = {}) {
  const terminal = fakeTerminal(options);
  const exitCode = await runCommandLine(typeof words === 'string' ? words.split(' ') : words, terminal);
  const { output, errors } = terminal;
  return { exitCode, output: output.text, lines: output.lines, errors: errors.text, terminal };
}
