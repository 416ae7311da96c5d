/** What the judge knows of a limiter: how many requests it admits, and how to ask it. */

/** A request as it reaches a limiter. */
export interface Arrival {
  readonly tenant: string;
  readonly model: string;
  /** In tokens. */
  readonly cost: number;
}

/** The answer of a limiter, which is one of the model's if the status is 200. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A limiter in this process. It reads the clock through `Date`, so simulated time works for it too. */
export interface Limiter {
  ask(arrival: Arrival): Promise<Answer>;
  close(): Promise<void>;
}

/** A limiter in a process of its own, which forwards what it admits. */
export interface Daemon {
  /** Where the requests of one run go; runs at the same time do not disturb each other. */
  address(run: number): { readonly url: string; readonly headers: Readonly<Record<string, string>> };
  stop(): Promise<void>;
}

/** What a person who knows the limit would write down. */
export type KnownLimit = { readonly requests: number; readonly perMs: number } | { readonly concurrent: number };

interface Described {
  readonly name: string;
  /** Of one tenant, and of one model where `perModel` is true. */
  readonly limit: KnownLimit;
  /** Whether each model has a limit of its own. @default false */
  readonly perModel?: boolean;
  /** Whether each tenant has a limit of its own. @default true */
  readonly perTenant?: boolean;
  /**
   * What the gate is held to: `usual` by the load; `long` for a window of which enough is left, and `wrong` for headers
   * that lie, with a load that nothing refuses or the limiter's own.
   * @default 'usual'
   */
  readonly judged?: 'usual' | 'long' | 'wrong';
  /** How long calls begin, in seconds. */
  readonly seconds?: number;
}

export interface SimulatedSubject extends Described {
  readonly clock: 'simulated';
  open(): Promise<Limiter>;
}

export interface DaemonSubject extends Described {
  readonly clock: 'real';
  /** Undefined: the program is there; else what is missing. */
  missing(): string | undefined;
  start(upstreamPort: number, runs: number): Promise<Daemon>;
}

export type Subject = SimulatedSubject | DaemonSubject;

/** The time of an average answer. */
export const SERVICE_MS = 200;

export const perSecond = (limit: KnownLimit): number =>
  'concurrent' in limit ? (limit.concurrent * 1_000) / SERVICE_MS : (limit.requests * 1_000) / limit.perMs;
