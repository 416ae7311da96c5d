/** Where a request goes: its path on the target, and nowhere else, however the path is written. */

import type { Target } from './options.ts';
import { RefusedError } from './refused-error.ts';

/** The URL on the target for the request target of a request line. @throws RefusedError */
export function targetUrlOf(requestTarget: string, { origin, basePath }: Target): string {
  if (!/^\/(?![/\\])[^#]*$/.test(requestTarget) || !URL.canParse(origin + basePath + requestTarget)) {
    throw badPath(`Expected a path with one slash at its beginning; this proxy sends to ${origin} and nowhere else.`);
  }
  const url = new URL(origin + basePath + requestTarget);
  // Parsers take `..` and its spellings out, which may leave the path that was to be put before.
  if (url.origin !== origin || !url.pathname.startsWith(`${basePath}/`)) {
    throw badPath(`Expected a path that stays below ${origin}${basePath}/.`);
  }
  return url.href;
}

function badPath(message: string): RefusedError {
  return new RefusedError(400, 'bad_path', message);
}
