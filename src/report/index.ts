/** `retry-transport/report` (Node): error reports, a registry of errors on disk, and the journal of a run. */

export { createErrorReport, type ErrorReport, type FailedEvent, type RecoveryAction } from './error-report.ts';
export { type ErrorFilter, ErrorRegistry, type ErrorRegistryOptions } from './error-registry.ts';
export {
  type AttemptTiming,
  type JournalAttempt,
  type JournalEntry,
  type JournalEntryBase,
  type JournalFallback,
  type JournalOutcome,
  type JournalReading,
  type JournalRun,
  readJournal,
  RunJournal,
  type RunJournalOptions,
} from './journal.ts';
export { renderReport, type RenderOptions } from './render-report.ts';
export type { StepContext } from './stored-values.ts';
export { type FinalEvent, summary } from './summary.ts';
