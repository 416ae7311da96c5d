/** `retry-transport/events`: adapters to two event formats that agents and their user interfaces already use. */

export { autoRetryEvents, providerRetryEvents } from './event-adapters.ts';
export type { AutoRetryEndEvent, AutoRetryStartEvent, ProviderRetryEvent } from './event-adapters.ts';
