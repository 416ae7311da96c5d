/** What a client is: one file in `clients/`, as its default export. */

import type { Api } from '../apis.ts';

/** One question to a model. */
export interface Question {
  readonly prompt: string;
  readonly isStreamed: boolean;
  /** Called with each piece of text as a person would see it. Only for a stream. */
  readonly show: (piece: string) => void;
}

/** What a program does with a client. */
export interface Program {
  /** Resolves with the whole text. */
  ask(question: Question): Promise<string>;
  /** Posts a JSON-RPC request to a tool server; absent where the client has no way to send one. */
  callTool?(body: string): Promise<unknown>;
}

/** A way to set a client up. */
export interface Setting {
  /** `defaults`: as installed. `best`: as its documentation recommends for failures, with the patience of all others. */
  readonly name: 'defaults' | 'best' | 'as README prints it' | 'fleet' | 'job' | 'proxy';
  create(origin: string): Program | Promise<Program>;
  /** Called after the day, for a client that has something to close. */
  close?(): Promise<void>;
}

export interface Client {
  /** As people know it. */
  readonly name: string;
  /** The package whose version is shown. */
  readonly package: string;
  readonly api: Api;
  /** The page that says what is best. */
  readonly documentation: string;
  /** Whether it is this repository's. */
  readonly isOurs?: true;
  readonly settings: readonly Setting[];
}

/** Set up without options, and with the best ones. */
export const defaultsAndBest = <T>(over: (origin: string, options?: T) => Program, best: T): readonly Setting[] => [
  { name: 'defaults', create: (origin) => over(origin) },
  { name: 'best', create: (origin) => over(origin, best) },
];

/** The key of every client. */
export const KEY = 'sk-bad-day-0123456789abcdef';

/** The patience of every `best` setting, as far as the client has an option for it: that of `presets.recommended`. */
export const PATIENCE = { retries: 10, firstDelayMs: 500, longestDelayMs: 20_000, longestHintMs: 120_000 };
