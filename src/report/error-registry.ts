/**
 * Keeps the newest reports of failed calls in one file that several processes may share. Each report is appended as a
 * line; from time to time the file is reduced to the reports that are kept.
 *
 * A report is safe from `kill -9` once `add` or the listener has returned. A line that was being written may be cut; it
 * is then moved to `<path>.damaged`. A power failure can lose more: only a compaction flushes the file to the disk.
 */

import { constants, statSync } from 'node:fs';
import { type Check, checkOptions, expectFunction, expectObject, number } from '../runtime/expect.ts';
import type { FailureCategory, FailureType, RetryEvent } from '../index.ts';
import { compactFile, hasUnfinished, type Keeper } from './compact-file.ts';
import { copyReport, createErrorReport, type ErrorReport } from './error-report.ts';
import { jsonLine } from './json-line.ts';
import { ifThere, LineWriter, readLines, readRecords, withFile } from './line-file.ts';
import { cut, expectContext, fieldsOf, instantOf, scrub, type StepContext, textOf } from './stored-values.ts';

/** The options of `ErrorRegistry`. */
export interface ErrorRegistryOptions {
  /** How many reports are kept, from 1. @default 100 */
  readonly maxReports?: number | undefined;
  /** The file is compacted when it is larger than this and twice as large as after the last time. @default 1048576 */
  readonly compactAboveBytes?: number | undefined;
  /** What is added to every report of the listener. */
  readonly context?: StepContext | undefined;
  /** Milliseconds since the epoch, for `resolve`. @default the system's clock */
  readonly now?: (() => number) | undefined;
  /**
   * Called when the file cannot be written or compacted. The report waits in memory and is written before the next
   * report.
   */
  readonly onError?: ((error: Error) => void) | undefined;
}

const checksOfOptions = (): { readonly [K in keyof ErrorRegistryOptions]-?: Check } => ({
  maxReports: number({ integer: true, min: 1 }),
  compactAboveBytes: number({ integer: true, min: 1 }),
  context: expectContext,
  now: expectFunction,
  onError: expectFunction,
});

/** Selects reports: those that meet all conditions. */
export interface ErrorFilter {
  readonly category?: FailureCategory | undefined;
  readonly type?: FailureType | undefined;
  readonly provider?: string | undefined;
  /** Inclusive, in milliseconds since the epoch. */
  readonly since?: number | undefined;
  /** Inclusive, in milliseconds since the epoch. */
  readonly until?: number | undefined;
  readonly resolved?: boolean | undefined;
}

interface Resolution {
  readonly version: 1;
  /** The id of the report. */
  readonly resolved: string;
  readonly at: number;
}

/**
 * Keeps reports in a file of mode 0600. Writing is synchronous and never throws. Reading throws the system's errors; a
 * file that does not exist is empty. A report appends one record; one in several hundred also compacts the file, which
 * takes longer.
 */
export class ErrorRegistry {
  /** For `onEvent`: records every `failed` event and ignores the others. */
  readonly listener: (event: RetryEvent) => void;
  readonly #path: string;
  readonly #maxReports: number;
  readonly #context: StepContext;
  readonly #now: () => number;
  readonly #writer: LineWriter;
  readonly #compactAboveBytes: number;
  #compactAt: number;

  /** Does not touch the file yet. @throws TypeError if the path or an option is invalid; the message names it */
  constructor(path: string, options: ErrorRegistryOptions = {}) {
    checkOptions('', expectObject('options', options, 'an object such as { maxReports: 50 }'), checksOfOptions());
    const { maxReports = 100, compactAboveBytes = 1_048_576, context = {}, now = () => Date.now(), onError } = options;
    this.#path = path;
    this.#maxReports = maxReports;
    this.#context = context;
    this.#now = now;
    this.#compactAboveBytes = compactAboveBytes;
    this.#compactAt = compactAboveBytes;
    this.#writer = new LineWriter({ path, follow: 'path', maxWaiting: maxReports, onError });
    this.listener = this.listenerFor({});
  }

  /** How many reports could not be written yet. */
  get waiting(): number {
    return this.#writer.waiting.length;
  }

  /** A listener that adds more context to its reports. */
  listenerFor(context: StepContext): (event: RetryEvent) => void {
    return (event) => {
      if (event.type !== 'failed') return;
      this.#writer.attempt(() => this.add(createErrorReport(event, { ...this.#context, ...context })));
    };
  }

