/** Makes the events of a call, and the errors that its callbacks get. */

import type { Failure } from '../failure/failure.ts';
import { firstBytes, textOf } from '../runtime/first-bytes.ts';
import { HttpStatusError, rememberBody } from '../failure/http-status-error.ts';
import { excerpt, publicUrl, secretsOf } from '../redact/redact.ts';
import { processWide } from '../runtime/process-wide.ts';
import { createId, type Runtime } from '../runtime/runtime.ts';
import type { RetryController } from './controller.ts';
import { notify, type RetryEvent, type RetryEventBase } from './events.ts';
import { steeringOf } from './steering.ts';

type Details = RetryEvent extends infer E ? (E extends RetryEvent ? Omit<E, keyof RetryEventBase> : never) : never;

/** The part of a body that is shown. */
const EXCERPT_BYTES = 2_048;

/** The options that concern listeners. */
export interface Listeners {
  readonly onRetry?: ((attempt: number, error: Error, delayMs: number) => void) | undefined;
  readonly onExhausted?: ((error: Error, attempts: number) => void) | undefined;
  readonly onEvent?: ((event: RetryEvent) => void) | undefined;
  readonly controller?: RetryController | undefined;
  readonly requestId?: string | (() => string) | undefined;
}

/** The request of the call. It is scrubbed before it is shown. */
interface AnnouncedRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: RequestInit['headers'] | undefined;
  /** Secrets that are not in the arguments of the call. */
  readonly secrets?: readonly string[] | undefined;
}

/** One per call. Computes nothing before the first event. */
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

  /** The literal values that no event and no error of ours may show. */
  get secrets(): readonly string[] {
    return (this.#secrets ??= [...secretsOf(this.#request), ...(this.#request.secrets ?? [])]);
  }

  /** Adds the secrets of a request to a target, which has other keys than the caller's. */
  learn(request: { readonly url: string; readonly headers: Readonly<Record<string, string>> }): void {
    this.#secrets = [...new Set([...this.secrets, ...secretsOf(request)])];
  }

  /** The members that all events of the call share. */
  get identity(): Omit<RetryEventBase, 'at'> {
    return (this.#identity ??= {
      requestId: idFrom(this.#listeners.requestId),
      method: this.#request.method,
      url: publicUrl(this.#request.url, this.secrets),
    });
  }

  /** Whether events have a listener. */
  get isHeard(): boolean {
    const { controller, onEvent } = this.#listeners;
    return controller !== undefined || onEvent !== undefined || processWide()?.onEvent !== undefined;
  }

  emit(details: Details): void {
    if (!this.isHeard) return;
    const { controller, onEvent } = this.#listeners;
    const event: RetryEvent = Object.freeze({ ...this.identity, at: this.#now(), ...details });
    notify(onEvent, event);
    notify(processWide()?.onEvent, event);
    if (controller !== undefined) steeringOf(controller).publish(event);
  }

  /** The error that stands for a failed response; undefined if no listener would get it. */
  statusError(failure: Failure, body: Uint8Array | string | undefined): HttpStatusError | undefined {
    const { onRetry, onExhausted } = this.#listeners;
    if (!this.isHeard && onRetry === undefined && onExhausted === undefined) return undefined;
    const text = firstBytes(excerpt(textOf(body) ?? '', EXCERPT_BYTES, this.secrets), EXCERPT_BYTES);
    if (text !== '') rememberBody(failure, text);
    return new HttpStatusError(failure.status ?? 0, text, failure);
  }
}

/** A function that throws must not lose the response, so its call gets a random id. */
function idFrom(given: Listeners['requestId']): string {
  try {
    const id: unknown = typeof given === 'function' ? given() : given;
    return String(id ?? createId());
  } catch {
    return createId();
  }
}
