/** Puts the watch of the options over a stream that the caller gets. */

import { readError, readFailure } from '../classify/index.ts';
import type { Failure } from '../failure/failure.ts';
import { canParseUrl, get } from '../runtime/values.ts';
import type { HttpCall } from './http-call.ts';
import { isResponse } from './response-like.ts';
import { interrupted } from './look.ts';
import { asksForText, isModelRequest } from './model-request.ts';
import { watchBody } from './watch.ts';
import type { BreakReason } from '../events/events.ts';

/** `onBreak` is called once: before the body fails, or when a stream with an error of the server is over. */
export function watchStream(
  face: HttpCall,
  response: unknown,
  onBreak: (because: BreakReason, error: unknown, failure: Failure) => void,
): void {
  const { watch, runtime } = face.policy;
  if (watch === null || !isResponse(response)) return;
  const { status, headers, url } = response as Response;
  const checkEnd = watch.checkEnd === true || (watch.checkEnd !== false && isModelRequest(face) === true);
  if (!checkEnd && !watch.coversAll) return;
  watchBody(
    response as Response,
    { ...watch, checkEnd },
    {
      asksForText: asksForText(face),
      isAborted: () => face.signal?.aborted === true,
      secrets: () => face.secrets,
      host: () => hostOf(url || face.url),
      onBreak: (because, error) => onBreak(because, error, failureOf(status, error, face.secrets)),
      onErrorEvent: (error) => {
        const read = { status, headers, nowMs: runtime.now(), secrets: face.secrets };
        onBreak('error-event', undefined, readFailure(read, error, 'stream').failure);
      },
    },
  );
}

function hostOf(url: string): string {
  return canParseUrl(url) ? new URL(url).host : '';
}

function failureOf(status: number, error: unknown, secrets: readonly string[]): Failure {
  const read = readError(error, { secrets });
  // An error of the watch has its failure.
  if (read.type === 'aborted' || read === get(error, 'failure')) return read;
  return interrupted(status, error, secrets, 'The stream broke after its first content').failure;
}
