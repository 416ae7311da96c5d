/**
 * Holds a stream beyond its first content, for callers who show nothing before: until its first text, so that a failure
 * while the model thinks can be retried, or until its end, so that every failure can be. There is then no output that a
 * person has seen, and nothing comes twice.
 *
 * Until the text, a clone is read, as by the guard. Until the end, the body itself is read and replayed, because a clone
 * that fails drops what was not read; the caller gets a re-made response.
 */

import { isByteStream, remakeResponse } from '../fetch/remake-response.ts';
import { cancelClone, readerOfClone } from '../fetch/response-body.ts';
import { errorOf, kindOf } from '../protocol/event-kinds.ts';
import type { Framing, StreamEvent } from '../protocol/split-events.ts';
import { StreamFollower } from '../protocol/stream-follower.ts';
import type { EventProgress, StreamProgress } from '../protocol/stream-progress.ts';
import { isThinking } from '../protocol/thinking.ts';
import { reasonOf, throwIfAborted } from '../runtime/abort.ts';
import { type Alarm, createAlarm, startTimer } from '../runtime/runtime.ts';
import type { HeldFailure, HoldLimits } from './guard.ts';
import { KeptBytes } from './kept-bytes.ts';
import { StallClocks, type StallLimits } from './stall-clocks.ts';
import { type StallKind, StalledStreamError, TruncatedStreamError } from './stream-errors.ts';

/** How far a stream is held: until its first text, or until its end. */
export type LongHoldEnd = 'text' | 'end';

/** What the hold has come to. `failure`: null if the caller gets the response. */
export interface LongHeld {
  readonly response: Response;
  readonly failure: HeldFailure | null;
  /** Whether the response holds the whole answer, which has ended as it should. */
  readonly isWhole: boolean;
}

/** What a hold knows of the attempt. */
export interface HeldAttempt {
  readonly signal: AbortSignal | undefined;
  /** Called at each output, thinking included: then the time limit of the attempt ends. */
  readonly onOutput: () => void;
  readonly secrets: () => readonly string[];
}

/**
 * Reads until the stream has its first text, or has ended, or has failed. Rejects with the signal's reason, and with a
 * {@link StalledStreamError} if the stream goes silent.
 */
export async function holdLonger(
  response: Response,
  framing: Framing,
  until: LongHoldEnd,
  limits: HoldLimits & StallLimits,
  attempt: HeldAttempt,
): Promise<LongHeld> {
  throwIfAborted(attempt.signal);
  return new LongHold(response, framing, until, limits, attempt).hold();
}

type Reader = ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;
type Part = ReadableStreamReadResult<Uint8Array<ArrayBuffer>>;
const DONE: Part = { done: true, value: undefined };
/** Why a read is not waited for any longer. */
type Interruption = { readonly stall: StallKind; readonly afterMs: number } | 'expired' | 'complete' | 'aborted';

/** A server may keep the connection open after the last event, and a break there is no loss. */
const GRACE_MS = 1_000;

class LongHold {
  readonly #response: Response;
  readonly #until: LongHoldEnd;
  readonly #limits: HoldLimits & StallLimits;
  readonly #attempt: HeldAttempt;
  readonly #follower: StreamFollower;
  readonly #progress: StreamProgress;
  readonly #kept = new KeptBytes();
  readonly #clocks: StallClocks;
  readonly #grace: Alarm;
  #bytes = 0;
  #hasBegun = false;
  #decision: 'release' | HeldFailure | undefined;
  #reading: Promise<Part> | undefined;
  #interrupted: Interruption | undefined;
  #interrupt: ((why: Interruption) => void) | undefined;

  constructor(
    response: Response,
    framing: Framing,
    until: LongHoldEnd,
    limits: HoldLimits & StallLimits,
    attempt: HeldAttempt,
  ) {
    this.#response = response;
    this.#until = until;
    this.#limits = limits;
    this.#attempt = attempt;
    this.#follower = new StreamFollower(framing, until === 'end', (event, step) => this.#visit(event, step));
    this.#progress = this.#follower.progress;
    this.#clocks = new StallClocks(limits, (stall, afterMs) => this.#stop({ stall, afterMs }));
    this.#grace = createAlarm(GRACE_MS, () => this.#stop('complete'));
  }

