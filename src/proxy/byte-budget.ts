/** Limits the bytes of request bodies and held answers that all calls of the proxy together keep in memory. */

import { busy } from './refused-error.ts';

export class ByteBudget {
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** @throws RefusedError if `bytes` more would exceed the limit */
  take(bytes: number): void {
    if (this.#bytes + bytes > this.#maxBytes) {
      throw busy('The bodies of all running calls together are over the limit; raise maxBufferedBytes (--max-buffer).');
    }
    this.#bytes += bytes;
  }

  /** Takes the bytes of an answer, unless they would leave less than half of the limit for the bodies of requests. */
  hold(bytes: number): boolean {
    const hasRoom = this.#bytes + bytes <= this.#maxBytes / 2;
    if (hasRoom) this.#bytes += bytes;
    return hasRoom;
  }

  give(bytes: number): void {
    this.#bytes -= bytes;
  }
}
