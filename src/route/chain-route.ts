/**
 * The route of a call with other targets. A chain begins with the request's own target, and a failure leads to the next
 * one; a rotation chooses one of its keys for each attempt, right before it. A target that rests, is held, or whose
 * circuit is open, is passed over by every call. If all are, the call waits for the one that is free first.
 */

import type { GateAnswer, GateOutcome } from '../gate/gate.ts';
import type { GateSession } from '../gate/session.ts';
import { withReason } from '../gate/gate-refused-error.ts';
import { refusal } from '../gate/refusal.ts';
import { type Failure, type FailureType, TYPES } from '../failure/failure.ts';
import { formatDelay } from '../failure/format-delay.ts';
import { createKeyOf } from '../gate/key.ts';
import type { Moment } from '../moments/moments.ts';
import { GO, OwnRoute, type Question } from './own-route.ts';
import type {
  Choice,
  Chain,
  Move,
  NextTarget,
  PlannedRetry,
  Resting,
  RouteObstacle,
  RoutePolicy,
  RouteRequest,
  Standing,
  Target,
  Turn,
  TurnCounter,
} from './route.ts';

/** The origin and the credential of a request. */
const accountOf = /* @__PURE__ */ createKeyOf('credential');

/** A target that may rest. */
interface Candidate {
  /** undefined: the caller's own request. */
  readonly target: Target | undefined;
  /** How long the call has to wait for it. */
  readonly waitMs: number;
  /** How long it rests. By a guess, which only puts other targets first, if there is nothing to wait for. */
  readonly restMs: number;
}

export class ChainRoute extends OwnRoute {
  readonly #chain: Chain;
  /** The targets so far, without the caller's own request; the last is the current one. */
  readonly #asked: Target[] = [];
  /** The target that was asked last: a target may be chosen and then found to rest. */
  #lastAsked: string | undefined;
  /** Waits because every target rests. */
  #rests = 0;
  /** Whether rests only say in which order targets are asked. */
  #ignoresRests = false;
  /** When the last attempt was sent. */
  #sentAtMs = 0;

  constructor(policy: RoutePolicy, request: RouteRequest, chain: Chain) {
    super(policy, request);
    this.#chain = chain;
    this.current = { ...this.current, name: chain.primary };
  }

