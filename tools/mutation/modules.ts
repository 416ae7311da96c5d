/**
 * The modules that decide whether and when to ask again, and for each the tests that are run against its mutants: its
 * own, and those beside it that are as quick. No sockets, no processes, no Redis, no documents.
 */

export interface MutatedModule {
  readonly name: string;
  /** Below src/. */
  readonly sources: readonly string[];
  /** Below test/. */
  readonly tests: readonly string[];
}

export const MODULES: readonly MutatedModule[] = [
  { name: 'decide', sources: ['decide.ts'], tests: ['decide*.test.ts'] },
  { name: 'backoff', sources: ['backoff.ts'], tests: ['backoff.test.ts'] },
  { name: 'hints', sources: ['hints/**/*.ts'], tests: ['hints/**/*.test.ts'] },
  // Without what measures time: a mutant that is only slow, or a busy machine, is no fault that was noticed.
  { name: 'classify', sources: ['classify/**/*.ts'], tests: ['classify/**/!(cost).test.ts'] },
  { name: 'stream', sources: ['stream/**/*.ts'], tests: ['stream/**/*.test.ts', 'hold.test.ts'] },
  { name: 'gate', sources: ['gate/**/*.ts'], tests: ['gate/**/*.test.ts', 'admission.test.ts'] },
];
