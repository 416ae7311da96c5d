/**
 * The MSW handler that replays recordings, one step per request: the failures in the order in which you want to see them,
 * then the answer. The same line serves a test, a story of a component and a demo. Works with MSW 2 and 3.
 */

import { http, type HttpHandler } from 'msw';
import { type Replayed, scriptOf, type Steps } from './steps.ts';

/** An MSW handler that remembers its requests. MSW's own `resetHandlers` does not rewind it. */
export interface ReplayHandler extends HttpHandler, Replayed {}

/**
 * Answers each request to `url`, whatever its method, with the next step; the last step repeats.
 *
 * ```ts
 * replay('https://api.anthropic.com/v1/messages', 'anthropic-429-overloaded-bare', completions.anthropicStream('Hello'));
 * ```
 *
 * @param url as MSW reads it (`*` and `/:name` match anything), except that the query is ignored, and a colon inside a
 *   segment (`gemini-2.5-flash:generateContent`) is an ordinary character
 * @throws {RangeError} if no recording has the name of a step
 * @throws {TypeError} if there is no step, or a pace is invalid
 */
export function replay(url: string | RegExp, ...steps: Steps): ReplayHandler {
  const { answer, requests, rewind } = scriptOf(steps);
  return Object.assign(
    http.all(pathOf(url), ({ request }) => answer(request)),
    { requests, rewind },
  );
}

/** MSW warns about a query, and reads each `:name` as a parameter, also inside a segment. */
function pathOf(url: string | RegExp): string | RegExp {
  return typeof url === 'string' ? url.replace(/\?.*=.*$/, '').replace(/(?<=[^/\\]):(?=[a-z_])/gi, '\\:') : url;
}
