/**
 * The progress of a call, from its events: the current wait, how the call ended, and what the proxy remembers of it.
 */

import type { IncomingMessage } from 'node:http';
import { describeWait } from '../events/describe-event.ts';
import { notify } from '../events/events.ts';
import { oneLine } from '../failure/failure-label.ts';
import {
  DEFAULT_RETRY_CONFIG,
  type Failure,
  type RetryEvent,
  type RetryEventBase,
  type StopReason,
  type WaitReason,
} from '../index.ts';
import type { EarlierCalls, Identity, Progress, Refusal } from './earlier-calls.ts';
import { scheduleAfter } from '../options/schedules.ts';
import { publicUrl, secretsOf } from '../redact/redact.ts';
import type { ProxyEvent, ProxySettings } from './options.ts';
import type { Outgoing } from './outgoing.ts';

/** A wait in progress, for the status page. */
export interface Wait {
  readonly id: string;
  readonly method: string;
  /** The path, without the query. */
  readonly path: string;
  /** The attempt after the wait, from 1. */
  readonly nextAttempt: number;
  /** null: no limit. */
  readonly maxRetries: number | null;
  /** Milliseconds since the epoch. */
  readonly until: number;
  readonly because: WaitReason;
  readonly failure: Failure | undefined;
}

type FailedEvent = Extract<RetryEvent, { readonly type: 'failed' }>;

/** Of a comment. */
const MOST_CHARACTERS = 500;

export class CallProgress {
  readonly #id: string;
  readonly #request: IncomingMessage;
  readonly #settings: ProxySettings;
  readonly #onWait: () => void;
  readonly #startedAt = Date.now();
  #wait: Wait | undefined;
  #progress: Progress | undefined;
  #ending: FailedEvent | undefined;
  #attempts = 0;
  #sentBefore = 0;
  #url = '';
  #headers: Outgoing['headers'] = {};

  /** `onWait` is called at the start of each wait. */
  constructor(id: string, request: IncomingMessage, settings: ProxySettings, onWait: () => void) {
    this.#id = id;
    this.#request = request;
    this.#settings = settings;
    this.#onWait = onWait;
  }

  /** undefined if the call does not wait. */
  get wait(): Wait | undefined {
    return this.#wait;
  }

  /** undefined before the first failure. */
  get progress(): Progress | undefined {
    return this.#progress;
  }

  /** The event that gave the call up; undefined if there was none. */
  get ending(): FailedEvent | undefined {
    return this.#ending;
  }

  /** The number of requests that this call has sent to the target. */
  get attempts(): number {
    return this.#attempts;
  }

  /** The number of requests sent to the target, those of the calls that this one continues included. */
  get sent(): number {
    return this.#sentBefore + this.#attempts;
  }

