/**
 * Judges the observations of a case by the contract alone: what may follow a failure, how long a wait may be, which
 * events may come and what the call may return. Presets, defaults and constants are the library's, so that they are
 * written once; nothing that decides is.
 */

import {
  DEFAULT_RETRY_CONFIG as DEFAULTS,
  FAILURES,
  type FailureType,
  GateRefusedError,
  type Jitter,
  RetryExhaustedError,
  type RetryEvent,
  type StopReason,
} from '../../src/index.ts';
import { MAX_SPREAD_MS } from '../../src/loop/decide.ts';
import { REST_MS } from '../../src/route/rests.ts';
import {
  allOptions,
  type Case as GivenCase,
  type KnownCase as Case,
  type KnownOptions as Options,
  type StrategyPlan,
} from './case.ts';
import { ASKED_ERROR, type CallTrace, CLASSIFY_ERROR, type Entry, LATE_MS, type Trace } from './run-case.ts';
import { type Expected, expectedOf } from './server.ts';

const EPSILON_MS = 0.01;
/** What an abort or a controller's word may take. */
const PROMPT_MS = 50;
const FOR_EVER = Number.POSITIVE_INFINITY;

type Say = (what: string) => void;
type Of<W extends Entry['what']> = Extract<Entry, { what: W }>;
type Failed = Extract<Expected, { kind: 'failure' }>;
type Event<T extends RetryEvent['type']> = Extract<RetryEvent, { type: T }>;
type Range = readonly [lowest: number, highest: number];

/** Everything that is wrong; nothing where all is well. */
export function violations(given: GivenCase, trace: Trace): readonly string[] {
  const plan = { ...given, options: allOptions(given) };
  const found: string[] = [];
  const say: Say = (what) => void found.push(what);
  if (trace.outcome === 'spinning') say('the case never comes to rest');
  if (trace.outcome === 'nothing left') say('a call never ends');
  for (const error of trace.unhandled) say(`a rejection was left unhandled: ${String(error)}`);
  trace.calls.forEach((call, index) => judgeCall(plan, call, (what) => say(`call ${index}: ${what}`)));
  if (trace.outcome !== 'over') return found;
  judgeKeys(plan, trace, say);
  if (trace.gate !== null) judgeGate(plan, trace, say);
  if (trace.sleepsLeft !== 0) say(`${trace.sleepsLeft} sleeps are left behind`);
  if (trace.controller !== null) {
    const { isRetrying, nextAttemptAt, wasIdle, told } = trace.controller;
    if (isRetrying) say('the controller says at the end that something is retrying');
    if (nextAttemptAt !== null) say(`the controller names a next attempt at the end: ${nextAttemptAt}`);
    if (!wasIdle) say('the controller is not idle at the end');
    const events = trace.calls.reduce((sum, { entries }) => sum + of(entries, 'event').length, 0);
    if (told !== events) say(`subscribers heard ${told} events, listeners ${events}`);
  }
  return found;
}

function of<W extends Entry['what']>(entries: readonly Entry[], what: W): readonly Of<W>[] {
  return entries.filter((entry): entry is Of<W> => entry.what === what);
}

/** A key that rests is never sent, also not by `retryNow`. */
function judgeKeys({ chain, clock, jump, options }: Case, { calls }: Trace, say: Say): void {
  if (chain?.kind !== 'keys' || clock === 'frozen') return;
  // A wall clock that is set forward looks as it does after a sleep of the machine, which ends a rest.
  if (jump !== undefined && jump.byMs > 0) return;
  const restsUntil = new Map<string, { readonly until: number; readonly isNamed: boolean }>();
  const all = calls
    .flatMap(({ entries }, call) => entries.map((entry) => ({ call, entry })))
    .toSorted((a, b) => a.entry.order - b.entry.order);
  const last = new Map<number, { readonly key: string; readonly headAt: number; readonly until: number | null }>();
  for (const { call, entry } of all) {
    if (entry.what === 'send' && entry.key !== null) {
      const until = restsUntil.get(entry.key)?.until ?? 0;
      if (entry.at < until - EPSILON_MS)
        say(`call ${call}: ${entry.key} was sent ${until - entry.at} ms before its rest ends`);
      last.set(call, { key: entry.key, headAt: entry.at, until: null });
    }
    if (entry.what === 'answer') {
      const sent = last.get(call);
      if (sent !== undefined)
        last.set(call, {
          ...sent,
          headAt: entry.at,
          until: 'askedMs' in entry.answer && entry.answer.askedMs !== null ? entry.at + entry.answer.askedMs : null,
        });
    }
    if (
      entry.what !== 'event' ||
      !('failure' in entry.event) ||
      ('attempts' in entry.event && entry.event.attempts === 0)
    )
      continue;
    const sent = last.get(call);
    const { type } = entry.event.failure;
    const restMs = restOf(type, chain.restMs);
    if (sent === undefined || restMs === null || options.classify === 'throws') continue;
    last.delete(call);
    const rest = { until: sent.until ?? sent.headAt + restMs, isNamed: sent.until !== null };
    const given = restsUntil.get(sent.key);
    const known = given !== undefined && given.until > entry.at ? given : undefined;
    // A time that a server named counts for more than a guess; of two of a kind, the later one.
    if (known === undefined || (known.isNamed === rest.isNamed ? rest.until > known.until : rest.isNamed))
      restsUntil.set(sent.key, rest);
  }
}

function restOf(type: FailureType, rateLimitMs: number | undefined): number | null {
  return (type === 'rate_limit' ? rateLimitMs : undefined) ?? REST_MS[type] ?? null;
}

function judgeGate({ gate }: Case, { gate: state, calls }: Trace, say: Say): void {
  if (state === null) return;
  if (state.waiting !== 0) say(`${state.waiting} calls are still in line at the end`);
  for (const reading of state.readings) {
    if (reading.waiting !== 0) say(`the gate counts ${reading.waiting} in the line of a key at the end`);
    const capacity = gate?.budget?.capacity;
    if (capacity === undefined || reading.tokens === null) continue;
    const retries = calls.reduce(
      (sum, { entries }) => sum + of(entries, 'send').filter(({ attempt }) => attempt > 1).length,
      0,
    );
    if (reading.tokens < capacity - retries - EPSILON_MS) {
      say(`the retry budget holds ${reading.tokens} of ${capacity} after ${retries} retries`);
    }
  }
}

// One call.

interface Attempt {
  readonly send: Of<'send'>;
  readonly expected: Expected;
  answer: Of<'answer'> | null;
  retry: Of<'event'> | null;
  /** What `delayed` events added to its wait. */
  delayedMs: number;
  counted: boolean;
}

interface Announced {
  readonly at: number;
  /** The announced moment, by the time that really passes. */
  readonly dueAt: number;
  readonly delayMs: number;
  readonly because: string;
  readonly attempt: number;
  sleeps: number;
}