  get #isRotation(): boolean {
    return this.#chain.keys !== undefined;
  }

  override report(nowMs: number, outcome: GateOutcome): void {
    const { target, name } = this.current;
    this.#lastAsked = name;
    if (outcome.type === 'success' && target !== undefined) this.#chain.keys?.answered(target);
    super.report(nowMs, outcome);
  }

  rests(nowMs: number): boolean {
    return this.#isRotation || this.#candidate(this.current.target, nowMs).restMs > 0;
  }

  standing(nowMs: number, failure: Failure, counter: TurnCounter): Standing {
    const { maxRetries } = this.policy;
    const { keys, additionalRetries, maxRetriesBeforeFallback } = this.#chain;
    if (keys !== undefined) {
      const next = keys.refused(failure, this.#asked.at(-1), nowMs, this.#sentAtMs);
      const isUsed = next !== undefined && this.#asked.includes(next.target);
      const follows = next !== undefined && ((next.waitMs === 0 && !isUsed) || !this.#hasEnded(counter, failure));
      const fallback = follows ? { next, restMs: next.waitMs, afterRetries: 0, isUsed } : null;
      return { maxRetries, fallback, retriesElsewhere: 0 };
    }
    const next = this.#after(failure, [], nowMs);
    const isOnFirst = counter.before === 0;
    const retries = isOnFirst ? maxRetries : additionalRetries;
    // A further target has its retries to the end.
    const afterRetries = isOnFirst ? Math.min(maxRetries, maxRetriesBeforeFallback) : retries;
    const fallback = next === undefined ? null : { next, restMs: next.waitMs, afterRetries, isUsed: false };
    return { maxRetries: retries, fallback, retriesElsewhere: this.#retriesElsewhere(failure) };
  }

  override plan(nowMs: number, retry: PlannedRetry): Choice {
    const first = firstOf(retry, this.current.target, !this.#isRotation);
    // In a plan, a rest is no obstacle: it is the wait that was decided.
    const named = this.policy.config.gate === undefined ? { ...first, waitMs: 0, restMs: 0 } : first;
    return this.#choose(nowMs, named, { how: 'estimate', retry: this.told(nowMs, retry) }, retry.failure);
  }

  override take(nowMs: number, { failure, retry, answer, isForced, ignoresRests }: Turn): Choice {
    const { target } = this.current;
    this.#ignoresRests = ignoresRests;
    this.#sentAtMs = nowMs;
    // A key that rests is never sent. Another target is, if a person says so.
    const own = isForced ? { target, waitMs: 0, restMs: 0 } : this.#candidate(target, nowMs);
    const question = { how: isForced ? 'takeAnyway' : 'take', retry, given: answer } as const;
    const choice = this.#choose(nowMs, this.#chooseKey(nowMs) ?? own, question, failure);
    // After a failure there, the rests of the others count again.
    this.#ignoresRests = false;
    return this.#withRest(nowMs, choice);
  }

  adopt(nowMs: number, choice: Choice, counter: TurnCounter, failure: Failure | undefined): Move | null {
    const { target, isTaken } = choice;
    if (this.#isRotation) {
      // A target that is used again costs a retry, or the rotation would never end.
      if (!isTaken && target !== undefined && !this.#asked.includes(target)) counter.free += 1;
      const move = this.#moveTo(nowMs, choice);
      // Listeners heard of the key that was planned. Which one is taken is in the history.
      return isTaken || move === null || failure === undefined ? null : { ...move, failure, retries: null };
    }
    const cause = failure ?? this.#heldFailure(nowMs, choice);
    const move = this.#moveTo(nowMs, choice);
    if (move === null) return null;
    // Everything counts anew there.
    counter.before = counter.attempts;
    counter.free = 0;
    return { ...move, failure: cause, retries: this.#chain.additionalRetries + this.#retriesElsewhere(cause) };
  }

  rest(nowMs: number, failure: Failure, isLeft: boolean): number | undefined {
    const { retryAfterMs } = failure;
    const guessMs = this.#chain.restMs[failure.type];
    // Other failures are about the request, as is a prompt that is too long.
    const isAboutTarget = !this.#isRotation && TYPES[failure.type].fallback && failure.type !== 'context_too_long';
    if (!isAboutTarget && guessMs === undefined) return undefined;
    const ms = retryAfterMs ?? (isLeft ? guessMs : undefined);
    // A rotation marks its keys itself.
    if (ms !== undefined && !this.#isRotation)
      this.#moments.hold(this.#keyOf(this.current.target), nowMs, ms, failure, retryAfterMs !== undefined);
    if (retryAfterMs === undefined) return undefined;
    const moments = [undefined, ...this.#asked].map((target) => this.#momentOf(target, nowMs));
    return Math.min(...moments.map((moment) => (moment?.isNamed === true ? moment.atMs - nowMs : Infinity)));
  }

  #hasEnded({ onTarget }: TurnCounter, failure: Failure): boolean {
    const { maxRetries, common } = this.policy;
    return onTarget > maxRetries || common.schedule(onTarget - 1, failure, () => 0) === undefined;
  }

  #keyOf(target: Target | undefined): Target | string {
    // An operation has no origin.
    return target ?? (accountOf(this.request) || this.request.url);
  }

  /** The moments of all calls, by the clocks now. */
  get #moments(): Chain['moments'] {
    const { moments } = this.#chain;
    const { runtime } = this.policy;
    moments.compare(runtime.now(), runtime.monotonic());
    return moments;
  }

  #momentOf(target: Target | undefined, nowMs: number): Moment<Resting> | undefined {
    return this.#chain.moments.isEmpty ? undefined : this.#moments.until(this.#keyOf(target), nowMs);
  }

  #candidate<T extends Target | undefined>(target: T, nowMs: number): Candidate & { readonly target: T } {
    const moment = this.#momentOf(target, nowMs);
    const restMs = moment === undefined ? 0 : moment.atMs - nowMs;
    return { target, waitMs: moment?.isNamed === true && !this.#ignoresRests ? restMs : 0, restMs };
  }

  /** The key that a rotation uses next; undefined: no other is left, or the chain has an order. */
  #chooseKey(nowMs: number, passed?: readonly Target[]): Candidate | undefined {
    const next = this.#chain.keys?.choose(nowMs, passed);
    return next && { ...next, restMs: next.waitMs };
  }

  #left(failure: Resting, passed: readonly Target[] = []): readonly Target[] {
    const fallsBack = this.policy.strategies.get(failure.type)?.fallback;
    return this.#chain.left(failure, [...this.#asked, ...passed], fallsBack);
  }

  #retriesElsewhere(failure: Resting): number {
    return this.#left(failure).length * (1 + this.#chain.additionalRetries);
  }

  /** The target that follows a failure: one that does not rest, or else the one that is free first. */
  #after(failure: Resting, passed: readonly Target[], nowMs: number): (Candidate & NextTarget) | undefined {
    const candidates = this.#left(failure, passed).map((target) => this.#candidate(target, nowMs));
    return candidates.sort(inOrder)[0];
  }

  /** `failure`: the one that the chain looks for a target for; before it, what is known of the first target. */
  #choose(nowMs: number, first: Candidate, question: Question, failure: Failure | undefined): Choice {
    const findNext = (passed: readonly Target[], answer: GateAnswer): Candidate | undefined => {
      if (this.#isRotation) return this.#chooseKey(nowMs, passed);
      const held = this.#momentOf(first.target, nowMs)?.because.type ?? holderOf(answer);
      const types = held === null ? OPENS_CIRCUITS : [held];
      const failures = failure === undefined ? types.map((type) => ({ type })) : [failure];
      const covered = failures.find((each) => this.#left(each, passed).length > 0);
      return covered && this.#after(covered, passed, nowMs);
    };
    // Without a gate, the key that is free first was chosen already.
    if (this.#isRotation && this.policy.config.gate === undefined) return this.#askFor(nowMs, first, question);
    const choices: Choice[] = [];
    const passed: Target[] = [];
    const last: Candidate[] = [];
    const ask = (candidate: Candidate): Choice | undefined => {
      const choice = this.#askFor(nowMs, candidate, question);
      choices.push(choice);
      return isOpen(choice) ? this.#leaveOthers(nowMs, choices, choice, first) : undefined;
    };
    for (let candidate: Candidate | undefined = first; candidate !== undefined;) {
      if (candidate.target !== undefined) passed.push(candidate.target);
      if (isGuessed(candidate)) last.push(candidate);
      else {
        const open = ask(candidate);
        if (open !== undefined) return open;
      }
      candidate = findNext(passed, choices[0]?.answer ?? GO);
    }
    for (const candidate of last.sort((one, other) => one.restMs - other.restMs)) {
      const open = ask(candidate);
      if (open !== undefined) return open;
    }
    const earliest = choices.reduce((best, choice) => (waitOf(choice) < waitOf(best) ? choice : best));
    return this.#leaveOthers(nowMs, choices, earliest, first);
  }

  #askFor(nowMs: number, { target, waitMs }: Candidate, question: Question): Choice {
    const isCurrent = target === this.current.target;
    const session = isCurrent ? this.current.session : this.#sessionOf(target);
    if (waitMs > 0) return this.choiceOf({ target, session }, question, GO, waitMs);
    return this.ask(nowMs, { target, session }, isCurrent ? question : { ...question, given: undefined });
  }

  /** Each target and each key has its own limit. */
  #sessionOf(target: Target | undefined): GateSession | undefined {
    return this.sessionFor(target === undefined ? this.request : this.request.at(target));
  }

  #leaveOthers(nowMs: number, choices: readonly Choice[], chosen: Choice, first: Candidate): Choice {
    for (const choice of choices) if (choice.session !== chosen.session) this.leave(nowMs, choice);
    if (chosen.target === first.target) return chosen;
    return { ...chosen, passedOver: choices.find(({ target }) => target === first.target)?.answer ?? GO };
  }

  /** Makes a choice the current target of the call. Null if it is that already. */
  #moveTo(nowMs: number, { target, session }: Choice): Pick<Move, 'from' | 'to'> | null {
    const { current } = this;
    if (session !== current.session) current.session?.leave(nowMs);
    if (target === undefined || target === current.target) {
      this.current = { ...current, session };
      return null;
    }
    this.#asked.push(target);
    // The first key of a rotation sends the caller's own request.
    const isOwnRequest = this.#isRotation && target === this.#asked[0];
    this.current = { target, name: target.name, session, isOwnRequest };
    return { from: this.#lastAsked ?? current.name ?? '', to: target.name };
  }

  /** A rest is an obstacle for an attempt. A call whose targets rest again and again ends. */
  #withRest(nowMs: number, choice: Choice): Choice {
    const { restMs: waitMs, target } = choice;
    if (waitMs <= 0) return choice;
    this.#rests += 1;
    const isEndless = waitMs === Infinity || this.#rests > this.policy.maxRetries + 1;
    const because = this.#momentOf(target, nowMs)?.because;
    const obstacle: RouteObstacle = {
      stop: isEndless ? 'retries-exhausted' : null,
      waitMs,
      holdMs: waitMs,
      isGuess: waitMs === Infinity,
      because: 'cooldown',
      rests: this.#isRotation ? 'key' : 'target',
      reason: because,
      refusal: () => this.#refusal(choice, because),
    };
    return { ...choice, obstacle };
  }

  #refusal({ target, session, restMs }: Choice, because: Resting | undefined): Error {
    const name = target?.name ?? this.current.name ?? '';
    if (restMs === Infinity)
      return withReason(
        new Error(`No target is left: ${name} and all others were refused for good. Replace them.`),
        because,
      );
    const nowMs = this.policy.runtime.now();
    if (session !== undefined) return withReason(refusal(session.key, 'cooldown-too-long', restMs, nowMs), because);
    const when = `Every target rests: ${name} is free first, in ${formatDelay(restMs)}. Try again then.`;
    return Object.assign(withReason(new Error(when), because), { possibleAt: nowMs + restMs });
  }

  /** A failure that stands for what is known about a target that this call has not used yet. */
  #heldFailure(nowMs: number, { passedOver, answer }: Choice): Failure {
    const { target, name } = this.current;
    const known = this.#momentOf(target, nowMs)?.because;
    const type = known?.type ?? holderOf(passedOver ?? answer) ?? 'provider_unavailable';
    const message = `The gate lets no request to ${name} through.`;
    return Object.freeze({
      type,
      retryable: true,
      category: TYPES[type].category,
      message,
      phase: 'connect',
      ...known,
    });
  }
}