  /** Records a report. @throws TypeError if it is not a report */
  add(report: ErrorReport): void {
    const stored = copyReport(report, scrub);
    if (stored === undefined) throw new TypeError('Expected a report as `createErrorReport` makes it.');
    this.#write(stored);
  }

  /** Marks a report as resolved; returns false if there is none with this id. */
  resolve(id: string): boolean {
    const report = this.list().find((one) => one.id === id);
    if (report === undefined) return false;
    if (report.resolvedAt === undefined) this.#write({ version: 1, resolved: id, at: this.#now() });
    return true;
  }

  /** The kept reports, the newest first. */
  list(filter: ErrorFilter = {}): readonly ErrorReport[] {
    // The first reader repairs damage and finishes the work of a killed process.
    if (hasUnfinished(this.#path)) this.compact();
    const ring = new ReportRing(this.#maxReports);
    let isDamaged = false;
    const read = (fd: number): void => {
      readLines(fd, 0, (bytes, kind) => {
        const damaged = kind === 'piece' || ring.take(bytes) !== undefined;
        // An unfinished line may still be written to.
        isDamaged ||= damaged && kind !== 'rest';
      });
    };
    ifThere(undefined, () => withFile(this.#path, constants.O_RDONLY, read));
    if (isDamaged) this.compact();
    for (const line of this.#writer.waiting) ring.take(Buffer.from(line));
    return ring
      .reports()
      .toReversed()
      .filter((report) => matches(report, filter));
  }

  /**
   * Reduces the file to the kept reports and moves damaged lines to `<path>.damaged`. Happens automatically as the file
   * grows. Returns false if there is no file, if another process is compacting it, or if it failed.
   */
  compact(): boolean {
    return this.#writer.attempt(() => compactFile(this.#path, () => new ReportRing(this.#maxReports))) ?? false;
  }

  #write(record: ErrorReport | Resolution): void {
    const size = this.#writer.write(jsonLine(record));
    if (size === undefined || size <= this.#compactAt || !this.compact()) return;
    const compacted = this.#writer.attempt(() => statSync(this.#path).size) ?? 0;
    this.#compactAt = Math.max(this.#compactAboveBytes, 2 * compacted);
  }
}

/** Collects the newest reports and their resolutions, in any order. */
class ReportRing implements Keeper {
  readonly #most: number;
  readonly #reports = new Map<string, ErrorReport>();
  readonly #resolutions = new Map<string, number>();

  constructor(most: number) {
    this.#most = most;
  }

  take(bytes: Buffer): Buffer | undefined {
    return readRecords(bytes, (value) => this.#accept(value));
  }

  /** The oldest first. */
  reports(): readonly ErrorReport[] {
    return Array.from(this.#reports.values(), (report) => {
      const resolvedAt = report.resolvedAt ?? this.#resolutions.get(report.id);
      return resolvedAt === undefined ? report : Object.freeze({ ...report, resolvedAt });
    });
  }

  lines(): readonly string[] {
    // A resolution can come before its report, while the report is being carried over.
    const early = [...this.#resolutions].filter(([id]) => !this.#reports.has(id));
    const resolutions = early.map(([resolved, at]): Resolution => ({ version: 1, resolved, at }));
    return [...this.reports(), ...resolutions].map((record) => jsonLine(record));
  }

  #accept(value: unknown): boolean {
    const report = copyReport(value, cut);
    if (report !== undefined) {
      const known = this.#reports.get(report.id);
      if (known?.resolvedAt === undefined) this.#reports.set(report.id, report);
      drop(this.#reports, this.#most);
      return true;
    }
    const fields = fieldsOf(value);
    const resolved = textOf(fields?.resolved, cut, 64);
    const at = instantOf(fields?.at);
    if (fields?.version !== 1 || resolved === undefined || at === undefined) return false;
    this.#resolutions.set(resolved, at);
    drop(this.#resolutions, this.#most);
    return true;
  }
}

/** Deletes the oldest entry if there are too many. */
function drop(entries: Map<string, unknown>, most: number): void {
  if (entries.size <= most) return;
  for (const oldest of entries.keys()) {
    entries.delete(oldest);
    return;
  }
}

function matches(report: ErrorReport, { category, type, provider, since, until, resolved }: ErrorFilter): boolean {
  const { rootCause, at, resolvedAt } = report;
  return (
    (category === undefined || rootCause.category === category) &&
    (type === undefined || rootCause.type === type) &&
    (provider === undefined || rootCause.provider === provider) &&
    (since === undefined || at >= since) &&
    (until === undefined || at <= until) &&
    (resolved === undefined || (resolvedAt !== undefined) === resolved)
  );
}