function judgeCall(plan: Case, trace: CallTrace, say: Say): void {
  const { entries, plan: callPlan } = trace;
  const { options, gate, chain, clock } = plan;
  const isFrozen = clock === 'frozen';
  const ends = of(entries, 'end');
  const sends = of(entries, 'send');
  if (ends.length !== 1) say(`it ended ${ends.length} times`);
  const start = of(entries, 'start')[0];
  if (start === undefined) return;
  // A fetch that is aborted before it begins is the inner fetch's to refuse.
  const isHandedOver = callPlan.abortedBefore === true && callPlan.hasSignal && plan.face === 'fetch';
  const abort = of(entries, 'deed').find(({ deed, order }) => deed === 'abort' && order < (ends[0]?.order ?? FOR_EVER));
  const attempts: Attempt[] = [];
  let announced: Announced | null = null as Announced | null;
  let hurriedAt: number | null = null;
  let givenUpAt: number | null = null;
  let gaveUpAt: number | null = null;
  // From within a listener, before the sleep has begun, either may be heeded.
  let mayHurry = false;
  let mayGiveUp = false;
  let disabledAt: number | null = null;
  let totalMs = 0;
  let attemptEvent: number | null = null;
  let wasDelayed = false;
  const counts = new Map<FailureType | null, number>();
  const circumstances = { face: plan.face, options, holds: holdsOf(plan, trace) };
  const finals: Of<'event'>[] = [];
  const targets: (string | null)[] = [];
  let onTarget = 0;
  let fallback: Event<'fallback'> | null = null;

  for (const entry of entries) {
    const last = attempts.at(-1);
    if (ends[0] !== undefined && entry.order > ends[0].order) {
      if (['send', 'event', 'sleep', 'onRetry', 'onExhausted'].includes(entry.what)) say(`${entry.what} after the end`);
      continue;
    }
    switch (entry.what) {
      case 'send': {
        if (abort !== undefined && entry.order > abort.order && !isHandedOver)
          say(`attempt ${entry.attempt} was sent after the abort`);
        if (finals.length > 0) say(`attempt ${entry.attempt} was sent after the last event`);
        const isFirst = entry.attempt === 1;
        const wasHurried = mayHurry;
        if (!isFirst && last !== undefined) {
          if (last.retry === null) say(`attempt ${entry.attempt} was sent without a retry event`);
          if (givenUpAt !== null) say(`attempt ${entry.attempt} was sent after it was given up`);
          if (disabledAt !== null && disabledAt < entry.at) say(`attempt ${entry.attempt} was sent while switched off`);
          judgeHeaders(plan, attempts, entry, say);
          const until = hintEnd(last, plan);
          const isElsewhere = chain !== undefined && (last.send.target !== entry.target || chain.kind === 'keys');
          if (until !== null && !wasHurried && !isElsewhere && entry.at < until - EPSILON_MS) {
            say(`attempt ${entry.attempt} was sent ${until - entry.at} ms earlier than the server asked`);
          }
        }
        if ((!isFirst || wasDelayed) && attemptEvent !== entry.attempt)
          say(`attempt ${entry.attempt} was sent without an attempt event`);
        if (isFirst && !wasDelayed && attemptEvent !== null)
          say('a first attempt that was not delayed has an attempt event');
        if (announced !== null) {
          const { dueAt, at }: Announced = announced;
          if (!wasHurried && entry.at < dueAt - EPSILON_MS)
            say(`attempt ${entry.attempt} was sent ${dueAt - entry.at} ms before the announced moment`);
          const latest = Math.max(dueAt, at) + (clock === 'late' ? LATE_MS : 0) + EPSILON_MS;
          if (!wasHurried && entry.at > latest)
            say(`attempt ${entry.attempt} was sent ${entry.at - dueAt} ms after the announced moment`);
        }
        if (announced === null && isFirst && entry.at > start.at)
          say(`the first attempt was sent ${entry.at - start.at} ms late, unannounced`);
        if (hurriedAt !== null && chain?.kind !== 'keys' && entry.at > hurriedAt + PROMPT_MS)
          say(`attempt ${entry.attempt} was sent ${entry.at - hurriedAt} ms after retryNow`);
        attempts.push({
          send: entry,
          expected: expectedOf(entry.step, circumstances),
          answer: null,
          retry: null,
          delayedMs: 0,
          counted: false,
        });
        if (targets.at(-1) !== entry.target || targets.length === 0) {
          if (targets.includes(entry.target)) say(`target ${entry.target} was asked again after another`);
          if (targets.length > 0 && chain?.kind === 'targets' && fallback?.to !== (entry.target ?? 'primary'))
            say(`target ${entry.target} was asked without a fallback event`);
          targets.push(entry.target);
          onTarget = 0;
        }
        onTarget += 1;
        if (chain?.kind === 'targets') {
          const type = attempts.at(-2)?.expected;
          const isCovered = type?.kind === 'failure' && coversOf(chain, targets, type.type);
          const first = isCovered
            ? Math.min(maxRetriesOf(options), chain.maxRetriesBeforeFallback ?? 3)
            : maxRetriesOf(options);
          const most = 1 + (targets.length === 1 ? first : (chain.additionalRetries ?? 1));
          if (onTarget > most) say(`${onTarget} attempts on ${entry.target ?? 'the first target'}, ${most} allowed`);
        }
        fallback = null;
        announced = null;
        hurriedAt = null;
        mayHurry = false;
        attemptEvent = null;
        break;
      }
      case 'answer': {
        const attempt = attempts.find(({ send }) => send.attempt === entry.attempt);
        if (attempt !== undefined) attempt.answer = entry;
        break;
      }
      case 'deed':
        if (announced !== null && entry.deed === 'retryNow') {
          mayHurry = true;
          if (entry.asleep) hurriedAt ??= entry.at;
        }
        if (entry.deed === 'giveUp') gaveUpAt = entry.at;
        if (announced !== null && entry.deed === 'giveUp') {
          mayGiveUp = true;
          // The first word counts. A wait that `retryNow` ends in the same moment is not given up.
          if (entry.asleep && hurriedAt !== entry.at) givenUpAt ??= entry.at;
        }
        if (entry.deed === 'disable') disabledAt ??= entry.at;
        if (entry.deed === 'enable') disabledAt = null;
        break;
      case 'sleep': {
        if (announced === null) {
          say(`it sleeps ${entry.ms} ms without having said so`);
          break;
        }
        const current: Announced = announced;
        current.sleeps += 1;
        if (current.sleeps > 1) say(`it sleeps ${current.sleeps} times for one wait`);
        if (!(entry.ms >= 0)) say(`it sleeps ${entry.ms} ms`);
        if (current.sleeps === 1 && Math.abs(entry.at + entry.ms - Math.max(current.dueAt, entry.at)) > EPSILON_MS) {
          say(`it sleeps until ${entry.at + entry.ms - current.dueAt} ms after the announced moment`);
        }
        break;
      }
      case 'woken':
      case 'start':
      case 'asked':
      case 'end':
      case 'onRetry':
      case 'onExhausted':
        break;
      case 'event': {
        const { event } = entry;
        if (event.callId.length === 0 || !Object.isFrozen(event)) say(`a ${event.type} event is not whole`);
        if (finals.length > 0) say(`${event.type} after ${finals[0]?.event.type}`);
        if (Math.abs(event.at - entry.now) > EPSILON_MS)
          say(`a ${event.type} event says that it is ${event.at - entry.now} ms later`);
        if (event.type === 'recovered' || event.type === 'failed' || event.type === 'cancelled') {
          finals.push(entry);
          if (event.attempts !== sends.length && !isHandedOver)
            say(`${event.type} after ${event.attempts} attempts, ${sends.length} were sent`);
        }
        switch (event.type) {
          case 'retry': {
            if (last === undefined || event.retry !== last.send.attempt) {
              say(`a retry event for attempt ${event.retry}, sent were ${attempts.length}`);
              break;
            }
            if (last.retry !== null) say(`a second retry event after attempt ${event.retry}`);
            if (abort !== undefined && entry.at > abort.at) say('a retry event after the abort');
            judgeRetry(
              { plan, trace, attempts, last, event, entry, totalMs, counts, disabledAt, fallback, onTarget },
              say,
            );
            last.retry = entry;
            announced = {
              at: entry.at,
              dueAt: entry.at + event.nextAttemptAt - event.at,
              delayMs: event.delayMs,
              because: event.because,
              attempt: event.retry + 1,
              sleeps: 0,
            };
            hurriedAt = null;
            givenUpAt = null;
            mayHurry = false;
            mayGiveUp = false;
            totalMs += event.delayMs;
            count(counts, last);
            break;
          }
          case 'fallback':
            if (chain === undefined) say('a fallback event without a chain');
            fallback = event;
            if (last !== undefined && chain?.kind === 'targets') {
              const { from } = event;
              if (from !== (last.send.target ?? 'primary'))
                say(`a fallback from ${from}, asked was ${last.send.target}`);
              counts.clear();
              last.counted = true;
            }
            break;
          case 'recovered':
            if (attempts.length < 2) say('recovered without a retry');
            if (last !== undefined && last.expected.kind !== 'success' && last.expected.kind !== 'open')
              say(`recovered by ${JSON.stringify(last.expected)}`);
            judgeHistory(event.history, attempts, plan, 'recovered', say);
            break;
          case 'cancelled':
            if (abort === undefined && last?.expected.kind !== 'aborted') say('cancelled without an abort');
            break;
          case 'failed':
            judgeFailed(
              {
                plan,
                trace,
                attempts,
                last,
                event,
                entry,
                totalMs,
                counts,
                disabledAt,
                givenUpAt,
                gaveUpAt,
                mayGiveUp,
                announced,
                onTarget,
              },
              say,
            );
            judgeHistory(event.history, attempts, plan, 'failed', say);
            break;
          case 'broken':
            say('a broken event without a watch');
            break;
          case 'attempt':
            attemptEvent = event.attempt;
            if (event.attempt !== attempts.length + 1)
              say(`an attempt event for ${event.attempt} after ${attempts.length} attempts`);
            if (event.target !== undefined && chain === undefined) say(`an attempt event names ${event.target}`);
            break;
          case 'delayed':
            judgeDelayed(event, entry);
            break;
        }
        break;
      }
    }
  }

  function judgeDelayed({ attempt, delayMs, nextAttemptAt, because, at }: Event<'delayed'>, entry: Entry): void {
    const waiting = attempts.at(-1);
    if (attempt !== attempts.length + 1) say(`delayed names attempt ${attempt} after ${attempts.length}`);
    if (gate === undefined && chain === undefined) say('delayed without a gate and a chain');
    if (waiting === undefined) wasDelayed = true;
    else if (announced === null) say('delayed before the retry event');
    const dueAt = entry.at + nextAttemptAt - at;
    if (clock === 'moving' && announced !== null && Math.abs(dueAt - announced.dueAt) <= EPSILON_MS)
      say('delayed until the moment that was announced');
    if (!(delayMs >= 0)) say(`delayed by ${delayMs} ms`);
    const { maxTotalDelayMs = FOR_EVER, maxElapsedMs = FOR_EVER } = options;
    totalMs += delayMs;
    if (waiting !== undefined) waiting.delayedMs += delayMs;
    if (!hurried(trace) && totalMs > maxTotalDelayMs + EPSILON_MS)
      say(`delayed until it waits ${totalMs} ms in all, ${maxTotalDelayMs} are allowed`);
    const sinceMs = nextAttemptAt - (attempts[0]?.send.now ?? start?.now ?? 0);
    if (clock !== 'jumping' && sinceMs > maxElapsedMs + EPSILON_MS)
      say(`delayed until ${sinceMs} ms after the beginning, ${maxElapsedMs} are allowed`);
    // A wait counts as over even if the clock stood still during it.
    announced = { at: entry.at, dueAt: isFrozen ? entry.at + delayMs : dueAt, delayMs, because, attempt, sleeps: 0 };
    hurriedAt = null;
    mayHurry = false;
  }

  const end = ends[0];
  if (end === undefined) return;
  judgeEnd({ plan, trace, attempts }, finals, abort, end, start.at, say);
  if (chain?.kind === 'keys' && sends.length > maxRetriesOf(options) + chain.keys)
    say(`${sends.length} attempts with ${chain.keys} keys and ${maxRetriesOf(options)} retries`);
  judgeCallbacks(entries, attempts, finals[0], say);
  // Bodies that the caller does not get are released.
  const open = trace.bodies.filter(({ fate }) => fate === 'open').length;
  if (open > 0) say(`${open} bodies were neither read nor cancelled`);
  if (callPlan.abortedBefore === true && callPlan.hasSignal && plan.face !== 'fetch' && sends.length > 0)
    say('a call that was aborted before it began was sent');
}

