/** Describes a command-line agent for the matrix: its source, and how to set its base URL. */

import type { Api } from '../protocols.ts';

export interface Place {
  /** The origin of the API, or of the proxy. */
  readonly baseUrl: string;
  /** An empty home folder. */
  readonly home: string;
  /** A git repository with one staged change, in which the agent starts. */
  readonly work: string;
}

export interface Start {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Files by path, relative to the home folder. */
  readonly files?: Readonly<Record<string, string>>;
}

export interface Agent {
  readonly name: string;
  /** The packages to install, each with its exact version. */
  readonly packages: readonly string[];
  /** The program, relative to the folder of installed packages. */
  readonly bin: string;
  /** The program that runs it; by default it runs itself. `node` is the Node of this project. */
  readonly runner?: 'node' | readonly string[];
  readonly api: Api;
  readonly isStreamed: boolean;
  start(place: Place): Start;
}

export const PROMPT = 'Say hello.';
export const API_KEY = 'sk-loopback';

/** In the spelling of the registry's packages of platform binaries. */
export const platform = `${process.platform}-${process.arch}`;
