/**
 * The route of a call. In a chain the call takes the first target whose gate is open or only paced. A target that is
 * held, or whose circuit is open, is passed over. If all are, the call waits for the one that is free first.
 */

import type { GateRefusal } from '../gate/gate-event.ts';
import { FAILURES, type Failure, type FailureType } from '../failure/failure.ts';
import { formatDelay } from '../failure/format-delay.ts';
import type { StopReason } from '../failure/history.ts';
import { createId } from '../runtime/runtime.ts';
import type { HeadersLike } from '../transport.ts';
import { sendFetchTo } from './fetch-target.ts';
import { GateRefusedError, type GateRefusedReason } from '../gate/gate-refused-error.ts';
import type { GateAnswer, GateRequest, GateRetry, GateSession } from '../gate/gate.ts';
import { recordOf } from '../fetch/request-parts.ts';
import type {
  AttemptTarget,
  Choice,
  FallbackRequest,
  Move,
  NextTarget,
  PlannedRetry,
  Route,
  RouteObstacle,
  RoutePolicy,
  Standing,
  Target,
} from './route.ts';

/** Opens the route of a call, for every gate and every chain. */
export function openRoute(policy: RoutePolicy, request: GateRequest): Route {
  return new CallRoute(policy, request);
}

/** How a gate is asked: when the call plans, before it sends, and after `retryNow`. */
type Question = 'estimate' | 'take' | 'takeAnyway';

/** A target that may rest. */
type Place = Omit<NextTarget, 'target'> & { readonly target: Target | undefined };

/** The answer of an open gate; also used without a gate. */
const GO: GateAnswer = { go: true };

class CallRoute implements Route {
  readonly #policy: RoutePolicy;
  readonly #request: GateRequest;
  /** The targets so far, without the caller's own request; the last is the current one. */
  readonly #asked: Target[] = [];
  /** Attempts made before the call moved to the current target. */
  #attemptsBefore = 0;
  /**
   * How often the call moved to a target that it had not used before. With a chain that chooses per attempt these cost
   * no retry.
   */
  #firstTurns = 0;
  /** Waits because every target rests. */
  #rests = 0;
  /** The target that follows the last failure. */
  #next: NextTarget | undefined;
  #session: GateSession | undefined;
  /** The gate's answer for a first attempt that could not be sent at once; cleared when it is read. */
  #firstAnswer: GateAnswer | Promise<GateAnswer> | undefined;
  /** In place of the caller's own. */
  readonly #idempotencyKeys = new Map<Target, string>();
  /** What the gate is told about the next retry. */
  #retry: GateRetry | null = null;

  constructor(policy: RoutePolicy, request: GateRequest) {
    this.#policy = policy;
    this.#request = request;
    this.#session = this.#sessionFor(undefined);
  }

  get target(): Target | undefined {
    return this.#asked.at(-1);
  }

  get name(): string | undefined {
    return this.target?.name ?? this.#policy.config.fallback?.primary;
  }

  get hasTurns(): boolean {
    return this.#policy.config.gate !== undefined || this.#choosesPerAttempt;
  }

  get retriesBefore(): number {
    return this.#choosesPerAttempt ? this.#firstTurns : this.#attemptsBefore;
  }

