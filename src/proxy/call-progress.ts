/** The progress of a call, from its events: the current wait, and how the call ended. */

import type { IncomingMessage } from 'node:http';
import { describeWait } from '../events/describe-event.ts';
import { notify } from '../events/events.ts';
import { oneLine } from '../failure/failure-label.ts';
import type { Failure, RetryEvent, WaitReason } from '../index.ts';
import { publicUrl, secretsOf } from '../redact/redact.ts';
import type { ProxySettings } from './options.ts';
import type { Outgoing } from './outgoing.ts';

/** A wait in progress, for the status page. */
export interface Wait {
  readonly id: string;
  readonly method: string;
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
  /** undefined if the call does not wait. */
  wait: Wait | undefined;
  #failure: Failure | undefined;
  /** The event that gave the call up; undefined if there was none. */
  ending: FailedEvent | undefined;
  /** The number of requests that this call has sent to the target. */
  attempts = 0;
  #url = '';
  #headers: Outgoing['headers'] = {};

  /** `onWait` is called at the start of each wait. */
  constructor(id: string, request: IncomingMessage, settings: ProxySettings, onWait: () => void) {
    this.#id = id;
    this.#request = request;
    this.#settings = settings;
    this.#onWait = onWait;
  }

  get summary(): string {
    if (this.wait === undefined) return 'waiting for the answer';
    const { until, nextAttempt, maxRetries, because, failure } = this.wait;
    const delayMs = Math.max(0, Math.ceil((until - Date.now()) / 1_000) * 1_000);
    return oneLine(describeWait({ retry: nextAttempt - 1, maxRetries, delayMs, because, failure }), MOST_CHARACTERS);
  }

  /** The request that is sent to the target; its secrets are masked in what is shown. */
  begin({ url, headers }: Pick<Outgoing, 'url' | 'headers'>): void {
    this.#url = url;
    this.#headers = headers;
  }

  /** Reports that the first attempt is sent, unless an event says otherwise. */
  send(): void {
    this.attempts = 1;
  }

  end(): void {
    this.wait = undefined;
  }

  hear(event: RetryEvent): void {
    this.wait = undefined;
    if ('attempts' in event) this.attempts = event.attempts;
    else if (event.type === 'attempt') this.attempts = event.attempt;
    else if (event.type === 'delayed') this.attempts = event.attempt - 1;
    if (event.type === 'retry') this.#failure = event.failure;
    if (event.type === 'failed') this.ending = event;
    if (event.type === 'retry' || event.type === 'delayed') {
      const { nextAttemptAt: until, because } = event;
      const nextAttempt = event.type === 'retry' ? event.retry + 1 : event.attempt;
      this.#beginWait({ nextAttempt, maxRetries: this.#limit, until, because, failure: this.#failure });
    }
    for (const listener of this.#settings.listeners) notify(listener, event);
  }

  get #limit(): number | null {
    const { maxRetries } = this.#settings;
    return Number.isFinite(maxRetries) ? maxRetries : null;
  }

  #beginWait(wait: Omit<Wait, 'id' | 'method' | 'path'>): void {
    const { method = 'GET', url = '' } = this.#request;
    this.wait = { id: this.#id, method, path: publicUrl(url, this.#secrets), ...wait };
    this.#onWait();
  }

  /** A key may stand in the path as well as in a header. */
  get #secrets(): readonly string[] {
    return secretsOf({ url: this.#url, headers: this.#headers });
  }
}
