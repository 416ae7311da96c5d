/** The entry points of the package, and their sources. */

export interface EntryPoint {
  /** What a program imports. */
  readonly name: string;
  /** From the root of the repository. */
  readonly source: string;
  readonly sentence: string;
}

/** A test compares them with the `exports` of package.json. */
export const ENTRIES: readonly EntryPoint[] = [
  {
    name: 'retry-transport',
    source: 'src/index.ts',
    sentence: 'The fetch, the transport and `withRetry`; presets, gates, fallbacks, controllers; what a failure is.',
  },
  {
    name: 'retry-transport/retry-after',
    source: 'src/hints/index.ts',
    sentence: 'How long a server asks to wait, for programs that have retries of their own.',
  },
  {
    name: 'retry-transport/mocks',
    source: 'mocks/index.ts',
    sentence: 'Recorded failures, and what replays them in tests.',
  },
  { name: 'retry-transport/mocks/msw', source: 'mocks/msw.ts', sentence: 'Recorded failures as a handler of MSW.' },
  { name: 'retry-transport/react', source: 'src/react.ts', sentence: 'Hooks for a wait and for the state of a call.' },
  {
    name: 'retry-transport/debug',
    source: 'src/debug.ts',
    sentence:
      'Exports nothing: `node --import retry-transport/debug program.js` prints a line for each event of each call.',
  },
  {
    name: 'retry-transport/llm',
    source: 'src/llm/index.ts',
    sentence: 'Providers that take `retry` in their constructor.',
  },
  {
    name: 'retry-transport/report',
    source: 'src/report/index.ts',
    sentence: 'Error reports, a registry of errors and a journal of attempts, in files.',
  },
  { name: 'retry-transport/otel', source: 'src/otel.ts', sentence: 'Spans and metrics of OpenTelemetry.' },
  {
    name: 'retry-transport/diagnostics',
    source: 'src/diagnostics.ts',
    sentence: 'Events on the diagnostics channels of Node.',
  },
  { name: 'retry-transport/redis', source: 'src/gate/redis.ts', sentence: 'One limit for many processes.' },
  {
    name: 'retry-transport/undici',
    source: 'src/undici.ts',
    sentence: 'A fetch with connections and time limits of its own.',
  },
];
