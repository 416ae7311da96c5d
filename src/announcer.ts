/** What a call says of itself while it is in trouble: the events, and the errors that the callbacks get. */

import { publish } from './controller.ts';
import { notify, type RetryEvent, type RetryEventBase } from './events.ts';
import { type Exchange, publicUrl } from './exchange.ts';
import type { Failure } from './failure.ts';
import { firstBytes } from './first-bytes.ts';
import { HttpStatusError, rememberBody } from './http-status-error.ts';
import type { Policy } from './policy.ts';
import { excerpt, redact, secretsOf } from './redact.ts';
import { createId } from './runtime.ts';
import { textOf } from './verdict.ts';

type Details = RetryEvent extends infer E ? (E extends RetryEvent ? Omit<E, keyof RetryEventBase> : never) : never;

export type RetryDetails = Extract<Details, { type: 'retry' }>;

/** So much of a body is shown. */
const EXCERPT_BYTES = 2_048;

/** Made with the call, costs nothing until somebody has to be told something. */
export class Announcer {
  readonly #policy: Policy;
  readonly #exchange: Pick<Exchange<unknown>, 'method' | 'url' | 'headers'>;
  #identity: Omit<RetryEventBase, 'at'> | undefined;
  #secrets: readonly string[] | undefined;

  constructor(policy: Policy, exchange: Pick<Exchange<unknown>, 'method' | 'url' | 'headers'>) {
    this.#policy = policy;
    this.#exchange = exchange;
  }

  /** The literal values that must not come out of anything we make. */
  get secrets(): readonly string[] {
    return (this.#secrets ??= secretsOf({ url: this.#exchange.url, headers: this.#exchange.headers }));
  }

  /** A target was sent other keys than the caller's. */
  learn(request: { readonly url: string; readonly headers: Readonly<Record<string, string>> }): void {
    this.#secrets = [...new Set([...this.secrets, ...secretsOf(request)])];
  }

  /** What every event of the call has in common. */
  get identity(): Omit<RetryEventBase, 'at'> {
    if (this.#identity === undefined) {
      const { requestId } = this.#policy.config;
      this.#identity = {
        requestId: (typeof requestId === 'function' ? requestId() : requestId) ?? createId(),
        method: this.#exchange.method,
        url: redact(publicUrl(this.#exchange.url), this.secrets),
      };
    }
    return this.#identity;
  }

  emit(details: Details): void {
    const { controller, onEvent } = this.#policy.config;
    if (controller === undefined && onEvent === undefined) return;
    const event: RetryEvent = Object.freeze({ ...this.identity, at: this.#policy.runtime.now(), ...details });
    notify(onEvent, event);
    if (controller !== undefined) publish(controller, event);
  }

  /** The error that stands for a failed response; undefined when nobody listens. */
  statusError(failure: Failure, body: Uint8Array | string | undefined): HttpStatusError | undefined {
    const { onRetry, onExhausted, onEvent, controller } = this.#policy.config;
    if (!(onRetry ?? onExhausted ?? onEvent ?? controller)) return undefined;
    const text = firstBytes(excerpt(textOf(body) ?? '', EXCERPT_BYTES, this.secrets), EXCERPT_BYTES);
    if (text !== '') rememberBody(failure, text);
    return onRetry === undefined && onExhausted === undefined
      ? undefined
      : new HttpStatusError(failure.status ?? 0, text, failure);
  }
}
