/**
 * A subject of the measurements: a `fetch` with some kind of retries around it. Each has a small file; those that
 * import a package of another author are in `tools/peers`, where these packages are installed.
 */

import type { Fetch } from '../../src/transport.ts';

/** A request of the scenarios: always with a method, headers and a text body. */
export type Call = (url: string, init: RequestInit) => Promise<Response>;

/** The same for every subject, so that all do the same work. */
export interface Policy {
  readonly retries: number;
  /** The length of each wait. Clients with a fixed wait get it from the `retry-after-ms` of the response. */
  readonly waitMs: number;
  /** `false`: a JSON answer is handed over with its headers. @default as the subject does */
  readonly holdsJson?: false;
}

export interface Subject {
  readonly name: string;
  readonly version: string;
  /** False for the bare fetch, which is left out of scenarios with failures. */
  readonly retries: boolean;
  /** Makes a call under a policy, over the fetch of the scenario. */
  readonly wrap: (inner: Fetch, policy: Policy) => Call;
  /** With two retries and defaults otherwise. null: the subject has no behaviour of its own. */
  readonly byDefault: ((inner: Fetch) => Call) | null;
  /** A module with everything that a user needs for a retrying fetch; null if there is nothing to load. */
  readonly bundle: string | null;
  /** The module that a user imports; null if there is nothing to load. */
  readonly entry: string | null;
}

/** The failures that the callers of a general retry library would retry. */
export const isWorthARetry = (status: number): boolean => status === 429 || status >= 500;

/** The error with which such a caller reports a failure to the library. */
export class StatusError extends Error {
  readonly response: Response;

  constructor(response: Response) {
    super(`HTTP ${response.status}`);
    this.response = response;
  }
}