/** Whether an unused target covers this failure. */
function coversOf(
  chain: Extract<Case['chain'], { kind: 'targets' }>,
  asked: readonly (string | null)[],
  type: FailureType | null,
): boolean {
  return chain.targets.some(({ covers, context = false }, index) => {
    if (type === null || asked.includes(`target ${index + 1}`)) return false;
    if (covers !== undefined) return covers.includes(type);
    return FAILURES[type].fallback && context === (type === 'context_too_long');
  });
}

function count(counts: Map<FailureType | null, number>, last: Attempt): void {
  if (last.counted || last.expected.kind !== 'failure') return;
  last.counted = true;
  counts.set(last.expected.type, (counts.get(last.expected.type) ?? 0) + 1);
}

/** How many retries may follow; without a limit where each type of failure has its own. */
const maxRetriesOf = (options: Options): number =>
  options.maxRetries === undefined && hasStrategies(options) ? FOR_EVER : limitOf(options);

/** The limit that the options name: a list ends after its length. */
const limitOf = ({ maxRetries, backoff }: Options): number => maxRetries ?? backoff?.length ?? DEFAULTS.maxRetries;

const hasStrategies = ({ strategies = [] }: Options): boolean => strategies.length > 0;

const strategyOf = ({ strategies = [] }: Options, failed: FailureType | null): StrategyPlan | undefined =>
  strategies.find(({ type }) => type === failed);

