/**
 * What an announced limit is, learned from its resets.
 *
 * A report describes one moment: when its request arrived, or when it was answered. It does not say which, nor what its
 * limit is: a window that is full again at its reset, a bucket that is filled all the time, or a sliding window, which
 * gets back what was sent one window ago and whose reset is when its oldest or its newest request leaves it. Each of
 * these is a model, which predicts the resets of the next reports; the one with the smallest error is used.
 */

import type { BucketReport } from './announced-headers.ts';
import type { Send, Sends } from './sends.ts';

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
  readonly totalWhenAnswered: Send['total'];
}

type Kind = 'window' | 'filled' | 'oldest leaves' | 'newest leaves';

interface Model {
  readonly kind: Kind;
  /** The moment that a report describes. */
  readonly moment: 'sentMs' | 'answeredMs';
  /** The longest time until the limit is as large as it can be. */
  windowMs: number;
  /** How wrong its predictions were recently. */
  errorMs: number;
}

/** The share of an error that is learned from one comparison. */
const LEARNING = 0.3;
/** Another model is used if its error is below this share of the present one's; 0.3 to 0.7 make hardly a difference. */
const BETTER = 0.5;
/** Smaller errors, as a share of the window, may come from rounded resets. */
const NOISE = 0.03;
/** The moment of a window is known if the error of the other one is five times as large: too early is refused. */
const CLEAR = 0.2;
/** The share of the earlier knowledge about a refill that is kept after a report: some 20 reports are remembered. */
const REMEMBERED = 0.95;

export class LimitModel {
  readonly #sends: Sends;
  readonly #windows = withBothMoments('window');
  readonly #sliding = [...withBothMoments('oldest leaves'), ...withBothMoments('newest leaves')];
  readonly #filled: Model = { kind: 'filled', moment: 'sentMs', windowMs: 0, errorMs: 0 };
  #present: Model = best(this.#windows);
  #isMomentKnown = false;
  /** What was missing recently, and the reported time until it is back. */
  #missing = 0;
  #missingMs = 0;
  /** The report with which the next ones are compared. */
  #compared: Heard | null = null;

  constructor(sends: Sends) {
    this.#sends = sends;
  }

  get kind(): 'window' | 'filled' | 'sliding' {
    return kindOf(this.#present);
  }

  /** 0: no reset was reported yet. */
  get windowMs(): number {
    return this.#present.windowMs;
  }

  /** Whether it is known which moment the reports of a window describe. */
  get isMomentKnown(): boolean {
    return this.#isMomentKnown;
  }

  /** The continuous refill of a bucket. */
  refillPerMs(limit: number): number {
    const fastest = limit / this.#filled.windowMs;
    return this.#missing > 0 ? Math.min(fastest, this.#missing / this.#missingMs) : fastest;
  }

  /** When the reset of a report is; while its moment is unknown, the later one of both. */
  resetAtMs(heard: Heard): number {
    return this.momentOf(heard, 'answeredMs') + heard.resetMs;
  }

  /** The moment that a report describes. */
  momentOf(heard: Heard, ifUnknown: Model['moment'] = 'sentMs'): number {
    return heard[this.#isMomentKnown ? this.#present.moment : ifUnknown];
  }

  /** All that had been sent at the moment that a report describes; while that is unknown, at the earlier one. */
  totalAt({ send, totalWhenAnswered }: Heard): Send['total'] | null {
    const isWhenAnswered = this.#isMomentKnown && this.#present.moment === 'answeredMs';
    return isWhenAnswered ? totalWhenAnswered : (send?.total ?? null);
  }

  /** Compares the models by a report. `limit`: the size of the limit */
  learn(heard: Heard, limit: number): void {
    this.#missing = REMEMBERED * this.#missing + limit - heard.remaining;
    this.#missingMs = REMEMBERED * this.#missingMs + heard.resetMs;
    const last = (this.#compared ??= heard);
    const models = [...this.#windows, ...this.#sliding, this.#filled];
    for (const model of models) model.windowMs = Math.max(model.windowMs, this.#windowOf(model, heard, last));
    const longestMs = this.#filled.windowMs;
    if (heard.answeredMs - last.answeredMs < longestMs / 4) return;
    this.#compared = heard;
    for (const model of models) {
      const errorMs = Math.min(Math.abs(this.#errorOf(model, heard, last, limit)), longestMs);
      model.errorMs += LEARNING * (errorMs - model.errorMs);
    }
    this.#choose();
  }

  #choose(): void {
    const window = best(this.#windows);
    const candidates = [window, this.#filled, best(this.#sliding)];
    const present = candidates.find((model) => kindOf(model) === this.kind) ?? window;
    const noiseMs = NOISE * this.#filled.windowMs;
    const errorOf = ({ errorMs }: Model): number => Math.max(errorMs, noiseMs);
    this.#present = candidates.reduce((one, other) => (errorOf(other) < BETTER * errorOf(one) ? other : one), present);
    const isClear = this.#windows.some((other) => window.errorMs < CLEAR * other.errorMs);
    this.#isMomentKnown = this.#present !== window || isClear;
  }

  /** How long the window of a model is at least, according to a report. */
  #windowOf(model: Model, heard: Heard, last: Heard): number {
    const resetAtMs = heard[model.moment] + heard.resetMs;
    switch (model.kind) {
      case 'filled':
        return heard.resetMs;
      case 'window': {
        const apartMs = resetAtMs - last[model.moment] - last.resetMs;
        const isNext = apartMs > model.windowMs / 2 && apartMs < 1.5 * model.windowMs;
        return isNext && this.#isMomentKnown && model === this.#present ? apartMs : heard.resetMs;
      }
      case 'oldest leaves':
        // A window without any request tells nothing about its length.
        return heard.resetMs === 0 ? 0 : resetAtMs - heard.sentMs;
      case 'newest leaves': {
        // If the request itself was not admitted, the newest in the window may be that of another client.
        const newest =
          heard.send === null || heard.wasRefused || heard.resetMs === 0
            ? undefined
            : this.#sends.lastUntil(heard[model.moment]);
        return newest === undefined ? 0 : resetAtMs - newest.sentMs;
      }
    }
  }

  /** The reset of a report minus the one that the model expected. */
  #errorOf({ kind, moment, windowMs }: Model, heard: Heard, last: Heard, limit: number): number {
    const resetAtMs = heard[moment] + heard.resetMs;
    switch (kind) {
      case 'filled':
        return heard.resetMs - ((limit - heard.remaining) * this.#missingMs) / Math.max(1e-9, this.#missing);
      case 'window': {
        const apartMs = resetAtMs - last[moment] - last.resetMs;
        return apartMs - windowMs * Math.round(apartMs / windowMs);
      }
      case 'oldest leaves':
        return resetAtMs - windowMs - (this.#sends.firstAfter(heard[moment] - windowMs)?.sentMs ?? 0);
      case 'newest leaves':
        return resetAtMs - windowMs - (this.#sends.lastUntil(heard[moment])?.sentMs ?? 0);
    }
  }
}

function kindOf({ kind }: Model): 'window' | 'filled' | 'sliding' {
  return kind === 'window' || kind === 'filled' ? kind : 'sliding';
}

function withBothMoments(kind: Kind): readonly Model[] {
  return (['sentMs', 'answeredMs'] as const).map((moment) => ({ kind, moment, windowMs: 0, errorMs: 0 }));
}

function best(models: readonly Model[]): Model {
  return models.reduce((one, other) => (other.errorMs < one.errorMs ? other : one));
}
