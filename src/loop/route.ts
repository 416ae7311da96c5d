/**
 * Chooses the target of a call, and asks the gate of that target. In a chain the call takes the first target whose gate
 * is open or only paced. A target that is held, or whose circuit is open, is passed over. If all are, the call waits
 * for the one that is free first.
 */

import type { Failure, FailureType } from '../failure/failure.ts';
import { FAILURES } from '../failure/failure.ts';
import type { FallbackChain, NextTarget, Target } from '../fallback/fallback.ts';
import { recordOf } from '../fallback/request-parts.ts';
import type { GateAnswer, GateRequest, GateSession } from '../gate/gate.ts';
import type { Policy } from '../policy/policy.ts';
import { raceAbort } from './abort.ts';
import { type Call, gateNow, lastFailure, targetName } from './call.ts';
import type { Exchange } from './exchange.ts';

/** A target, how long it rests, and the answer of its gate. */
export interface Choice {
  /** undefined: the caller's own request. */
  readonly target: Target | undefined;
  readonly session: GateSession | undefined;
  /** How long the target rests. */
  readonly restMs: number;
  readonly answer: GateAnswer;
  /** What the gate said of the target that was asked first, where another was taken. */
  readonly passedOver?: GateAnswer | undefined;
}

/** How a gate is asked: when the call plans, before it sends, and after `retryNow`. */
type Question = 'estimate' | 'take' | 'takeAnyway';

/** A target that may rest. */
export type Place = Omit<NextTarget, 'target'> & { readonly target: Target | undefined };

/** The answer of an open gate; also used without a gate. */
export const GO: GateAnswer = { go: true };

/** The gate's session for the caller's own request; undefined without a gate. */
export function ownSession(policy: Policy, exchange: Exchange<unknown>): GateSession | undefined {
  return sessionFor(policy, exchange, undefined);
}

/**
 * Finds the target of the next attempt, beginning with `first`.
 *
 * @param failure the failure that the chain looks for a target for; undefined: nothing has failed yet
 */
export async function chooseTarget(
  call: Call<unknown>,
  first: Place,
  failure: Failure | undefined,
  question: Question,
): Promise<Choice> {
  const choices: Choice[] = [];
  for (let place: Place | undefined = first; place !== undefined; place = placeAfter(call, choices, failure)) {
    const choice = await ask(call, place, question);
    choices.push(choice);
    if (isOpen(choice)) return leaveOthers(call, choices, choice);
  }
  return leaveOthers(call, choices, earliestOf(choices));
}

/** The choice of a target without a gate. */
export function unguarded({ target, waitMs: restMs }: Place): Choice {
  return { target, session: undefined, restMs, answer: GO };
}

/** How long a choice makes the call wait; Infinity: unknown. */
export function waitOf({ restMs, answer }: Choice): number {
  if (answer.go) return restMs;
  return Math.max(restMs, answer.refused !== null && answer.waitMs === 0 ? Number.POSITIVE_INFINITY : answer.waitMs);
}

/** The part of a wait in which the gate lets no call through. */
export function holdOf({ restMs, answer }: Choice): number {
  return answer.go || answer.refused !== null ? restMs : Math.max(restMs, answer.holdMs);
}

/** Moves the call to another target, where the counting starts again, and announces it. */
export function turnTo(call: Call<unknown>, choice: Choice, failure: Failure): void {
  const from = targetName(call) ?? '';
  const { target } = choice;
  const isNew = target !== undefined && !call.asked.includes(target);
  adopt(call, choice);
  if (target === undefined) return;
  if (isNew) call.firstTurns += 1;
  call.attemptsBefore = call.attempts;
  call.failuresOfType = {};
  call.announcer.emit({ type: 'fallback', from, to: target.name, failure });
}

/** Accepts the target that the gate or the chain has chosen right before an attempt. */
export function settleOn(call: Call<unknown>, choice: Choice): void {
  // A chain that chooses per attempt was announced in the plan; any other change of the target is announced now.
  if (call.policy.config.fallback?.choose !== undefined || choice.target === call.asked.at(-1)) adopt(call, choice);
  else
    turnTo(call, choice, lastFailure(call) ?? heldFailure(choice.passedOver ?? choice.answer, targetName(call) ?? ''));
}

/** Makes a choice the current target of the call. */
function adopt(call: Call<unknown>, { target, session }: Choice): void {
  if (session !== call.session) call.session?.leave(gateNow(call));
  call.session = session;
  if (target !== undefined && target !== call.asked.at(-1)) call.asked.push(target);
}

/** A failure that stands for what the gate knows about a target that this call has not used yet. */
function heldFailure(answer: GateAnswer, name: string): Failure {
  const type = typeOfHold(answer);
  return Object.freeze({
    type,
    retryable: true,
    category: FAILURES[type].category,
    message: `The gate lets no request to ${name} through.`,
    phase: 'connect',
  });
}

