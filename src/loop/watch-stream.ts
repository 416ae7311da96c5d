/** Puts the watch of the options over a stream that the caller gets, and tells the listeners when it breaks. */

import { readError } from '../classify/index.ts';
import type { Failure } from '../failure/failure.ts';
import { rememberHistory } from '../failure/history.ts';
import { asksForText } from '../http/model-request.ts';
import { get } from '../runtime/values.ts';
import { type Call, historyOf, record, type Tried } from './call.ts';
import { isResponse } from './judge.ts';
import { interrupted } from './look.ts';

/** `isGivenUp`: the call has failed, and its listeners know. */
export function watchStream<R>(
  call: Call<R>,
  response: R,
  tried: Pick<Tried<R>, 'startedAt' | 'endedAt'>,
  isGivenUp: boolean,
): void {
  const { exchange, announcer, policy } = call;
  const watch = policy.config.streamWatch;
  if (watch === undefined || !isResponse(response)) return;
  const { status } = response as Response;
  const { now } = policy.runtime;
  const handedOverAt = now();
  watch.watch(response as R & Response, {
    asksForText: asksForText(exchange),
    isAborted: () => exchange.signal?.aborted === true,
    secrets: () => announcer.secrets,
    onBreak: (because, error) => {
      const failure = failureOf(status, error, announcer.secrets);
      if (isGivenUp) rememberHistory(error, historyOf(call));
      if (isGivenUp || failure.type === 'aborted') return;
      // The record of the success is replaced: the attempt has failed after all.
      if (call.records.at(-1)?.failure === null) call.records.pop();
      record(call, { ...tried, endedAt: now() }, failure);
      rememberHistory(response, historyOf(call));
      rememberHistory(error, historyOf(call));
      announcer.emit({ type: 'broken', because, afterMs: Math.max(0, now() - handedOverAt), failure });
    },
  });
}

function failureOf(status: number, error: unknown, secrets: readonly string[]): Failure {
  const read = readError(error, { secrets });
  // An error of the watch has its failure.
  if (read.type === 'aborted' || read === get(error, 'failure')) return read;
  return interrupted(status, error, secrets, 'The stream broke after its first content').failure;
}
