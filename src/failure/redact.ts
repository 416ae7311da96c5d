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
/** The same of a secret whose own escapes are read. */
const MIN_READ_LENGTH = 4;

/** How the keys of most providers begin. */
const KEY_PREFIX = 'c?sk-|xai-|gsk_|hf_|fw_|pplx-|r8_|nvapi-|gh[opsur]_|github_pat_|AIza|AKIA|ASIA|ya29|eyJ';
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
/** What stands before the secret is their first group. */
const NAMED_SHAPES: readonly RegExp[] = [BEARER, BASIC, NAMED, QUERY, USERINFO];
/** Without one of these no shape fits, and most texts have none. */
const SIGNS = /* @__PURE__ */ (() =>
  new RegExp(
    String.raw`${KEY_PREFIX}|(?:basic|bearer) |(?:key|token|secret|password)[\\"']{0,3}\s?[:=]|[?&][\w-]+=|u0026|:\/\/[^\s/]*@`,
    'i',
  ))();

/**
 * The text with every secret replaced by `[redacted]`: the given values of six characters or more, the known shapes of
 * keys, and masked or cut echoes of both. A given value is found in another case, and escaped for JSON, a URL or HTML,
 * also twice. Linear in the length of the text.
 */
export function redact(text: string, secrets: Iterable<string> = []): string {
  return scrub(text, secrets, MIN_SECRET_LENGTH);
}

/** `leastAtEnd`: how many characters at the end of the text count as the beginning of a secret that was cut off. */
function scrub(text: string, secrets: Iterable<string>, leastAtEnd: number): string {
  const spellings = spellingsOf(secrets);
  if (spellings.length === 0 && !SIGNS.test(text)) return text;
  const scrubbed = spellings.length === 0 ? text : withoutSpellings(text, spellings, leastAtEnd);
  return NAMED_SHAPES.reduce((rest, shape) => rest.replace(shape, `$1${REDACTED}`), scrubbed.replace(KEYS, REDACTED));
}

/** Shapes of keys. Each begins at one place of a run of characters and never has to go back, so the time is linear. */
function keyPattern(): RegExp {
  // A key begins where no word does, but also right after an escape of JSON (`\nsk-…`, `\u003dAIza…`).
  const start = String.raw`(?:(?<![\w-])|(?<=\\[bfnrt])|(?<=\\u[\da-fA-F]{4}))`;
  const shapes = [
    // Masked: "sk-ab***wxyz", "sk-…abcd".
    String.raw`(?:${KEY_PREFIX})[\w-]{0,64}(?:[*•]{2,}|…|\.{3})[\w-]{0,64}`,
    // OpenAI, Anthropic, OpenRouter, DeepSeek, and Cerebras with a `c`; a short one only with a digit, for "sk-learn" is none.
    String.raw`c?sk-(?:(?=[\w-]{0,16}\d)[\w-]{6,}|[\w-]{12,})`,
    // xAI, Groq, NVIDIA, Google, GitHub.
    String.raw`(?:xai-|gsk_|nvapi-|AIza|github_pat_|ya29\.)[\w-]{10,}`,
    // Without other signs at first: "pplx-70b-online" is a model, "hf_hub_download" a function.
    String.raw`(?:hf_|fw_|pplx-|r8_|gh[opsur]_)[A-Za-z0-9]{12,}[\w-]*`,
    String.raw`(?:AKIA|ASIA)[A-Z0-9]{12,}`,
    // A JSON Web Token; its signature may be missing.
    String.raw`eyJ[\w-]{4,}\.[\w-]{4,}(?:\.[\w-]*)?`,
  ];
  // The lookahead is for speed alone: most places of a text begin no key.
  return new RegExp(`(?=${KEY_PREFIX})${start}(?:${shapes.join('|')})`, 'g');
}

/** A text with its escapes read, and where each of its characters begins in the source; without offsets it is the source. */
interface View {
  readonly text: string;
  readonly offsets?: Uint32Array;
}

type Range = readonly [start: number, end: number];

/** Servers quote quotations: JSON in JSON, a URL in HTML in JSON. */
const MAX_ESCAPED = 3;

