/**
 * One call from its first failure to its end: the attempts so far, what the listeners are told, how it waits, and what
 * the caller gets. The loop drives it; what follows a failure is decided in `decide.ts`.
 */

import type { Admission } from './admission.ts';
import { AttemptLog } from './attempt-log.ts';
import { Announcer } from './announcer.ts';
import { readError } from './classify/index.ts';
import type { RetryConfig } from './config.ts';
import { beginRetrying, type RetryController } from './controller.ts';
import { type Decision, decide } from './decide.ts';
import { type AttemptRecord, notify, type StopReason } from './events.ts';
import { type Exchange, hasSucceeded, isThrown, type Settled } from './exchange.ts';
import type { Failure, FailureType } from './failure.ts';
import { Walk } from './fallback/walk.ts';
import { giveBack } from './give-back.ts';
import { rememberHistory } from './http-status-error.ts';
import type { Policy } from './policy.ts';
import { peekSettled } from './hold.ts';
import { isPermitted, obstacleTo, rollBack } from './repeat.ts';
import { discard, type Peek } from './response-body.ts';
import { Sender } from './sender.ts';
import { type Judgement, judge } from './verdict.ts';
import { sleep, sleepControlled } from './wait.ts';

/** p-retry is told "again" with this, and never sees a real outcome: it judges some errors by rules of its own. */
const AGAIN = /* @__PURE__ */ new Error('retry-transport: the attempt failed');

type Retry = Extract<Decision, { retry: true }>;
type ShouldRetry = NonNullable<RetryConfig['shouldRetry']>;

export class Call<R> {
  readonly #policy: Policy;
  readonly #exchange: Exchange<R>;
  readonly #sender: Sender<R>;
  readonly #walk: Walk;
  readonly #gate: Admission | undefined;
  readonly #announcer: Announcer;
  readonly #startedAt: number;
  readonly #log = new AttemptLog();
  #countOf: Partial<Record<FailureType, number>> | undefined;
  #attempts: number;
  #attemptStartedAt: number;
  #settledAt: number;
  /** undefined before the first answer, and during a wait that nobody can end early. */
  #settled: Settled<R> | undefined;
  #drained = true;
  #judgement: Judgement | undefined;
  #error: Error | undefined;
  /** What was thrown on the way to an attempt. */
  #broken: { readonly error: unknown } | undefined;
  #stopped: StopReason = 'refused-by-caller';
  #totalDelayMs = 0;
  #endRetrying: (() => void) | undefined;
  #isRefused = false;
  /** Nothing has been judged yet. */
  #isNew = true;

  /** `settled`: what the first attempt gave, where it was sent before there was a reason to have a `Call`. */
  constructor(policy: Policy, exchange: Exchange<R>, startedAt: number, settled?: Settled<R>, gate?: Admission) {
    this.#gate = gate;
    this.#policy = policy;
    this.#exchange = exchange;
    this.#announcer = new Announcer(policy, exchange);
    this.#sender = new Sender(policy, exchange, this.#announcer);
    this.#walk = new Walk(policy);
    this.#startedAt = startedAt;
    this.#attemptStartedAt = startedAt;
    this.#settledAt = settled === undefined ? startedAt : policy.runtime.now();
    this.#settled = settled;
    this.#attempts = settled === undefined ? 0 : 1;
  }

  get signal(): AbortSignal | undefined {
    return this.#exchange.signal;
  }

