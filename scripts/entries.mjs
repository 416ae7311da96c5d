// The entry points. Each output has a line in the `exports` of package.json or in `bin`, or it is `internal`: shared by
// several entries and imported by nothing else. A standalone entry has its own copy of the modules that it shares with
// the core; any other import of an entry's source imports that entry's file, so that module state exists once.
export const ENTRIES = [
  { output: 'index', source: 'src/index.ts' },
  { output: 'retry-after', source: 'src/hints/index.ts', standalone: true },
  // Functions without state need no export of the core: `copies` names their modules.
  {
    output: 'undici',
    source: 'src/undici.ts',
    copies: [
      'src/runtime/expect.ts',
      'src/redact/redact.ts',
      'src/redact/credentials.ts',
      'src/fetch/request-parts.ts',
      'src/fetch-transport.ts',
      'src/runtime/values.ts',
      'src/fetch/response-body.ts',
    ],
  },
  { output: 'mocks', source: 'mocks/index.ts' },
  {
    output: 'llm',
    source: 'src/llm/index.ts',
    copies: ['src/runtime/abort.ts', 'src/runtime/expect.ts', 'src/redact/redact.ts', 'src/redact/credentials.ts'],
  },
  { output: 'report', source: 'src/report/index.ts', copies: ['src/runtime/expect.ts', 'src/runtime/first-bytes.ts'] },
  {
    output: 'redis',
    source: 'src/gate/redis.ts',
    copies: ['src/runtime/expect.ts', 'src/gate/store.ts', 'src/runtime/runtime.ts'],
  },
  {
    output: 'otel',
    source: 'src/otel.ts',
    copies: [
      'src/runtime/abort.ts',
      'src/runtime/expect.ts',
      'src/redact/redact.ts',
      'src/redact/credentials.ts',
      'src/runtime/values.ts',
      'src/runtime/async-context.ts',
      'src/fetch/global-fetch.ts',
      'src/fetch/request-parts.ts',
    ],
  },
  {
    output: 'diagnostics',
    source: 'src/diagnostics.ts',
    copies: ['src/events/events.ts', 'src/runtime/expect.ts'],
  },
  { output: 'recordings', source: 'mocks/recordings.ts', internal: true },
  {
    output: 'cli',
    source: 'src/cli/main.ts',
    executable: true,
    copies: [
      'mocks/look-up.ts',
      'mocks/recording.ts',
      'src/events/events.ts',
      'src/runtime/first-bytes.ts',
      'src/runtime/values.ts',
      'src/report/json-line.ts',
      'src/report/plain-text.ts',
      'src/runtime/runtime.ts',
      'src/fetch/response-body.ts',
      'src/runtime/expect.ts',
      'src/redact/redact.ts',
      'src/redact/credentials.ts',
      'src/runtime/remember.ts',
      'src/options/schedules.ts',
      'src/options/backoff.ts',
      'src/options/config.ts',
      'src/failure/failure.ts',
      'src/classify/status.ts',
      'src/gate/key.ts',
    ],
  },
];