function typeOfHold(answer: GateAnswer): FailureType {
  return (answer.go || answer.refused !== null ? null : answer.heldBy) ?? 'provider_unavailable';
}

/** The gate is open, or it only paces: a paced wait never changes the target. */
function isOpen({ restMs, answer }: Choice): boolean {
  return restMs === 0 && (answer.go || (answer.refused === null && answer.holdMs === 0));
}

async function ask(call: Call<unknown>, place: Place, question: Question): Promise<Choice> {
  const { policy, exchange, session: current } = call;
  const isCurrent = place.target === call.asked.at(-1);
  const session = isCurrent ? current : sessionFor(policy, exchange, place.target);
  const { target, waitMs: restMs } = place;
  if (session === undefined || restMs > 0) return { target, session, restMs, answer: GO };
  const asked = question === 'takeAnyway' ? takeAnyway(call, session) : askSession(call, session, question, isCurrent);
  if (!(asked instanceof Promise)) return { target, session, restMs, answer: asked };
  // A store may be slow. An abort does not wait for it, and a late answer must give back what it took.
  const answer = await raceAbort(asked, exchange.signal, () => session.leave(gateNow(call)));
  return { target, session, restMs, answer };
}

function takeAnyway(call: Call<unknown>, session: GateSession): GateAnswer {
  session.takeAnyway(gateNow(call));
  return GO;
}

function askSession(
  call: Call<unknown>,
  session: GateSession,
  question: 'estimate' | 'take',
  isCurrent: boolean,
): GateAnswer | Promise<GateAnswer> {
  const { firstAnswer } = call;
  call.firstAnswer = undefined;
  if (isCurrent && firstAnswer !== undefined) return firstAnswer;
  return session[question](gateNow(call), call.gateRetry);
}

function sessionFor(
  { config, runtime }: Policy,
  exchange: Exchange<unknown>,
  target: Target | undefined,
): GateSession | undefined {
  const { gate, priority, gateKey } = config;
  return gate?.session(requestTo(exchange, target), { runtime, priority, gateKey });
}

/** The request by which a gate finds the limit: each target and each key has its own. */
function requestTo(exchange: Exchange<unknown>, target: Target | undefined): GateRequest {
  if (target?.offer === undefined) return exchange;
  return target.offer({ url: exchange.url, headers: recordOf(exchange.headers), body: exchange.body });
}

/** The next target to ask; undefined if there is none. */
function placeAfter(call: Call<unknown>, choices: readonly Choice[], failure: Failure | undefined): Place | undefined {
  const { fallback: chain } = call.policy.config;
  if (chain === undefined) return undefined;
  const passed = choices.flatMap(({ target }) => target ?? []);
  const [first] = choices;
  // A chain that chooses per attempt returns the target that is free first; if it rests, all others rest too.
  if (chain.choose !== undefined && choices.at(-1)?.restMs !== 0) return undefined;
  const next =
    chain.choose === undefined
      ? nextInChain(call, chain, [...call.asked, ...passed], failure, first?.answer ?? GO)
      : chain.choose(gateNow(call), passed);
  return next === undefined || passed.includes(next.target) ? undefined : next;
}

/**
 * Asks the chain about the failure of the call; before the first failure, about what the gate knows of the first
 * target.
 */
function nextInChain(
  call: Call<unknown>,
  chain: FallbackChain,
  asked: readonly Target[],
  failure: Failure | undefined,
  answer: GateAnswer,
): NextTarget | undefined {
  const heldBy = answer.go || answer.refused !== null ? null : answer.heldBy;
  const types = failure !== undefined ? [failure.type] : heldBy !== null ? [heldBy] : OPENS_CIRCUITS;
  for (const type of types) {
    const next = chain.next({ type }, asked, gateNow(call), call.policy.strategies.get(type)?.fallback);
    if (next !== undefined) return next;
  }
  return undefined;
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

function earliestOf(choices: readonly Choice[]): Choice {
  return choices.reduce((earliest, choice) => (waitOf(choice) < waitOf(earliest) ? choice : earliest));
}

function leaveOthers(call: Call<unknown>, choices: readonly Choice[], chosen: Choice): Choice {
  for (const choice of choices) if (choice.session !== chosen.session) dismiss(call, choice);
  const [first] = choices;
  return first === chosen ? chosen : { ...chosen, passedOver: first?.answer };
}

/** Gives back a place in line that the call will not use. */
export function dismiss(call: Call<unknown>, { session }: Choice): void {
  if (session !== call.session) session?.leave(gateNow(call));
}
