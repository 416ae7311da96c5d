/**
 * What is measured: a `fetch` with some kind of retries around it. Each subject is one small file; those that import a
 * package of another author are in `tools/peers`, where these packages are installed.
 */

import type { Fetch } from '../../src/transport.ts';

/** One request, as the scenarios make it: always with a method, headers and a body of text. */
export type Call = (url: string, init: RequestInit) => Promise<Response>;

/** The same for every subject, so that they do the same work. */
export interface Policy {
  readonly retries: number;
  /** How long each wait takes. A client whose waits cannot be set is told by the `retry-after-ms` of the answer. */
  readonly waitMs: number;
}

export interface Subject {
  readonly name: string;
  readonly version: string;
  /** False for the bare fetch, which has no part in scenarios where something fails. */
  readonly retries: boolean;
  /** The call under a policy, over a fetch of the scenario's own. */
  readonly wrap: (inner: Fetch, policy: Policy) => Call;
  /** With two retries, and everything else as the subject has it by default. Null: it has no behaviour of its own. */
  readonly byDefault: ((inner: Fetch) => Call) | null;
  /** A module that has in it what a user needs for a retrying fetch; null where there is nothing to load. */
  readonly bundle: string | null;
  /** What a user imports; null where there is nothing to load. */
  readonly entry: string | null;
}

/** What the callers of a general retrier take for a failure worth a retry. */
export const isWorthARetry = (status: number): boolean => status === 429 || status >= 500;

/** How such a caller tells the retrier. */
export class StatusError extends Error {
  readonly response: Response;

  constructor(response: Response) {
    super(`HTTP ${response.status}`);
    this.response = response;
  }
}