/** Whether the failures of one type, or of all types without a strategy, have had their retries. */
function isSpent(options: Options, { type }: Failed, counts: Decision['counts']): boolean {
  const strategy = strategyOf(options, type);
  if (strategy !== undefined) return (counts.get(type) ?? 0) + 1 > (strategy.maxRetries ?? limitOf(options));
  const others = [...counts].filter(([other]) => strategyOf(options, other) === undefined);
  const failures = 1 + others.reduce((sum, [, times]) => sum + times, 0);
  return hasStrategies(options) && options.maxRetries === undefined && failures > limitOf(options);
}

function holdsOf({ options, gate, chain }: Case, { plan }: CallTrace): boolean | 'either' {
  if (options.hold === false) return false;
  const never = options.backoff?.length === 0;
  if (plan.body === 'stream' || options.operation === 'payment' || never) return 'either';
  if (options.retryableStatusCodes !== undefined && options.retryableStatusCodes.length === 0) return 'either';
  if (maxRetriesOf(options) > 0 || chain !== undefined) return true;
  return gate === undefined ? false : 'either';
}

/** Whether hints are waited out, or made something else by a function. */
const isObeyed = ({ retryAfter = 'obey' }: Options): boolean =>
  retryAfter === 'obey' || typeof retryAfter === 'function';

/** The instant before which the server does not want to see this call again; null where it said nothing that counts. */
function hintEnd({ expected, answer }: Attempt, { options }: Case): number | null {
  if (expected.kind !== 'failure' || expected.hint === null || answer === null || !('askedMs' in answer.answer))
    return null;
  if (
    !isObeyed(options) ||
    options.strategies?.some(({ type, retryAfter }) => type === expected.type && retryAfter === 'ignore')
  )
    return null;
  return answer.answer.askedMs === null ? null : answer.at + answer.answer.askedMs;
}

/** What the options make of a failure. */
function retryableOf(expected: Failed, options: Options): boolean | 'either' {
  const { classify, retryableStatusCodes } = options;
  if (classify === 'retry-bad-request' && expected.status === 400) return true;
  if (classify === 'never-overloaded' && expected.type === 'overloaded') return false;
  if (retryableStatusCodes !== undefined && expected.status !== null && expected.status >= 400) {
    if (!retryableStatusCodes.includes(expected.status) && !expected.isListed) return false;
    if (retryableStatusCodes.includes(expected.status)) return expected.type !== 'quota_exhausted';
  }
  return expected.retryable;
}

/** Whether the call goes on after a failure, if the limits allow it. */
function isWorthRetry(expected: Failed, options: Options): boolean | 'either' {
  const { waitForQuotaReset = false, retryableStatusCodes: listed } = options;
  // A used-up quota is waited for if the caller wants that and the server says how long. It is no retryable failure.
  const isKnown = expected.type === 'quota_exhausted' && expected.hint !== null && expected.hint.form !== 'invalid';
  if (!waitForQuotaReset || !isKnown || !isObeyed(options) || expected.serverSaysNo)
    return retryableOf(expected, options);
  const isLeftOut = listed !== undefined && expected.status !== null && !listed.includes(expected.status);
  return !isLeftOut || expected.isListed;
}

interface Decision {
  readonly plan: Case;
  readonly trace: CallTrace;
  readonly attempts: readonly Attempt[];
  readonly last: Attempt;
  readonly entry: Entry;
  readonly totalMs: number;
  readonly counts: ReadonlyMap<FailureType | null, number>;
  readonly disabledAt: number | null;
  /** Attempts on the target of the last, itself included. */
  readonly onTarget: number;
}

interface Wait {
  readonly because: 'hint' | 'backoff' | 'either';
  readonly range: Range;
  /** The bare hint, where one counts. */
  readonly hintMs: Range | null;
}

function shares(jitter: Jitter, factor: number, random: number | null): Range {
  const at = (r: number): number => {
    switch (jitter) {
      case 'none':
        return 1;
      case 'full':
        return r;
      case 'down':
        return 1 - factor * (1 - r);
      case 'symmetric':
        return 1 + factor * (2 * r - 1);
    }
  };
  return random === null ? [at(0), at(1)] : [at(random), at(random)];
}

function jittered(delayMs: number, maxMs: number, jitter: Jitter, factor: number, random: number | null): Range {
  const capped = Math.min(delayMs, maxMs);
  const [low, high] = shares(jitter, factor, random).map((share) => capped * share) as [number, number];
  if (random !== null) return [reflected(low, maxMs), reflected(low, maxMs)];
  // What exceeds the cap is reflected below it, so that the whole range is below the cap.
  return [Math.min(low, reflected(high, maxMs)), Math.min(high, maxMs)];
}

const reflected = (ms: number, maxMs: number): number => Math.min(Math.max(ms > maxMs ? 2 * maxMs - ms : ms, 0), maxMs);

/** How long the contract lets the call wait after its last failure; undefined: the schedule has ended. */
function waitOf(decision: Decision, failure: Failed): Wait | undefined {
  const hint = hintWaitOf(decision, failure);
  const backoff = backoffWaitOf(decision, failure);
  if (hint === undefined || backoff === undefined) return hint ?? backoff;
  if (decision.plan.options.retryAfter === 'clamp' || !decision.attempts.slice(0, -1).some(hadHint)) return hint;
  const [low, high] = hint.range;
  const [lowBackoff, highBackoff] = backoff.range;
  const because = lowBackoff > high ? 'backoff' : low >= highBackoff ? 'hint' : 'either';
  return { because, hintMs: hint.hintMs, range: [Math.max(low, lowBackoff), Math.max(high, highBackoff)] };
}

function hadHint({ expected, answer }: Attempt): boolean {
  if (expected.kind !== 'failure' || expected.hint === null || answer === null) return false;
  return 'askedMs' in answer.answer && answer.answer.askedMs !== null;
}

function hintWaitOf({ plan, last }: Decision, failure: Failed): Wait | undefined {
  const { options, random } = plan;
  const strategy = strategyOf(options, failure.type);
  const mode = options.retryAfter ?? 'obey';
  const askedMs =
    failure.hint !== null && last.answer !== null && 'askedMs' in last.answer.answer
      ? last.answer.answer.askedMs
      : null;
  if (askedMs !== null && mode !== 'ignore' && strategy?.retryAfter !== 'ignore') {
    // A date is compared with the clock, which is read at the head or once the body was looked at.
    const bare: Range = failure.hint?.form === 'date' ? [Math.max(0, askedMs - 250), askedMs] : [askedMs, askedMs];
    const mostMs = longestHintOf(options);
    if (mode === 'clamp')
      return { because: 'hint', hintMs: bare, range: [Math.min(bare[0], mostMs), Math.min(bare[1], mostMs)] };
    if (typeof mode === 'function') return { because: 'hint', hintMs: bare, range: [mode(bare[0]), mode(bare[1])] };
    const longest = Math.max(longestWaitOf(options), mostMs);
    const isSpread = jitterOf(options) !== 'none' && plan.gate === undefined;
    const spread = isSpread ? (options.jitterFactor ?? DEFAULTS.jitterFactor) : 0;
    const at = (ms: number, r: number): number =>
      Math.max(ms, Math.min(ms + Math.min(ms * spread, MAX_SPREAD_MS) * r, longest));
    return { because: 'hint', hintMs: bare, range: [at(bare[0], random ?? 0), at(bare[1], random ?? 1)] };
  }
  return undefined;
}

