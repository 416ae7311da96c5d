/**
 * Statuses that a text quotes: `Error code: 401`, `upstream returned 400`, `503 Service Unavailable`. A number counts only
 * in such a frame, because texts contain many others.
 */

/** Excludes numbers that count something, positions in files and parts of names. */
const STATUS =
  '([45]\\d\\d)(?![\\w%]|[.:,]\\w|\\s(?:m?s|seconds|bytes|tokens|tests|files|items|lines|errors|rows|requests|times)\\b)';
const REASONS =
  'status code|bad request|unauthorized|payment required|forbidden|not found|too many requests|(?:internal )?server error|bad gateway|(?:service )?(?:temporarily )?unavailable|gateway time-?out|overloaded|a timeout occurred|connection timed out|web server is down|origin is unreachable';

/** After marks at the beginning: `⎿ 529 …`. After a word: `status code 429`, `HTTP/1.1 503`, `"code": 429`, `状态码：503`. */
const FRAMES: readonly RegExp[] = [
  /* @__PURE__ */ new RegExp(`^[^\\w{]{0,24}${STATUS}`, 'gi'),
  /* @__PURE__ */ new RegExp(
    `(?<!exit[a-z ]{0,12})(?:(?:\\b(?:status|http|response|request|failed|api|returned|code)|error|exception)(?:[ _/-]?(?:with|status|code|error|http|from|server|of|was|is|type|\\d\\.\\d)){0,4}|状态码?|返回|失败)[\\s"'\\\\*=:：,·([<]{0,9}${STATUS}`,
    'gi',
  ),
];
/** `429 Too Many Requests`, `429: {"error": …`, and `Too Many Requests (429)`. */
const WITH_REASON = /* @__PURE__ */ new RegExp(
  `(?<![\\w.:/-])${STATUS}['"\\s:)\\]-]{1,4}(?:${REASONS}|\\{["'])|(?:${REASONS})[\\s:('"[-]{1,4}${STATUS}`,
  'gi',
);

/** Most texts have no such number, and the patterns are slow to compile. */
const MAY_BE_STATUS = /[45]\d\d/;

/** The statuses that a text quotes, the most certain first. `isFramed`: also those without a reason. */
export function statusesIn(text: string, isFramed = true): readonly number[] {
  if (!MAY_BE_STATUS.test(text)) return [];
  return [...(isFramed ? FRAMES : []), WITH_REASON].flatMap((pattern) =>
    Array.from(text.matchAll(pattern), ([, before, after]) => Number(before ?? after)),
  );
}

/** The statuses that say that the request, the key or the account is at fault, however often it is sent. */
const REFUSALS: readonly number[] = [400, 401, 402, 403, 404, 410, 413, 422];
/** The names of these in SDKs and in gRPC, in messages of gateways: `litellm.BadRequestError: …`. */
const EXCEPTION =
  /\b(?:(BadRequestError|Invalid_?Argument)|(AuthenticationError|Unauthenticated)|(Permission_?Denied(?:Error)?)|(Not_?Found(?:Error)?)|(UnprocessableEntityError))\b/gi;
const EXCEPTIONS: readonly number[] = [400, 401, 403, 404, 422];
/** `The model could not answer (404)`, `speech service 401`. */
const IN_BRACKETS = /(?<=[\s([])[45]\d\d(?=[)\]]|$)/g;

/**
 * The final status that the text or the members of a 5xx quote as its cause; 0 if they quote none, or also one that
 * a retry may mend: of several upstreams another may be meant.
 */
export function refusalIn(text: string, members: ReadonlySet<number>, own: number): number {
  const statuses = [...members, ...(text.match(IN_BRACKETS) ?? []).map(Number), ...statusesIn(text)];
  for (const [, ...names] of text.matchAll(EXCEPTION))
    statuses.push(EXCEPTIONS[names.findIndex((name) => name !== undefined)] ?? 0);
  // A text repeats the status of its own response.
  const others = statuses.filter((status) => status !== own);
  return others.every((status) => REFUSALS.includes(status)) ? (others[0] ?? 0) : 0;
}
