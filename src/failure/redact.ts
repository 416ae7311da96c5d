/**
 * Keeps secrets out of what we make ourselves: events, failures, errors, reports. Servers echo keys, whole or with a few
 * stars in the middle, so the literal values that a request carried are scrubbed as well as whatever has the shape of a
 * key. It errs on the side of scrubbing.
 */

const REDACTED = '[redacted]';

/**
 * Shorter values are left alone: a key has more characters, and words such as `true` or `beta` would be torn out of
 * every sentence.
 */
const MIN_SECRET_LENGTH = 6;

/** How the keys of most providers begin. */
const KEY_PREFIX = 'sk-|xai-|gsk_|hf_|pplx-|r8_|nvapi-|gh[opsur]_|github_pat_|AIza|AKIA|ASIA|ya29|eyJ';
const KEYS = /* @__PURE__ */ keyPattern();

/** What follows a scheme, unless it is a word of a sentence about the scheme: "Bearer token missing", `Bearer realm="…"`. */
const BEARER =
  /\b(bearer )(?!(?:auth|authentication|authorization|credentials?|error|format|headers?|prefix|required|scheme|strings?|tokens?)(?![\w.~+/=-])|(?:error|realm|scope)=)[\w.~+/=-]{6,}/gi;
/** Base64 mixes cases or has a digit or padding, which "Basic authentication" does not. */
const BASIC = /\b([Bb]asic )(?=[A-Za-z]{0,512}(?:[a-z][A-Z]|[\d+/=]))[A-Za-z0-9+/_-]{8,}={0,2}/g;
/** `api_key:…`, `"x-api-key": "…"`, `password=…`; after a space only what looks like a key, for "API key: please check". */
const NAMED =
  /((?:api[-_ ]?key|access[-_]?token|auth[-_]?token|refresh[-_]?token|client[-_]?secret|password)[\\"']{0,3}(?:[:=][\\"']{0,3}|\s?[:=]\s?[\\"']{0,3}(?=[\w.~+/-]{0,24}\d|[\w.~+/-]{20})))[\w.~+/%-]{4,}={0,2}/gi;
