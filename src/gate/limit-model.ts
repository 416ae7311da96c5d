/**
 * What an announced limit is, learned from its resets.
 *
 * A report describes one moment: when its request arrived, or when it was answered. It does not say which, nor what its
 * limit is: a window that is full again at its reset, or a limit that gets back a little all the time, such as a bucket or
 * a sliding window. Each of these is a model, which predicts the resets of the next reports; the one with the smallest
 * error is used. A report that no window can send settles the question.
 */

import type { BucketReport } from './announced-headers.ts';
import type { Send } from './sends.ts';

/** A request that was answered. `send`: null if it was sent before the limit was known. */
export interface AnsweredRequest {
  readonly send: Send | null;
  readonly sentMs: number;
  readonly answeredMs: number;
  readonly wasRefused: boolean;
}

/** A report with a reset, its request, and all that had been sent when it came. */
export interface Heard extends BucketReport, AnsweredRequest {
  readonly resetMs: number;
  readonly totalWhenAnswered: Send;
}

type Kind = 'window' | 'bucket' | 'sliding';
type Moment = 'sentMs' | 'answeredMs';

/** The share of an error that is learned from one comparison. */
const LEARNING = 0.3;
/** The other kind is used if its error is below this share of the present one's. */
const BETTER = 0.5;
/** Smaller errors, as a share of the window, may come from rounded resets. */
const NOISE = 0.03;
/** The moment of a window is known if the error of the other one is five times as large: too early is refused. */
const CLEAR = 0.2;
/** The share of the earlier knowledge about a refill that is kept after a report: some 20 reports are remembered. */
const REMEMBERED = 0.95;
/**
 * The reset of a window stays where it is until it has passed, and then the window is full. A report that is off by this
 * share of the window or of the limit, and by more than a reset is rounded, shows that it is no window.
 */
const NO_WINDOW = { share: 0.25, ms: 1_100 } as const;

export class LimitModel {
  kind: Kind = 'window';
  #isNoWindow = false;
  /** The longest time until the limit is as large as it can be; 0: no reset was reported yet. */
  windowMs = 0;
  /** How wrong the resets were recently, if reports describe one moment or the other. */
  readonly #errorMs: Record<Moment | 'bucket', number> = { sentMs: 0, answeredMs: 0, bucket: 0 };
  /** What was missing recently, and the reported time until it is back. */
  #missing = 0;
  #missingMs = 0;
  /** The first report of the present window, and the one before the last. */
  #first: Heard | null = null;
  #last: Heard | null = null;
  /** The report with which the next ones are compared. */
  #compared: Heard | null = null;

  /** The continuous refill of a bucket. */
  refillPerMs(limit: number): number {
    const fastest = limit / this.windowMs;
    return this.#missing > 0 ? Math.min(fastest, this.#missing / this.#missingMs) : fastest;
  }

  /** When the reset of a report is; while its moment is unknown, the later one of both. */
  resetAtMs(heard: Heard): number {
    return this.momentOf(heard, 'answeredMs') + heard.resetMs;
  }

  /** The moment that a report describes. */
  momentOf(heard: Heard, ifUnknown: Moment = 'sentMs'): number {
    return heard[this.#moment ?? ifUnknown];
  }

  /** Whether it is known which moment the reports of a window describe. */
  get isMomentKnown(): boolean {
    return this.#moment !== null;
  }

  /** All that had been sent at the moment that a report describes; while that is unknown, at the earlier one. */
  totalAt({ send, totalWhenAnswered }: Heard): Send | null {
    return this.#moment === 'answeredMs' ? totalWhenAnswered : send;
  }

  get #moment(): Moment | null {
    if (this.kind !== 'window') return 'sentMs';
    const { sentMs, answeredMs } = this.#errorMs;
    if (sentMs < CLEAR * answeredMs) return 'sentMs';
    return answeredMs < CLEAR * sentMs ? 'answeredMs' : null;
  }

