/** The URL of a request on the target. No way to write a path may lead outside the target's own. */

import { RefusedError } from './problem.ts';

/** The URL on the target, an origin with a path, for the path of a request line. @throws RefusedError */
export function targetUrlOf(requestTarget: string, target: string): string {
  const { origin } = new URL(target);
  if (!/^\/(?![/\\])[^#]*$/.test(requestTarget) || !URL.canParse(target + requestTarget)) {
    throw badPath(`Expected a path with one slash at its beginning; this proxy sends to ${origin} and nowhere else.`);
  }
  const url = new URL(target + requestTarget);
  const basePath = target.slice(origin.length);
  // The parser resolves `..`, so the result may be outside the base path.
  const isBelow = url.origin === origin && url.pathname.startsWith(`${basePath}/`);
  if (!isBelow || (basePath !== '' && mayClimb(url.pathname.slice(basePath.length)))) {
    throw badPath(`Expected a path that stays below ${target}/.`);
  }
  return url.href;
}

const MAX_DECODINGS = 8;

/**
 * Whether a server behind the target could read a `..` in the path: some servers decode twice, read `\` as `/`, drop
 * the part after `;`, or accept overlong UTF-8.
 */
function mayClimb(path: string): boolean {
  let decoded = path;
  for (let count = 0; /%[0-9a-f]{2}/i.test(decoded); count += 1) {
    if (count === MAX_DECODINGS) return true;
    decoded = decoded.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  }
  const plain = decoded.replaceAll('\u00C0\u00AE', '.').replaceAll('\u00C0\u00AF', '/');
  if (plain.includes('\\')) return true;
  return plain.split('/').some((segment) => segment.replace(/;.*$/s, '').trim().replaceAll('\0', '') === '..');
}

function badPath(message: string): RefusedError {
  return new RefusedError(400, 'bad_path', message);
}