  /**
   * The retries that are left at the start. Each retry of a call that was given up comes from the client, so it has
   * none.
   */
  get maxRetries(): number {
    return Math.max(0, this.#settings.maxRetries - this.#sentBefore);
  }

  /** The state of the call in one line for a person. */
  get summary(): string {
    if (this.#wait === undefined) return 'waiting for the answer';
    const { until, nextAttempt, maxRetries, because, failure } = this.#wait;
    const delayMs = Math.max(0, Math.ceil((until - Date.now()) / 1_000) * 1_000);
    return oneLine(describeWait({ retry: nextAttempt - 1, maxRetries, delayMs, because, failure }), MOST_CHARACTERS);
  }

  /** The request that is sent to the target; its secrets are masked in what is shown. */
  begin({ url, headers }: Pick<Outgoing, 'url' | 'headers'>): void {
    this.#url = url;
    this.#headers = headers;
  }

  /** Continues an earlier call. */
  goOnFrom(before: Progress): void {
    this.#progress = before;
    this.#sentBefore = before.sent;
  }

  /** Reports the wait that an earlier call left, before the first attempt. */
  waitFor({ notBefore, because, failure, sent }: Progress): void {
    const base = this.#eventBase();
    const delayMs = notBefore - base.at;
    this.#beginWait({ nextAttempt: sent + 1, maxRetries: this.#limit, until: notBefore, because, failure });
    this.#tell({ type: 'delayed', ...base, attempt: 1, delayMs, nextAttemptAt: notBefore, because });
  }

  /**
   * Reports the end of a call that sent nothing. `because`: why it was given up, or `cancelled` if the client has gone.
   */
  endUnsent({ notBefore, failure }: Progress, because: StopReason | 'cancelled'): void {
    const ending = this.#unsent();
    this.#tell(
      because === 'cancelled'
        ? { type: 'cancelled', ...ending }
        : { type: 'failed', ...ending, because, failure, possibleAt: notBefore },
    );
  }

  /** Reports that the call gets the answer to an earlier one again, because no wait can help. */
  refuseAgain({ failure, requestId }: Refusal): void {
    this.#ending = { type: 'failed', ...this.#unsent(), because: 'not-retryable', failure };
    this.#tell({ ...this.#ending, answerOf: requestId });
  }

  #unsent(): Omit<Extract<RetryEvent, { readonly type: 'cancelled' }>, 'type'> {
    this.#wait = undefined;
    const base = this.#eventBase();
    return { ...base, attempts: 0, elapsedMs: base.at - this.#startedAt, history: [] };
  }

  /** Reports that an attempt is sent. */
  attempt(): void {
    this.#attempts += 1;
    this.#wait = undefined;
  }

  /** Reports the end of the call. */
  end(): void {
    this.#wait = undefined;
  }

  hear(event: RetryEvent, identity: Identity, earlierCalls: EarlierCalls): void {
    const wait = this.#wait;
    if (event.type === 'retry') {
      const { attempt, nextAttemptAt: until, because, failure } = event;
      const moment = earlierCalls.momentOf(until);
      this.#progress = { sent: this.#sentBefore + attempt, ...moment, because, isTooFar: false, failure };
      const nextAttempt = this.#sentBefore + attempt + 1;
      this.#beginWait({ nextAttempt, maxRetries: this.#limit, until, because, failure });
    } else if (event.type === 'delayed') {
      const { attempt, nextAttemptAt: until, because } = event;
      const failure = this.#progress?.failure;
      const nextAttempt = this.#sentBefore + attempt;
      this.#beginWait({ nextAttempt, maxRetries: this.#limit, until, because, failure });
    } else this.#wait = undefined;
    if (event.type === 'failed') this.#fail(event, identity, earlierCalls);
    if (event.type === 'cancelled' && this.#progress !== undefined) {
      const progress = wait === undefined ? { ...this.#progress, ...earlierCalls.momentOf(event.at) } : this.#progress;
      earlierCalls.remember(identity, progress, wait?.failure?.retryAfterMs !== undefined);
    }
    this.#tell(event);
  }

  #fail(event: FailedEvent, identity: Identity, earlierCalls: EarlierCalls): void {
    this.#ending = event;
    const { failure, because, possibleAt = 0, at, attempts } = event;
    if (because === 'given-up') earlierCalls.forget(identity);
    else if (failure.retryable && attempts > 0) {
      const sent = this.#sentBefore + attempts;
      const { schedules } = this.#settings;
      // A schedule that has ended has no next step.
      const stepMs = scheduleAfter(failure.type, schedules).delayFor(sent - 1) ?? DEFAULT_RETRY_CONFIG.maxDelayMs;
      const moment = earlierCalls.momentOf(Math.max(possibleAt, at + stepMs));
      const progress = { sent, ...moment, isTooFar: because === 'retry-after-too-long', failure };
      earlierCalls.remember(identity, { ...progress, because: possibleAt > at ? 'hint' : 'backoff' }, false);
    }
  }

  get #limit(): number | null {
    const { maxRetries } = this.#settings;
    return Number.isFinite(maxRetries) ? maxRetries : null;
  }

  #beginWait(wait: Omit<Wait, 'id' | 'method' | 'path'>): void {
    const { method = 'GET', url = '' } = this.#request;
    this.#wait = { id: this.#id, method, path: publicUrl(url, this.#secrets), ...wait };
    this.#onWait();
  }

  #eventBase(): RetryEventBase {
    return {
      requestId: this.#id,
      method: this.#request.method ?? 'GET',
      url: publicUrl(this.#url, this.#secrets),
      at: Date.now(),
    };
  }

  /** A key may stand in the path as well as in a header. */
  get #secrets(): readonly string[] {
    return secretsOf({ url: this.#url, headers: this.#headers });
  }

  #tell(event: ProxyEvent): void {
    notify(this.#settings.onEvent, Object.freeze(event));
  }
}
