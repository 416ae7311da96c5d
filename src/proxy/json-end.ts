/**
 * Whether JSON that is passed on is complete. fetch unpacks what a target compressed against the request, and takes a
 * compressed body that ends too early for a whole one.
 */

const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const OPENING: readonly (number | undefined)[] = [0x5b, 0x7b];
const CLOSING: readonly (number | undefined)[] = [0x5d, 0x7d];

export class JsonEnd {
  #depth = 0;
  #isInText = false;
  #isEscaped = false;

  feed(bytes: Uint8Array): void {
    for (const byte of bytes) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === QUOTE) this.#isInText = !this.#isInText;
      else if (this.#isInText) this.#isEscaped = byte === BACKSLASH;
      else if (OPENING.includes(byte)) this.#depth += 1;
      else if (CLOSING.includes(byte)) this.#depth -= 1;
    }
  }

  get isCut(): boolean {
    return this.#isInText || this.#depth > 0;
  }
}
