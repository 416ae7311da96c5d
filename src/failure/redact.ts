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

/** Nothing here has to go back in a run of characters, so the time is linear. */
const KEYS = /* @__PURE__ */ keyPattern();

function keyPattern(): RegExp {
  // How keys begin and go on.
  const shapes = [
    // OpenAI, Anthropic, OpenRouter, DeepSeek, and Cerebras with a `c`; a short one only with a digit, for "sk-learn" is none.
    ['c?sk-', String.raw`(?:(?=[\w-]{0,16}\d)[\w-]{6,}|[\w-]{12,})`],
    // xAI, Groq, NVIDIA, Google, GitHub.
    ['xai-|gsk_|nvapi-|AIza|github_pat_', String.raw`[\w-]{10,}`],
    ['ya29', String.raw`\.[\w-]{10,}`],
    // Without other signs at first: "pplx-70b-online" is a model, "hf_hub_download" a function.
    ['hf_|fw_|pplx-|r8_|gh[opsur]_', String.raw`[A-Za-z0-9]{12,}[\w-]*`],
    ['AKIA|ASIA', '[A-Z0-9]{12,}'],
    // A JSON Web Token; its signature may be missing.
    ['eyJ', String.raw`[\w-]{4,}\.[\w-]{4,}(?:\.[\w-]*)?`],
  ];
  const prefixes = shapes.map(([prefix]) => prefix).join('|');
  const keys = shapes.map(([prefix, rest]) => `(?:${prefix})${rest}`).join('|');
  // A key begins where no word does, but also right after an escape of JSON (`\nsk-…`, `\u003dAIza…`).
  const start = String.raw`(?:(?<![\w-])|(?<=\\(?:[bfnrt]|u[\da-fA-F]{4})))`;
  // "sk-ab***wxyz", "sk-…abcd".
  const masked = String.raw`[\w-]{0,75}(?:[*•]{2,}|…|\.{3})[\w-]{0,64}`;
  return new RegExp(`(?=${prefixes})${start}(?:${masked}|${keys})`, 'g');
}

/** What follows a scheme, unless it is a word of a sentence about the scheme: "Bearer token missing", `Bearer realm="…"`. */
const BEARER =
  /\b(bearer )(?!(?:auth(?:entication|orization)?|credentials?|error|format|headers?|prefix|required|scheme|strings?|tokens?)(?![\w.~+/=-])|(?:error|realm|scope)=)[\w.~+/=-]{6,}/gi;
/** Base64 mixes cases or has a digit or padding, which "Basic authentication" does not. */
const BASIC = /\b([Bb]asic )(?=[A-Za-z]{0,512}(?:[a-z][A-Z]|[\d+/=]))[A-Za-z0-9+/_-]{8,}={0,2}/g;
/** `api_key:…`, `"x-api-key": "…"`, `password=…`; after a space only what looks like a key, for "API key: please check". */
const NAMED =
  /((?:api[-_ ]?key|(?:access|auth|refresh)[-_]?token|client[-_]?secret|password)[\\"']{0,3}(?:[:=][\\"']{0,3}|\s?[:=]\s?[\\"']{0,3}(?=[\w.~+/-]{0,24}\d|[\w.~+/-]{20})))[\w.~+/%-]{4,}={0,2}/gi;