/** Parameters of a URL that carry one; JSON may spell the ampersand as an escape. */
const QUERY =
  /((?:[?&]|\\u0026)(?:key|sig|signature|token|secret|auth|subscription-key|x-amz-(?:credential|security-token|signature))=)[^\s"'&<>[\]\\]+/gi;
const USERINFO = /(:\/\/)[^\s/?#@"'<>]{1,256}(?=@)/g;
/** "sk-ab***wxyz", "<not-a-r****key>", "sk-…abcd": a beginning, a mask, an end. */
const MASK = /[*•]{2}|…|\.{3}/;
const MASKED = /(?<![\w<-])([\w<-]{0,64})(?:[*•]{2,}|…|\.{3})([\w>-]{0,64})/g;
/** Where the beginning alone tells, perhaps after the letter of a JSON escape. */
const MASKED_KEY = /* @__PURE__ */ (() => new RegExp(`^[bfnrt<]?(?:${KEY_PREFIX})`))();

/** Without one of these no shape fits, and most texts have none. */
const SIGNS = /* @__PURE__ */ (() =>
  new RegExp(
    String.raw`${KEY_PREFIX}|[*•]{2}|…|\.{3}|(?:basic|bearer) |(?:key|token|secret|password)[\\"']{0,3}\s?[:=]|[?&][\w-]+=|u0026|:\/\/[^\s/]*@`,
    'i',
  ))();

/**
 * The text with every secret replaced by `[redacted]`: the given values of six characters or more, also as JSON or a URL
 * would spell them, the known shapes of keys, and partly masked echoes of both. Linear in the length of the text.
 */
export function redact(text: string, secrets: Iterable<string> = []): string {
  const literals = [...secrets].filter((secret) => secret.length >= MIN_SECRET_LENGTH && !REDACTED.includes(secret));
  if (literals.length === 0 && !SIGNS.test(text)) return text;
  const isMasked = (head: string, tail: string): boolean =>
    MASKED_KEY.test(head) || literals.some((secret) => isEcho(secret, head, tail));
  const scrubEcho = (echo: string, head: string, tail: string): string => (isMasked(head, tail) ? REDACTED : echo);
  const scrubbed = withoutLiterals(text, literals);
  return (MASK.test(scrubbed) ? scrubbed.replace(MASKED, scrubEcho) : scrubbed)
    .replace(KEYS, REDACTED)
    .replace(BEARER, `$1${REDACTED}`)
    .replace(BASIC, `$1${REDACTED}`)
    .replace(NAMED, `$1${REDACTED}`)
    .replace(QUERY, `$1${REDACTED}`)
    .replace(USERINFO, `$1${REDACTED}`);
}

/** Shapes of keys. Each begins at one place of a run of characters and never has to go back, so the time is linear. */
function keyPattern(): RegExp {
  // A key begins where no word does, but also right after an escape of JSON (`\nsk-…`, `\u003dAIza…`).
  const start = String.raw`(?:(?<![\w-])|(?<=\\[bfnrt])|(?<=\\u[\da-fA-F]{4}))`;
  const shapes = [
    // OpenAI, Anthropic, OpenRouter, DeepSeek; a short one only with a digit, for "sk-learn" is none.
    String.raw`sk-(?:(?=[\w-]{0,16}\d)[\w-]{6,}|[\w-]{12,})`,
    // xAI, Groq, NVIDIA, Google, GitHub.
    String.raw`(?:xai-|gsk_|nvapi-|AIza|github_pat_|ya29\.)[\w-]{10,}`,
    // Without other signs at first: "pplx-70b-online" is a model, "hf_hub_download" a function.
    String.raw`(?:hf_|pplx-|r8_|gh[opsur]_)[A-Za-z0-9]{12,}[\w-]*`,
    String.raw`(?:AKIA|ASIA)[A-Z0-9]{12,}`,
    // A JSON Web Token; its signature may be missing.
    String.raw`eyJ[\w-]{4,}\.[\w-]{4,}(?:\.[\w-]*)?`,
  ];
  // The lookahead is for speed alone: most places of a text begin no key.
  return new RegExp(`(?=${KEY_PREFIX})${start}(?:${shapes.join('|')})`, 'g');
}

function withoutLiterals(text: string, literals: readonly string[]): string {
  const spellings = new Set(
    literals.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encoded(secret)]),
  );
  // The longest first, or the beginning of a longer secret would take its place and leave the rest.
  const longestFirst = [...spellings].toSorted((one, other) => other.length - one.length);
  return longestFirst.reduce((scrubbed, secret) => scrubbed.replaceAll(secret, REDACTED), text);
}

function isEcho(secret: string, head: string, tail: string): boolean {
  // Two letters on either side could be anything.
  if (head.length + tail.length < 4) return false;
  const matches = (start: string, end: string): boolean => secret.startsWith(start) && secret.endsWith(end);
  return matches(head, tail) || matches(head.replace('<', ''), tail.replace('>', ''));
}

/** Headers whose values are no secrets and would tear holes into messages. Any other header may be one. */
const ORDINARY_HEADERS: ReadonlySet<string> = /* @__PURE__ */ new Set(
  /* @__PURE__ */ 'accept accept-charset accept-encoding accept-language anthropic-beta anthropic-dangerous-direct-browser-access anthropic-version cache-control connection content-encoding content-language content-length content-type date expect host openai-beta origin pragma te transfer-encoding user-agent x-title'.split(
    ' ',
  ),
);
const ORDINARY_HEADER_PREFIX = /^(?:x-stainless-|sec-fetch-|sec-ch-)/;

/** Whether a header is known to carry no secret. `name` in lower case. */
export function isOrdinaryHeader(name: string): boolean {
  return ORDINARY_HEADERS.has(name) || ORDINARY_HEADER_PREFIX.test(name);
}

/** Azure's version is a date that its messages repeat; `alt` is `sse` or `json`. */
const ORDINARY_PARAMETERS: ReadonlySet<string> = /* @__PURE__ */ new Set(['api-version', 'alt', 'beta']);

/** The parts of a request in which secrets travel. */
interface RequestSecrets {
  readonly url?: string | undefined;
  /** Whatever `fetch` takes as headers. What is no string in there is left out. */
  readonly headers?: Iterable<readonly [name: string, value: unknown]> | Readonly<Record<string, unknown>> | undefined;
}

/**
 * The values of a request that may be secret, for {@link redact}: header values (also without their scheme, for Basic
 * also decoded, cookies also one by one), query values and userinfo (as written and decoded). Leaves out the ordinary
 * headers and parameters that it knows.
 */
