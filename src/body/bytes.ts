/** Bytes of a body, as they arrive. */

/** Bytes that are added at the end and taken from the beginning, in one piece of memory. */
export class Bytes {
  #memory = new Uint8Array(1_024);
  #start = 0;
  #end = 0;

  get length(): number {
    return this.#end - this.#start;
  }

  /** Holds until the next call of another method. */
  get view(): Uint8Array<ArrayBuffer> {
    return this.#memory.subarray(this.#start, this.#end);
  }

  add(chunk: Uint8Array): void {
    if (this.#end + chunk.length > this.#memory.length) this.#makeRoom(chunk.length);
    this.#memory.set(chunk, this.#end);
    this.#end += chunk.length;
  }

  /** Removes so many bytes, or as many as there are. */
  drop(count: number): void {
    this.#start = Math.min(this.#start + count, this.#end);
  }

  #makeRoom(added: number): void {
    const kept = this.view;
    const length = kept.length + added;
    if (length > this.#memory.length) this.#memory = new Uint8Array(2 * length);
    this.#memory.set(kept);
    this.#start = 0;
    this.#end = kept.length;
  }
}

/** Whether a chunk of a body is bytes. The body of a custom fetch may have any chunks. */
export function isBytes(chunk: unknown): chunk is Uint8Array<ArrayBuffer> {
  return ArrayBuffer.isView(chunk) && Reflect.get(chunk, Symbol.toStringTag) === 'Uint8Array';
}

/** Chunks as one, without what is beyond `maxBytes`. */
export function concat(chunks: readonly Uint8Array[], maxBytes: number): Uint8Array<ArrayBuffer> {
  const length = chunks.reduce((bytes, { byteLength }) => bytes + byteLength, 0);
  const whole = new Uint8Array(Math.min(length, maxBytes));
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk.subarray(0, whole.length - offset), offset);
    offset += chunk.byteLength;
    if (offset >= whole.length) break;
  }
  return whole;
}

const PART_BYTES = 4_096;

/**
 * Calls `feed` with each short part of bytes, so that a long chunk is read no further than needed. Whether one of them
 * returned true.
 */
export function inParts(bytes: Uint8Array, feed: (part: Uint8Array) => boolean): boolean {
  let isAny = false;
  for (let at = 0; at < bytes.length; at += PART_BYTES) if (feed(bytes.subarray(at, at + PART_BYTES))) isAny = true;
  return isAny;
}
