/** What a call says of itself while it is in trouble: the events, and the errors that the callbacks get. */

import type { Failure } from '../failure/failure.ts';
import { firstBytes, textOf } from '../failure/first-bytes.ts';
import { HttpStatusError, rememberBody } from '../failure/http-status-error.ts';
import { excerpt, publicUrl, secretsOf } from '../failure/redact.ts';
import { createId, type Runtime } from '../runtime.ts';
import type { RetryController } from './controller.ts';
import { notify, type RetryEvent, type RetryEventBase } from './events.ts';
import { steeringOf } from './steering.ts';

type Details = RetryEvent extends infer E ? (E extends RetryEvent ? Omit<E, keyof RetryEventBase> : never) : never;

/** So much of a body is shown. */
const EXCERPT_BYTES = 2_048;

/** Who hears of a call: the part of the options that concerns listeners. */
export interface Listeners {
  readonly onRetry?: ((attempt: number, error: Error, delayMs: number) => void) | undefined;
  readonly onExhausted?: ((error: Error, attempts: number) => void) | undefined;
  readonly onEvent?: ((event: RetryEvent) => void) | undefined;
  readonly controller?: RetryController | undefined;
  readonly requestId?: string | (() => string) | undefined;
}

/** What is said of a request; it is scrubbed before it is shown. */
interface AnnouncedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: RequestInit['headers'] | undefined;
  /** Secrets that no argument of the call shows. */
  readonly secrets?: readonly string[] | undefined;
}

/** Made with the call. It computes nothing before the first event. */
export class Announcer {
  readonly #listeners: Listeners;
  readonly #request: AnnouncedRequest;
  readonly #now: Runtime['now'];
  #identity: Omit<RetryEventBase, 'at'> | undefined;
  #secrets: readonly string[] | undefined;

  constructor(listeners: Listeners, request: AnnouncedRequest, { now }: Pick<Runtime, 'now'>) {
    this.#listeners = listeners;
    this.#request = request;
    this.#now = now;
  }

  /** The literal values that must not come out of anything we make. */
  get secrets(): readonly string[] {
    return (this.#secrets ??= [...secretsOf(this.#request), ...(this.#request.secrets ?? [])]);
  }

  /** A target was sent other keys than the caller's. */
  learn(request: { readonly url: string; readonly headers: Readonly<Record<string, string>> }): void {
    this.#secrets = [...new Set([...this.secrets, ...secretsOf(request)])];
  }

  /** What every event of the call has in common. */
  get identity(): Omit<RetryEventBase, 'at'> {
    if (this.#identity === undefined) {
      const { requestId } = this.#listeners;
      this.#identity = {
        requestId: (typeof requestId === 'function' ? requestId() : requestId) ?? createId(),
        method: this.#request.method,
        url: publicUrl(this.#request.url, this.secrets),
      };
    }
    return this.#identity;
  }

  /** Whether an event would reach a listener. */
  get isHeard(): boolean {
    return this.#listeners.controller !== undefined || this.#listeners.onEvent !== undefined;
  }

  emit(details: Details): void {
    const { controller, onEvent } = this.#listeners;
    if (!this.isHeard) return;
    const event: RetryEvent = Object.freeze({ ...this.identity, at: this.#now(), ...details });
    notify(onEvent, event);
    if (controller !== undefined) steeringOf(controller).publish(event);
  }

  /** The error that stands for a failed response; undefined where no listener would get it. */
  statusError(failure: Failure, body: Uint8Array | string | undefined): HttpStatusError | undefined {
    const { onRetry, onExhausted, onEvent, controller } = this.#listeners;
    if (!(onRetry ?? onExhausted ?? onEvent ?? controller)) return undefined;
    const text = firstBytes(excerpt(textOf(body) ?? '', EXCERPT_BYTES, this.secrets), EXCERPT_BYTES);
    if (text !== '') rememberBody(failure, text);
    return onRetry === undefined && onExhausted === undefined
      ? undefined
      : new HttpStatusError(failure.status ?? 0, text, failure);
  }
}
