/** Puts the watch of the options over a stream that the caller gets. */

import { readError } from '../classify/index.ts';
import type { Failure } from '../failure/failure.ts';
import { get } from '../runtime/values.ts';
import type { HttpCall } from './http-call.ts';
import { isResponse } from './response-like.ts';
import { interrupted } from './look.ts';
import { asksForText } from './model-request.ts';
import type { BreakReason } from '../options/stream-watch.ts';

/** `onBreak` is called once, before the body fails. */
export function watchStream(
  face: HttpCall,
  response: unknown,
  onBreak: (because: BreakReason, error: unknown, failure: Failure) => void,
): void {
  const watch = face.policy.config.streamWatch;
  if (watch === undefined || !isResponse(response)) return;
  const { status } = response as Response;
  watch.watch(response as Response, {
    asksForText: asksForText(face),
    isAborted: () => face.signal?.aborted === true,
    secrets: () => face.secrets,
    onBreak: (because, error) => onBreak(because, error, failureOf(status, error, face.secrets)),
  });
}

function failureOf(status: number, error: unknown, secrets: readonly string[]): Failure {
  const read = readError(error, { secrets });
  // An error of the watch has its failure.
  if (read.type === 'aborted' || read === get(error, 'failure')) return read;
  return interrupted(status, error, secrets, 'The stream broke after its first content').failure;
}
