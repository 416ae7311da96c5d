/**
 * The folders of `src/` that decide whether and when a request is retried, and the tests for the mutants of each: those
 * of the same folder and others that are named, without sockets, processes, Redis, documents, and the few that take
 * seconds.
 */

export interface MutatedModule {
  /** A folder of `src/`, and of `test/`. */
  readonly name: string;
  /** Tests of other folders that also run against the mutants. */
  readonly also?: readonly string[];
  /** Names of test files to leave out. */
  readonly without?: readonly string[];
  /** @default 'threads', which start faster */
  readonly pool?: 'forks';
}

export const MODULES: readonly MutatedModule[] = [
  // The messages of a mismatch are those of the options.
  { name: 'failure', also: ['test/options/rows.test.ts'] },
  { name: 'redact', without: ['cost'] },
  // In processes, because a test sets its own time zone.
  { name: 'hints', pool: 'forks' },
  { name: 'body', also: ['test/http/**/*.test.ts'] },
  // A failed body is found in a stream by the same code.
  { name: 'protocol', also: ['test/classify/{classify,index,statuses-and-words}.test.ts', 'test/http/**/*.test.ts'] },
  { name: 'classify', without: ['cost', 'recordings'] },
  { name: 'events' },
  {
    name: 'http',
    also: [
      'test/retry-fetch*.test.ts',
      'test/body/**/*.test.ts',
      'test/scenarios/{held-*,streams-to-their-end}.test.ts',
    ],
  },
  { name: 'gate' },
  // A route has no behaviour of its own: a call shows which target it asks, and when.
  { name: 'route', also: ['test/loop/**/*.test.ts'], without: ['rotation-under-load'] },
  // A chain shows what a moment does.
  { name: 'moments', also: ['test/route/**/*.test.ts'], without: ['rotation-under-load'] },
  { name: 'operation', also: ['test/with-retry.test.ts'] },
  { name: 'options' },
  // These tests also cover the effect of a rotation of keys on a call, and of the entry points on a request.
  {
    name: 'loop',
    also: ['test/{http,route}/**/*.test.ts', 'test/retry-*.test.ts', 'test/with-retry.test.ts'],
    without: ['rotation-under-load'],
  },
];
