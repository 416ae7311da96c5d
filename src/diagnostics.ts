/**
 * `retry-transport/diagnostics`: the events of calls and gates on the channels of `node:diagnostics_channel`, for tools
 * that the program does not know. Costs nothing while a channel has no subscriber.
 */

import { channel } from 'node:diagnostics_channel';
import { expectFunction } from './runtime/expect.ts';
import { notify, type RetryEvent } from './events/events.ts';
import type { GateEvent } from './gate/gate-event.ts';

/** Gets every `RetryEvent` of the calls whose `onEvent` is made by {@link publishRetryEvents}. */
export const RETRY_CHANNEL = 'retry-transport:retry';

/** Gets every `GateEvent` of the gates whose `onEvent` is made by {@link publishGateEvents}. */
export const GATE_CHANNEL = 'retry-transport:gate';

/** A listener for `onEvent` of the options; calls `next` first. */
export function publishRetryEvents(next?: (event: RetryEvent) => void): (event: RetryEvent) => void {
  return publisher(RETRY_CHANNEL, next);
}

/** A listener for `onEvent` of a gate; calls `next` first. */
export function publishGateEvents(next?: (event: GateEvent) => void): (event: GateEvent) => void {
  return publisher(GATE_CHANNEL, next);
}

function publisher<E>(name: string, next: ((event: E) => void) | undefined): (event: E) => void {
  if (next !== undefined) expectFunction('next', next);
  const events = channel(name);
  return (event) => {
    notify(next, event);
    if (events.hasSubscribers) events.publish(event);
  };
}
