/**
 * Retries for streams of objects, such as the events of an SDK or the chunks of an agent, with the same decisions, waits
 * and events: until the first content, and never after it.
 */

import { progress } from './loop/progress.ts';
import { run } from './loop/retry-loop.ts';
import {
  type AttemptStream,
  StreamFace,
  type StreamOperation,
  type StreamReaders,
  type ValuesOf,
} from './operation/stream-face.ts';
import type { OperationContext } from './operation/operation-face.ts';
import type { StreamRetryConfig } from './options/config.ts';
import { resolveFunction } from './operation/function-policy.ts';
import type { Policy } from './options/policy.ts';
import { abortError, abortWith, raceAbort, reasonOf } from './runtime/abort.ts';
import { expectFunction, givenOptions } from './runtime/expect.ts';
import { doNothing, inNextTask } from './runtime/runtime.ts';

/**
 * The values of `make(context)`, which is called again while a retry can help and the consumer has seen nothing. The last
 * attempt is seen as it came: what it threw is thrown, and a value that reports an error is that value. Nothing is called
 * before the first `next()`. `return()`, as at the end of a loop, and an abort end a wait and close the stream. After the
 * first content one value is read for each `next()`.
 *
 * @throws TypeError if an argument is invalid
 */
export function retryStream<T, R = unknown>(
  make: (context: OperationContext) => ValuesOf<T, R> | Promise<ValuesOf<T, R>>,
  config: StreamRetryConfig<NoInfer<T>> = {},
): AsyncGenerator<T, R | undefined> {
  expectFunction('make', make);
  const policy = resolveFunction('retryStream', config);
  const { isContent, errorIn, signal } = givenOptions<StreamRetryConfig<T>>(config);
  return new RetriedStream(policy, make, { isContent, errorIn }, signal ?? undefined);
}

type Step<T, R> = IteratorResult<T, R | undefined>;

const DONE = { done: true, value: undefined } as const;

class RetriedStream<T, R> implements AsyncGenerator<T, R | undefined> {
  readonly #policy: Policy;
  readonly #make: StreamOperation<T, R>;
  readonly #readers: StreamReaders<T>;
  readonly #signal: AbortSignal | undefined;
  /** Aborts with the caller, and when the consumer leaves. */
  readonly #whole = new AbortController();
  #release: () => void = doNothing;
  /** What the consumer reads. */
  #stream: AttemptStream<T, R> | undefined;
  /** What is thrown after the values that were held. */
  #thrown: { readonly error: unknown } | undefined;
  /** The last call of `next()`; they are answered in order. */
  #last: Promise<unknown> = Promise.resolve();
  #pending = 0;
  #isOver = false;

  constructor(policy: Policy, make: StreamOperation<T, R>, readers: StreamReaders<T>, signal: AbortSignal | undefined) {
    this.#policy = policy;
    this.#make = make;
    this.#readers = readers;
    this.#signal = signal;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<Step<T, R>> {
    this.#pending += 1;
    const step = this.#last
      .then(() => this.#next())
      .finally(() => {
        this.#pending -= 1;
      });
    this.#last = step.catch(doNothing);
    return step;
  }

  async return(value?: R | PromiseLike<R | undefined>): Promise<Step<T, R>> {
    if (!this.#isOver) {
      const stream = this.#stream;
      this.#finish();
      // A pending `next()` and a wait end at once; otherwise the source is closed as at the end of any loop.
      if (this.#pending === 0) await stream?.close();
      else stream?.drop();
      this.#whole.abort(abortError('The stream was left.', 'AbortError'));
    }
    return { done: true, value: await value };
  }

  async throw(error: unknown): Promise<never> {
    await this.return();
    throw error;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return();
  }

  async #next(): Promise<Step<T, R>> {
    try {
      if (!this.#isOver && this.#stream === undefined) this.#stream = await this.#open();
      return await this.#step();
    } catch (error) {
      if (this.#wasLeft()) return DONE;
      this.#stream?.drop();
      this.#finish();
      const { signal } = this.#whole;
      throw signal.aborted ? reasonOf(signal) : error;
    }
  }

  /** It changes while others wait. */
  #wasLeft(): boolean {
    return this.#isOver;
  }

  async #step(): Promise<Step<T, R>> {
    const stream = this.#stream;
    if (this.#isOver || stream === undefined) return DONE;
    const { signal } = this.#whole;
    if (signal.aborted) throw reasonOf(signal);
    const held = stream.held.shift();
    if (held !== undefined) return held;
    if (this.#thrown !== undefined) throw this.#thrown.error;
    const step = stream.end ?? (await raceAbort(stream.next(), signal, undefined, inNextTask));
    if (this.#wasLeft()) return DONE;
    if (step.done === true) {
      // Streams of SDKs end quietly after an abort, which looks like the end of the answer.
      if (signal.aborted) throw reasonOf(signal);
      this.#finish();
    }
    return step;
  }

  /** Nothing follows. */
  #finish(): void {
    this.#isOver = true;
    this.#stream = undefined;
    this.#release();
  }

  /** Runs attempts until one has content, has ended, or is the last. Rejects after an abort. */
  async #open(): Promise<AttemptStream<T, R>> {
    const { signal } = this.#whole;
    this.#release = abortWith(this.#signal, this.#whole);
    signal.addEventListener('abort', () => this.#stream?.drop());
    const face = new StreamFace(this.#policy, this.#make, this.#readers, signal);
    try {
      const stream = await run(this.#policy, face, undefined, progress);
      if (signal.aborted) stream.drop();
      return stream;
    } catch (error) {
      const { last } = face;
      if (signal.aborted || last === undefined) throw error;
      this.#thrown = { error };
      return last;
    }
  }
}
