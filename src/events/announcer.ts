/** Makes the events of a call. */

import { publicUrl } from '../redact/redact.ts';
import { processWide } from '../runtime/process-wide.ts';
import { createId, type Runtime } from '../runtime/runtime.ts';
import type { RetryController } from './controller.ts';
import { notify, type RetryEvent, type RetryEventBase } from './events.ts';
import { steeringOf } from './steering.ts';

type Details = RetryEvent extends infer E ? (E extends RetryEvent ? Omit<E, keyof RetryEventBase> : never) : never;

/** The options that concern listeners. */
export interface Listeners {
  readonly onRetry?: ((attempt: number, error: Error, delayMs: number) => void) | undefined;
  readonly onExhausted?: ((error: Error, attempts: number) => void) | undefined;
  readonly onEvent?: ((event: RetryEvent) => void) | undefined;
  readonly controller?: RetryController | undefined;
  readonly requestId?: string | (() => string) | undefined;
}

/** The call of the events. Its request is scrubbed before it is shown. */
interface AnnouncedCall {
  readonly request: { readonly method: string; readonly url: string };
  /** The literal values that no event and no error of ours may show. */
  readonly secrets: readonly string[];
}

/** One per call. Computes nothing before the first event. */
export class Announcer {
  readonly #listeners: Listeners;
  readonly #call: AnnouncedCall;
  readonly #now: Runtime['now'];
  #identity: Omit<RetryEventBase, 'at'> | undefined;

  constructor(listeners: Listeners, call: AnnouncedCall, { now }: Pick<Runtime, 'now'>) {
    this.#listeners = listeners;
    this.#call = call;
    this.#now = now;
  }

  /** The members that all events of the call share. */
  get identity(): Omit<RetryEventBase, 'at'> {
    return (this.#identity ??= {
      requestId: idFrom(this.#listeners.requestId),
      method: this.#call.request.method,
      url: publicUrl(this.#call.request.url, this.#call.secrets),
    });
  }

  /** Whether events have a listener. */
  get isHeard(): boolean {
    return isHeard(this.#listeners);
  }

  emit(details: Details): void {
    if (!this.isHeard) return;
    const { controller, onEvent } = this.#listeners;
    const event: RetryEvent = Object.freeze({ ...this.identity, at: this.#now(), ...details });
    notify(onEvent, event);
    notify(processWide()?.onEvent, event);
    if (controller !== undefined) steeringOf(controller).publish(event);
  }
}

/** Whether events have a listener. */
export function isHeard({ controller, onEvent }: Listeners): boolean {
  return controller !== undefined || onEvent !== undefined || processWide()?.onEvent !== undefined;
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
