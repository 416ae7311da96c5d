/**
 * `retry-transport/mocks/msw`: the MSW handler that replays recordings, one step per request: the failures in the order
 * in which you want to see them, then the answer. The same line serves a test, a story of a component and a demo. Works
 * with MSW 2 and 3, in Node and in browsers.
 */

import { http } from 'msw';
import { handlerOf, type ReplayHandler } from './handler.ts';
import type { Steps } from './steps.ts';

export type { ReplayHandler } from './handler.ts';

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
  return handlerOf(http, url, steps);
}
