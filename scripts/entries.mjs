// The entry points. Each output has a line in the `exports` of package.json or in `bin`, or it is `internal`: shared by
// several entries and imported by nothing else. A standalone entry has its own copy of the modules that it shares with
// the core; any other import of an entry's source imports that entry's file, so that module state exists once.
// Modules without state may be copied: all of `COPIED`, and those that the `copies` of an entry name.
export const COPIED = /^src\/(?:runtime|redact)\//;

export const ENTRIES = [
  { output: 'index', source: 'src/index.ts' },
  { output: 'retry-after', source: 'src/hints/index.ts', standalone: true },
  {
    output: 'undici',
    source: 'src/undici.ts',
    copies: ['src/http/request-parts.ts', 'src/fetch-transport.ts', 'src/body/response-body.ts'],
  },
  { output: 'mocks', source: 'mocks/index.ts' },
  {
    output: 'mocks-msw',
    source: 'mocks/msw.ts',
    copies: ['mocks/handler.ts', 'mocks/steps.ts', 'mocks/look-up.ts', 'mocks/pieces.ts', 'mocks/recording.ts'],
  },
  { output: 'events', source: 'src/event-adapters.ts', copies: ['src/events/events.ts'] },
  { output: 'react', source: 'src/react.ts' },
  { output: 'debug', source: 'src/debug.ts', standalone: true },
  {
    output: 'llm',
    source: 'src/llm/index.ts',
    copies: ['src/protocol/split-events.ts', 'src/body/bytes.ts', 'src/body/response-body.ts'],
  },
  {
    output: 'report',
    source: 'src/report/index.ts',
    copies: ['src/events/events.ts', 'src/failure/reasons.ts'],
  },
  {
    output: 'redis',
    source: 'src/gate/redis.ts',
    copies: ['src/gate/store.ts'],
  },
  {
    output: 'otel',
    source: 'src/otel.ts',
    copies: ['src/http/global-fetch.ts', 'src/http/request-parts.ts', 'src/gate/key.ts'],
  },
  {
    output: 'diagnostics',
    source: 'src/diagnostics.ts',
    copies: ['src/events/events.ts'],
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
      'src/report/json-line.ts',
      'src/report/plain-text.ts',
      'src/body/bytes.ts',
      'src/body/response-body.ts',
      'src/http/repeats.ts',
      'src/options/schedules.ts',
      'src/options/backoff.ts',
      'src/options/config.ts',
      'src/failure/failure.ts',
      'src/failure/reasons.ts',
      'src/classify/status.ts',
      'src/gate/key.ts',
      'src/failure/failure-label.ts',
      'src/failure/format-delay.ts',
      'src/events/describe-event.ts',
    ],
  },
];
