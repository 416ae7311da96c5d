/** A terminal in memory: what was written, which keys are pressed, which signals come. */

import { EventEmitter } from 'node:events';
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
  /** The process ends. */
  exit(): void;
  /** How many listeners are left for signals and the exit. */
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
  const on = (event: string, listener: (...values: number[]) => void): (() => void) => {
    bus.on(event, listener);
    return () => void bus.off(event, listener);
  };
  return {
    input: options.input ?? new FakeInput(),
    output: options.output ?? new FakeOutput(),
    errors: options.errors ?? new FakeOutput(),
    environment: options.environment ?? {},
    now: () => Date.now(),
    onStop: (listener) => on('stop', (exitCode = 0) => listener(exitCode)),
    onExit: (listener) => on('exit', () => listener()),
    stop: (exitCode) => void bus.emit('stop', exitCode),
    exit: () => void bus.emit('exit'),
    get listeners() {
      return bus.listenerCount('stop') + bus.listenerCount('exit');
    },
  };
}
