/**
 * Writes lines without ever throwing. A line that could not be written, because the disk is full or the directory is
 * gone, waits in memory and is tried again before the next.
 */

import { appendLine } from './line-file.ts';

export interface LineWriterOptions {
  readonly path: string;
  readonly follow: 'path' | 'file';
  /** Lines that wait at most; then the oldest is given up, which `onError` is told. */
  readonly maxWaiting: number;
  /** Called with every failure to write. What it throws is swallowed. */
  readonly onError: ((error: Error) => void) | undefined;
}

export class LineWriter {
  readonly #options: LineWriterOptions;
  readonly #waiting: string[] = [];

  constructor(options: LineWriterOptions) {
    this.#options = options;
  }

  /** The lines that could not be written yet, oldest first. */
  get waiting(): readonly string[] {
    return this.#waiting;
  }

  /** Writes what waits, then the line. The size of the file after it; undefined when something still waits. */
  write(line: string): number | undefined {
    const { path, follow, maxWaiting } = this.#options;
    this.#waiting.push(line);
    let size: number | undefined;
    try {
      for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
        size = appendLine(path, first, follow);
        this.#waiting.shift();
      }
      return size;
    } catch (error) {
      this.report(error);
    }
    if (this.#waiting.length > maxWaiting) {
      this.#waiting.shift();
      this.report(new Error(`A line for ${path} is lost: ${maxWaiting} others wait already.`));
    }
    return undefined;
  }

  /** Runs what must not break the caller; an error goes to `onError`. */
  attempt<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      this.report(error);
      return undefined;
    }
  }

  report(error: unknown): void {
    try {
      this.#options.onError?.(error instanceof Error ? error : new Error(String(error)));
    } catch {
      // A listener shows; it does not decide.
    }
  }
}