function backoffWaitOf({ plan, counts, onTarget }: Decision, failure: Failed): Wait | undefined {
  const { options, random } = plan;
  const strategy = strategyOf(options, failure.type);
  const {
    baseDelayMs = options.baseDelayMs ?? DEFAULTS.baseDelayMs,
    backoffMultiplier = options.backoffMultiplier ?? DEFAULTS.backoffMultiplier,
    jitter,
    maxDelayMs: ownMaxMs,
  } = strategy ?? {};
  // Waits of its own that grow take the place of a list.
  const isGrowing = strategy?.baseDelayMs !== undefined || strategy?.backoffMultiplier !== undefined;
  const shape = isGrowing ? { ...options, backoff: undefined } : options;
  const retry = strategy === undefined ? onTarget - 1 : (counts.get(failure.type) ?? 0);
  const list = shape.backoff;
  const plain = list === undefined ? baseDelayMs * backoffMultiplier ** retry : (list[retry] ?? list.at(-1));
  if (plain === undefined) return undefined;
  const maxMs = ownMaxMs === undefined ? longestWaitOf(shape) : Math.min(ownMaxMs, options.maxDelayMs ?? FOR_EVER);
  const { jitterFactor = DEFAULTS.jitterFactor } = options;
  return {
    because: 'backoff',
    hintMs: null,
    range: jittered(plain, maxMs, jitter ?? jitterOf(shape), jitterFactor, random),
  };
}

/** The longest wait without a hint. */
const longestWaitOf = ({ maxDelayMs, backoff }: Options): number =>
  maxDelayMs ?? (backoff === undefined ? DEFAULTS.maxDelayMs : FOR_EVER);

/** The longest hint that is obeyed. */
const longestHintOf = ({ maxRetryAfterMs, maxDelayMs = DEFAULTS.maxDelayMs }: Options): number =>
  maxRetryAfterMs ?? maxDelayMs;

/** Waits that are written down are waited as written, unless a factor is given. */
function jitterOf({ jitter, jitterFactor = 0, backoff }: Options): Jitter {
  return jitter ?? (backoff === undefined || jitterFactor > 0 ? 'symmetric' : 'none');
}

type Stops = ReadonlyMap<StopReason, 'surely' | 'perhaps'>;

/** Why the call may stop after its last failure, in order of precedence. */
function stopsOf(decision: Decision, failure: Failed, wait: Wait | undefined): Stops {
  const { plan, trace, attempts, last, disabledAt, counts, totalMs, entry } = decision;
  const { options, chain } = plan;
  const stops = new Map<StopReason, 'surely' | 'perhaps'>();
  const stop = (reason: StopReason, surely: boolean, perhaps = surely): void => {
    if (surely) stops.set(reason, 'surely');
    else if (perhaps) stops.set(reason, 'perhaps');
  };
  const retryable = isWorthRetry(failure, options);
  stop(
    'server-said-no',
    failure.serverSaysNo && retryable === true && failure.retryable === true,
    failure.serverSaysNo && failure.retryable !== false,
  );
  stop('not-retryable', retryable === false, retryable === 'either');
  // Switched off while stopIf made up its mind, it may be seen at once or not.
  const asked = of(trace.entries, 'asked').find(({ attempt }) => attempt === last.send.attempt);
  const wasAskedOn = asked !== undefined && disabledAt !== null && disabledAt >= asked.at;
  stop(
    'disabled',
    disabledAt !== null && disabledAt < entry.at && !wasAskedOn && disabledAt <= failureAt(last),
    disabledAt !== null,
  );
  const isOneShot = trace.plan.body === 'stream' && plan.face !== 'get' && plan.face !== 'operation';
  stop('body-not-replayable', isOneShot && maxRetriesOf(options) > 0, isOneShot);
  if (options.operation === 'payment')
    stop(
      'irreversible-operation',
      !failure.nothingSent && (failure.status === 500 || failure.status === 504 || failure.type === 'timeout'),
      !failure.nothingSent,
    );
  const retriesMade = attempts.length - 1;
  if (chain === undefined) {
    const hasEnded = options.backoff?.length === 0 && strategyOf(options, failure.type) === undefined;
    stop('retries-exhausted', retriesMade >= maxRetriesOf(options) || isSpent(options, failure, counts) || hasEnded);
  }
  if (wait === undefined) return stops;
  const longestMs = longestHintOf(options);
  if (wait.hintMs !== null && isObeyed(options))
    stop('retry-after-too-long', wait.hintMs[0] > longestMs, wait.hintMs[1] > longestMs);
  const { maxTotalDelayMs = FOR_EVER, maxElapsedMs = FOR_EVER } = options;
  const [low, high] = wait.range;
  // The contract does not say whether the rest of a wait that was ended early counts, nor what a stopped clock means.
  const spentLow = hurried(trace) ? 0 : totalMs;
  stop('sleep-budget-exhausted', spentLow + low > maxTotalDelayMs + EPSILON_MS, totalMs + high > maxTotalDelayMs);
  const first = attempts[0]?.send.at ?? 0;
  const from = plan.clock === 'frozen' ? 0 : (last.answer?.at ?? failureAt(last)) - first;
  stop(
    'deadline',
    isSteady(plan) && from + low > maxElapsedMs + EPSILON_MS,
    maxElapsedMs < FOR_EVER && (!isSteady(plan) || entry.at - first + high > maxElapsedMs),
  );
  stop('refused-by-caller', asked?.answer === false);
  return stops;
}

const hurried = ({ entries }: CallTrace): boolean => of(entries, 'deed').some(({ deed }) => deed === 'retryNow');

/** Whether the wall clock tells the time that really passes. */
const isSteady = ({ clock }: Case): boolean => clock === 'moving' || clock === 'late';

const failureAt = ({ send, expected }: Attempt): number => send.at + ('atMs' in expected ? expected.atMs : 0);

