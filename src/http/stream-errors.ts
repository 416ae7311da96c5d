/** The errors of a stream that has broken after its response headers, without an error of its connection. */

import { statusFailure } from '../classify/make-failure.ts';
import type { Failure } from '../failure/failure.ts';
import type { StreamPosition } from '../protocol/event-reader.ts';

/** `bytes`: nothing arrived at all. `output`: only events that keep the connection open. */
export type StallKind = 'bytes' | 'output';

/** Thrown by the body of a stream that is silent for too long. The connection is closed, and nothing is retried. */
export class StalledStreamError extends Error {
  override readonly name = 'StalledStreamError';
  /** What was missing: any byte, or an event that is more than a ping. */
  readonly kind: StallKind;
  /** The limit that was exceeded, in milliseconds. */
  readonly afterMs: number;
  /** The name or type of the last event; null if there was none. */
  declare readonly lastEvent: string | null;
  /** The id of the response, where the protocol has one (OpenAI Responses). */
  declare readonly responseId?: string;
  /** The `sequence_number` of the last event, where the protocol has one (OpenAI Responses). */
  declare readonly sequenceNumber?: number;
  /** The classification: a `timeout`. */
  readonly failure: Failure;

  constructor(kind: StallKind, afterMs: number, position: StreamPosition) {
    const what = kind === 'bytes' ? 'nothing' : 'only pings';
    // Without the names of the options: the OpenAI SDK would replace an error that has the word in them by its own.
    super(`The stream has sent ${what} for ${afterMs} ms, longer than its watch allows. ${lastSeen(position)}`);
    this.kind = kind;
    this.afterMs = afterMs;
    Object.assign(this, position);
    this.failure = statusFailure({ type: 'timeout', phase: 'stream', message: this.message });
  }
}

/** Thrown by the body of a stream that ended without the last event of its protocol: the answer is incomplete. */
export class TruncatedStreamError extends Error {
  override readonly name = 'TruncatedStreamError';
  /** The name or type of the last event; null if there was none. */
  declare readonly lastEvent: string | null;
  /** The id of the response, where the protocol has one (OpenAI Responses). */
  declare readonly responseId?: string;
  /** The `sequence_number` of the last event, where the protocol has one (OpenAI Responses). */
  declare readonly sequenceNumber?: number;
  /** The classification: `stream_interrupted`. */
  readonly failure: Failure;

  /** `host`: of a watched stream, whose check has an option. */
  constructor(position: StreamPosition, host?: string) {
    const advice = ' If this server sends no end, `answers: { checkEnd: false }` allows that.';
    const whose = host === undefined || host === '' ? '' : ` of ${host}`;
    super(
      `The stream${whose} ended before the answer was complete. ${lastSeen(position)}${host === undefined ? '' : advice}`,
    );
    Object.assign(this, position);
    this.failure = statusFailure({ type: 'stream_interrupted', phase: 'stream', message: this.message });
  }
}

function lastSeen({ lastEvent }: StreamPosition): string {
  return lastEvent === null ? 'No event had arrived.' : `Last event: ${lastEvent}.`;
}