  /** Learns from a report. `limit`: the size of the limit; `spentSince`: what was sent after the request of a report */
  learn(heard: Heard, limit: number, spentSince: (report: Heard) => number): void {
    this.#missing = REMEMBERED * this.#missing + limit - heard.remaining;
    this.#missingMs = REMEMBERED * this.#missingMs + heard.resetMs;
    this.windowMs = Math.max(this.windowMs, heard.resetMs);
    const shown = this.#isNoWindow ? null : this.#shown(heard, limit, spentSince);
    if (shown !== null) [this.#isNoWindow, this.kind] = [true, shown];
    if (this.#first === null || heard.sentMs >= this.resetAtMs(this.#first)) this.#first = heard;
    this.#last = heard;
    this.#compare(heard, limit);
  }

  /** The kind that a report shows for certain; null: none. */
  #shown(heard: Heard, limit: number, spentSince: (report: Heard) => number): Kind | null {
    const [first, last] = [this.#first, this.#last];
    if (first === null || last === null || heard.sentMs < last.sentMs) return null;
    const resetAtMs = last.answeredMs + last.resetMs;
    const jumpMs = this.resetAtMs(heard) - this.resetAtMs(last);
    if (heard.sentMs >= resetAtMs || jumpMs > (1 - NO_WINDOW.share) * this.windowMs) {
      const isYoung = heard.sentMs < resetAtMs + NO_WINDOW.share * this.windowMs;
      return isYoung && heard.remaining < limit * (1 - NO_WINDOW.share) - spentSince(last) ? 'sliding' : null;
    }
    const toleranceMs = Math.max(NO_WINDOW.ms, NO_WINDOW.share * this.windowMs) + heard.answeredMs - heard.sentMs;
    const isSame = heard.sentMs < first.answeredMs + first.resetMs;
    const laterMs = this.resetAtMs(heard) - this.resetAtMs(first);
    // The next window, to which a request may belong that was sent before the reset.
    const isNext = laterMs > (1 - NO_WINDOW.share) * this.windowMs;
    if (!isSame || isNext || laterMs <= toleranceMs) return null;
    // The reset of a bucket is later, the more is missing. That of a sliding window may be a window after each request.
    const isConstant = Math.abs(heard.resetMs - first.resetMs) <= NO_WINDOW.share * this.windowMs;
    return isConstant && limit - heard.remaining > 2 * (limit - first.remaining) ? 'sliding' : 'bucket';
  }

  /**
   * If a window is described at a moment, the resets that are reckoned from it are whole windows apart. The reset of a
   * bucket is later, the more is missing.
   */
  #compare(heard: Heard, limit: number): void {
    const compared = (this.#compared ??= heard);
    if (heard.answeredMs - compared.answeredMs < this.windowMs / 4) return;
    this.#compared = heard;
    const learn = (of: Moment | 'bucket', errorMs: number): void => {
      this.#errorMs[of] += LEARNING * (errorMs - this.#errorMs[of]);
    };
    for (const moment of ['sentMs', 'answeredMs'] as const) {
      const apartMs = heard[moment] + heard.resetMs - compared[moment] - compared.resetMs;
      learn(moment, Math.abs(apartMs - this.windowMs * Math.round(apartMs / this.windowMs)));
    }
    const bucketResetMs = ((limit - heard.remaining) * this.#missingMs) / Math.max(1e-9, this.#missing);
    learn('bucket', Math.min(Math.abs(heard.resetMs - bucketResetMs), this.windowMs));
    if (this.#isNoWindow) return;
    const noiseMs = NOISE * this.windowMs;
    const windowMs = Math.max(noiseMs, Math.min(this.#errorMs.sentMs, this.#errorMs.answeredMs));
    const bucketMs = Math.max(noiseMs, this.#errorMs.bucket);
    if (bucketMs < BETTER * windowMs) this.kind = 'bucket';
    else if (windowMs < BETTER * bucketMs) this.kind = 'window';
  }
}
