/** Tells the listeners of a call what happens. */

import { publicUrl } from '../redact/redact.ts';
import { processWide } from '../runtime/process-wide.ts';
import { createId } from '../runtime/runtime.ts';
import type { RetryController } from './controller.ts';
import {
  type AnswerBroken,
  type CallOutcome,
  type EventOf,
  notify,
  type RetryEvent,
  type RetryListener,
} from './events.ts';
import { steeringOf } from './steering.ts';

/** What all events of a call share. */
export type Identity = Omit<EventOf<string>, 'at' | 'type'>;
/** What an event has beside that. */
export type Details<E extends RetryEvent = RetryEvent> = E extends RetryEvent
  ? { readonly type: E['type'] } & Omit<E, keyof EventOf<string>>
  : never;

/** The last event of a call; a stream may break after another one. */
export type LastEvent = CallOutcome | AnswerBroken;
/** What most of them report. */
export type Summary = Pick<CallOutcome, 'attempts' | 'elapsedMs' | 'history'>;

/** What hears the events of a call. */
interface Listeners {
  readonly onEvent: readonly RetryListener[];
  readonly controllers: readonly RetryController[];
}

/** Whether events have a listener. */
export function isHeard({ controllers, onEvent }: Listeners): boolean {
  return controllers.length > 0 || onEvent.length > 0 || processWide()?.onEvent !== undefined;
}

/** Tells all listeners, the controllers last. */
export function announce({ controllers, onEvent }: Listeners, event: RetryEvent): void {
  for (const listener of onEvent) notify(listener, event);
  notify(processWide()?.onEvent, event);
  for (const controller of controllers) steeringOf(controller).publish(event);
}

/** `secrets`: the literal values that no event may show. */
export function identify(
  callId: string | (() => string) | undefined,
  method: string,
  url: string,
  secrets: readonly string[],
): Identity {
  return { callId: idFrom(callId), method, url: publicUrl(url, secrets) };
}

/** A function that throws must not lose the response, so its call gets a random id. */
function idFrom(given: string | (() => string) | undefined): string {
  try {
    const id: unknown = typeof given === 'function' ? given() : given;
    return String(id ?? createId());
  } catch {
    return createId();
  }
}