function judgeRetry(
  decision: Decision & { readonly event: Event<'retry'>; readonly fallback: Event<'fallback'> | null },
  say: Say,
): void {
  const { plan, trace, last, event, entry, attempts, fallback } = decision;
  const { expected } = last;
  const { options, gate, chain, clock } = plan;
  const name = `the retry after attempt ${event.retry}`;
  if (expected.kind === 'open') return;
  if (expected.kind !== 'failure') return say(`${name} follows ${expected.kind}`);
  if (entry.at < failureAt(last) - EPSILON_MS) say(`${name} was decided before the failure was there`);
  if (expected.type !== null && event.failure.type !== expected.type)
    say(`${name} names ${event.failure.type} in place of ${expected.type}`);
  if (event.maxRetries !== null && !Number.isSafeInteger(event.maxRetries))
    say(`${name} says maxRetries ${event.maxRetries}`);
  if (
    chain === undefined &&
    options.backoff === undefined &&
    (options.strategies ?? []).length === 0 &&
    // An attempt during which the clock jumps looks long.
    clock !== 'jumping' &&
    event.maxRetries !== maxRetriesOf(options)
  )
    say(`${name} says maxRetries ${event.maxRetries} of ${maxRetriesOf(options)}`);
  const headAt =
    last.expected.kind === 'failure' && last.expected.ownLimit
      ? event.at - (entry.at - failureAt(last))
      : (last.answer?.now ?? event.at);
  const countsFrom = event.nextAttemptAt - event.delayMs;
  if (clock !== 'jumping' && (countsFrom < headAt - EPSILON_MS || countsFrom > event.at + EPSILON_MS))
    say(`${name} counts from ${countsFrom - headAt} ms after the response head`);
  // What a held stream said was said later than its head. The clock counts whole milliseconds.
  const saidAt = last.send.step.kind === 'status' ? (last.answer?.at ?? entry.at) : failureAt(last);
  const isOwnWait = event.because === 'hint' || event.because === 'backoff';
  if (isOwnWait && isSteady(plan) && event.nextAttemptAt > Math.max(entry.at, saidAt + event.delayMs + 1) + EPSILON_MS)
    say(`${name} comes ${event.nextAttemptAt - saidAt - event.delayMs} ms later than its wait allows`);
  if (!(event.delayMs >= 0)) say(`${name} waits ${event.delayMs} ms`);
  if (options.classify === 'throws') say(`${name} though classify threw`);
  const isElsewhere = fallback !== null || chain?.kind === 'keys';
  const wait = waitOf(decision, expected);
  const stops = stopsOf(decision, expected, wait);
  if (isElsewhere) {
    for (const reason of ['disabled', 'body-not-replayable', 'refused-by-caller'] as const)
      if (stops.get(reason) === 'surely') say(`${name} in spite of ${reason}`);
    // The target may rest, because of what another call has learned.
    const isMove = event.delayMs === 0 ? event.because === 'fallback' : event.because === 'cooldown';
    if (chain?.kind === 'targets' && !isMove && gate === undefined)
      say(`${name} falls back after ${event.delayMs} ms because of ${event.because}`);
  } else {
    for (const [reason, certainty] of stops) {
      // Chances were drawn by now: what was announced is judged instead.
      if (certainty === 'surely' && reason !== 'sleep-budget-exhausted' && reason !== 'deadline')
        say(`${name} in spite of ${reason}`);
    }
    if (wait !== undefined) {
      const [low, high] = wait.range;
      const byGate =
        gate !== undefined &&
        (event.because === 'cooldown' || !['hint', 'backoff', 'fallback'].includes(event.because));
      if (!byGate && wait.because !== 'either' && event.because !== wait.because)
        say(`${name} is because of ${event.because} in place of ${wait.because}`);
      if (event.delayMs < low - EPSILON_MS) say(`${name} waits ${event.delayMs} ms, at least ${low} are due`);
      if (event.delayMs > high + EPSILON_MS && !byGate)
        say(`${name} waits ${event.delayMs} ms, at most ${high} are allowed`);
    }
  }
  const { maxTotalDelayMs = FOR_EVER, maxElapsedMs = FOR_EVER } = options;
  if (!hurried(trace) && decision.totalMs + event.delayMs > maxTotalDelayMs + EPSILON_MS)
    say(`${name} waits ${decision.totalMs + event.delayMs} ms in all, ${maxTotalDelayMs} are allowed`);
  const first = attempts[0]?.send.now ?? 0;
  if (clock !== 'jumping' && event.nextAttemptAt - first > maxElapsedMs + EPSILON_MS)
    say(`${name} would come ${event.nextAttemptAt - first} ms after the first attempt, ${maxElapsedMs} are allowed`);
  const asked = of(trace.entries, 'asked').filter(({ attempt }) => attempt === event.retry);
  if (options.stopIf !== undefined && asked.length !== 1) say(`${name} was asked about ${asked.length} times`);
  const { nextAttemptAt } = entry as Of<'event'>;
  if (plan.controller && (nextAttemptAt === null || nextAttemptAt > event.nextAttemptAt + EPSILON_MS))
    say(`${name} is announced for ${event.nextAttemptAt}, the controller says ${nextAttemptAt}`);
}

const ORDER: readonly StopReason[] = [
  'server-said-no',
  'not-retryable',
  'disabled',
  'body-not-replayable',
  'irreversible-operation',
  'retries-exhausted',
  'retry-after-too-long',
  'sleep-budget-exhausted',
  'deadline',
  'refused-by-caller',
];

function judgeFailed(
  decision: Omit<Decision, 'last'> & {
    readonly last: Attempt | undefined;
    readonly event: Event<'failed'>;
    readonly givenUpAt: number | null;
    readonly gaveUpAt: number | null;
    readonly mayGiveUp: boolean;
    readonly announced: Announced | null;
  },
  say: Say,
): void {
  const { plan, last, event, entry, announced, givenUpAt, gaveUpAt, mayGiveUp, disabledAt, trace } = decision;
  const { options, gate, chain } = plan;
  const { because } = event;
  const byGate: StopReason[] = [];
  if (gate?.budget !== undefined) byGate.push('retry-budget-empty');
  if (gate?.maxWaiting !== undefined) byGate.push('too-many-waiting');
  if (gate?.circuit !== undefined) byGate.push('circuit-open');
  if (gate !== undefined || chain?.kind === 'keys')
    byGate.push('retry-after-too-long', 'sleep-budget-exhausted', 'deadline');
  if (chain?.kind === 'keys') byGate.push('retries-exhausted');
  if (last === undefined) {
    if (because === 'given-up' ? !mayGiveUp : !byGate.includes(because))
      say(`it failed before a first attempt because of ${because}`);
    return;
  }
  if (last.retry !== null) {
    // It waited for its next attempt, and did not make it.
    if (because === 'given-up') {
      if (!mayGiveUp) say('it was given up by itself');
      else if (givenUpAt !== null && entry.at > givenUpAt + PROMPT_MS)
        say(`it was given up ${entry.at - givenUpAt} ms late`);
    } else if (because === 'disabled') {
      if (disabledAt === null) say('it was disabled though it was not switched off');
      if (announced !== null && entry.at < announced.dueAt - EPSILON_MS && !hurried(trace))
        say('a wait was cut by switching off');
    } else if (!byGate.includes(because)) say(`it failed during its wait because of ${because}`);
    return;
  }
  const { expected } = last;
  if (expected.kind === 'open') return;
  if (expected.kind === 'aborted' && options.classify === 'throws') return;
  if (expected.kind !== 'failure') return say(`it failed because of ${because} after ${expected.kind}`);
  if (options.classify !== 'throws' && expected.type !== null && event.failure.type !== expected.type)
    say(`it failed with ${event.failure.type} in place of ${expected.type}`);
  if (entry.at < failureAt(last) - EPSILON_MS) say('it failed before the failure was there');
  if (options.classify === 'throws' || (options.stopIf !== undefined && because === 'refused-by-caller')) return;
  // While `stopIf` was asked.
  if (because === 'given-up' && options.stopIf !== undefined && gaveUpAt !== null)
    if (gaveUpAt >= failureAt(last) - EPSILON_MS) return;
  if (plan.chain !== undefined) {
    // A failure that the chain could not fix either; no event shows why a target was left.
    if (because === 'given-up') say('it was given up without a wait');
    return;
  }
  const wait = waitOf({ ...decision, last }, expected);
  const stops = stopsOf({ ...decision, last }, expected, wait);
  const certainty = stops.get(because);
  if (certainty === undefined && !byGate.includes(because))
    say(`it failed because of ${because}, which does not hold here`);
  const place = ORDER.indexOf(because);
  for (const [reason, how] of stops) {
    if (how === 'surely' && place >= 0 && ORDER.indexOf(reason) < place)
      say(`it failed because of ${because}, ${reason} comes first`);
  }
}

