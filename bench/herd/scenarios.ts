/** The scenarios of the fleet: thirty quiet seconds, thirty seconds of trouble, and the time after it. */

import type { Refusal, Trouble } from './server.ts';

export interface Scenario {
  readonly name: string;
  readonly what: string;
  readonly trouble: Trouble;
  /** The time after the trouble. */
  readonly observedS: number;
  /** How long a client waits for an answer. */
  readonly timeoutMs: number;
}

export const TROUBLE_FROM_S = 30;
export const TROUBLE_UNTIL_S = 60;

const scenario = (name: string, what: string, trouble: Trouble, observedS = 30, timeoutMs = 30_000): Scenario => ({
  name,
  what,
  trouble,
  observedS,
  timeoutMs,
});

/** The refusal of a server without capacity. */
export const unavailable: Refusal = { status: 503 };
const rateLimited: Refusal = { status: 429, headers: { 'retry-after': '5' } };

export const SCENARIOS: readonly Scenario[] = [
  scenario('full-outage', 'every request is answered with 503', { refuses: { share: 1, refusal: unavailable } }),
  scenario('partial-outage', '40 % of the requests are answered with 503', {
    refuses: { share: 0.4, refusal: unavailable },
  }),
  scenario('rate-limit', 'every request is answered with 429 and Retry-After: 5', {
    refuses: { share: 1, refusal: rateLimited },
  }),
  scenario('brownout', 'half of the capacity is gone; what does not fit the queue is answered with 503', {
    capacity: 0.5,
  }),
  scenario(
    'metastable',
    'four fifths of the capacity are gone, the queue has no end, clients give up after 5 s',
    { capacity: 0.2, queueS: Number.POSITIVE_INFINITY },
    90,
    5_000,
  ),
  scenario('blips', '2 % of the requests are answered with 503, at random', {
    refuses: { share: 0.02, refusal: unavailable },
  }),
];
