/**
 * One response of a provider: its body, the attempts before it, and its failure if it has one. The caller's key is
 * masked in failures.
 */

import { type BodyReader, BodyReading, discard, PEEK_BYTES, peekBody } from '../body/response-body.ts';
import { throwIfAborted } from '../runtime/abort.ts';
import { textOf } from '../runtime/first-bytes.ts';
import {
  type AttemptRecord,
  classify,
  type Failure,
  outcomeOf,
  redact,
  StalledStreamError,
  TruncatedStreamError,
} from '../index.ts';
import { parseJson } from '../runtime/values.ts';
import { LLMError } from './llm-error.ts';

/** How the call ended, if retries were made. */
export type CallEnd = ReturnType<typeof outcomeOf>;

/** How long to wait for the end of a complete answer, so that its connection can be used again. */
const CLOSE_MS = 250;

/** Its body is read once, until the signal aborts; {@link Answer.release} lets go of the rest. */
export class Answer {
  readonly #response: Response;
  readonly #signal: AbortSignal | undefined;
  readonly #secrets: readonly string[];
  readonly #history: readonly AttemptRecord[];
  readonly #end: CallEnd;
  #reader: BodyReader | undefined;

  constructor(
    response: Response,
    signal: AbortSignal | undefined,
    secrets: readonly string[],
    end: CallEnd = outcomeOf(response),
  ) {
    this.#response = response;
    this.#signal = signal;
    this.#secrets = secrets;
    this.#end = end;
    this.#history = end?.history ?? [];
    signal?.addEventListener('abort', this.#cancel);
  }

  /** The next chunk; undefined at the end. @throws the error of the body, or the reason of the signal after an abort */
  async read(): Promise<Uint8Array | undefined> {
    throwIfAborted(this.#signal);
    // Not earlier: the caller's own transport may have read the body of a failure.
    this.#reader ??= (this.#response.body ?? textStream(this.#response)).getReader();
    const { value } = await this.#reader.read();
    throwIfAborted(this.#signal);
    return value;
  }

  /** Cancels the body. Of a complete answer it reads the small rest in the background. */
  release(isComplete: boolean = false): void {
    this.#signal?.removeEventListener('abort', this.#cancel);
    if (!isComplete || this.#reader === undefined) return this.#cancel();
    const reading = new BodyReading(this.#reader).run(undefined, PEEK_BYTES, CLOSE_MS, () => false);
    void reading.then((end) => end === 'stopped' && this.#cancel());
  }

  // Cancelling settles a pending read.
  readonly #cancel = (): void => discard(this.#reader ? { body: this.#reader } : this.#response);

  get isJson(): boolean {
    return /^\s*application\/(?:[\w.+-]+\+)?json\b/i.test(this.#contentType);
  }

  get isEventStream(): boolean {
    return /^\s*text\/event-stream\b/i.test(this.#contentType);
  }

  /** The error of a failed status; null for any other status. */
  async statusError(): Promise<LLMError | null> {
    const { status } = this.#response;
    if (status < 400) return null;
    // The retries have read the body already.
    const body = this.#known === undefined ? await this.#errorBody() : '';
    return this.error(this.findFailure(body) ?? unknownFailure(status, `HTTP ${status}`));
  }

  /** Reads the body as a completion. @throws LLMError if it holds none, or the reason of the signal after an abort */
  async completion<T>(read: (body: unknown) => T | undefined): Promise<T> {
    let text = '';
    try {
      const decoder = new TextDecoder();
      for (let chunk = await this.read(); chunk !== undefined; chunk = await this.read())
        text += decoder.decode(chunk, { stream: true });
      text += decoder.decode();
    } catch (error) {
      throw this.errorOfBreak(error);
    }
    const failure = this.findFailure(text);
    if (failure !== null) throw this.error(failure);
    const body = parseJson(text);
    const completion = body === undefined ? undefined : read(body);
    if (completion !== undefined) return completion;
    throw this.error(this.noCompletion(text.length));
  }

  /** The failure in a body, or in one event of it. */
  findFailure(body: string): Failure | null {
    const { status, headers } = this.#response;
    return classify({ status, headers, body: redact(body, this.#secrets) });
  }

  /** The error of a body that broke while it was read; after an abort, the reason of the signal. */
  errorOfBreak(cause: unknown, isPartial = false): unknown {
    if (this.#signal?.aborted === true) return this.#signal.reason;
    const words = cause instanceof Error ? `: ${redact(cause.message, this.#secrets)}` : '';
    const failure =
      cause instanceof StalledStreamError || cause instanceof TruncatedStreamError
        ? cause.failure
        : this.interruption(`The connection broke${words}`);
    return this.error(failure, isPartial, cause);
  }

  /** The failure of an answer that is incomplete. */
  interruption(message: string): Failure {
    const { status } = this.#response;
    return { type: 'stream_interrupted', retryable: true, category: 'retryable', status, message, phase: 'stream' };
  }

  /** The failure of an answer in an unknown format, such as the page of a website. `length`: of its text. */
  noCompletion(length: number): Failure {
    const what = `content-type ${this.#contentType || 'unknown'}, ${length} characters`;
    return unknownFailure(this.#response.status, `The answer holds no completion: ${what}`);
  }

  /** `isPartial`: whether output has begun, so that a retry would repeat it. */
  error(failure: Failure, isPartial = false, cause?: unknown): LLMError {
    const reported = isPartial ? { ...failure, retryable: false } : (this.#known ?? failure);
    return new LLMError(Object.freeze(reported), {
      ...(this.#end?.type === 'failed' && this.#end),
      // Of an answer that broke off, the last attempt is a failed one.
      history: outcomeOf(cause)?.history ?? this.#history,
      isPartial,
      cause,
    });
  }

  get #contentType(): string {
    return this.#response.headers?.get('content-type') ?? '';
  }

  /** The failure as the retries classified this response, with the caller's own `classify`. */
  get #known(): Failure | undefined {
    return this.#history.at(-1)?.failure ?? undefined;
  }

  async #errorBody(): Promise<string> {
    const { body } = await peekBody(this.#response, this.#signal);
    throwIfAborted(this.#signal);
    return textOf(body) ?? '';
  }
}

function unknownFailure(status: number, message: string): Failure {
  return { type: 'unknown', retryable: false, category: 'non-retryable', status, message, phase: 'response' };
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
