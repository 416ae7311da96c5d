/** Sends a request in the shape of `fetch` to a target. The target gets its parts; the body of a `Request` as text. */

import { throwIfAborted } from '../runtime/abort.ts';
import { changeInit, isBodyInit, isRequest, plainInit, recordOf, withHeader } from './request-parts.ts';
import type { FetchRequest, Target } from '../route/route.ts';
import type { Fetch } from '../transport.ts';

/** A target of a chain, which brings this code to a program that has one. */
export abstract class HttpTarget {
  readonly fetch?: Fetch | undefined;

  async sendFetch(given: FetchRequest, rewrite: Target['requestFor']): Promise<Response> {
    const { input, init = {}, signal } = given;
    const request = isRequest(input) ? input : undefined;
    const givenBody = init.body ?? (request?.body ? await readBody(request) : undefined);
    const headers = recordOf(init.headers ?? request?.headers);
    const answer = rewrite({ url: given.url, headers, body: givenBody });
    // Awaited only if necessary, because meanwhile another call may find that the key must rest.
    const rewritten = answer instanceof Promise ? await answer : answer;
    throwIfAborted(signal);
    const [body, isJson] = bodyInitOf(rewritten.body, givenBody);
    let sent = isJson ? withHeader(rewritten.headers, 'content-type', 'application/json') : rewritten.headers;
    for (const [name, value] of Object.entries(given.headers)) sent = withHeader(sent, name, value);
    const inner = this.fetch ?? given.inner;
    const settings = request === undefined ? init : { ...settingsOf(request), ...plainInit(init) };
    return inner(
      rewritten.url,
      changeInit(settings, {
        method: given.method,
        headers: sent,
        ...(body !== init.body && { body: body ?? null }),
        ...(signal !== undefined && { signal }),
      }),
    );
  }
}

/** The body of a request, as text if it is text, so that a target can change it. */
async function readBody(request: Request): Promise<string | ArrayBuffer> {
  const bytes = await request.arrayBuffer();
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return bytes;
  }
}

/** The body to send: an unchanged body as it is, a new value that is no body type as JSON. */
function bodyInitOf(
  body: unknown,
  given: BodyInit | undefined,
): readonly [body: BodyInit | null | undefined, isJson: boolean] {
  if (body === given) return [given, false];
  if (body === undefined || isBodyInit(body)) return [body, false];
  return [JSON.stringify(body), true];
}

/** The settings of a `Request` without its URL, headers, body and signal. */
function settingsOf({ redirect, credentials, cache, keepalive, referrerPolicy }: Request): RequestInit {
  return { redirect, credentials, cache, keepalive, referrerPolicy };
}