function judgeHistory(
  history: Event<'failed'>['history'],
  attempts: readonly Attempt[],
  plan: Case,
  how: 'failed' | 'recovered',
  say: Say,
): void {
  if (history.length !== attempts.length) say(`a history of ${history.length} for ${attempts.length} attempts`);
  history.forEach((record, index) => {
    const attempt = attempts[index];
    if (attempt === undefined) return;
    if (record.attempt !== index + 1) say(`attempt ${index + 1} is called ${record.attempt} in the history`);
    if (Math.abs(record.startedAt - attempt.send.now) > EPSILON_MS)
      say(`attempt ${index + 1} began ${record.startedAt - attempt.send.now} ms after it was sent`);
    const retry = attempt.retry?.event;
    const waitedMs = (retry?.type === 'retry' ? retry.delayMs : 0) + attempt.delayedMs;
    if (
      retry?.type === 'retry' &&
      (Math.abs((record.delayMs ?? 0) - waitedMs) > EPSILON_MS || record.because !== retry.because)
    ) {
      say(
        `the wait after attempt ${index + 1} is ${record.delayMs} (${record.because}) in the history, ${waitedMs} (${retry.because}) in its event`,
      );
    }
    if (retry === undefined && record.delayMs !== null) say(`the history has a wait after attempt ${index + 1}`);
    const { expected } = attempt;
    if (expected.kind === 'success' && record.failure !== null) say(`attempt ${index + 1} is a failure in the history`);
    if (expected.kind === 'failure' && record.failure === null) say(`attempt ${index + 1} is a success in the history`);
    if (
      expected.kind === 'failure' &&
      plan.options.classify !== 'throws' &&
      expected.type !== null &&
      record.failure !== null &&
      record.failure.type !== expected.type
    )
      say(`attempt ${index + 1} is ${record.failure.type} in the history`);
    if (how === 'recovered' && index === history.length - 1 && record.failure !== null)
      say('the last attempt of a recovery is a failure');
    const knownMs = 'atMs' in expected ? expected.atMs : null;
    const headMs = expected.kind === 'failure' ? expected.headMs : knownMs;
    // A time limit waits a moment longer while an answer is arriving.
    const looksMs = expected.kind === 'failure' && expected.ownLimit ? 250 : 0;
    if (
      isSteady(plan) &&
      knownMs !== null &&
      headMs !== null &&
      (record.durationMs < headMs - EPSILON_MS || record.durationMs > knownMs + looksMs + EPSILON_MS)
    ) {
      say(`attempt ${index + 1} took ${record.durationMs} ms in the history, it took ${knownMs}`);
    }
  });
}

function judgeHeaders({ options }: Case, attempts: readonly Attempt[], send: Of<'send'>, say: Say): void {
  const { idempotencyKeyHeader } = options;
  const { attempt, headers } = send;
  const first = attempts[0]?.send.headers ?? {};
  if (headers['content-type'] !== first['content-type']) say(`attempt ${attempt} has another content-type`);
  // An operation has no headers.
  if (!('content-type' in first)) return;
  if (idempotencyKeyHeader !== undefined) {
    if (headers[idempotencyKeyHeader] === undefined) say(`attempt ${attempt} has no idempotency key`);
    for (const { send: other } of attempts) {
      const isSamePlace = other.target === send.target && other.key === send.key;
      if (isSamePlace !== (other.headers[idempotencyKeyHeader] === headers[idempotencyKeyHeader]))
        say(
          `attempt ${attempt} has ${isSamePlace ? 'another' : 'the same'} idempotency key as attempt ${other.attempt}`,
        );
    }
  }
}

