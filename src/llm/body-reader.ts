/** Reads the body of a response once, under the caller's signal, and lets go of what is not read. */

/** So long may a complete answer take to close its stream, so that its connection can be used again. */
const CLOSE_MS = 250;

export class BodyReader {
  readonly #response: Response;
  readonly #signal: AbortSignal | undefined;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;

  constructor(response: Response, signal: AbortSignal | undefined) {
    this.#response = response;
    this.#signal = signal;
    signal?.addEventListener('abort', this.#cancel);
  }

  /** The next piece; undefined at the end. @throws what broke the body, or the reason of an abort */
  async read(): Promise<Uint8Array | undefined> {
    try {
      this.#signal?.throwIfAborted();
      // Not before it is needed: a transport of the caller's own may have read the body of a failure.
      this.#reader ??= (this.#response.body ?? textStream(this.#response)).getReader();
      const { value } = await this.#reader.read();
      this.#signal?.throwIfAborted();
      return value;
    } catch (error) {
      throw this.#signal?.aborted === true ? this.#signal.reason : error;
    }
  }

  /** The text to its end. With limits: as much as comes within them. */
  async text(limits?: { readonly maxBytes: number; readonly maxMs: number }): Promise<string> {
    const { maxBytes = Number.POSITIVE_INFINITY } = limits ?? {};
    if (limits !== undefined) this.#cancelAfter(limits.maxMs);
    const decoder = new TextDecoder();
    let text = '';
    let bytes = 0;
    while (bytes <= maxBytes) {
      const chunk = await this.read();
      if (chunk === undefined) break;
      bytes += chunk.byteLength;
      text += decoder.decode(chunk, { stream: true });
    }
    return text + decoder.decode();
  }

  /** Lets go of the body: what has not been read is cancelled. */
  release(): void {
    this.#signal?.removeEventListener('abort', this.#cancel);
    this.#cancel();
  }

  /** Lets go of a body that has said all: what little is left is read, in the background. */
  async close(): Promise<void> {
    const reader = this.#reader;
    if (reader === undefined) return this.release();
    this.#signal?.removeEventListener('abort', this.#cancel);
    this.#cancelAfter(CLOSE_MS);
    try {
      while (!(await reader.read()).done);
    } catch {
      // The answer is complete, whatever happens to its connection.
    }
  }

  // Cancelling settles a pending read.
  readonly #cancel = (): void => void (this.#reader ?? this.#response.body)?.cancel().catch(() => {});

  #cancelAfter(ms: number): void {
    AbortSignal.timeout(ms).addEventListener('abort', this.#cancel);
  }
}

/** A transport of the caller's own may give a response that has a text and no stream. */
function textStream(response: Response): ReadableStream<Uint8Array> {
  return new ReadableStream({
    pull: async (controller) => {
      controller.enqueue(new TextEncoder().encode(await response.text()));
      controller.close();
    },
  });
}
