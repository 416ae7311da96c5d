/** What keeps a request from being repeated whatever failed, who may say no, and what has to be undone before. */

import { raceAbort } from './abort.ts';
import { wasNotSent } from '../classify/index.ts';
import type { CallLog } from './call-log.ts';
import type { Decision, Situation } from './decide.ts';
import type { RetryEventBase } from '../events/events.ts';
import type { Exchange } from './exchange.ts';
import type { Failure } from '../failure/failure.ts';
import { operationSafety, type Policy } from '../policy/policy.ts';

interface Identified {
  readonly identity: Omit<RetryEventBase, 'at'>;
}

/** Only a repetition is refused: whoever makes a call for the first time has decided to. */
export function obstacleTo(
  policy: Policy,
  exchange: Pick<Exchange<unknown>, 'replayable'>,
  call: Identified,
  failure: Failure,
): Situation['obstacle'] {
  const { controller, rollback, retryIrreversible } = policy.config;
  if (controller?.enabled === false) return 'disabled';
  // With nothing sent there is nothing to repeat, but a body stream may have been read all the same.
  if (!exchange.replayable) return 'body-not-replayable';
  const safety = operationSafety(policy, call);
  if (safety === 'safe' || retryIrreversible === true || wasNotSent(failure)) return null;
  return safety === 'conditional' && rollback !== undefined ? null : 'irreversible-operation';
}

/** Asks the caller, where there is a `shouldRetry`. Raced with the abort; rejects with what it throws. */
export async function isPermitted(
  policy: Policy,
  call: Identified,
  log: Pick<CallLog, 'attempts' | 'history'>,
  { delayMs, because }: Extract<Decision, { retry: true }>,
  failure: Failure,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const { shouldRetry } = policy.config;
  if (shouldRetry === undefined) return true;
  const context = { ...call.identity, attempt: log.attempts, failure, delayMs, because, history: log.history };
  const asked = (async () => shouldRetry(context))();
  return signal === undefined ? asked : raceAbort(asked, signal, () => {});
}

/** What may have been done is undone before it is done again. Raced with the abort; rejects with what `rollback` throws. */
export async function rollBack(
  policy: Policy,
  call: Identified,
  failure: Failure | undefined,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { rollback } = policy.config;
  if (rollback === undefined || failure === undefined || operationSafety(policy, call) !== 'conditional') return;
  const undone = (async () => rollback(failure))();
  await (signal === undefined ? undone : raceAbort(undone, signal, () => {}));
}
