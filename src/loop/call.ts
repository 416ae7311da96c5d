/**
 * One call from its first failure to its end: the attempts so far, what the listeners are told, how it waits, and what
 * the caller gets. The loop drives it; what follows a failure is decided in `decide.ts`.
 */

import type { Admission } from './admission.ts';
import { Announcer, type RetryDetails } from '../events/announcer.ts';
import { Approach } from './approach.ts';
import { CallLog } from './call-log.ts';
import { readError } from '../classify/index.ts';
import { beginRetrying, type RetryController } from '../events/controller.ts';
import type { Decision } from './decide.ts';
import { Deliberation } from './deliberation.ts';
import { notify } from '../events/events.ts';
import { type StopReason } from '../failure/history.ts';
import { type Exchange, hasSucceeded, isThrown, type Settled } from './exchange.ts';
import type { Failure } from '../failure/failure.ts';
import { Walk } from './walk.ts';
import { giveBack } from './give-back.ts';
import { rememberHistory } from '../failure/history.ts';
import type { Policy } from '../policy/policy.ts';
import { peekSettled } from './hold.ts';
import { discard, type Peek } from '../stream/response-body.ts';
import { Sender } from './sender.ts';
import { type Judgement, judge } from './verdict.ts';
import { sleepControlled, sleepOut } from './wait.ts';

/** p-retry is told "again" with this, and never sees a real outcome: it judges some errors by rules of its own. */
const AGAIN = /* @__PURE__ */ new Error('retry-transport: the attempt failed');

type Retry = Extract<Decision, { retry: true }>;

export class Call<R> {
  readonly signal: AbortSignal | undefined;
  readonly #policy: Policy;
  readonly #exchange: Exchange<R>;
  readonly #sender: Sender<R>;
  readonly #walk: Walk;
  readonly #gate: Admission | undefined;
  readonly #announcer: Announcer;
  readonly #log: CallLog;
  readonly #deliberation: Deliberation;
  /** undefined where nothing stands between the call and its next attempt. */
  readonly #approach: Approach | undefined;
  /** undefined before the first answer, and during a wait that nobody can end early. */
  #settled: Settled<R> | undefined;
  #drained = true;
  #judgement: Judgement | undefined;
  #error: Error | undefined;
  /** What was thrown on the way to an attempt. */
  #broken: { readonly error: unknown } | undefined;
  #stopped: StopReason = 'refused-by-caller';
  /** From a refusal on the way to an attempt, which knows better than the last failure. */
  #possibleAt: number | null = null;
  #isOver = false;
  #endRetrying: (() => void) | undefined;
  /** Nothing has been judged yet. */
  #isNew = true;