  /** Makes an attempt, unless the first was made already. Gives its success, or throws for p-retry to ask what follows. */
  attempt(): R | Promise<R> {
    // Thrown, not rejected: a promise that is rejected before anybody listens is expensive.
    if (this.#isNew && this.#settled !== undefined) return this.#pass(this.#settled);
    const { fallback, rollback } = this.#policy.config;
    const isReady = fallback === undefined && rollback === undefined && this.#gate === undefined;
    return isReady ? this.#send() : this.#prepareAndSend();
  }

  /** Judges the failed attempt, decides, tells the listeners and waits. True: send the next attempt now. */
  async proceed(): Promise<boolean> {
    if (this.#broken !== undefined || this.#isRefused) return false;
    this.#isNew = false;
    // Awaited only where there is something to wait for: most retries have neither a body nor a `shouldRetry`.
    const peek = this.#settled === undefined ? undefined : peekSettled(this.#settled, this.signal);
    const judgement = this.#judge(peek instanceof Promise ? await peek : peek);
    const { runtime, config } = this.#policy;
    this.#gate?.settled(judgement.failure);
    let now = runtime.now();
    let decision = this.#decide(judgement, now);
    if (decision.retry && config.shouldRetry !== undefined) {
      const permitted = await this.#permitted(decision, judgement.failure, config.shouldRetry);
      if (!permitted) decision = { retry: false, because: 'refused-by-caller' };
      now = runtime.now();
    }
    if (decision.retry && this.#gate !== undefined) {
      decision = await this.#gate.permit(decision, judgement.failure, this.#spent(now));
      now = runtime.now();
    }
    this.#record(judgement.failure, decision);
    if (decision.retry) return this.#wait(decision, judgement.failure, now);
    this.#stopped = decision.because;
    return false;
  }

  /** The end of a call that succeeded. */
  succeed(response: R): R {
    this.#gate?.settled('success');
    this.#leave();
    if (this.#attempts > 1) {
      this.#record(null);
      rememberHistory(response, this.#log.history);
      this.#announcer.emit({ type: 'recovered', ...this.#account() });
    }
    this.#endRetrying?.();
    return response;
  }

  #leave(): void {
    this.#exchange.release();
    this.#gate?.leave();
  }

  /** The end of every other call: hands back the last response, or throws. */
  fail(thrown: unknown): R {
    try {
      return this.#end(this.#broken === undefined ? thrown : this.#broken.error);
    } finally {
      this.#leave();
      this.#endRetrying?.();
    }
  }

  /** Undoes what may have been done, and finds out whom to ask. */
  async #prepareAndSend(): Promise<R> {
    try {
      if (this.#attempts > 0) await rollBack(this.#policy, this.#announcer, this.#log.lastFailure, this.signal);
      if (this.#gate !== undefined) await this.#enter(this.#gate);
      for (let waitMs = this.#choose(); waitMs > 0; waitMs = this.#choose()) {
        this.#totalDelayMs += waitMs;
        await sleep(this.#policy.runtime, waitMs, this.signal);
      }
    } catch (error) {
      if (error !== AGAIN) this.#broken = { error };
      // Not the error: p-retry has rules of its own for some.
      throw AGAIN;
    }
    // From the choice to the sending nothing is awaited: another call may be told meanwhile that the target is no more.
    return this.#send();
  }

  #send(): Promise<R> {
    const { runtime, maxRetries, config } = this.#policy;
    this.#attempts += 1;
    this.#letGo();
    this.#attemptStartedAt = runtime.now();
    const last = config.fallback === undefined && this.#attempts > maxRetries;
    return this.#sender.send(this.#attempts, last, this.#walk.target).then((settled) => {
      this.#settledAt = runtime.now();
      return this.#pass(settled);
    });
  }

  /** Waits in line. A call that is turned away has its last answer to hand back, or was never sent. */
  async #enter(gate: Admission): Promise<void> {
    const refusal = await gate.enter(
      this.signal,
      () => this.#spent(this.#policy.runtime.now()),
      (ms) => (this.#totalDelayMs += ms),
    );
    if (refusal === null) return;
    if (this.#settled === undefined) throw refusal.error;
    this.#stopped = refusal.because;
    this.#isRefused = true;
    throw AGAIN;
  }

  /** Settles whom to ask; more than 0: not for so long. */
  #choose(): number {
    const now = this.#policy.runtime.now();
    return this.#walk.choose(now, this.#spent(now));
  }

  #spent(now: number): { readonly totalDelayMs: number; readonly elapsedMs: number } {
    return { totalDelayMs: this.#totalDelayMs, elapsedMs: Math.max(0, now - this.#startedAt) };
  }

  /** Looks into a success, then hands it on; throws for everything else. */
  #pass(settled: Settled<R>): R | Promise<R> {
    const inspected = this.#sender.inspect(settled, this.#settledAt);
    if (!(inspected instanceof Promise)) return this.#successOf(inspected);
    // What a look finds was said later than the head, and a wait counts from there.
    return inspected.then((found) => this.#successOf(found, this.#policy.runtime.now()));
  }

  #successOf(settled: Settled<R>, settledAt: number = this.#settledAt): R {
    this.#settled = settled;
    this.#settledAt = settledAt;
    if (hasSucceeded(settled)) return settled.response;
    throw AGAIN;
  }

  #judge(peek: Peek | undefined): Judgement {
    this.signal?.throwIfAborted();
    const settled = this.#settled ?? { error: AGAIN };
    this.#drained = peek?.drained ?? true;
    const judgement = judge(settled, peek?.body, this.#settledAt, this.#policy, this.#announcer);
    const error = 'error' in settled ? settled.error : this.#announcer.statusError(judgement.failure, peek?.body);
    this.#error = isThrown(error) ? error : undefined;
    this.#judgement = judgement;
    return judgement;
  }

  #decide({ failure, serverSaidStop }: Judgement, now: number): Decision {
    const counts = (this.#countOf ??= {});
    const attemptsOfType = (counts[failure.type] = (counts[failure.type] ?? 0) + 1);
    const { attempts, maxRetries, fallback } = this.#walk.look(failure, this.#attempts, now);
    const mayRepeat = failure.retryable || fallback !== null;
    const obstacle = mayRepeat ? obstacleTo(this.#policy, this.#exchange, this.#announcer, failure) : null;
    const { totalDelayMs, elapsedMs } = this.#spent(now);
    return decide(
      { failure, serverSaidStop, attempts, maxRetries, attemptsOfType, totalDelayMs, elapsedMs, obstacle, fallback },
      this.#policy,
      () => this.#policy.runtime.random(),
    );
  }

  #record(failure: Failure | null, decision?: Decision): void {
    this.#log.add(this.#attempts, this.#attemptStartedAt, this.#settledAt, this.#walk.name, failure, decision);
  }

