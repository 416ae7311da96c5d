/** Makes the events of a call. */

import { publicUrl } from '../redact/redact.ts';
import { processWide } from '../runtime/process-wide.ts';
import { createId, type Runtime } from '../runtime/runtime.ts';
import type { RetryController } from './controller.ts';
import {
  type AnswerBroken,
  type CallOutcome,
  type EventOf,
  notify,
  type RetryEvent,
  type RetryListener,
} from './events.ts';
import type { Ended } from './outcome-of.ts';
import { steeringOf } from './steering.ts';

/** What all events of a call share. */
type Identity = Omit<EventOf<string>, 'at' | 'type'>;
type Without<E> = E extends RetryEvent ? { readonly type: E['type'] } & Omit<E, keyof EventOf<string>> : never;
type Details = Without<RetryEvent>;

type LastEvent = CallOutcome | AnswerBroken;

/** The options that concern listeners. */
export interface Listeners {
  readonly config: { readonly callId?: string | (() => string) | undefined };
  readonly onEvent: readonly RetryListener[];
  readonly controllers: readonly RetryController[];
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
  #identity: Identity | undefined;
  readonly #token = {};

  constructor(listeners: Listeners, call: AnnouncedCall, { now }: Pick<Runtime, 'now'>) {
    this.#listeners = listeners;
    this.#call = call;
    this.#now = now;
  }

  get identity(): Identity {
    const { request, secrets } = this.#call;
    return (this.#identity ??= identify(this.#listeners.config.callId, request.method, request.url, secrets));
  }

  /** Whether events have a listener. */
  get isHeard(): boolean {
    return isHeard(this.#listeners);
  }

  /** What follows has an id of its own, unless the caller has given the call one. */
  renew(): void {
    this.#identity = undefined;
  }

  emit(details: Details): void {
    if (this.isHeard) this.#tell(Object.freeze({ ...this.identity, at: this.#now(), ...details }));
  }

  /** Tells how the call ended, unless listeners know it. Otherwise the event is made only when `outcomeOf` asks for it. */
  end(details: Without<LastEvent>, isTold = false): Ended {
    const tells = this.isHeard && !isTold;
    const identity = tells ? this.identity : this.#identity;
    const at = this.#now();
    // Holds no more of the request, because a response may live long.
    const { config } = this.#listeners;
    const { request, secrets } = this.#call;
    const { method, url } = request;
    const event = makeOnce(() => ({ ...(identity ?? identify(config.callId, method, url, secrets)), at, ...details }));
    if (tells) this.#tell(event());
    return { call: this.#token, event };
  }

  #tell(event: RetryEvent): void {
    const { controllers, onEvent } = this.#listeners;
    for (const listener of onEvent) notify(listener, event);
    notify(processWide()?.onEvent, event);
    for (const controller of controllers) steeringOf(controller).publish(event);
  }
}

function identify(
  given: Listeners['config']['callId'],
  method: string,
  url: string,
  secrets: readonly string[],
): Identity {
  return { callId: idFrom(given), method, url: publicUrl(url, secrets) };
}

function makeOnce(make: () => LastEvent): () => LastEvent {
  let made: LastEvent | undefined;
  return () => (made ??= Object.freeze(make()));
}

/** Whether events have a listener. */
export function isHeard({ controllers, onEvent }: Pick<Listeners, 'controllers' | 'onEvent'>): boolean {
  return controllers.length > 0 || onEvent.length > 0 || processWide()?.onEvent !== undefined;
}

/** A function that throws must not lose the response, so its call gets a random id. */
function idFrom(given: Listeners['config']['callId']): string {
  try {
    const id: unknown = typeof given === 'function' ? given() : given;
    return String(id ?? createId());
  } catch {
    return createId();
  }
}
