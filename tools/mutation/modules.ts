/**
 * The folders of `src/` that decide whether and when a request is retried, and for each the tests that are run against its
 * mutants: those beside it, and others that are named, without sockets, processes, Redis and documents, and without the few that take seconds.
 */

export interface MutatedModule {
  /** A folder of `src/`, and of `test/`. */
  readonly name: string;
  /** Tests elsewhere that the mutants are run against too. */
  readonly also?: readonly string[];
  /** Names of test files that are left out. */
  readonly without?: readonly string[];
  /** @default 'threads', which start faster */
  readonly pool?: 'forks';
}

export const MODULES: readonly MutatedModule[] = [
  { name: 'policy' },
  // The messages of a mismatch are those of the options.
  { name: 'failure', also: ['test/policy/check-config.test.ts'] },
  { name: 'classify', without: ['cost', 'recordings'] },
  // In processes, because a test sets its own time zone.
  { name: 'hints', pool: 'forks' },
  // A failed body is found in a stream by the same code; what a call does with a held one is tested in the loop.
  {
    name: 'stream',
    also: [
      'test/classify/{index,statuses-and-words}.test.ts',
      'test/loop/{outcome,send}.test.ts',
      'test/scenarios/held-*.test.ts',
    ],
  },
  { name: 'events' },
  // A route has no behaviour of its own: a call shows which target it asks, and when.
  { name: 'route', also: ['test/loop/**/*.test.ts', 'test/fallback/**/*.test.ts'], without: ['rotation-under-load'] },
  { name: 'fallback', without: ['rotation-under-load'] },
  { name: 'gate' },
  // What a rotation of keys does to a call, and what the faces do with a request, is tested beside these.
  {
    name: 'loop',
    also: ['test/fallback/**/*.test.ts', 'test/retry-*.test.ts', 'test/with-retry.test.ts'],
    without: ['rotation-under-load'],
  },
];
