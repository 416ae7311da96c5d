/** How many bytes of request bodies the proxy keeps in memory, all calls together. */

import { busy } from './refused-error.ts';

export class ByteBudget {
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** @throws RefusedError when there is no room for so many more */
  take(bytes: number): void {
    if (this.#bytes + bytes > this.#maxBytes) {
      throw busy('The bodies of all running calls together are over the limit; raise maxBufferedBytes (--max-buffer).');
    }
    this.#bytes += bytes;
  }

  give(bytes: number): void {
    this.#bytes -= bytes;
  }
}
