/** The mark on a response that was given up: SDKs that obey it do not start a second layer of retries on top. */

/**
 * A failed response that carries `x-should-retry: false`, which the OpenAI, Anthropic and Groq SDKs obey. Headers of a
 * fetched response are immutable, so it may be another object, with the same body and url.
 */
export function markFinal<R>(response: R): R {
  if (!isResponse(response) || response.status < 400) return response;
  try {
    response.headers.set('x-should-retry', 'false');
    return response;
  } catch {
    // A body that somebody has begun to read cannot move.
    if (response.bodyUsed || response.body?.locked === true) return response;
    const { status, statusText, url, redirected } = response;
    const headers = new Headers(response.headers);
    headers.set('x-should-retry', 'false');
    const marked = new Response(response.body, { status, statusText, headers });
    Object.defineProperties(marked, { url: { value: url }, redirected: { value: redirected } });
    return marked as typeof response;
  }
}

/** Also one of another realm, as undici's own fetch gives. */
function isResponse(value: unknown): value is Response {
  return (
    typeof value === 'object' &&
    value !== null &&
    'clone' in value &&
    'status' in value &&
    'headers' in value &&
    typeof value.headers === 'object' &&
    value.headers !== null &&
    'set' in value.headers
  );
}
