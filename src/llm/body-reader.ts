/** Reads the body of a response once, until the caller's signal aborts, and cancels the rest. */

import { type BodyReader as Reader, BodyReading, PEEK_BYTES } from '../body/response-body.ts';
import { throwIfAborted } from '../runtime/abort.ts';
import { doNothing } from '../runtime/runtime.ts';

/** How long to wait for the end of a complete answer, so that its connection can be used again. */
const CLOSE_MS = 250;

export class BodyReader {
  readonly #response: Response;
  readonly #signal: AbortSignal | undefined;
  #reader: Reader | undefined;

  constructor(response: Response, signal: AbortSignal | undefined) {
    this.#response = response;
    this.#signal = signal;
    signal?.addEventListener('abort', this.#cancel);
  }

  /** The next chunk; undefined at the end. @throws the error of the body, or the reason of the signal after an abort */
  async read(): Promise<Uint8Array | undefined> {
    try {
      throwIfAborted(this.#signal);
      // Not earlier: the caller's own transport may have read the body of a failure.
      this.#reader ??= (this.#response.body ?? textStream(this.#response)).getReader();
      const { value } = await this.#reader.read();
      throwIfAborted(this.#signal);
      return value;
    } catch (error) {
      throw this.#signal?.aborted === true ? this.#signal.reason : error;
    }
  }

  async text(): Promise<string> {
    const decoder = new TextDecoder();
    let text = '';
    for (let chunk = await this.read(); chunk !== undefined; chunk = await this.read())
      text += decoder.decode(chunk, { stream: true });
    return text + decoder.decode();
  }

  release(): void {
    this.#signal?.removeEventListener('abort', this.#cancel);
    this.#cancel();
  }

  /** Ends a complete answer: reads its small rest in the background. */
  async close(): Promise<void> {
    const reader = this.#reader;
    if (reader === undefined) return this.release();
    this.#signal?.removeEventListener('abort', this.#cancel);
    const end = await new BodyReading(reader).run(undefined, PEEK_BYTES, CLOSE_MS, () => false);
    if (end === 'stopped') this.#cancel();
  }

  // Cancelling settles a pending read.
  readonly #cancel = (): void => void (this.#reader ?? this.#response.body)?.cancel().catch(doNothing);
}

/** A custom transport's response may have a text but no stream. */
function textStream(response: Response): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream({
    pull: async (controller) => {
      controller.enqueue(new TextEncoder().encode(await response.text()));
      controller.close();
    },
  });
}