/** The target that a decision names, before the gate is asked. */
function firstOf(
  { moves, rests, delayMs, next }: PlannedRetry,
  current: Target | undefined,
  isInOrder: boolean,
): Candidate {
  // A rotation chooses a key when one is free.
  if ((moves || (rests === 'all targets' && isInOrder)) && next !== undefined) return { ...next, restMs: next.waitMs };
  // While this target rests, another one of the chain may be used.
  const isRest = rests === 'all targets' || (rests === 'this target' && next !== undefined);
  const waitMs = isRest ? delayMs : 0;
  return { target: current, waitMs, restMs: waitMs };
}

/** The failures that may have opened a circuit, which does not say which one it was. */
const OPENS_CIRCUITS: readonly FailureType[] = [
  'provider_unavailable',
  'overloaded',
  'server_error',
  'rate_limit',
  'timeout',
  'connection_error',
];

/** The order in which targets are asked; of two that are free at the same time, the first of the chain comes first. */
function inOrder(one: Candidate, other: Candidate): number {
  // Infinity minus Infinity is no number.
  if (one.waitMs !== other.waitMs) return one.waitMs < other.waitMs ? -1 : 1;
  return one.restMs === other.restMs ? 0 : one.restMs - other.restMs;
}

/** Whether it rests, and need not be waited for. */
const isGuessed = ({ waitMs, restMs }: Candidate): boolean => restMs > 0 && waitMs === 0;

/** How long a choice makes the call wait; Infinity: unknown. */
function waitOf({ restMs, answer }: Choice): number {
  if (answer.go) return restMs;
  return Math.max(restMs, answer.refused !== null && answer.waitMs === 0 ? Infinity : answer.waitMs);
}

/** The gate is open, or it only paces: a paced wait never changes the target. */
function isOpen({ restMs, answer }: Choice): boolean {
  return restMs === 0 && (answer.go || (answer.refused === null && answer.holdMs === 0));
}

/** The failure that began the hold of a gate. */
function holderOf(answer: GateAnswer): FailureType | null {
  return answer.go || answer.refused !== null ? null : answer.heldBy;
}