  #permitted({ delayMs, because }: Retry, failure: Failure, shouldRetry: ShouldRetry): Promise<boolean> {
    const attempt = this.#attempts;
    const context = { ...this.#announcer.identity, attempt, failure, delayMs, because, history: this.#log.history };
    return isPermitted(shouldRetry, context, this.signal);
  }

  /** Announces the wait and waits. The wait counts from the response head, as the server's hint does. */
  #wait({ delayMs, because }: Retry, failure: Failure, now: number): Promise<boolean> {
    const { config, runtime } = this.#policy;
    const { controller, onRetry } = config;
    if (because === 'fallback') this.#turn(failure);
    const { maxRetries } = this.#walk;
    const attempt = this.#attempts;
    // The clock counts whole milliseconds, so one of those that seem to have passed may not have.
    const remainingMs = Math.max(0, delayMs - Math.max(0, now - this.#settledAt - 1));
    this.#totalDelayMs += delayMs;
    if (controller !== undefined) this.#endRetrying ??= beginRetrying(controller);
    if (this.#error !== undefined) notify(onRetry, attempt, this.#error, delayMs);
    const nextAttemptAt = now + remainingMs;
    this.#announcer.emit({ type: 'retry', attempt, maxRetries, delayMs, nextAttemptAt, because, failure });
    if (controller === undefined) {
      // A sleeper holds as little as it can: but for a gate, nobody can ask for this response any more.
      if (this.#gate === undefined) this.#letGo();
      return sleep(runtime, remainingMs, this.signal).then(() => true);
    }
    return this.#waitControlled(controller, remainingMs, nextAttemptAt);
  }

  /** Turns to the next target, where the counting starts afresh. */
  #turn(failure: Failure): void {
    const from = this.#walk.name ?? '';
    const to = this.#walk.turn(this.#attempts);
    this.#countOf = undefined;
    if (to !== undefined) this.#announcer.emit({ type: 'fallback', from, to, failure });
  }

  /** The last answer is kept until the wait is over: whoever gives up gets it back. */
  async #waitControlled(controller: RetryController, ms: number, until: number): Promise<boolean> {
    const { runtime } = this.#policy;
    const canHurry = this.#walk.restMs === undefined;
    const how = await sleepControlled(runtime, ms, until, this.signal, controller, canHurry);
    if (how === 'given-up' || !controller.enabled) {
      this.#stopped = how === 'given-up' ? 'given-up' : 'disabled';
      return false;
    }
    this.#letGo();
    return true;
  }

  #letGo(): void {
    if (!this.#drained && this.#settled !== undefined && 'response' in this.#settled) discard(this.#settled.response);
    this.#settled = undefined;
    this.#judgement = undefined;
    this.#error = undefined;
  }

  #end(thrown: unknown): R {
    const settled = this.#settled;
    if (this.signal?.aborted === true) {
      if (settled !== undefined && 'response' in settled) discard(settled.response);
      this.#announcer.emit({ type: 'cancelled', ...this.#account() });
      throw this.signal.reason;
    }
    if (thrown !== AGAIN || settled === undefined || this.#judgement === undefined) {
      // The caller's own function threw, or a wait broke: that is the outcome, and it ends the chain.
      if (this.#judgement !== undefined && this.#log.length < this.#attempts) this.#record(this.#judgement.failure);
      this.#letGo();
      rememberHistory(thrown, this.#log.history);
      this.#emitFailed(this.#log.lastFailure ?? readError(thrown, this.#announcer.secrets));
      throw thrown;
    }
    const { failure } = this.#judgement;
    if (failure.type === 'aborted' && 'error' in settled) {
      // Somebody's signal, if not the caller's: no failure of the server.
      this.#announcer.emit({ type: 'cancelled', ...this.#account() });
    } else {
      if (failure.retryable && this.#error !== undefined)
        notify(this.#policy.config.onExhausted, this.#error, this.#attempts);
      this.#emitFailed(failure);
    }
    return giveBack(settled, failure, this.#policy, this.#log.history);
  }

  #emitFailed(failure: Failure): void {
    const hintMs = this.#walk.restMs ?? failure.retryAfterMs;
    const possible = hintMs === undefined ? {} : { possibleAt: this.#settledAt + hintMs };
    this.#announcer.emit({ type: 'failed', ...this.#account(), because: this.#stopped, failure, ...possible });
  }

  #account(): { attempts: number; elapsedMs: number; history: readonly AttemptRecord[] } {
    const { elapsedMs } = this.#spent(this.#policy.runtime.now());
    return { attempts: this.#attempts, elapsedMs, history: this.#log.history };
  }
}