  async hold(): Promise<LongHeld> {
    const response = this.#response;
    const { signal } = this.#attempt;
    const isEnd = this.#until === 'end';
    const source = isEnd ? response.body : null;
    // Not every runtime has streams of bytes.
    const isOfBytes = source !== null && isByteStream(source);
    const reader = openReader(response, source);
    if (reader === null) return { response, failure: null, isWhole: false };
    const { maxHoldMs } = this.#limits;
    const clearTimer = maxHoldMs === Infinity ? doNothing : startTimer(maxHoldMs, () => this.#stop('expired'));
    const onAbort = (): void => this.#stop('aborted');
    signal?.addEventListener('abort', onAbort);
    let end: Interruption | HeldFailure | 'release' | 'end';
    try {
      end = await this.#read(reader);
    } finally {
      clearTimer();
      this.#clocks.stop();
      this.#grace.stop();
      signal?.removeEventListener('abort', onAbort);
    }
    if (signal?.aborted === true) {
      this.#cancel(reader, reasonOf(signal));
      throw reasonOf(signal);
    }
    if (typeof end === 'object' && 'stall' in end) {
      const error = new StalledStreamError(end.stall, end.afterMs, this.#progress.position, this.#attempt.secrets());
      void reader.cancel(error).catch(doNothing);
      throw error;
    }
    const failure = typeof end === 'object' ? end : null;
    const isBroken = failure !== null && 'interrupted' in failure;
    if (!isEnd) {
      if (!isBroken) this.#cancel(reader, undefined);
      return { response, failure, isWhole: false };
    }
    const isWhole = end === 'complete' || end === 'end';
    if (isWhole) this.#cancel(reader, undefined);
    let underWay = isWhole ? Promise.resolve(DONE) : this.#reading;
    const next = (): Promise<Part> => {
      const part = underWay ?? reader.read();
      underWay = undefined;
      return part;
    };
    const rest = { next, cancel: (reason: unknown) => reader.cancel(reason), response };
    const body = replay(this.#kept, isBroken ? this.#causeOf(failure.cause) : rest, isOfBytes);
    return { response: remakeResponse(response, body), failure, isWhole };
  }

  #cancel(reader: Reader, reason: unknown): void {
    if (this.#until === 'text') cancelClone(reader, this.#response, this.#attempt.signal);
    else void reader.cancel(reason).catch(doNothing);
  }

  #causeOf(cause: unknown): { readonly error: unknown } {
    return { error: cause ?? new TruncatedStreamError(this.#progress.position, this.#attempt.secrets()) };
  }

  async #read(reader: Reader): Promise<Interruption | HeldFailure | 'release' | 'end'> {
    for (;;) {
      this.#clocks.begin();
      let part: Part | Interruption;
      try {
        part = await this.#next(reader);
      } catch (cause) {
        return this.#progress.isOver ? 'end' : { interrupted: true, cause };
      }
      if (typeof part === 'string' || 'stall' in part) return part;
      this.#reading = undefined;
      if (part.done) return this.#ended();
      if (!ArrayBuffer.isView(part.value)) return 'release';
      this.#take(part.value);
      if (this.#decision !== undefined) return this.#decision;
    }
  }

  #next(reader: Reader): Promise<Part | Interruption> {
    if (this.#interrupted !== undefined) return Promise.resolve(this.#interrupted);
    const reading = reader.read();
    this.#reading = reading;
    // Not a race with a promise that outlives the read: each of its losers would stay in memory.
    return new Promise((resolve, reject) => {
      this.#interrupt = resolve;
      reading.then(resolve, reject);
    });
  }

  #stop(why: Interruption): void {
    this.#interrupted ??= why;
    this.#interrupt?.(this.#interrupted);
  }

  #take(chunk: Uint8Array): void {
    if (this.#until === 'end') this.#kept.add(chunk);
    // An endless stream of empty chunks would leave no time for any timer.
    this.#bytes += Math.max(chunk.byteLength, 1);
    this.#clocks.arrive(this.#follower.feed(chunk), false);
    if (this.#bytes > this.#limits.maxHoldBytes) this.#decision ??= 'release';
  }

  #visit(event: StreamEvent, step: EventProgress): boolean {
    const kind = kindOf(event);
    if (kind === 'error') this.#decision = errorOf(event);
    else if (kind === 'preamble') this.#hasBegun = true;
    else this.#seeContent(event);
    if (step === 'end') this.#clocks.stop();
    if (this.#progress.isOver && step !== 'ping') this.#grace.restart();
    return this.#decision !== undefined;
  }

  #seeContent(event: StreamEvent): void {
    const { protocol, isOver } = this.#progress;
    // Nothing is known about where it ends.
    if (protocol === 'foreign' || protocol === 'unknown') this.#decision = 'release';
    this.#attempt.onOutput();
    if (this.#until === 'text' && (isOver || !isThinking(event))) this.#decision = 'release';
  }

  #ended(): HeldFailure | 'release' | 'end' {
    const progress = this.#progress;
    if (progress.isOver) return 'end';
    const isCut = this.#follower.endsInsideEvent();
    const protocol: StreamProgress['protocol'] = progress.protocol;
    const isOver: boolean = progress.isOver;
    if (isOver) return this.#until === 'end' ? 'end' : 'release';
    const isKnown = protocol !== 'foreign' && protocol !== 'unknown';
    if (isKnown || isCut || this.#hasBegun || this.#follower.isAnnounced)
      return { interrupted: true, cause: undefined };
    return 'release';
  }
}

function openReader(response: Response, source: Response['body']): Reader | null {
  return source === null ? readerOfClone(response) : source.getReader();
}

interface LiveRest {
  readonly next: () => Promise<Part>;
  readonly cancel: (reason: unknown) => Promise<void>;
  /** Held, because Node cancels the body of a response that is garbage-collected. */
  readonly response: Response;
}

/** The kept bytes, then the rest of the body, or the error that broke it. */
function replay(
  kept: KeptBytes,
  rest: LiveRest | { readonly error: unknown },
  isOfBytes: boolean,
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const pull = async (controller: ReadableStreamController<Uint8Array<ArrayBuffer>>): Promise<void> => {
    const block = kept.take();
    if (block !== undefined && block.byteLength > 0) {
      controller.enqueue(block);
      return;
    }
    if ('error' in rest) throw rest.error;
    for (;;) {
      const part = await rest.next();
      if (part.done) {
        controller.close();
        // Answers a reader that waits with its own buffer.
        if ('byobRequest' in controller) controller.byobRequest?.respond(0);
        return;
      }
      if (part.value.byteLength === 0) continue;
      controller.enqueue(part.value);
      return;
    }
  };
  const cancel = 'error' in rest ? doNothing : rest.cancel;
  return isOfBytes
    ? new ReadableStream({ type: 'bytes', pull, cancel }, { highWaterMark: 0 })
    : new ReadableStream({ pull, cancel }, { highWaterMark: 0 });
}

function doNothing(): void {}
