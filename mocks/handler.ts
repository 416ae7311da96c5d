/** The MSW handler that replays recordings. MSW itself is handed in, so that it is loaded only where it is used. */

/** @ts-ignore -- MSW is optional: without it, these types are `any` */
import type { http, HttpHandler } from 'msw';
import { type Replayed, scriptOf, type Steps } from './steps.ts';

/** An MSW handler that remembers its requests. MSW's own `resetHandlers` does not rewind it. */
export interface ReplayHandler extends HttpHandler, Replayed {}

export function handlerOf({ all }: Pick<typeof http, 'all'>, url: string | RegExp, steps: Steps): ReplayHandler {
  const { answer, requests, rewind } = scriptOf(steps);
  return Object.assign(
    all(pathOf(url), ({ request }) => answer(request)),
    { requests, rewind },
  );
}

/** MSW warns about a query, and reads each `:name` as a parameter, also inside a segment. */
function pathOf(url: string | RegExp): string | RegExp {
  return typeof url === 'string' ? url.replace(/\?.*=.*$/, '').replace(/(?<=[^/\\]):(?=[a-z_])/gi, '\\:') : url;
}
