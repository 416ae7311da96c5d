/** The bytes of a body that is held, in blocks, because thousands of small chunks would take a multiple of their size. */

const LARGEST_BLOCK_BYTES = 65_536;
const SMALLEST_BLOCK_BYTES = 1_024;

export class KeptBytes {
  /** All bytes that were added. */
  length = 0;
  #blocks: Uint8Array<ArrayBuffer>[] = [];
  /** How much of the last block is used. */
  #used = 0;

  add(chunk: Uint8Array): void {
    let rest = chunk;
    while (rest.byteLength > 0) {
      const block = this.#blocks.at(-1);
      const free = block === undefined ? 0 : block.byteLength - this.#used;
      if (block === undefined || free === 0) {
        // Grows with the body, so that a short answer takes no large block.
        const bytes = Math.min(Math.max(this.length, SMALLEST_BLOCK_BYTES), LARGEST_BLOCK_BYTES);
        this.#blocks.push(new Uint8Array(bytes));
        this.#used = 0;
        continue;
      }
      const part = rest.subarray(0, free);
      block.set(part, this.#used);
      this.#used += part.byteLength;
      this.length += part.byteLength;
      rest = rest.subarray(part.byteLength);
    }
  }

  /** Takes the next block out; undefined when all were taken. Nothing may be added after the first. */
  take(): Uint8Array<ArrayBuffer> | undefined {
    const block = this.#blocks.shift();
    return this.#blocks.length === 0 ? block?.subarray(0, this.#used) : block;
  }
}