  /** `settled`: what the first attempt gave, where it was sent before there was a reason to have a `Call`. */
  constructor(policy: Policy, exchange: Exchange<R>, startedAt: number, settled?: Settled<R>, gate?: Admission) {
    this.signal = exchange.signal;
    this.#gate = gate;
    this.#policy = policy;
    this.#exchange = exchange;
    this.#announcer = new Announcer(policy.config, exchange, policy.runtime);
    this.#sender = new Sender(policy, exchange, this.#announcer);
    this.#walk = new Walk(policy);
    this.#log = new CallLog(startedAt);
    this.#deliberation = new Deliberation(policy, exchange, this.#announcer, this.#walk, gate, this.#log);
    const { fallback, rollback } = policy.config;
    if (fallback !== undefined || rollback !== undefined || gate !== undefined)
      this.#approach = new Approach(policy, this.#announcer, this.#walk, gate, this.#log);
    if (settled === undefined) {
      if (this.#approach !== undefined) exchange.defer();
      return;
    }
    this.#settled = settled;
    this.#log.begin(startedAt);
    this.#log.settledAt = policy.runtime.now();
  }

  /** Makes an attempt, unless the first was made already. Gives its success, or throws for p-retry to ask what follows. */
  attempt(): R | Promise<R> {
    // Thrown, not rejected: a promise that is rejected before anybody listens is expensive.
    if (this.#isNew && this.#settled !== undefined) return this.#pass(this.#settled);
    return this.#approach === undefined ? this.#send() : this.#approachAndSend(this.#approach);
  }

  /** Judges the failed attempt, decides, tells the listeners and waits. True: send the next attempt now. */
  async proceed(): Promise<boolean> {
    if (this.#isOver) return false;
    this.#isNew = false;
    // Awaited only where there is something to wait for: most retries have neither a body nor a `shouldRetry`.
    const peek = this.#settled === undefined ? undefined : peekSettled(this.#settled, this.signal);
    const judgement = this.#judge(peek instanceof Promise ? await peek : peek);
    const { failure } = judgement;
    const { runtime } = this.#policy;
    this.#gate?.settled(failure);
    const planned = this.#deliberation.decide(judgement, runtime.now());
    const permitted = this.#deliberation.permit(planned, failure);
    const decision = permitted instanceof Promise ? await permitted : permitted;
    this.#log.note(this.#walk.name, failure, decision);
    if (!decision.retry) return this.#stop(decision.because);
    // Even where the gate makes a cooldown of it: it was this target that was given up.
    if (planned.retry && planned.because === 'fallback') this.#turn(failure);
    return this.#wait(decision, failure, runtime.now());
  }

  /** No further attempt, and why. */
  #stop(because: StopReason): false {
    this.#stopped = because;
    this.#isOver = true;
    return false;
  }

  /** The end of a call that succeeded. */
  succeed(response: R): R {
    this.#gate?.settled('success');
    if (this.#log.attempts > 1) {
      this.#log.note(this.#walk.name, null);
      rememberHistory(response, this.#log.history);
      this.#announcer.emit({ type: 'recovered', ...this.#log.account(this.#policy.runtime.now()) });
    }
    return response;
  }

  /** The end of every other call: hands back the last response, or throws. */
  fail(thrown: unknown): R {
    return this.#end(this.#broken === undefined ? thrown : this.#broken.error);
  }

  /** Lets go of everything, after the last event. */
  leave(): void {
    this.#exchange.release();
    this.#gate?.leave();
    this.#endRetrying?.();
  }

  /** A call that is turned away has its last answer to hand back, or was never sent. */
  async #approachAndSend(approach: Approach): Promise<R> {
    try {
      const { signal } = this;
      let rest = (await approach.enter(signal)) ?? approach.choose(signal);
      while (rest instanceof Promise) rest = (await rest) ?? approach.choose(signal);
      // Both may have taken their time, and asked others.
      signal?.throwIfAborted();
      if (rest !== null) {
        this.#stop(rest.because);
        this.#possibleAt = rest.possibleAt;
        if (this.#settled === undefined) this.#broken = rest;
      } else if (this.#log.attempts > 0 && this.#policy.config.controller?.enabled === false) this.#stop('disabled');
    } catch (error) {
      this.#broken = { error };
      this.#isOver = true;
    }
    // Not the error: p-retry has rules of its own for some.
    if (this.#isOver) throw AGAIN;
    return this.#send();
  }

  #send(): Promise<R> {
    const { runtime, maxRetries, config } = this.#policy;
    this.#letGo();
    this.#log.begin(runtime.now());
    const last = config.fallback === undefined && this.#log.attempts > maxRetries;
    return this.#sender.send(this.#log.attempts, last, this.#walk.target).then((settled) => {
      this.#log.settledAt = runtime.now();
      return this.#pass(settled);
    });
  }

  /** Looks into a success, then hands it on; throws for everything else. */
  #pass(settled: Settled<R>): R | Promise<R> {
    const inspected = this.#sender.inspect(settled, this.#log.settledAt);
    if (!(inspected instanceof Promise)) return this.#successOf(inspected);
    // What a look finds was said later than the head, and a wait counts from there.
    return inspected.then((found) => this.#successOf(found, this.#policy.runtime.now()));
  }

  #successOf(settled: Settled<R>, settledAt: number = this.#log.settledAt): R {
    this.#settled = settled;
    this.#log.settledAt = settledAt;
    if (hasSucceeded(settled)) return settled.response;
    throw AGAIN;
  }

  #judge(peek: Peek | undefined): Judgement {
    this.signal?.throwIfAborted();
    const settled = this.#settled ?? { error: AGAIN };
    this.#drained = peek?.drained ?? true;
    const judgement = judge(settled, peek?.body, this.#log.settledAt, this.#policy, this.#announcer);
    const error = 'error' in settled ? settled.error : this.#announcer.statusError(judgement.failure, peek?.body);
    this.#error = isThrown(error) ? error : undefined;
    this.#judgement = judgement;
    return judgement;
  }

  /** Announces the wait and waits. */
  #wait(decision: Retry, failure: Failure, now: number): Promise<boolean> {
    const { config, runtime } = this.#policy;
    const { delayMs, because } = decision;
    const nextAttemptAt = this.#log.endOf(decision, now);
    this.#log.addDelay(delayMs);
    const { attempts: attempt } = this.#log;
    const { maxRetries } = this.#walk;
    const event = { type: 'retry', attempt, maxRetries, delayMs, nextAttemptAt, because, failure } as const;
    const ms = nextAttemptAt - now;
    if (config.controller !== undefined) return this.#waitControlled(config.controller, ms, event);
    this.#announce(event);
    // A sleeper holds as little as it can: nobody can ask for this response any more unless its retry is turned away.
    if (this.#gate === undefined && !this.#walk.rotates) this.#letGo();
    return sleepOut(runtime, ms, this.signal);
  }

  #announce(event: RetryDetails): void {
    if (this.#error !== undefined) notify(this.#policy.config.onRetry, event.attempt, this.#error, event.delayMs);
    this.#announcer.emit(event);
  }

  /** Turns to the next target, where the counting starts afresh. */
  #turn(failure: Failure): void {
    const from = this.#walk.name ?? '';
    const to = this.#walk.turn(this.#log.attempts);
    this.#log.forgetCounts();
    if (to !== undefined) this.#announcer.emit({ type: 'fallback', from, to, failure });
  }