/** Parameters of a URL that carry one; JSON may spell the ampersand as an escape. */
const QUERY =
  /((?:[?&]|\\u0026)(?:key|sig|signature|token|secret|auth|subscription-key|x-amz-(?:credential|security-token|signature))=)[^\s"'&<>[\]\\]+/gi;
const USERINFO = /(:\/\/)[^\s/?#@"'<>]{1,256}(?=@)/g;
/** What stands before the secret is their first group. */
const NAMED_SHAPES: readonly RegExp[] = [BEARER, BASIC, NAMED, QUERY, USERINFO];

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
  const scrubbed = spellings.length === 0 ? text : withoutSpellings(text, spellings, leastAtEnd);
  return NAMED_SHAPES.reduce((rest, shape) => rest.replace(shape, `$1${REDACTED}`), scrubbed.replace(KEYS, REDACTED));
}

/** A text with its escapes read, in lower case, and where each of its characters begins in the source. */
interface View {
  readonly text: string;
  readonly placeOf: (index: number) => number;
}

/** Takes what was found: where it begins, and where it ends. */
type Found = (start: number, end: number) => void;

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
function viewsOf(source: string, placeOf: View['placeOf'] = (index) => index, level = 0): readonly View[] {
  const places: number[] = [];
  let position = 0;
  const keepUntil = (end: number): void => {
    for (; position < end; position += 1) places.push(placeOf(position));
  };
  const read = source.replace(ESCAPE, (escape: string, start: number) => {
    keepUntil(start);
    const character = readEscape(escape);
    for (let unit = 0; unit < character.length; unit += 1) places.push(placeOf(start));
    position = start + escape.length;
    return character;
  });
  // In lower case `İ` is longer, which would move places, and `Σ` depends on its neighbours.
  const text = source.replaceAll('İ', 'i').replace(/[Σς]/g, 'σ').toLowerCase();
  if (read === source || level === MAX_ESCAPED) return [{ text, placeOf }];
  keepUntil(source.length + 1);
  return [{ text, placeOf }, ...viewsOf(read, (index) => places[index] ?? index, level + 1)];
}

function readEscape(escape: string): string {
  if (escape.startsWith('%')) return decoded(escape) || escape;
  // `\R` is no escape, although `\r` is.
  if (/^\\[A-Z]$/.test(escape)) return escape;
  const [, hex, decimal, name = escape] = /^.(?:#?[ux]([\da-f]+)|#(\d+)|(.\w*))/i.exec(escape) ?? [];
  const code = Number(hex === undefined ? decimal : `0x${hex}`);
  return code <= 0x10_ffff ? String.fromCodePoint(code) : (NAMED_ESCAPES[name.toLowerCase()] ?? name);
}

/** What to look for, in lower case: each secret as it is and with its own escapes read. */
function spellingsOf(secrets: Iterable<string>): readonly string[] {
  const spellings = new Set<string>();
  for (const secret of secrets) {
    if (secret.length < MIN_SECRET_LENGTH) continue;
    for (const { text } of viewsOf(secret))
      if (text.length >= MIN_READ_LENGTH) spellings.add(text).add(text.replaceAll(' ', '+'));
  }
  return [...spellings].filter((spelling) => !REDACTED.includes(spelling));
}

function withoutSpellings(source: string, spellings: readonly string[], leastAtEnd: number): string {
  const ranges: (readonly [start: number, end: number])[] = [];
  for (const { text, placeOf } of viewsOf(source)) {
    const found: Found = (start, end) => void ranges.push([placeOf(start), placeOf(end)]);
    for (const spelling of spellings) findSpelling(text, spelling, leastAtEnd, found);
    findMasked(text, spellings, found);
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
function findSpelling(text: string, spelling: string, leastAtEnd: number, found: Found): void {
  const { length } = spelling;
  const least = Math.min(length, Math.max(MIN_CUT_LENGTH, Math.ceil(length / 2)));
  for (const offset of new Set([0, length - least])) {
    const half = spelling.slice(offset, offset + least);
    for (let at = text.indexOf(half); at >= 0;) {
      const origin = at - offset;
      let [start, end] = [at, at + least];
      while (end < text.length && text[end] === spelling[end - origin]) end += 1;
      while (start > 0 && text[start - 1] === spelling[start - 1 - origin]) start -= 1;
      found(start, end);
      at = text.indexOf(half, at + (end - start === length ? least : 1));
    }
  }
  for (let size = Math.min(length - 1, text.length); size >= leastAtEnd; size -= 1)
    if (text.endsWith(spelling.slice(0, size))) return found(text.length - size, text.length);
}

const MASKS = /[*•●█]{2,}|…|\.{3,}|x{4,}/g;
const MAX_PART = 64;

/** Finds masked spellings: "0123****cdef". Two characters on either side could be anything, four hardly. */
function findMasked(text: string, spellings: readonly string[], found: Found): void {
  let previous = 0;
  for (const { 0: mask, index } of text.matchAll(MASKS)) {
    const end = index + mask.length;
    // The words beside the mask, and where in them a part of a spelling may begin or end.
    const [before = ''] = /[^\s"'`,;*•●█…]*$/.exec(text.slice(Math.max(previous, index - MAX_PART), index)) ?? [];
    const [after = ''] = /^[^\s"'`,;*•●█…]*/.exec(text.slice(end, end + MAX_PART)) ?? [];
    previous = end;
    if (before.length + after.length < 4) continue;
    const starts = Array.from(before.matchAll(/(?<![a-z\d])/g), (start) => start.index);
    const stops = Array.from(after.matchAll(/(?![a-z\d])/g), (stop) => stop.index);
    for (const spelling of spellings) {
      const start = starts.find((at) => spelling.startsWith(before.slice(at)));
      const stop = stops.findLast((at) => spelling.endsWith(after.slice(0, at)));
      if (start === undefined || stop === undefined || before.length - start + stop < 4) continue;
      found(index - before.length + start, end + stop);
    }
  }
}

/** Headers whose values are no secrets and would tear holes into messages. Any other header may be one. */
const ORDINARY_HEADER =
  /^(?:(?:accept(?:-charset|-encoding|-language)?|anthropic-(?:beta|dangerous-direct-browser-access|version)|cache-control|connection|content-(?:encoding|language|length|type)|date|expect|host|openai-beta|origin|pragma|te|transfer-encoding|user-agent|x-title)$|x-stainless-|sec-(?:fetch|ch)-)/;

/** Whether a header is known to carry no secret. `name` in lower case. */
export function isOrdinaryHeader(name: string): boolean {
  return ORDINARY_HEADER.test(name);
}

const CREDENTIAL_NAME = /key|token|auth|secret|signature|password|session|cookie|credential/i;

/** Whether a header is named like one that carries a credential. */
export function isCredentialHeader(name: string): boolean {
  return CREDENTIAL_NAME.test(name) && !/^(?:x-)?idempotency-key$/i.test(name);
}

/** Whether a parameter of a query is named like one that carries a credential. */
export function isCredentialParameter(name: string): boolean {
  return CREDENTIAL_NAME.test(name) || /^(?:sig|code|pass|pwd|jwt|sas)$/i.test(name);
}

/** The parts of a request in which secrets travel. */
interface RequestSecrets {
  readonly url?: string | undefined;
  /** In any shape that `fetch` takes. Values that are not strings are left out. */
  readonly headers?: Iterable<Pair> | Readonly<Record<string, unknown>> | undefined;
}

type Pair = readonly [name: string, value: unknown];

/**
 * The values of a request that may be secret, for {@link redact}: header values, query values and userinfo, each whole
 * and in its parts (without the scheme, each cookie, both halves of `id:secret`, the parameters of Digest and SigV4, the
 * strings in JSON). Leaves out the ordinary headers and parameters that it knows.
 */
export function secretsOf({ url = '', headers }: RequestSecrets): readonly string[] {
  const secrets = new Set([...headerSecrets(Object(headers)), ...urlSecrets(url)]);
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

const isIterable = (headers: object): headers is Iterable<Pair> => Symbol.iterator in headers;

/** Headers that are none are for the inner transport to refuse. */
function headerSecrets(headers: object): readonly string[] {
  const pairs = isIterable(headers) ? [...headers] : Object.entries(headers);
  return pairs.flatMap((pair) => {
    if (!Array.isArray(pair) || typeof pair[0] !== 'string') return [];
    const name = pair[0].toLowerCase();
    const values = isOrdinaryHeader(name) ? [] : [pair[1]].flat();
    return values.flatMap((value) => (typeof value === 'string' ? valueSecrets(name, value.trim()) : []));
  });
}

function valueSecrets(name: string, value: string): readonly string[] {
  const [, scheme = '', credentials = ''] = /^([\w-]+)\s+(\S.*)$/.exec(value) ?? [];
  const parts = /^basic$/i.test(scheme) ? withHalves(fromBase64(credentials)) : partsOf(name, credentials || value);
  return [value, credentials, ...parts];
}

function fromBase64(token: string): string {
  try {
    const bytes = Uint8Array.from(atob(token), (character) => character.charCodeAt(0));
    return new TextDecoder().decode(bytes);
  } catch {
    // No Base64: no server can decode it.
    return '';
  }
}

/** Parameters of Digest, SigV4 and others that are no secrets. */
const ORDINARY_PARTS = /^(?:algorithm|charset|error|nc|qop|realm|scope|signedheaders|uri|version)$/i;

const SCHEMES = /^(?:basic|bearer|digest)$/i;

/** The strings in JSON, and whether each is the name of a member. {@link redact} reads their escapes. */
const IN_JSON = /"((?:[^"\\]|\\.)*)"(\s*:)?/g;
/** A cookie may have any sign in its value. */
const IN_COOKIES = /([^\s;=]+)=(?:"([^";]*)"|([^;]*))/g;
/** The parameters and words of any other list. */
const IN_LIST = /([\w-]+)=\s*(?:"([^"]*)"|([^\s,;"]+))|[^\s,;"=]+={0,2}/g;

/** The parts of a value that a server may name alone: `Signature=…`, `id:secret`, a cookie, one of a list. */
function partsOf(name: string, value: string): readonly string[] {
  const parts: string[] = [];
  if (/^[[{]/.test(value)) {
    for (const [, text = '', colon] of value.matchAll(IN_JSON))
      if (colon === undefined) parts.push(...withHalves(text));
    return parts;
  }
  for (const [bare, key = '', quoted, plain] of value.matchAll(name === 'cookie' ? IN_COOKIES : IN_LIST)) {
    const part = quoted ?? plain?.trim() ?? bare;
    // Padding of Base64 is no assignment.
    if (/^=?$/.test(part)) parts.push(bare);
    else if (SCHEMES.test(part)) continue;
    else if (key !== '' ? ORDINARY_PARTS.test(key) : !isCredentialHeader(name) && !/\d/.test(part)) continue;
    else parts.push(...withHalves(part), decoded(part), ...identityIn(key, part));
  }
  return parts.filter((part) => part.length >= MIN_SECRET_LENGTH);
}

/** SigV4 puts the identity in front of the scope. */
function identityIn(key: string, value: string): readonly string[] {
  return /credential$/i.test(key) ? decoded(value).split('/', 1) : [];
}

function urlSecrets(url: string): readonly string[] {
  const { userinfo, rest } = splitUserinfo(url);
  const [, query = ''] = /^[^?#]*\?([^#]*)/.exec(rest) ?? [];
  const values = query.split('&').flatMap((parameter) => {
    // A parameter without a value may be the secret itself.
    const [, name = '', value = ''] = /^(?:([^=]*)=)?(.*)$/s.exec(parameter) ?? [];
    // Azure's version is a date that its messages repeat; `alt` is `sse` or `json`.
    return /^(?:api-version|alt|beta)$/.test(name) ? [] : [value, ...identityIn(name, value)];
  });
  // Only in a query is a plus a space.
  return [...withHalves(userinfo), ...values].flatMap((written) => [
    written,
    decoded(written),
    decoded(written.replaceAll('+', ' ')),
  ]);
}

/**
 * The credentials in front of the host, and the URL without them. Parsers accept spellings that a pattern does not see
 * through (one slash, a backslash, a line break in between), and a password with a slash in it makes a URL that none
 * accepts: all of it up to the last `@` is taken for the password then.
 */
function splitUserinfo(url: string): { readonly userinfo: string; readonly rest: string } {
  if (!url.includes('@')) return { userinfo: '', rest: url };
  if (!URL.canParse(url)) {
    const [, scheme = '', userinfo = '', rest = url] = /^\s*([a-z][a-z\d+.-]*:[\\/]*)(.*)@(.*)$/is.exec(url) ?? [];
    return { userinfo, rest: scheme + rest };
  }
  const bare = new URL(url);
  const { username, password } = bare;
  if (username + password === '') return { userinfo: '', rest: url };
  bare.username = '';
  bare.password = '';
  return { userinfo: password === '' ? username : `${username}:${password}`, rest: bare.href };
}

/** Credentials, then the user and the password in them. */
function withHalves(credentials: string): readonly string[] {
  return /^([^:]*):(.*)$/s.exec(credentials) ?? [credentials];
}

function decoded(written: string): string {
  try {
    return decodeURIComponent(written);
  } catch {
    return '';
  }
}

/** Scrubbing shortens, so more is searched than is kept. */
const EXCERPT_FACTOR = 4;

const PART_OF_ESCAPE = /[\\%&][^\\%&;\s]{0,8}$/;

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

/**
 * The URL as it may be shown: no query, no fragment, no credentials, and in its path none of the secrets and no known
 * shape of a key.
 */
export function publicUrl(url: string, secrets: readonly string[] = []): string {
  return redact(splitUserinfo(url).rest.replace(/[?#].*/s, ''), secrets);
}
