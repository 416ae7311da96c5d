/**
 * What the routes of a chain and of a rotation share: the targets of a call so far, the move to another, and the search
 * for one whose gate is open or only paced. A target that is held, or whose circuit is open, is passed over. If all are,
 * the call waits for the one that is free first.
 */

import type { GateAnswer, GateRequest, GateRetry, GateSession } from '../gate/gate.ts';
import { FAILURES, type Failure, type FailureType } from '../failure/failure.ts';
import { createId } from '../runtime/runtime.ts';
import { recordOf } from '../http/request-parts.ts';
import { sendFetchTo } from './fetch-target.ts';
import { choiceOf, GO, OwnRoute, type Question } from './own-route.ts';
import type {
  AttemptTarget,
  Choice,
  FallbackChain,
  FallbackRequest,
  Move,
  NextTarget,
  RoutePolicy,
  Target,
} from './route.ts';

/** A target that may rest; undefined: the caller's own request. */
export type Candidate = Omit<NextTarget, 'target'> & { readonly target: Target | undefined };

/** Finds the target to ask after those that were passed over; undefined if there is none. */
type FindNext = (passed: readonly Target[], first: Choice) => Candidate | undefined;

/** How a search asks: `given` is what the gate has answered already. */
export interface Search {
  readonly question: Question;
  readonly retry: GateRetry | null;
  readonly given?: GateAnswer | Promise<GateAnswer> | undefined;
}

export class TargetRoute extends OwnRoute {
  readonly chain: FallbackChain;
  /** The targets so far, without the caller's own request; the last is the current one. */
  readonly asked: Target[] = [];
  /** In place of the caller's own. */
  readonly #idempotencyKeys = new Map<Target, string>();
  /** The target before the current one. */
  #before: string | undefined;

  constructor(policy: RoutePolicy, request: GateRequest, chain: FallbackChain) {
    super(policy, request);
    this.chain = chain;
    this.current = { ...this.current, name: chain.primary };
  }

  /** Whether a target sends the caller's own request with the caller's own idempotency key. */
  keepsKey(_target: Target): boolean {
    return false;
  }

  /** Makes a choice the current target of the call. Null if it is that already. */
  moveTo(nowMs: number, { target, session }: Choice, attemptsBefore: number): Pick<Move, 'from' | 'to'> | null {
    const { current } = this;
    if (session !== current.session) current.session?.leave(nowMs);
    if (target === undefined || target === current.target) {
      this.current = { ...current, session };
      return null;
    }
    this.asked.push(target);
    const prepare = (learn: (request: FallbackRequest) => void): AttemptTarget => this.#prepared(target, learn);
    // One that was chosen, and then passed over before it was asked, is not where the call comes from.
    const wasAsked = attemptsBefore > current.attemptsBefore;
    const from = (wasAsked ? undefined : this.#before) ?? current.name ?? '';
    this.#before = from;
    this.current = { target, name: target.name, session, attemptsBefore, prepare };
    return { from, to: target.name };
  }

  /** Asks one target after another. Without a gate the first is chosen, and nothing is awaited. */
  choose(nowMs: number, first: Candidate, search: Search, findNext: FindNext): Choice | Promise<Choice> {
    const { config, runtime } = this.policy;
    if (config.gate !== undefined) return this.#search(nowMs, first, search, findNext);
    const { question, retry } = search;
    return choiceOf(first.target, undefined, first.waitMs, GO, retry, question !== 'estimate', runtime);
  }

  async #search(nowMs: number, first: Candidate, search: Search, findNext: FindNext): Promise<Choice> {
    const choices: Choice[] = [];
    for (let candidate: Candidate | undefined = first; candidate !== undefined;) {
      const choice = await this.#askFor(
        nowMs,
        candidate,
        choices.length === 0 ? search : { ...search, given: undefined },
      );
      choices.push(choice);
      if (isOpen(choice)) return this.#leaveOthers(nowMs, choices, choice);
      const passed = choices.flatMap(({ target }) => target ?? []);
      const next = findNext(passed, choices[0] ?? choice);
      // A custom chain may name a target again, and would never end.
      candidate = next?.target !== undefined && passed.includes(next.target) ? undefined : next;
    }
    const earliest = choices.reduce((best, choice) => (waitOf(choice) < waitOf(best) ? choice : best));
    return this.#leaveOthers(nowMs, choices, earliest);
  }

  #askFor(nowMs: number, { target, waitMs }: Candidate, search: Search): Choice | Promise<Choice> {
    const { question, retry, given } = search;
    const isCurrent = target === this.current.target;
    const session = isCurrent ? this.current.session : this.#sessionOf(target);
    if (waitMs > 0) return choiceOf(target, session, waitMs, GO, retry, question !== 'estimate', this.policy.runtime);
    return this.ask(nowMs, { target, session }, question, retry, isCurrent ? given : undefined);
  }

  /** Each target and each key has its own limit. */
  #sessionOf(target: Target | undefined): GateSession | undefined {
    const { url, headers, body } = this.request;
    return this.sessionFor(target?.offer?.({ url, headers: recordOf(headers), body }) ?? this.request);
  }

  #leaveOthers(nowMs: number, choices: readonly Choice[], chosen: Choice): Choice {
    for (const choice of choices) if (choice.session !== chosen.session) this.leave(nowMs, choice);
    const [first] = choices;
    return first === chosen ? chosen : { ...chosen, passedOver: first?.answer };
  }

  #prepared(target: Target, learn: (request: FallbackRequest) => void): AttemptTarget {
    const learnt = (request: FallbackRequest): FallbackRequest => {
      learn(request);
      return request;
    };
    const prepared: AttemptTarget = {
      ...target,
      name: target.name,
      requestFor: (request) => {
        const rewritten = target.requestFor(this.#withNewKey(target, request));
        return rewritten instanceof Promise ? rewritten.then(learnt) : learnt(rewritten);
      },
      sendFetch: (request) => sendFetchTo(prepared, request),
    };
    return prepared;
  }

  /**
   * Replaces the caller's idempotency key, because a server refuses a key that comes with another body, or returns the
   * answer to the first one.
   */
  #withNewKey(target: Target, request: FallbackRequest): FallbackRequest {
    const name = (this.policy.config.idempotencyKeyHeader ?? 'idempotency-key').toLowerCase();
    if (this.keepsKey(target) || request.headers[name] === undefined) return request;
    const key = this.#idempotencyKeys.get(target) ?? createId();
    this.#idempotencyKeys.set(target, key);
    return { ...request, headers: { ...request.headers, [name]: key } };
  }
}

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
export function holderOf(answer: GateAnswer): FailureType | null {
  return answer.go || answer.refused !== null ? null : answer.heldBy;
}

/** A failure that stands for what the gate knows about a target that this call has not used yet. */
export function heldFailure(answer: GateAnswer, name: string): Failure {
  const type = holderOf(answer) ?? 'provider_unavailable';
  return Object.freeze({
    type,
    retryable: true,
    category: FAILURES[type].category,
    message: `The gate lets no request to ${name} through.`,
    phase: 'connect',
  });
}
