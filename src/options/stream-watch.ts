/** The option `streamWatch`, as the loop and the options know it. */

/** How a stream broke after it was handed over. `cut`: its connection broke. */
export type BreakReason = 'stalled' | 'truncated' | 'cut';

/** The limits of a stream that is read. */
export interface StallLimits {
  /** The longest wait for any byte. */
  readonly idleTimeoutMs: number;
  /** The longest wait for an event that is no ping. */
  readonly outputTimeoutMs: number;
}

/** The limits of a watch, with their defaults. */
export interface StreamLimits extends StallLimits {
  readonly requireEnd: boolean;
}

/** What a watch knows of the call, and whom it tells. */
export interface WatchedCall {
  /** Whether the request is known to ask a model for text, so that a stream without any event is watched too. */
  readonly asksForText: boolean;
  /** Whether the caller has aborted: then the error of the body is the caller's own. */
  readonly isAborted: () => boolean;
  /** Texts that no error may show. */
  readonly secrets: () => readonly string[];
  /** Called once, before the body fails. */
  readonly onBreak: (because: BreakReason, error: unknown) => void;
}

/** Made by {@link createStreamWatch}, for the option `streamWatch`. */
export interface StreamWatch extends StreamLimits {
  /** Watches the body of a response: the same object, with another `body`. Called by the library. */
  watch(response: Response, call: WatchedCall): void;
}