const ESCAPE =
  /\\(?:u[\da-f]{4}|x[\da-f]{2}|["'\\/bfnrt])|%(?:[0-7][\da-f]|[c-f][\da-f](?:%[89ab][\da-f]){1,3})|&(?:#\d{1,7}|#x[\da-f]{1,6}|amp|lt|gt|quot|apos);/gi;
const NAMED_ESCAPES: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

/** The text as it stands, then with its escapes read, again and again until there are none. */
function viewsOf(source: string): readonly View[] {
  const views: View[] = [{ text: source }];
  for (let view = views[0]; view !== undefined && views.length <= MAX_ESCAPED;) {
    view = unescaped(view);
    if (view !== undefined) views.push(view);
  }
  return views;
}

function unescaped({ text, offsets }: View): View | undefined {
  if (text.search(ESCAPE) < 0) return undefined;
  const found = new Uint32Array(text.length + 1);
  let from = 0;
  let position = 0;
  const copyOffsets = (end: number): void => {
    for (let index = from; index < end; index += 1) found[position++] = offsets?.[index] ?? index;
  };
  const read = text.replace(ESCAPE, (escape: string, start: number) => {
    const character = readEscape(escape);
    copyOffsets(start);
    found.fill(offsets?.[start] ?? start, position, position + character.length);
    position += character.length;
    from = start + escape.length;
    return character;
  });
  copyOffsets(text.length + 1);
  return read === text ? undefined : { text: read, offsets: found };
}

function readEscape(escape: string): string {
  if (escape.startsWith('%')) return decoded(escape) || escape;
  // `\R` is no escape, although `\r` is.
  if (/^\\[A-Z]$/.test(escape)) return escape;
  const [, hex, decimal, name = escape] = /^(?:\\[ux]|&#x)([\da-f]+)|^&#(\d+)|^.(\w+|.)/i.exec(escape) ?? [];
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  return code <= 0x10_ffff ? String.fromCodePoint(code) : (NAMED_ESCAPES[name.toLowerCase()] ?? name);
}

/** Without a difference of case. The length stays, so that places stay. */
function lowerCase(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** What to look for: each secret as it is and with its own escapes read, in lower case. */
function spellingsOf(secrets: Iterable<string>): readonly string[] {
  const spellings = new Set<string>();
  for (const secret of secrets) {
    if (secret.length < MIN_SECRET_LENGTH) continue;
    for (const view of viewsOf(secret)) {
      const spelling = lowerCase(view.text);
      if (spelling.length >= MIN_READ_LENGTH) spellings.add(spelling).add(spelling.replaceAll(' ', '+'));
    }
  }
  return [...spellings].filter((spelling) => !REDACTED.includes(spelling));
}

function withoutSpellings(source: string, spellings: readonly string[], leastAtEnd: number): string {
  const ranges: Range[] = [];
  for (const { text, offsets } of viewsOf(source)) {
    const lower = lowerCase(text);
    const found: Range[] = [];
    for (const spelling of spellings) findSpelling(lower, spelling, leastAtEnd, found);
    findMasked(lower, spellings, found);
    for (const [start, end] of found) ranges.push([offsets?.[start] ?? start, offsets?.[end] ?? end]);
  }
  let scrubbed = '';
  let end = -1;
  for (const [start, stop] of ranges.toSorted((one, other) => one[0] - other[0])) {
    if (start > end) scrubbed += source.slice(Math.max(end, 0), start) + REDACTED;
    end = Math.max(end, stop);
  }
  return scrubbed + source.slice(Math.max(end, 0));
}

/** So much of a secret is one, where a server has cut the rest off. */
const MIN_CUT_LENGTH = 12;

/** Finds a spelling whole, and a half of it or more. */
function findSpelling(lower: string, spelling: string, leastAtEnd: number, found: Range[]): void {
  const { length } = spelling;
  const least = Math.min(length, Math.max(MIN_CUT_LENGTH, Math.ceil(length / 2)));
  for (const offset of new Set([0, length - least])) {
    const half = spelling.slice(offset, offset + least);
    for (let at = lower.indexOf(half); at >= 0;) {
      let [start, end] = [at, at + least];
      while (end - at < length - offset && lower[end] === spelling[end - at + offset]) end += 1;
      while (at - start < offset && lower[start - 1] === spelling[start - 1 - at + offset]) start -= 1;
      found.push([start, end]);
      at = lower.indexOf(half, at + (end - start === length ? least : 1));
    }
  }
  for (let size = Math.min(length - 1, lower.length); size >= leastAtEnd; size -= 1) {
    if (!lower.endsWith(spelling.slice(0, size))) continue;
    found.push([lower.length - size, lower.length]);
    return;
  }
}

const MASKS = /[*•●█]{2,}|…|\.{3,}|x{4,}/g;
/** The words beside a mask. */
const LAST_WORD = /[^\s"'`,;*•●█…]*$/;
const FIRST_WORD = /^[^\s"'`,;*•●█…]*/;
const MAX_PART = 64;
/** Where a part may begin, and where it may end. */
const STARTS = /(?<![a-z\d])/g;
const STOPS = /(?![a-z\d])/g;

/** Finds masked spellings: "0123****cdef". Two characters on either side could be anything, four hardly. */
function findMasked(lower: string, spellings: readonly string[], found: Range[]): void {
  let previous = 0;
  for (const { 0: mask, index } of lower.matchAll(MASKS)) {
    const end = index + mask.length;
    const [before = ''] = LAST_WORD.exec(lower.slice(Math.max(previous, index - MAX_PART), index)) ?? [];
    const [after = ''] = FIRST_WORD.exec(lower.slice(end, end + MAX_PART)) ?? [];
    previous = end;
    if (before.length + after.length < 4) continue;
    const starts = [...before.matchAll(STARTS)].map((start) => start.index);
    const stops = [...after.matchAll(STOPS)].map((stop) => stop.index);
    for (const spelling of spellings) {
      const start = starts.find((at) => spelling.startsWith(before.slice(at)));
      const stop = stops.findLast((at) => spelling.endsWith(after.slice(0, at)));
      if (start === undefined || stop === undefined || before.length - start + stop < 4) continue;
      found.push([index - before.length + start, end + stop]);
    }
  }
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

const CREDENTIAL_NAME = /key|token|auth|secret|signature|password|session|cookie|credential/i;
const CREDENTIAL_PARAMETER = /^(?:sig|code|pass|pwd|jwt|sas)$/i;

/** Whether a header is named like one that carries a credential. */
export function isCredentialHeader(name: string): boolean {
  return CREDENTIAL_NAME.test(name) && !/^(?:x-)?idempotency-key$/i.test(name);
}

/** Whether a parameter of a query is named like one that carries a credential. */
export function isCredentialParameter(name: string): boolean {
  return CREDENTIAL_NAME.test(name) || CREDENTIAL_PARAMETER.test(name);
}

/** The parts of a request in which secrets travel. */
interface RequestSecrets {
  readonly url?: string | undefined;
  /** In any shape that `fetch` takes. Values that are not strings are left out. */
  readonly headers?: Iterable<readonly [name: string, value: unknown]> | Readonly<Record<string, unknown>> | undefined;
}

/**
 * The values of a request that may be secret, for {@link redact}: header values, query values and userinfo, each whole
 * and in its parts (without the scheme, each cookie, both halves of `id:secret`, the parameters of Digest and SigV4, the
 * strings in JSON). Leaves out the ordinary headers and parameters that it knows.
 */
export function secretsOf({ url = '', headers }: RequestSecrets): readonly string[] {
  const secrets = new Set<string>();
  for (const [name, value] of pairsOf(headers ?? {})) {
    const known = name.toLowerCase();
    if (isOrdinaryHeader(known)) continue;
    for (const text of Array.isArray(value) ? value : [value])
      if (typeof text === 'string') for (const secret of headerSecrets(known, text.trim())) secrets.add(secret);
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

const secretsOfOwner = /* @__PURE__ */ new WeakMap<object, readonly string[]>();

/** Remembers the secrets that a transport adds to its requests by itself, which no argument of a call shows. */
export function rememberSecrets(owner: object, secrets: readonly string[]): void {
  if (secrets.length > 0) secretsOfOwner.set(owner, secrets);
}

/** The secrets that a transport adds to its requests by itself; none of any other object. */
export function secretsBehind(owner: object): readonly string[] {
  return secretsOfOwner.get(owner) ?? [];
}

/** Headers that are none are for the inner transport to refuse. */
function pairsOf(headers: NonNullable<RequestSecrets['headers']>): Iterable<readonly [name: string, value: unknown]> {
  if (typeof headers !== 'object') return [];
  const pairs = isIterable(headers) ? [...headers] : Object.entries(headers);
  return pairs.filter((pair) => Array.isArray(pair) && typeof pair[0] === 'string');
}

function isIterable(headers: object): headers is Iterable<readonly [name: string, value: unknown]> {
  return Symbol.iterator in headers;
}

function headerSecrets(name: string, value: string): readonly string[] {
  const [, scheme = '', credentials = ''] = /^([\w-]+)\s+(\S.*)$/.exec(value) ?? [];
  if (scheme.toLowerCase() === 'basic') return [value, credentials, ...basicSecrets(credentials)];
  if (name === 'cookie') return [value, ...value.split(';').flatMap(cookieSecrets)];
  return [value, credentials, ...compositeSecrets(name, credentials || value)];
}

function cookieSecrets(cookie: string): readonly string[] {
  const value = cookie.slice(cookie.indexOf('=') + 1).trim();
  return [value, decoded(value)];
}

function basicSecrets(token: string): readonly string[] {
  try {
    const bytes = Uint8Array.from(atob(token), (character) => character.charCodeAt(0));
    const credentials = new TextDecoder().decode(bytes);
    return [credentials, ...halves(credentials)];
  } catch {
    // No Base64: no server can decode it.
    return [];
  }
}

/** Parameters of Digest, SigV4 and others that are no secrets. */
const ORDINARY_PARTS = /^(?:algorithm|charset|error|nc|qop|realm|scope|signedheaders|uri|version)$/i;

const SCHEMES = /^(?:basic|bearer|digest)$/i;

/** The parts of a value that a server may name alone: `Signature=…`, `id:secret`, one of a list. */
function compositeSecrets(name: string, value: string): readonly string[] {
  if (/^[[{]/.test(value)) return stringsInJson(value).flatMap((text) => [text, ...halves(text)]);
  const parts: string[] = [];
  const assign = /([\w-]+)=\s*(?:"([^"]*)"|([^\s,;"]+))|[^\s,;"=]+={0,2}/g;
  for (const [bare, key = '', quoted, plain] of value.matchAll(assign)) {
    const part = quoted ?? plain ?? bare;
    // Padding of Base64 is no assignment.
    if (/^=?$/.test(part)) parts.push(bare);
    else if (SCHEMES.test(part)) continue;
    else if (key !== '' ? ORDINARY_PARTS.test(key) : !isCredentialHeader(name) && !/\d/.test(part)) continue;
    else parts.push(part, ...halves(part), ...(/credential/i.test(key) ? part.split('/', 1) : []));
  }
  return parts.filter((part) => part.length >= MIN_SECRET_LENGTH && part !== value);
}

function stringsInJson(value: string): readonly string[] {
  const strings: string[] = [];
  try {
    JSON.parse(value, (_key, member: unknown) => {
      if (typeof member === 'string') strings.push(member);
      return member;
    });
  } catch {
    // Not JSON: known as a whole.
  }
  return strings;
}

function urlSecrets(url: string): readonly string[] {
  const { userinfo, rest } = splitUserinfo(url);
  const [, query = ''] = /^[^?#]*\?([^#]*)/.exec(rest) ?? [];
  const values = query.split('&').flatMap((parameter) => {
    const separator = parameter.indexOf('=');
    const name = parameter.slice(0, Math.max(separator, 0));
    // A parameter without a value may be the secret itself.
    const value = parameter.slice(separator + 1);
    if (ORDINARY_PARAMETERS.has(name)) return [];
    return /credential$/i.test(name) ? [value, ...decoded(value).split('/', 1)] : [value];
  });
  return [userinfo, ...halves(userinfo), ...values];
}

/**
 * The credentials in front of the host, and the URL without them. Parsers accept spellings that a pattern does not see
 * through (one slash, a backslash, a line break in between), and a password with a slash in it makes a URL that none
 * accepts: all of it up to the last `@` is taken for the password then.
 */
function splitUserinfo(url: string): { readonly userinfo: string; readonly rest: string } {
  if (!url.includes('@')) return { userinfo: '', rest: url };
  const [, scheme = '', userinfo = '', rest = ''] = /^([a-z][a-z\d+.-]*:\/\/)([^/?#]*)@(.*)$/is.exec(url) ?? [];
  const plain = scheme === '' ? { userinfo: '', rest: url } : { userinfo, rest: scheme + rest };
  if (URL.canParse(url)) {
    const bare = new URL(url);
    const { username, password } = bare;
    if (username + password === '') return { userinfo: '', rest: url };
    bare.username = '';
    bare.password = '';
    if (URL.canParse(plain.rest) && new URL(plain.rest).href === bare.href) return plain;
    return { userinfo: password === '' ? username : `${username}:${password}`, rest: bare.href };
  }
  const [, start = '', all = '', host = ''] = /^\s*([a-z][a-z\d+.-]*:[\\/]*)(.*)@(.*)$/is.exec(url) ?? [];
  return start === '' ? plain : { userinfo: all, rest: start + host };
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

/**
 * The beginning of a long text, scrubbed before it is cut to `length`. At the edge of the part that was searched, what
 * may be the beginning of a secret or of an escape is dropped.
 */
export function excerpt(text: string, length: number, secrets: readonly string[] = []): string {
  const searched = length * EXCERPT_FACTOR;
  if (text.length <= searched) return redact(text, secrets).slice(0, length);
  const whole = text.slice(0, searched).replace(PART_OF_ESCAPE, '');
  return scrub(whole, secrets, 1).slice(0, length);
}

/** Scrubbing shortens, so more is searched than is kept. */
const EXCERPT_FACTOR = 4;

const PART_OF_ESCAPE = /[\\%&][^\\%&;\s]{0,8}$/;

/**
 * The URL as it may be shown: no query, no fragment, no credentials, and in its path none of the secrets and no known
 * shape of a key.
 */
export function publicUrl(url: string, secrets: readonly string[] = []): string {
  return redact(splitUserinfo(url).rest.replace(/[?#].*/s, ''), secrets);
}
