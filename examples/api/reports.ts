import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGate, createRetryFetch, type RetryEvent } from 'retry-transport';
import { GATE_CHANNEL, publishGateEvents } from 'retry-transport/diagnostics';
import { instrument, type InstrumentOptions } from 'retry-transport/otel';
import {
  type AttemptTiming,
  createErrorReport,
  type ErrorFilter,
  ErrorRegistry,
  type ErrorRegistryOptions,
  type ErrorReport,
  type FailedEvent,
  type FinalEvent,
  type JournalAttempt,
  type JournalEntry,
  type JournalEntryBase,
  type JournalFallback,
  type JournalOutcome,
  type JournalReading,
  type JournalRun,
  readJournal,
  type RecoveryAction,
  type RenderOptions,
  renderReport,
  RunJournal,
  type RunJournalOptions,
  type StepContext,
  summary,
} from 'retry-transport/report';
import {
  type Hint,
  type HintEvidence,
  type HintSource,
  type HeadersLike,
  parseRetryAfterHeader,
  retryHint,
} from 'retry-transport/retry-after';
import { createUndiciFetch, type UndiciFetch, type UndiciFetchOptions } from 'retry-transport/undici';

const folder = mkdtempSync(join(tmpdir(), 'example-'));
const down = async (): Promise<Response> => new Response('{"error":"out of tape"}', { status: 503 });

// #region a report of a failure
const context: StepContext = { step: 'translate' };
const onEvent = (event: RetryEvent): void => {
  if (event.type !== 'failed') return;
  const failed: FailedEvent = event;
  const report: ErrorReport = createErrorReport(failed, context);
  const recovery: RecoveryAction = report.recovery;
  const options: RenderOptions = { width: 120 };
  console.log(recovery.because, renderReport(report, options).includes('503')); // → retries-exhausted true
};
await createRetryFetch({ fetch: down, maxRetries: 1, baseDelayMs: 0, onEvent })('https://api.example.com/');
// #endregion

// #region a registry of errors
const registryOptions: ErrorRegistryOptions = { maxReports: 100 };
const errors = new ErrorRegistry(join(folder, 'errors.jsonl'), registryOptions);
await createRetryFetch({ fetch: down, maxRetries: 0, onEvent: errors.listener })('https://api.example.com/');
const unresolved: ErrorFilter = { resolved: false };
console.log(errors.list(unresolved).length); // → 1
// #endregion

// #region a journal, read after a crash
const path = join(folder, 'attempts.jsonl');
const journalOptions: RunJournalOptions = { context: { step: 'translate' } };
const journal = new RunJournal(path, journalOptions);
await createRetryFetch({ fetch: down, maxRetries: 1, baseDelayMs: 0, onEvent: journal.listener })(
  'https://api.example.com/',
);
const reading: JournalReading = readJournal(path);
const [run]: readonly JournalRun[] = reading.runs;
const outcome: JournalOutcome | null | undefined = run?.outcome;
console.log(outcome?.outcome, outcome?.attempts, run?.entries.length); // → failed 2 3
// #endregion

// #region the lines of a journal
const ofAttempt = ({ attempt }: JournalAttempt): string => `attempt ${attempt}`;
const ofFallback = ({ from, to }: JournalFallback): string => `${from}, then ${to}`;
const ofOutcome = ({ outcome: end, timings }: JournalOutcome): string => {
  const last: AttemptTiming | undefined = timings.at(-1);
  return `${end}, the last attempt took ${last?.durationMs ?? 0} ms`;
};
export const lineOf = (entry: JournalEntry): string => {
  const { callId }: JournalEntryBase = entry;
  if (entry.kind === 'attempt') return `${callId}: ${ofAttempt(entry)}`;
  return `${callId}: ${entry.kind === 'fallback' ? ofFallback(entry) : ofOutcome(entry)}`;
};
// #endregion

// #region one line for a call
const say = (event: RetryEvent): void => {
  if (event.type !== 'recovered' && event.type !== 'failed') return;
  const final: FinalEvent = event;
  console.log(summary(final).split(' in ')[0]); // → overloaded (HTTP 503): failed after 2 attempts
};
await createRetryFetch({ fetch: down, maxRetries: 1, baseDelayMs: 0, onEvent: say })('https://api.example.com/');
// #endregion

// #region gate events on a channel
const gate = createGate({ onEvent: publishGateEvents() });
console.log(GATE_CHANNEL, gate.waiting); // → retry-transport:gate 0
// #endregion

// #region spans and metrics
const telemetry: InstrumentOptions = {};
console.log(
  (await instrument({ fetch: async () => new Response('Hello') }, telemetry)('https://api.example.com/')).status,
); // → 200
// #endregion

// #region a fetch with its own connections
const pooling: UndiciFetchOptions = { connections: 20, connectTimeoutMs: 1_000 };
const pooled: UndiciFetch = createUndiciFetch(pooling);
console.log(typeof createRetryFetch({ fetch: pooled })); // → function
await pooled.close();
// #endregion

// #region the wait that a server asks for
const headers: HeadersLike = { 'retry-after-ms': '1500' };
const evidence: HintEvidence = { headers };
const hint: Hint | null = retryHint(evidence);
const source: HintSource | undefined = hint?.source;
console.log(hint?.ms, source, parseRetryAfterHeader('2')); // → 1500 retry-after-ms 2000
// #endregion

rmSync(folder, { recursive: true });
