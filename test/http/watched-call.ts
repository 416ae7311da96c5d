import type { WatchedCall } from '../../src/http/watch.ts';

/** A call to a model without listeners. */
export const UNHEARD: WatchedCall = {
  asksForText: true,
  isAborted: () => false,
  secrets: () => [],
  host: () => 'api.example.com',
  onBreak: () => {},
  onErrorEvent: () => {},
};