  /** The last answer is kept until the wait is over: whoever gives up gets it back. */
  async #waitControlled(controller: RetryController, ms: number, event: RetryDetails): Promise<boolean> {
    this.#endRetrying ??= beginRetrying(controller);
    const canHurry = this.#walk.restMs === undefined;
    const wait = { ms, until: event.nextAttemptAt, canHurry, announce: () => this.#announce(event) };
    const how = await sleepControlled(this.#policy.runtime, wait, this.signal, controller);
    if (how === 'given-up') return this.#stop('given-up');
    return controller.enabled || this.#stop('disabled');
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
      this.#announcer.emit({ type: 'cancelled', ...this.#log.account(this.#policy.runtime.now()) });
      throw this.signal.reason;
    }
    if (thrown !== AGAIN || settled === undefined || this.#judgement === undefined) {
      // The caller's own function threw, or a wait broke: that is the outcome, and it ends the chain.
      const failure = this.#judgement?.failure ?? readError(thrown, this.#announcer.secrets);
      if (!this.#log.isNoted) this.#log.note(this.#walk.name, failure);
      this.#letGo();
      rememberHistory(thrown, this.#log.history);
      this.#emitFailed(this.#log.lastFailure ?? failure);
      throw thrown;
    }
    const { failure } = this.#judgement;
    if (failure.type === 'aborted' && 'error' in settled) {
      // Somebody's signal, if not the caller's: no failure of the server.
      this.#announcer.emit({ type: 'cancelled', ...this.#log.account(this.#policy.runtime.now()) });
    } else {
      if (failure.retryable && this.#error !== undefined)
        notify(this.#policy.config.onExhausted, this.#error, this.#log.attempts);
      this.#emitFailed(failure);
    }
    return giveBack(settled, failure, this.#policy, this.#log.history);
  }

  #emitFailed(failure: Failure): void {
    const hintMs = this.#walk.restMs ?? failure.retryAfterMs;
    const possibleAt = this.#possibleAt ?? (hintMs === undefined ? null : this.#log.settledAt + hintMs);
    const account = this.#log.account(this.#policy.runtime.now());
    const details = { ...account, because: this.#stopped, failure };
    this.#announcer.emit({ type: 'failed', ...details, ...(possibleAt !== null && { possibleAt }) });
  }
}
