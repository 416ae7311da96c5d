/** The route of a call without a chain: its own target, and the gate of that. The other routes build on it. */

import type { GateAnswer, GateOutcome, GateRequest, GateRetry } from '../gate/gate.ts';
import type { GateSession } from '../gate/session.ts';
import { openSession } from '../gate/open-gate.ts';
import { refusal } from '../gate/refusal.ts';
import type { Failure } from '../failure/failure.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type {
  Choice,
  OpenRoute,
  CurrentTarget,
  PlannedRetry,
  Route,
  RouteObstacle,
  RoutePolicy,
  RouteRequest,
  Turn,
} from './route.ts';

/** How a gate is asked: when the call plans, before it sends, and after `retryNow`. */
export interface Question {
  readonly how: 'estimate' | 'take' | 'takeAnyway';
  readonly retry: GateRetry | null;
  /** What it has answered already. */
  readonly given?: GateAnswer | undefined;
}

/** A target and its gate. */
type Place = Pick<CurrentTarget, 'target' | 'session'>;

/** The answer of an open gate; also used without a gate. */
export const GO: GateAnswer = { go: true };

export class OwnRoute implements Route {
  readonly policy: RoutePolicy;
  readonly request: RouteRequest;
  current: CurrentTarget;

  constructor(policy: RoutePolicy, request: RouteRequest) {
    this.policy = policy;
    this.request = request;
    const session = this.sessionFor(request);
    this.current = { target: undefined, name: undefined, session, isOwnRequest: true };
  }

  takeFirst(nowMs: number): GateAnswer | undefined {
    return this.current.session?.take(nowMs, null);
  }

  report(nowMs: number, outcome: GateOutcome): void {
    const { session } = this.current;
    if (outcome.type !== 'failure') session?.report(nowMs, outcome);
    // An abort says nothing about the server.
    else if (outcome.failure.type === 'aborted') session?.report(nowMs, { type: 'cancelled' });
    else session?.report(nowMs, { ...outcome, failure: accepted(this.policy, outcome.failure) });
  }

  plan(nowMs: number, retry: PlannedRetry): Choice {
    return this.ask(nowMs, this.current, { how: 'estimate', retry: this.told(nowMs, retry) });
  }

  take(nowMs: number, { isForced, retry, answer }: Turn): Choice {
    return this.ask(nowMs, this.current, { how: isForced ? 'takeAnyway' : 'take', retry, given: answer });
  }

  leave(nowMs: number, unused?: Choice): void {
    const { session } = this.current;
    if (unused === undefined) session?.leave(nowMs);
    else if (unused.session !== session) unused.session?.leave(nowMs);
  }

  sessionFor(request: GateRequest): GateSession | undefined {
    const { config, runtime } = this.policy;
    const { gate, priority, gateKey } = config;
    return gate && openSession(gate, request, { runtime, priority, gateKey });
  }

  /** What the gate is told about a retry. */
  told(nowMs: number, { delayMs, failure }: PlannedRetry): GateRetry {
    return { failure: accepted(this.policy, failure), atMs: nowMs + delayMs };
  }

  /** Asks the gate of a target. */
  ask(nowMs: number, place: Place, question: Question): Choice {
    const { session } = place;
    const { how, retry, given } = question;
    let answer = GO;
    if (how === 'takeAnyway') session?.takeAnyway(nowMs);
    else if (session !== undefined) answer = given ?? session[how](nowMs, retry);
    return this.choiceOf(place, question, answer, 0);
  }

  /** A choice as the answer of its gate makes it. */
  choiceOf({ target, session }: Place, { how, retry }: Question, answer: GateAnswer, restMs: number): Choice {
    const obstacle = session === undefined ? null : obstacleIn(answer, session.key, this.policy.runtime);
    return { target, session, restMs, answer, retry, isTaken: how !== 'estimate', passedOver: undefined, obstacle };
  }
}

export const openOwnRoute: OpenRoute = (policy, request) => new OwnRoute(policy, request);

function obstacleIn(answer: GateAnswer, key: string, { now }: Pick<Runtime, 'now'>): RouteObstacle | null {
  if (answer.go) return null;
  const { refused, waitMs } = answer;
  if (refused === null && waitMs <= 0) return null;
  const isGuess = waitMs <= 0 || waitMs === Infinity || (refused === null && answer.isGuess === true);
  const refuse = (): Error => refusal(key, refused ?? 'cooldown-too-long', isGuess ? 0 : waitMs, now());
  if (refused !== null)
    return { stop: refused, waitMs, holdMs: 0, because: 'cooldown', rests: null, isGuess, refusal: refuse };
  return { ...answer, stop: null, rests: null, isGuess, refusal: refuse };
}

/** A failure with the hint that the policy accepts, so that a hint means the same with and without a gate. */
function accepted({ retryAfter, maxRetryAfterMs }: RoutePolicy, failure: Failure): Failure {
  const { retryAfterMs, ...rest } = failure;
  if (retryAfterMs === undefined) return failure;
  switch (retryAfter) {
    case 'obey':
      return failure;
    case 'clamp':
      return { ...failure, retryAfterMs: Math.min(retryAfterMs, maxRetryAfterMs) };
    case 'ignore':
      return rest;
  }
}
