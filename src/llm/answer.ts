/**
 * One response of a provider: its body, the attempts behind it, and what is wrong with it where something is. What it
 * says of itself is scrubbed of the key before anybody sees it.
 */

import { type AttemptRecord, classify, type Failure, redact, retryHistory } from '../index.ts';
import { BodyReader } from './body-reader.ts';
import { parse } from './json.ts';
import { LLMError } from './llm-error.ts';

/** So much is read of a failed response that no retries have read before. */
const ERROR_BODY_LIMITS = { maxBytes: 65_536, maxMs: 1_000 };

export class Answer {
  readonly body: BodyReader;
  readonly #response: Response;
  readonly #signal: AbortSignal | undefined;
  readonly #secrets: readonly string[];
  readonly #history: readonly AttemptRecord[];

  constructor(response: Response, signal: AbortSignal | undefined, secrets: readonly string[]) {
    this.#response = response;
    this.#signal = signal;
    this.#secrets = secrets;
    this.#history = retryHistory(response);
    this.body = new BodyReader(response, signal);
  }

  get isJson(): boolean {
    return /^\s*application\/(?:[\w.+-]+\+)?json\b/i.test(this.#contentType);
  }

  /** The error of a failed status; null for any other. */
  async statusError(): Promise<LLMError | null> {
    const { status } = this.#response;
    if (status < 400) return null;
    // The retries have looked into it already.
    const body = this.#known === undefined ? await this.#errorBody() : '';
    return this.error(this.findFailure(body) ?? unknownFailure(status, `HTTP ${status}`));
  }

  /** Reads the body as a completion. @throws LLMError where it is none, or the reason of an abort */
  async completion<T>(read: (body: unknown) => T | undefined): Promise<T> {
    let text: string;
    try {
      text = await this.body.text();
    } catch (error) {
      throw this.errorOfBreak(error);
    }
    const failure = this.findFailure(text);
    if (failure !== null) throw this.error(failure);
    const body = parse(text);
    const completion = body === undefined ? undefined : read(body);
    if (completion !== undefined) return completion;
    const what = `content-type ${this.#contentType || 'unknown'}, ${text.length} characters`;
    throw this.error(unknownFailure(this.#response.status, `The answer holds no completion: ${what}`));
  }

  /** The failure in a body, or in a part of it that can stand alone. */
  findFailure(body: string): Failure | null {
    const { status, headers } = this.#response;
    return classify({ status, headers, body: redact(body, this.#secrets) });
  }

  /** What broke the body while it was read; after an abort, its reason. */
  errorOfBreak(cause: unknown, isPartial = false): unknown {
    if (this.#signal?.aborted === true) return this.#signal.reason;
    const words = cause instanceof Error ? `: ${redact(cause.message, this.#secrets)}` : '';
    return this.error(this.interruption(`The connection broke${words}`), isPartial, cause);
  }

  /** The failure of an answer that is not whole. */
  interruption(message: string): Failure {
    const { status } = this.#response;
    return { type: 'stream_interrupted', retryable: true, category: 'retryable', status, message, phase: 'stream' };
  }

  /** `isPartial`: output has begun, so that nothing can be asked for again. */
  error(failure: Failure, isPartial = false, cause?: unknown): LLMError {
    const told = isPartial ? { ...failure, retryable: false } : (this.#known ?? failure);
    return new LLMError(Object.freeze(told), { history: this.#history, isPartial, cause });
  }

  get #contentType(): string {
    return this.#response.headers?.get('content-type') ?? '';
  }

  /** What the retries have made of this very response, with the caller's own classification. */
  get #known(): Failure | undefined {
    return this.#history.at(-1)?.failure ?? undefined;
  }

  async #errorBody(): Promise<string> {
    try {
      return await this.body.text(ERROR_BODY_LIMITS);
    } catch (error) {
      this.#signal?.throwIfAborted();
      return error instanceof Error ? error.message : '';
    }
  }
}

function unknownFailure(status: number, message: string): Failure {
  return { type: 'unknown', retryable: false, category: 'non-retryable', status, message, phase: 'response' };
}