function judgeEnd(
  { plan, trace, attempts }: Pick<Decision, 'plan' | 'trace' | 'attempts'>,
  finals: readonly Of<'event'>[],
  abort: Of<'deed'> | undefined,
  end: Of<'end'>,
  startedAt: number,
  say: Say,
): void {
  const { options } = plan;
  const last = attempts.at(-1);
  const final = finals[0]?.event;
  if (finals.length > 1) say(`${finals.length} last events`);
  if (end.listeners !== 0) say(`${end.listeners} listeners are left on the signal`);
  if (plan.calls.length === 1)
    for (const ms of end.timersLeft) if (ms > 1_000) say(`a timer of ${ms} ms is left behind`);
  const hasFailed = 'error' in end;
  if (abort !== undefined) {
    // An abort from within the last event or the listener before it comes too late or just in time.
    const isLate = finals[0] !== undefined && finals[0].order < abort.order;
    if (isLate) return;
    const ownRefusal = trace.plan.abortedBefore === true && last !== undefined ? thrownBy(last) : undefined;
    if (ownRefusal !== undefined && end.error === ownRefusal) return;
    if (!hasFailed || end.error !== trace.abortReason)
      say(`an abort gave ${hasFailed ? String(end.error) : 'a value'} in place of its reason`);
    if (end.at > Math.max(abort.at, startedAt) + PROMPT_MS) say(`an abort took ${end.at - abort.at} ms`);
    if (final === undefined ? attempts.length > 0 || trace.plan.abortedBefore !== true : final.type !== 'cancelled')
      say(`an abort was told as ${final?.type}`);
    return;
  }
  if (last === undefined) {
    // All targets may rest because of another call, and the wait for the first may be given up.
    const isGivenUp = plan.chain !== undefined && final?.type === 'failed' && final.because === 'given-up';
    if (plan.gate === undefined && plan.chain?.kind !== 'keys' && !isGivenUp) say('it was never sent');
    if (!hasFailed) say('it succeeded without an attempt');
    if (plan.chain === undefined && !(end.error instanceof GateRefusedError))
      say(`it was refused with ${String(end.error)}`);
    if (final?.type !== 'failed') say(`a refusal was told as ${final?.type}`);
    return;
  }
  const { expected } = last;
  if (final?.type === 'failed' && final.because === 'given-up' && end.at > (finals[0]?.at ?? 0))
    say('the end comes late after giving up');
  switch (expected.kind) {
    case 'never':
      return say('a call ended though its server never answered');
    case 'aborted':
      if (options.classify === 'throws') return;
      if (end.error !== thrownBy(last)) say(`the abort of another signal gave ${String(end.error)}`);
      if (final !== undefined && final.type !== 'cancelled')
        say(`the abort of another signal was reported as ${final.type}`);
      if (final === undefined && attempts.length > 1) say('the abort of another signal was not reported');
      return;
    case 'open':
      return;
    case 'success':
      if (hasFailed) return say(`a success rejected with ${String(end.error)}`);
      if (attempts.length === 1 ? final !== undefined : final?.type !== 'recovered')
        say(`a success after ${attempts.length} attempts was told as ${final?.type}`);
      if (end.at > failureAt(last) + EPSILON_MS + (plan.gate === undefined ? 0 : PROMPT_MS))
        say(`a success took ${end.at - failureAt(last)} ms longer than it had to`);
      judgeResponse(plan, trace, last, end, say);
      return;
    case 'failure':
      if (options.classify === 'throws') {
        if (end.error !== CLASSIFY_ERROR)
          say(`classify threw, and the call gave ${hasFailed ? String(end.error) : 'a value'}`);
        return;
      }
      if (final?.type !== 'failed') say(`a failure was told as ${final?.type}`);
      // What `stopIf` throws after `giveUp` is late.
      else if (of(trace.entries, 'asked').at(-1)?.answer === 'throws' && final.because !== 'given-up') {
        if (end.error !== ASKED_ERROR)
          say(`stopIf threw, and the call gave ${hasFailed ? String(end.error) : 'a value'}`);
        return;
      }
      if (expected.ownLimit) {
        if (
          !(end.error instanceof DOMException) ||
          end.error.name !== 'TimeoutError' ||
          !end.error.message.includes(String(options.attemptTimeoutMs).slice(0, 1))
        ) {
          say(`a limit on the attempt gave ${hasFailed ? String(end.error) : 'a value'}`);
        }
        return;
      }
      if (plan.face === 'operation' || (last.answer !== null && 'thrown' in last.answer.answer)) {
        if (end.error !== thrownBy(last))
          say(`a thrown error came back as ${hasFailed ? String(end.error) : 'a value'}`);
      } else if (options.exhausted === 'throw' && end.error instanceof RetryExhaustedError) {
        if (retryableOf(expected, options) === false) say('RetryExhaustedError for a failure that is not retryable');
        if (end.error.attempts !== attempts.length) say(`RetryExhaustedError after ${end.error.attempts} attempts`);
        if (
          last.answer !== null &&
          'response' in last.answer.answer &&
          end.error.response !== last.answer.answer.response
        )
          say('RetryExhaustedError holds another response');
        if (end.bodyUsed !== false) say('the response in RetryExhaustedError was read');
      } else {
        if (
          options.exhausted === 'throw' &&
          retryableOf(expected, options) === true &&
          !hasFailed &&
          !expected.serverSaysNo
        )
          say('`exhausted` did not throw');
        if (hasFailed) return say(`a failed response came back as ${String(end.error)}`);
        judgeResponse(plan, trace, last, end, say);
      }
      if (trace.history.length !== attempts.length)
        say(`outcomeOf has ${trace.history.length} of ${attempts.length} attempts`);
  }
}

const thrownBy = ({ answer }: Attempt): unknown =>
  answer !== null && 'thrown' in answer.answer ? answer.answer.thrown : undefined;

/** What comes back is the very response, unread, and can be read to its end. */
function judgeResponse({ face, options }: Case, trace: CallTrace, last: Attempt, end: Of<'end'>, say: Say): void {
  if (face === 'operation') {
    const mark = Reflect.get(Object(end.value), 'mark');
    if (typeof mark !== 'string' || !mark.endsWith(`attempt ${last.send.attempt}`))
      say(`an operation gave ${String(mark)}`);
    return;
  }
  if (last.answer === null || !('response' in last.answer.answer))
    return say('a response came back that no attempt had returned');
  const { response, body } = last.answer.answer;
  const isRemade = options.exhausted === 'mark' && last.expected.kind === 'failure';
  if (end.value !== response && !isRemade) say('another response came back');
  if (
    isRemade &&
    end.value instanceof Response &&
    end.value.status >= 400 &&
    end.value.headers.get('x-should-retry') !== 'false'
  )
    say('the final response is not marked');
  if (end.bodyUsed !== false) say('the response was read');
  if (trace.read === null) return;
  const { text, broke } = trace.read;
  if (broke && body.fate !== 'broken') say('the body broke on its way');
  if (body.fate === 'broken' ? !body.sent.startsWith(text) : text !== body.sent)
    say(`the body came as ${JSON.stringify(text)} in place of ${JSON.stringify(body.sent)}`);
}

/** `onRetry` before each retry event, `onExhausted` once for what was given up though it was worth a retry. */
function judgeCallbacks(
  entries: readonly Entry[],
  attempts: readonly Attempt[],
  final: Of<'event'> | undefined,
  say: Say,
): void {
  const heard = entries.filter(({ what }) => what === 'event' || what === 'onRetry' || what === 'onExhausted');
  heard.forEach((entry, index) => {
    const before = heard[index - 1];
    if (entry.what !== 'event' || entry.event.type !== 'retry') return;
    if (before?.what !== 'onRetry') return say('a retry event without onRetry before it');
    const [attempt, error, delayMs] = before.args;
    if (before.args.length !== 3 || attempt !== entry.event.retry || delayMs !== entry.event.delayMs)
      say(`onRetry got ${before.args.length} arguments: ${String(attempt)}, ${String(delayMs)}`);
    const made = attempts.find(({ send }) => send.attempt === attempt);
    const isOwn = made?.expected.kind === 'failure' && made.expected.ownLimit;
    if (made !== undefined && !isOwn && thrownBy(made) !== undefined && error !== thrownBy(made))
      say('onRetry got another error than was thrown');
    if (!(error instanceof Error) && !(error instanceof DOMException)) say('onRetry got no error');
  });
  const onRetry = entries.filter(({ what }) => what === 'onRetry').length;
  const retries = attempts.filter(({ retry }) => retry !== null).length;
  if (onRetry !== retries) say(`onRetry was called ${onRetry} times for ${retries} retries`);
  const exhausted = of(entries, 'onExhausted');
  if (exhausted.length > 1) say(`onExhausted was called ${exhausted.length} times`);
  const event = final?.event;
  const isWorth =
    event?.type === 'failed' &&
    ['retries-exhausted', 'retry-after-too-long', 'sleep-budget-exhausted', 'deadline', 'given-up'].includes(
      event.because,
    ) &&
    event.attempts > 0 &&
    event.failure.retryable;
  if (isWorth && exhausted.length === 0) say('onExhausted was not called');
  if (exhausted.length > 0 && event?.type === 'failed' && !event.failure.retryable)
    say('onExhausted was called for a failure that is not retryable');
  if (exhausted.length > 0 && event?.type !== 'failed')
    say(`onExhausted was called, and the call was told as ${event?.type}`);
  if (exhausted[0] !== undefined && exhausted[0].args[1] !== attempts.length)
    say(`onExhausted heard of ${String(exhausted[0].args[1])} attempts`);
}
