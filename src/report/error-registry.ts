/**
 * Keeps the newest reports of failed calls in a file that several processes may share. Each report is appended as a line.
 * A file that is too large, and holds as many reports as are kept, becomes `<path>.1`. A report is safe from `kill -9`
 * once `add` or the listener has returned.
 */

import { type Check, checkOptions, expectFunction, expectObject, number } from '../runtime/expect.ts';
import type { FailureCategory, FailureType, RetryEvent } from '../index.ts';
import { createErrorReport, type ErrorReport, storedReport } from './error-report.ts';
import { jsonLine, parse } from './json-line.ts';
import { LineFile, readLines } from './line-file.ts';
import { cut, expectContext, instant, object, oneOf, scrub, type StepContext, text } from './stored-values.ts';

/** The options of `ErrorRegistry`. */
export interface ErrorRegistryOptions {
  /** How many reports are kept, from 1. @default 100 */
  readonly maxReports?: number | undefined;
  /** A file that is larger, and holds `maxReports`, is renamed to `<path>.1`. @default 1048576 */
  readonly maxBytes?: number | undefined;
  /** What is added to every report of the listener. */
  readonly context?: StepContext | undefined;
  /** Milliseconds since the epoch, for `resolve`. @default the system's clock */
  readonly now?: (() => number) | undefined;
  /**
   * Called when the file cannot be written or renamed. The report waits in memory and is written before the next
   * report.
   */
  readonly onError?: ((error: Error) => void) | undefined;
}

const checksOfOptions = (): { readonly [K in keyof ErrorRegistryOptions]-?: Check } => ({
  maxReports: number({ integer: true, min: 1 }),
  maxBytes: number({ integer: true, min: 1 }),
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
  readonly resolved: string;
  readonly at: number;
}

const storedResolution = object<Resolution>({ version: oneOf(1), resolved: text(64), at: instant }, {});

/**
 * Keeps reports in files of mode 0600. Writing is synchronous and never throws. Reading throws the system's errors; a
 * file that does not exist is empty, and damaged lines are skipped.
 */
export class ErrorRegistry {
  /** For `onEvent`: records every `failed` event and ignores the others. */
  readonly listener: (event: RetryEvent) => void;
  readonly #path: string;
  readonly #maxReports: number;
  readonly #context: StepContext;
  readonly #now: () => number;
  readonly #file: LineFile;
  #rotateAbove: number;

  /** Does not touch the file yet. @throws TypeError if the path or an option is invalid; the message names it */
  constructor(path: string, options: ErrorRegistryOptions = {}) {
    checkOptions('', expectObject('options', options, 'an object such as { maxReports: 50 }'), checksOfOptions());
    const { maxReports = 100, maxBytes = 1_048_576, context = {}, now = () => Date.now(), onError } = options;
    this.#path = path;
    this.#maxReports = maxReports;
    this.#context = context;
    this.#now = now;
    this.#rotateAbove = maxBytes;
    this.#file = new LineFile({ path, maxFiles: 2, maxWaiting: maxReports, onError });
    this.listener = this.listenerFor({});
  }

  /** How many reports could not be written yet. */
  get waiting(): number {
    return this.#file.waiting.length;
  }

  /** A listener that adds more context to its reports. */
  listenerFor(context: StepContext): (event: RetryEvent) => void {
    return (event) => {
      if (event.type !== 'failed') return;
      this.#file.attempt(() => this.add(createErrorReport(event, { ...this.#context, ...context })));
    };
  }

  /** Records a report. @throws TypeError if it is not a report */
  add(report: ErrorReport): void {
    const stored = storedReport(report, scrub);
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
    const lines = [...this.#file.waiting.toReversed(), ...readLines(this.#path, 2).newestFirst];
    return this.#reportsIn(lines).filter((report) => matches(report, filter));
  }

  #write(record: ErrorReport | Resolution): void {
    const size = this.#file.write(jsonLine(record));
    if (size === undefined || size <= this.#rotateAbove) return;
    // An older file is deleted, so this one must hold all reports that are kept.
    const reports = this.#file.attempt(() => this.#reportsIn(readLines(this.#path, 1).newestFirst).length) ?? 0;
    if (reports === this.#maxReports) this.#file.rotate(this.#rotateAbove);
    else this.#rotateAbove = 2 * size;
  }

  /** The newest reports in lines, of which the newest is the first, with their resolutions. */
  #reportsIn(lines: Iterable<string>): readonly ErrorReport[] {
    const reports = new Map<string, ErrorReport>();
    const resolutions = new Map<string, number>();
    for (const line of lines) {
      const value = parse(line);
      const report = storedReport(value, cut);
      const resolution = report === undefined ? storedResolution(value, cut) : undefined;
      if (resolution !== undefined && !resolutions.has(resolution.resolved))
        resolutions.set(resolution.resolved, resolution.at);
      if (report === undefined || reports.has(report.id)) continue;
      const resolvedAt = report.resolvedAt ?? resolutions.get(report.id);
      reports.set(report.id, resolvedAt === undefined ? report : Object.freeze({ ...report, resolvedAt }));
      if (reports.size === this.#maxReports) break;
    }
    return [...reports.values()];
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