export function secretsOf({ url = '', headers }: RequestSecrets): readonly string[] {
  const secrets = new Set<string>();
  for (const [name, value] of pairsOf(headers ?? {})) {
    const known = name.toLowerCase();
    if (typeof value !== 'string' || isOrdinaryHeader(known)) continue;
    for (const secret of headerSecrets(known, value.trim())) secrets.add(secret);
  }
  for (const written of urlSecrets(url)) {
    // Only in a query is a plus a space.
    secrets
      .add(written)
      .add(decoded(written))
      .add(decoded(written.replaceAll('+', ' ')));
  }
  secrets.delete('');
  return [...secrets];
}

function pairsOf(headers: NonNullable<RequestSecrets['headers']>): Iterable<readonly [name: string, value: unknown]> {
  return isIterable(headers) ? headers : Object.entries(headers);
}

function isIterable(headers: object): headers is Iterable<readonly [name: string, value: unknown]> {
  return Symbol.iterator in headers;
}

function headerSecrets(name: string, value: string): readonly string[] {
  const [, scheme = '', token = ''] = /^([\w-]+)\s+(\S.*)$/.exec(value) ?? [];
  if (scheme.toLowerCase() === 'basic') return [value, token, ...basicSecrets(token)];
  if (name === 'cookie')
    return [value, ...value.split(';').map((cookie) => cookie.slice(cookie.indexOf('=') + 1).trim())];
  return [value, token];
}

function basicSecrets(token: string): readonly string[] {
  try {
    const bytes = Uint8Array.from(atob(token), (character) => character.charCodeAt(0));
    const credentials = new TextDecoder().decode(bytes);
    return [credentials, ...halves(credentials)];
  } catch {
    // Not Base64, so not decoded by anyone.
    return [];
  }
}

function urlSecrets(url: string): readonly string[] {
  const [, userinfo = ''] = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)@/i.exec(url) ?? [];
  const [, query = ''] = /^[^?#]*\?([^#]*)/.exec(url) ?? [];
  const values = query.split('&').map((parameter) => {
    const separator = parameter.indexOf('=');
    // A parameter without a value may be the secret itself.
    return ORDINARY_PARAMETERS.has(parameter.slice(0, Math.max(separator, 0))) ? '' : parameter.slice(separator + 1);
  });
  return [userinfo, ...halves(userinfo), ...values];
}

/** User and password. */
function halves(credentials: string): readonly string[] {
  const colon = credentials.indexOf(':');
  return colon < 0 ? [] : [credentials.slice(0, colon), credentials.slice(colon + 1)];
}

function decoded(written: string): string {
  try {
    return decodeURIComponent(written);
  } catch {
    return '';
  }
}

function encoded(secret: string): string {
  try {
    return encodeURIComponent(secret);
  } catch {
    // Half a surrogate pair has no URL spelling.
    return secret;
  }
}

/**
 * The beginning of a long text, scrubbed before it is cut to `length`. Of what stood at the edge of the part that was
 * searched as much is dropped as could be the half of a secret.
 */
export function excerpt(text: string, length: number, secrets: readonly string[] = []): string {
  const searched = length * EXCERPT_FACTOR;
  const scrubbed = redact(text.slice(0, searched), secrets);
  if (text.length <= searched) return scrubbed.slice(0, length);
  const longest = Math.max(0, ...secrets.map((secret) => secret.length));
  return scrubbed.slice(0, Math.min(length, Math.max(0, scrubbed.length - longest)));
}

/** Scrubbing shortens, so more is searched than is kept. */
const EXCERPT_FACTOR = 4;

/** The URL as it may be shown: no query, no fragment, no credentials. */
export function publicUrl(url: string): string {
  const end = url.search(/[?#]/);
  const bare = end === -1 ? url : url.slice(0, end);
  const shown = bare.replace(/^([a-z][a-z\d+.-]*:\/\/)[^/]*@/i, '$1');
  // Parsers accept spellings that a pattern does not see through: one slash, a backslash, a line break in between.
  const parsed = URL.canParse(shown) ? new URL(shown) : undefined;
  if (parsed === undefined || parsed.username + parsed.password === '') return shown;
  parsed.username = '';
  parsed.password = '';
  return parsed.href;
}