  get #choosesPerAttempt(): boolean {
    return this.#policy.config.fallback?.choose !== undefined;
  }

  takeFirst(nowMs: number): GateAnswer | Promise<GateAnswer> | undefined {
    const answer = this.#session?.take(nowMs, null);
    if (answer !== undefined && (answer instanceof Promise || !answer.go)) this.#firstAnswer = answer;
    return answer;
  }

  succeeded(nowMs: number, headers: HeadersLike | undefined, response?: unknown): void {
    this.#session?.report(nowMs, { type: 'success', headers, response });
  }

  within<T>(send: () => T): T {
    const session = this.#session;
    return session?.within === undefined ? send() : session.within(send);
  }

  /** An abort says nothing about the server. */
  failed(nowMs: number, failure: Failure, headers: HeadersLike | undefined): void {
    this.#session?.report(
      nowMs,
      failure.type === 'aborted'
        ? { type: 'cancelled' }
        : { type: 'failure', failure: this.#accepted(failure), headers },
    );
  }

  standing(nowMs: number, failure: Failure, attempts: number): Standing {
    const { config, strategies, maxRetries, backoff } = this.#policy;
    const { fallback: chain } = config;
    const named = chain?.next(failure, this.#asked, nowMs, strategies.get(failure.type)?.fallback);
    // A custom chain may name a target again, and would never end. A rotation may: there it costs a retry.
    const isRepeated = chain?.choose === undefined && named !== undefined && this.#asked.includes(named.target);
    const next = isRepeated ? undefined : named;
    this.#next = next;
    if (chain?.choose === undefined) {
      const isOnFirst = this.#attemptsBefore === 0;
      const additional = chain?.additionalRetries ?? 0;
      // A further target has its retries to the end.
      const afterRetries = isOnFirst ? Math.min(maxRetries, chain?.maxRetriesBeforeFallback ?? 0) : additional;
      return {
        attempts: attempts - this.#attemptsBefore,
        maxRetries: isOnFirst ? maxRetries : additional,
        fallback: next === undefined ? null : { restMs: next.waitMs, afterRetries },
      };
    }
    // A target that is used again costs a retry, or the rotation would never end.
    const counted = attempts - this.#firstTurns;
    const isNew = next !== undefined && next.waitMs === 0 && !this.#asked.includes(next.target);
    const hasEnded = counted > maxRetries || backoff.delayFor(counted - 1, { random: () => 0 }) === undefined;
    if (!isNew && hasEnded) this.#next = undefined;
    return {
      attempts: counted,
      maxRetries,
      fallback: this.#next === undefined ? null : { restMs: this.#next.waitMs, afterRetries: 0 },
    };
  }

  plan(nowMs: number, decision: PlannedRetry, failure: Failure): Choice | Promise<Choice> {
    const place = this.#placeFor(decision);
    if (this.#policy.config.gate === undefined) return choiceOf({ ...place, waitMs: 0 }, undefined);
    this.#retry = { failure: this.#accepted(failure), atMs: nowMs + decision.delayMs };
    return this.#choose(nowMs, place, failure, 'estimate');
  }

  take(nowMs: number, failure: Failure | undefined, isForced: boolean): Choice | Promise<Choice> {
    const { gate, fallback: chain } = this.#policy.config;
    const place = chain?.choose?.(nowMs) ?? { target: this.target, waitMs: 0 };
    if (gate === undefined) return this.#withRest(choiceOf(place, undefined));
    const chosen = this.#choose(nowMs, place, failure, isForced ? 'takeAnyway' : 'take');
    return chosen.then((choice) => this.#withRest(choice));
  }

  moveTo(nowMs: number, choice: Choice, attempts: number, failure: Failure): Move | null {
    const { target } = choice;
    if (target === undefined || target === this.target) return null;
    const from = this.name ?? '';
    if (!this.#asked.includes(target)) this.#firstTurns += 1;
    this.#adopt(nowMs, choice);
    this.#attemptsBefore = attempts;
    return { from, to: target.name, failure };
  }

  settle(nowMs: number, choice: Choice, attempts: number, failure: Failure | undefined): Move | null {
    // A chain that chooses per attempt was announced in the plan; any other change of the target is announced now.
    if (!this.#choosesPerAttempt) {
      const held = heldFailure(choice.passedOver ?? choice.answer, this.name ?? '');
      return this.moveTo(nowMs, choice, attempts, failure ?? held);
    }
    this.#adopt(nowMs, choice);
    return null;
  }

  dismiss(nowMs: number, { session }: Choice): void {
    if (session !== this.#session) session?.leave(nowMs);
  }

  retriesAfterMove(attempts: number): number | null {
    const { fallback: chain } = this.#policy.config;
    return chain?.choose === undefined && this.#attemptsBefore === attempts ? (chain?.additionalRetries ?? 0) : null;
  }

  refusal({ session, target }: Choice, reason: GateRefusedReason, waitMs: number): Error {
    const name = target?.name ?? this.name ?? '';
    if (waitMs === Number.POSITIVE_INFINITY)
      return new Error(`No target is left: ${name} and all others were refused for good. Replace them.`);
    if (session !== undefined) return new GateRefusedError(session.key, reason, waitMs, this.#policy.runtime.now());
    return new Error(`Every target rests: ${name} is free first, in ${formatDelay(waitMs)}. Try again then.`);
  }

  givenUp(waitMs: number): Error {
    const key = this.#session?.key ?? this.name ?? 'the server';
    return new GateRefusedError(key, 'given-up', waitMs, this.#policy.runtime.now());
  }

  targetOf(learn: (request: FallbackRequest) => void): AttemptTarget | undefined {
    const { target } = this;
    if (target === undefined) return undefined;
    const learnt = (request: FallbackRequest): FallbackRequest => {
      learn(request);
      return request;
    };
    const attempted: AttemptTarget = {
      ...target,
      name: target.name,
      requestFor: (request) => {
        const rewritten = target.requestFor(this.#withNewKey(target, request));
        return rewritten instanceof Promise ? rewritten.then(learnt) : learnt(rewritten);
      },
      sendFetch: (request) => sendFetchTo(attempted, request),
    };
    return attempted;
  }

  leave(nowMs: number): void {
    this.#session?.leave(nowMs);
  }

  /**
   * Replaces the caller's idempotency key, because a server refuses a key that comes with another body, or returns the
   * answer to the first one. The first key of a rotation sends the caller's own request.
   */
  #withNewKey(target: Target, request: FallbackRequest): FallbackRequest {
    const name = (this.#policy.config.idempotencyKeyHeader ?? 'idempotency-key').toLowerCase();
    const isOwn = this.#choosesPerAttempt && target === this.#asked[0];
    if (isOwn || request.headers[name] === undefined) return request;
    const key = this.#idempotencyKeys.get(target) ?? createId();
    this.#idempotencyKeys.set(target, key);
    return { ...request, headers: { ...request.headers, [name]: key } };
  }

  /** Makes a choice the current target of the call. */
  #adopt(nowMs: number, choice: Choice): void {
    const { target, session } = choice;
    if (session !== this.#session) this.#session?.leave(nowMs);
    this.#session = session;
    if (target !== undefined && target !== this.target) this.#asked.push(target);
  }

  /** A failure with the hint that the policy accepts, so that a hint means the same with and without a gate. */
  #accepted(failure: Failure): Failure {
    const { retryAfterMs, ...rest } = failure;
    if (retryAfterMs === undefined) return failure;
    const { retryAfter, maxDelayMs } = this.#policy;
    switch (retryAfter) {
      case 'obey':
        return failure;
      case 'clamp':
        return { ...failure, retryAfterMs: Math.min(retryAfterMs, maxDelayMs) };
      case 'ignore':
        return rest;
    }
  }

  /** The target that a decision names, before the gate is asked. */
  #placeFor({ because, delayMs }: PlannedRetry): Place {
    const next = this.#next;
    if (because === 'fallback' && next !== undefined) return next;
    // A hint makes only the target that gave it rest, so another target of the chain may be used.
    const isBound = because === 'hint' && next !== undefined;
    return { target: this.target, waitMs: isBound || because === 'cooldown' ? delayMs : 0 };
  }

  /** A rest is an obstacle for an attempt. A rotation whose keys rest again and again ends. */
  #withRest(choice: Choice): Choice {
    const { restMs } = choice;
    if (restMs <= 0) return choice;
    this.#rests += 1;
    const isEndless = restMs === Number.POSITIVE_INFINITY || this.#rests > this.#policy.maxRetries + 1;
    const stop = isEndless ? 'retries-exhausted' : null;
    return { ...choice, obstacle: { ...REST, stop, waitMs: restMs, holdMs: restMs } };
  }

  /**
   * Finds the target of the next attempt, beginning with `first`. `failure`: the one that the chain looks for a target
   * for; undefined: nothing has failed yet.
   */
  async #choose(nowMs: number, first: Place, failure: Failure | undefined, question: Question): Promise<Choice> {
    const choices: Choice[] = [];
    for (let place: Place | undefined = first; place !== undefined; place = this.#placeAfter(nowMs, choices, failure)) {
      const choice = choiceOf(place, ...(await this.#ask(nowMs, place, question)));
      choices.push(choice);
      if (isOpen(choice)) return this.#leaveOthers(nowMs, choices, choice);
    }
    const earliest = choices.reduce((best, choice) => (waitOf(choice) < waitOf(best) ? choice : best));
    return this.#leaveOthers(nowMs, choices, earliest);
  }

  async #ask(
    nowMs: number,
    { target, waitMs }: Place,
    question: Question,
  ): Promise<readonly [session: GateSession | undefined, answer: GateAnswer]> {
    const isCurrent = target === this.target;
    const session = isCurrent ? this.#session : this.#sessionFor(target);
    if (session === undefined || waitMs > 0) return [session, GO];
    if (question === 'takeAnyway') {
      session.takeAnyway(nowMs);
      return [session, GO];
    }
    const given = this.#firstAnswer;
    this.#firstAnswer = undefined;
    return [session, await (isCurrent && given !== undefined ? given : session[question](nowMs, this.#retry))];
  }

  #sessionFor(target: Target | undefined): GateSession | undefined {
    const { config, runtime } = this.#policy;
    const { gate, priority, gateKey } = config;
    return gate?.session(this.#requestTo(target), { runtime, priority, gateKey });
  }

  /** The request by which a gate finds the limit: each target and each key has its own. */
  #requestTo(target: Target | undefined): GateRequest {
    const request = this.#request;
    if (target?.offer === undefined) return request;
    return target.offer({ url: request.url, headers: recordOf(request.headers), body: request.body });
  }

  /** The next target to ask; undefined if there is none. */
  #placeAfter(nowMs: number, choices: readonly Choice[], failure: Failure | undefined): Place | undefined {
    const { fallback: chain } = this.#policy.config;
    if (chain === undefined) return undefined;
    const passed = choices.flatMap(({ target }) => target ?? []);
    const next =
      chain.choose === undefined
        ? this.#nextInChain(nowMs, [...this.#asked, ...passed], failure, choices[0]?.answer ?? GO)
        : chain.choose(nowMs, passed);
    // A custom chain may name a target again, and would never end.
    return next !== undefined && passed.includes(next.target) ? undefined : next;
  }

  /**
   * Asks the chain about the failure of the call; before the first failure, about what the gate knows of the first
   * target.
   */
  #nextInChain(
    nowMs: number,
    asked: readonly Target[],
    failure: Failure | undefined,
    answer: GateAnswer,
  ): NextTarget | undefined {
    const { config, strategies } = this.#policy;
    const heldBy = holderOf(answer);
    const types = failure !== undefined ? [failure.type] : heldBy !== null ? [heldBy] : OPENS_CIRCUITS;
    for (const type of types) {
      const next = config.fallback?.next({ type }, asked, nowMs, strategies.get(type)?.fallback);
      if (next !== undefined) return next;
    }
    return undefined;
  }

  #leaveOthers(nowMs: number, choices: readonly Choice[], chosen: Choice): Choice {
    for (const choice of choices) if (choice.session !== chosen.session) this.dismiss(nowMs, choice);
    const [first] = choices;
    return first === chosen ? chosen : { ...chosen, isFirst: false, passedOver: first?.answer };
  }
}

function choiceOf(
  { target, waitMs: restMs }: Place,
  session: GateSession | undefined,
  answer: GateAnswer = GO,
): Choice {
  return { target, session, restMs, answer, isFirst: true, passedOver: undefined, obstacle: obstacleIn(answer) };
}

const REST = { reason: 'cooldown-too-long', because: 'cooldown', isRest: true } as const;

function obstacleIn(answer: GateAnswer): RouteObstacle | null {
  if (answer.go) return null;
  const { refused, waitMs } = answer;
  if (refused !== null) return { ...REST, stop: REFUSED[refused], reason: refused, waitMs, holdMs: 0, isRest: false };
  const { holdMs, because, isStated, onFree } = answer;
  return waitMs > 0 ? { ...REST, stop: null, waitMs, holdMs, because, isStated, onFree, isRest: false } : null;
}

/** A full line, and a call that would wait for itself, have no reason of their own. */
const REFUSED: Readonly<Record<GateRefusal, StopReason>> = {
  'retry-budget-empty': 'retry-budget-empty',
  'circuit-open': 'circuit-open',
  'too-many-waiting': 'retry-budget-empty',
  'waits-for-itself': 'retry-budget-empty',
};

/** How long a choice makes the call wait; Infinity: unknown. */
function waitOf({ restMs, answer }: Choice): number {
  if (answer.go) return restMs;
  return Math.max(restMs, answer.refused !== null && answer.waitMs === 0 ? Number.POSITIVE_INFINITY : answer.waitMs);
}

/** The gate is open, or it only paces: a paced wait never changes the target. */
function isOpen({ restMs, answer }: Choice): boolean {
  return restMs === 0 && (answer.go || (answer.refused === null && answer.holdMs === 0));
}

/** The failure that began the hold of a gate. */
function holderOf(answer: GateAnswer): FailureType | null {
  return answer.go || answer.refused !== null ? null : answer.heldBy;
}

/** A failure that stands for what the gate knows about a target that this call has not used yet. */
function heldFailure(answer: GateAnswer, name: string): Failure {
  const type = holderOf(answer) ?? 'provider_unavailable';
  return Object.freeze({
    type,
    retryable: true,
    category: FAILURES[type].category,
    message: `The gate lets no request to ${name} through.`,
    phase: 'connect',
  });
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
