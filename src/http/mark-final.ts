/** Marks a response that was given up, so that SDKs which obey the mark do not retry it again. */

import { remakeResponse } from '../body/remake-response.ts';
import { get, hasMethod } from '../runtime/values.ts';

/**
 * A failed response that carries `x-should-retry: false`, which the OpenAI, Anthropic and Groq SDKs obey. Headers of a
 * fetched response are immutable, so it may be a new object with the same body and url. A response that cannot be
 * copied (a status of 999, a body that is being read) is returned unmarked.
 */
export function markFinal<R>(response: R): R {
  if (!isFetchResponse(response) || !(response.status >= 400)) return response;
  try {
    response.headers.set('x-should-retry', 'false');
    return response;
  } catch {
    return remake(response);
  }
}

function remake<R extends Response>(response: R): R {
  try {
    const headers = new Headers(response.headers);
    headers.set('x-should-retry', 'false');
    return remakeResponse(response, response.body, headers) as R;
  } catch {
    return response;
  }
}

/** Also a response of another realm, such as one from undici's fetch. */
function isFetchResponse(value: unknown): value is Response {
  return hasMethod(value, 'clone') && hasMethod(get(value, 'headers'), 'set');
}
