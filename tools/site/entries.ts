/** The entry points of the package, and their sources. */

export interface EntryPoint {
  /** What a program imports. */
  readonly name: string;
  /** From the root of the repository. */
  readonly source: string;
}

/** A test compares them with the `exports` of package.json. */
export const ENTRIES: readonly EntryPoint[] = [
  { name: 'retry-transport', source: 'src/index.ts' },
  { name: 'retry-transport/retry-after', source: 'src/hints/index.ts' },
  { name: 'retry-transport/mocks', source: 'mocks/index.ts' },
  { name: 'retry-transport/mocks/msw', source: 'mocks/msw.ts' },
  { name: 'retry-transport/react', source: 'src/react.ts' },
  { name: 'retry-transport/debug', source: 'src/debug.ts' },
  { name: 'retry-transport/llm', source: 'src/llm/index.ts' },
  { name: 'retry-transport/report', source: 'src/report/index.ts' },
  { name: 'retry-transport/otel', source: 'src/otel.ts' },
  { name: 'retry-transport/diagnostics', source: 'src/diagnostics.ts' },
  { name: 'retry-transport/redis', source: 'src/gate/redis.ts' },
  { name: 'retry-transport/undici', source: 'src/undici.ts' },
];
