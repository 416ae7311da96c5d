/**
 * The face of a stream of objects: an attempt is one stream, up to its first content. What it has said until then is
 * held; the rest is read when the consumer asks for it.
 */

import type { BodyReaders } from '../gate/body-end.ts';
import type { GateFacts, Judged, Settled } from '../loop/face.ts';
import type { Policy } from '../options/policy.ts';
import { throwIfAborted } from '../runtime/abort.ts';
import { get } from '../runtime/values.ts';
import { type Fault, faultOf, OperationFace, type OperationContext } from './operation-face.ts';

/** `AsyncIterable<T, R>`, which has one parameter before TypeScript 5.6. */
export interface ValuesOf<T, R> {
  [Symbol.asyncIterator](): AsyncIterator<T, R>;
}

/** What `retryStream` calls, once for each attempt. Its signal aborts until the end of the stream. */
export type StreamOperation<T, R> = (context: OperationContext) => ValuesOf<T, R> | Promise<ValuesOf<T, R>>;

/** How the values of a stream are read; undefined: the default. */
export interface StreamReaders<T> {
  readonly isContent: ((value: T) => boolean) | undefined;
  readonly errorIn: ((value: T) => unknown) | undefined;
}

/** The stream of one attempt. */
export class AttemptStream<T, R> {
  /** Values that the consumer has not got. */
  readonly held: IteratorYieldResult<T>[] = [];
  /** Set if it has ended before its first content. */
  end: IteratorReturnResult<R> | undefined;
  /** What went wrong before its first content. */
  fault: Fault<this> | undefined;
  /** What a function of the options threw. */
  thrownByOption: { readonly error: unknown } | undefined;
  /** What counts the reads, for a limit on concurrent streams. */
  private readers: BodyReaders | undefined;
  private iterator: AsyncIterator<T, R> | undefined;
  /** Whether it has ended or thrown, so that there is nothing to close. */
  private isOver = false;
  private closing: Promise<void> | undefined;

  start(source: ValuesOf<T, R>): void {
    this.iterator = source[Symbol.asyncIterator]();
    if (this.closing !== undefined) this.closing = this.finish();
  }

  get isClosed(): boolean {
    return this.closing !== undefined;
  }

  async next(): Promise<IteratorResult<T, R>> {
    const { iterator, readers } = this;
    if (iterator === undefined) throw new TypeError('The stream has not started.');
    const ended = readers?.read();
    let isOver = true;
    try {
      const step = await iterator.next();
      isOver = step.done === true;
      return step;
    } finally {
      ended?.();
      if (isOver) this.over();
    }
  }

  /** Closes the source, once. Rejects with what that throws. */
  close(): Promise<void> {
    return (this.closing ??= this.finish());
  }

  /** The same where the consumer does not wait for it. */
  drop(): void {
    this.close().catch(() => {});
  }

  /** Takes what is told of its reading. */
  readBy(readers: BodyReaders): void {
    this.readers = readers;
    if (this.isOver || this.isClosed) readers.release();
  }

  private async finish(): Promise<void> {
    this.readers?.release();
    if (!this.isOver) await this.iterator?.return?.();
  }

  private over(): void {
    this.isOver = true;
    this.readers?.release();
  }
}

export class StreamFace<T, R> extends OperationFace<AttemptStream<T, R>> {
  /** The stream of the attempt that was sent last. */
  last: AttemptStream<T, R> | undefined;

  constructor(policy: Policy, make: StreamOperation<T, R>, readers: StreamReaders<T>, signal: AbortSignal) {
    super(
      policy,
      (context) => {
        this.last = new AttemptStream<T, R>();
        return open(this.last, make, readers, context);
      },
      signal,
    );
  }

  override isPlain({ fault, thrownByOption }: AttemptStream<T, R>): boolean {
    return fault === undefined && thrownByOption === undefined;
  }

  override judge(settled: Settled<AttemptStream<T, R>>): Judged<AttemptStream<T, R>> {
    const thrown = 'value' in settled ? settled.value.thrownByOption : undefined;
    if (thrown !== undefined) throw thrown.error;
    return super.judge(settled);
  }

  protected override faultIn({ fault }: AttemptStream<T, R>): Fault<AttemptStream<T, R>> | undefined {
    return fault;
  }

  /** A limit on concurrent requests counts the stream until it is closed. */
  override gateFacts(stream: AttemptStream<T, R>): GateFacts | undefined {
    return this.isPlain(stream) ? { readBy: (readers) => stream.readBy(readers), signal: this.signal } : undefined;
  }

  override late(stream: AttemptStream<T, R>): void {
    stream.drop();
  }
}

/** Reads a stream up to its first content. Rejects only after an abort: what is thrown comes after what was held. */
async function open<T, R>(
  stream: AttemptStream<T, R>,
  make: StreamOperation<T, R>,
  { isContent = everyValue, errorIn }: StreamReaders<T>,
  context: OperationContext,
): Promise<AttemptStream<T, R>> {
  const { signal } = context;
  const onAbort = (): void => stream.drop();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    stream.fault = await faultOfStart(stream, make, context);
    while (stream.fault === undefined && !stream.isClosed) {
      const step = await stepOf(stream);
      if ('error' in step) {
        stream.fault = step;
        break;
      }
      if (step.done === true) {
        stream.end = step;
        break;
      }
      // What comes after the end of the attempt is not part of it.
      if (stream.isClosed) break;
      stream.held.push(step);
      const { value } = step;
      const fault = errorIn === undefined ? emittedFault(value, stream) : faultOf(errorIn(value), stream);
      stream.fault = fault;
      if (fault === undefined && isContent(value)) break;
    }
  } catch (error) {
    stream.thrownByOption = { error };
    stream.drop();
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
  throwIfAborted(signal);
  return stream;
}

async function faultOfStart<T, R>(
  stream: AttemptStream<T, R>,
  make: StreamOperation<T, R>,
  context: OperationContext,
): Promise<{ readonly error: unknown } | undefined> {
  try {
    stream.start(await make(context));
    return undefined;
  } catch (error) {
    return { error };
  }
}

async function stepOf<T, R>(
  stream: AttemptStream<T, R>,
): Promise<IteratorResult<T, R> | { readonly done?: never; readonly error: unknown }> {
  try {
    return await stream.next();
  } catch (error) {
    return { error };
  }
}

const everyValue = (): boolean => true;

/** By default a value with the type 'error' is an error, which is retried only if it says so itself. */
function emittedFault<V>(value: unknown, found: V): Fault<V> | undefined {
  if (get(value, 'type') !== 'error') return undefined;
  const error = get(value, 'error') ?? value;
  const word = get(value, 'retryable') ?? get(error, 'retryable') ?? get(error, 'isRetryable');
  return { error, found: { value: found }, isRetried: word === true };
}
