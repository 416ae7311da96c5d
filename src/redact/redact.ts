/**
 * Masks secrets in everything that this library creates: events, failures, errors, reports. Servers echo keys, complete
 * or with a few stars in the middle, so the values that the request contained are masked, and so is any text in the
 * form of a key. In doubt a text is masked.
 */

import { isCredentialHeader, isCredentialParameter, isOrdinaryHeader } from './credentials.ts';
import { withoutDirectionMarks } from '../runtime/direction-marks.ts';
import { canParseUrl, hide } from '../runtime/values.ts';

const REDACTED = '[redacted]';

/**
 * Shorter values are kept: keys are longer, and short words such as `true` or `beta` would leave holes in every
 * sentence.
 */
const MIN_SECRET_LENGTH = 6;
/** The same for a secret after its escapes are decoded. */
const MIN_READ_LENGTH = 4;

/** A shape of secrets, and what a text with one needs, because most texts have nothing of it. */
type Shape = readonly [needed: RegExp, shape: RegExp];

/** No part of the pattern backtracks in a run of characters, so the time is linear. */
function keyShape(): Shape {
  // The beginning of a key, and the characters after it.
  const shapes = [
    // OpenAI, Anthropic, OpenRouter, DeepSeek, and Cerebras with a `c`. A short one needs a digit: "sk-learn" is not a
    // key.
    ['c?sk-', String.raw`(?:(?=[\w-]{0,16}\d)[\w-]{6,}|[\w-]{12,})`],
    // xAI, Groq, NVIDIA, Google, GitHub.
    ['xai-|gsk_|nvapi-|AIza|github_pat_', String.raw`[\w-]{10,}`],
    ['ya29', String.raw`\.[\w-]{10,}`],
    // Only letters and digits at first: "pplx-70b-online" is a model, "hf_hub_download" a function.
    ['hf_|fw_|pplx-|r8_|gh[opsur]_', String.raw`[A-Za-z0-9]{12,}[\w-]*`],
    ['AKIA|ASIA', '[A-Z0-9]{12,}'],
    // A JSON Web Token; its signature may be missing. An encrypted one has five parts, and the second may be empty.
    ['eyJ', String.raw`[\w-]{4,}\.\.?[\w-]{4,}(?:\.[\w-]+){0,3}`],
  ];
  const prefixes = shapes.map(([prefix]) => prefix).join('|');
  const whole = shapes.map(([prefix, rest]) => `(?:${prefix})${rest}`).join('|');
  // A key begins at the start of a word, or right after an escape of JSON (`\nsk-…`, `\u003dAIza…`).
  const start = String.raw`(?:(?<![\w-])|(?<=\\(?:[bfnrt]|u[\da-fA-F]{4})))`;
  // "sk-ab***wxyz", "sk-…abcd".
  const masked = String.raw`[\w-]{0,75}(?:[*•#]{2,}|…|\.{3}|\[(?:…|\.{3})\])[\w-]{0,64}`;
  return [new RegExp(prefixes), new RegExp(`()(?=${prefixes})${start}(?:${masked}|${whole})`, 'g')];
}

/**
 * The text after a scheme, except a word of a sentence about the scheme: "Bearer token missing", `Bearer realm="…"`.
 */
const BEARER =
  /\b(bearer )(?!(?:auth(?:entication|orization)?|credentials?|error|format|headers?|prefix|required|scheme|strings?|tokens?)(?![\w.~+/=-])|(?:error|realm|scope)=)[\w.~+/=-]{6,}/gi;
/** Base64 mixes upper and lower case or has a digit or padding; "Basic authentication" does not. */
const BASIC = /\b((?:[Bb]asic|[Aa]pi[Kk]ey) )(?=[A-Za-z]{0,512}(?:[a-z][A-Z]|[\d+/=]))[A-Za-z0-9+/_-]{8,}={0,2}/g;
/**
 * `api_key:…`, `"x-api-key": "…"`, `password=…`. After a space the value must look like a key: "API key: please check".
 */
const NAMED =
  /((?:api[-_ ]?key|(?:shared[-_]?access|account)[-_]?key|(?:access|auth|refresh)[-_]?token|client[-_]?secret|password)[\\"']{0,3}(?:[:=][\\"']{0,3}|\s?[:=]\s?[\\"']{0,3}(?=[\w.~+/-]{0,24}\d|[\w.~+/-]{20})))[\w.~+/%-]{4,}={0,2}/gi;
/** Parameters of a URL with a secret; the ampersand may be an escape of JSON. */
const QUERY =
  /((?:[?&]|\\u0026|\bSharedAccessSignature )(?:key|sig|signature|token|secret|auth|subscription-key|x-amz-(?:credential|security-token|signature))=)[^\s"'&<>[\]\\]+/gi;
/** The same inside a path: `/v1;token=…/models`. */
const MATRIX = /(;(?:(?:access_?|auth_?)?token|(?:api[-_]?)?key|sig|signature|secret|auth)=)[^\s"'&<>[\]\\/;?#]+/gi;
const USERINFO = /(:\/\/)[^\s/?#@"'<>]{1,256}(?=@)/g;
/** The first group of each is the text before the secret. */
const SHAPES: readonly Shape[] = [
  /* @__PURE__ */ keyShape(),
  [/bearer /i, BEARER],
  [/basic |apikey /i, BASIC],
  [/key|token|secret|password/i, NAMED],
  [/=/, QUERY],
  [/;/, MATRIX],
  [/:\/\//, USERINFO],
];

/**
 * Replaces every secret in a text by `[redacted]`: the given values (or one value) of six characters or more, texts in
 * the form of a key, and masked or cut copies of both. A given value is found in any case, and with escapes of JSON,
 * URLs or HTML, even doubled. Linear in the length of the text.
 */
export function redact(text: string, secrets: Iterable<string> = []): string {
  // A string is an iterable of its characters.
  return scrub(text, typeof secrets === 'string' ? [secrets] : secrets, MIN_SECRET_LENGTH);
}

/** `leastAtEnd`: how many characters at the end of the text count as the beginning of a secret that was cut off. */
function scrub(text: string, secrets: Iterable<string>, leastAtEnd: number): string {
  const spellings = spellingsOf([...secrets]);
  const scrubbed = spellings.length === 0 ? text : withoutSpellings(text, spellings, leastAtEnd);
  return SHAPES.reduce(
    (rest, [needed, shape]) => (needed.test(rest) ? rest.replace(shape, `$1${REDACTED}`) : rest),
    scrubbed,
  );
}

/** A text as it may be meant, and where each of its characters begins and ends in the source; without both: there too. */
interface View {
  readonly text: string;
  readonly starts?: readonly number[];
  readonly ends?: readonly number[];
}

/** Called with the start and the end of a match. */
type Found = (start: number, end: number) => void;

/** Servers quote quotations: JSON in JSON, a URL in HTML in JSON. */
const MAX_ESCAPED = 3;

const ESCAPE =
  /\\(?:u[\da-f]{4}|x[\da-f]{2}|["'\\/bfnrt])|%(?:[0-7][\da-f]|[c-f][\da-f](?:%[89ab][\da-f]){1,3})|&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,6});/gi;
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
  plus: '+',
  sol: '/',
  bsol: '\\',
  equals: '=',
  colon: ':',
  period: '.',
  comma: ',',
  lowbar: '_',
  hyphen: '-',
  percnt: '%',
  num: '#',
};

/** Line breaks, with the indentation after them, and characters without a width: both wrap long keys. */
const WRAP = /(?:\r\n|[\r\n])[ \t]{0,64}|[\u00AD\u061C\u200B-\u200F\u202A-\u202E\u2060\u2066-\u2069\uFEFF]/g;

/** The text itself, then with its escapes decoded, repeatedly until there are none, and last without line breaks. */
function viewsOf(text: string): readonly View[] {
  let view: View = { text };
  const views = [view];
  const add = (next: View): boolean => {
    const isNew = next.text !== view.text;
    if (isNew) views.push((view = next));
    return isNew;
  };
  for (let level = 0; level < MAX_ESCAPED && add(replaced(view, ESCAPE, readEscape));) level += 1;
  add(replaced(view, WRAP, () => ''));
  return views.map((each) => ({ ...each, text: lowered(each.text) }));
}

/** A view in which each match of a pattern is replaced. */
function replaced(view: View, pattern: RegExp, read: (match: string) => string): View {
  // Most texts have none.
  if (view.text.search(pattern) < 0) return view;
  const starts: number[] = [];
  const ends: number[] = [];
  const add = (from: number, to: number): void => {
    starts.push(view.starts?.[from] ?? from);
    ends.push(view.ends?.[to - 1] ?? to);
  };
  let kept = 0;
  const keepUntil = (end: number): void => {
    for (; kept < end; kept += 1) add(kept, kept + 1);
  };
  const text = view.text.replace(pattern, (match: string, start: number) => {
    keepUntil(start);
    kept += match.length;
    const meant = read(match);
    for (let unit = 0; unit < meant.length; unit += 1) add(start, kept);
    return meant;
  });
  keepUntil(view.text.length);
  return { text, starts, ends };
}

/** In lower case `İ` becomes longer, which would shift positions, and `Σ` depends on its neighbours. */
const lowered = (text: string): string => text.replaceAll('İ', 'i').replace(/[Σς]/g, 'σ').toLowerCase();

function readEscape(escape: string): string {
  if (escape.startsWith('%')) return decoded(escape) || escape;
  // `\R` is not an escape, although `\r` is.
  if (/^\\[A-Z]$/.test(escape)) return escape;
  const [, hex, decimal, name = escape] = /^.(?:#?[ux]([\da-f]+)|#(\d+)|(.\w*))/i.exec(escape) ?? [];
  const code = Number(hex === undefined ? decimal : `0x${hex}`);
  if (code <= 0x10_ffff) return String.fromCodePoint(code);
  return NAMED_ESCAPES[name.toLowerCase()] ?? (escape.startsWith('&') ? escape : name);
}

/** A longer secret is searched for in pieces, so that the time of each search is bounded. */
const MAX_WHOLE = 4_096;
const PIECE = 2_048;
/** From this many spellings on, most are ruled out before they are searched for. */
const MANY = 64;

/**
 * The texts to search for, in lower case: each secret as it is, and with its own escapes decoded. The last ones are
 * kept, because a call shows several texts, and most calls of a program send the same keys.
 */
const spellingsOf = /* @__PURE__ */ keepingLast((secrets) => {
  const spellings = new Set<string>();
  for (const secret of secrets.flatMap(piecesOf)) {
    if (secret.length < MIN_SECRET_LENGTH) continue;
    for (const { text } of viewsOf(secret))
      if (text.length >= MIN_READ_LENGTH) spellings.add(text).add(text.replaceAll(' ', '+'));
  }
  return [...spellings].filter((spelling) => !REDACTED.includes(spelling));
});

/** The function, which makes nothing again for the texts that it got last. */
function keepingLast(make: (texts: readonly string[]) => readonly string[]): typeof make {
  let given: readonly string[] = [];
  let made: readonly string[] = [];
  return (texts) => {
    const isLast = given.length === texts.length && texts.every((text, at) => text === given[at]);
    if (!isLast) [given, made] = [texts, make(texts)];
    return made;
  };
}

function piecesOf(secret: string): readonly string[] {
  if (secret.length <= MAX_WHOLE) return [secret];
  return Array.from({ length: Math.ceil(secret.length / PIECE) }, (_, index) =>
    secret.slice(index * PIECE, (index + 1) * PIECE),
  );
}

function withoutSpellings(source: string, spellings: readonly string[], leastAtEnd: number): string {
  const ranges: (readonly [start: number, end: number])[] = [];
  for (const { text, starts, ends } of viewsOf(source)) {
    const found: Found = (start, end) => {
      // The space of "Bearer sk-…" also stands before a key that is quoted alone.
      const match = text.slice(start, end);
      const secret = match.trim();
      const from = start + match.indexOf(secret);
      const to = from + secret.length;
      if (secret !== '') ranges.push([starts?.[from] ?? from, ends?.[to - 1] ?? to]);
    };
    for (const spelling of mayBeIn(text, spellings)) findSpelling(text, spelling, found);
    for (const spelling of spellings) findAtEnd(text, spelling, leastAtEnd, found);
    findMasked(text, spellings, found);
  }
  let scrubbed = '';
  let end = -1;
  for (const [start, stop] of ranges.sort((one, other) => one[0] - other[0])) {
    if (start > end) scrubbed += source.slice(Math.max(end, 0), start) + REDACTED;
    end = Math.max(end, stop);
  }
  return scrubbed + source.slice(Math.max(end, 0));
}

/** A part of this length counts as the secret, if a server has cut the rest off. */
const MIN_CUT_LENGTH = 12;

/** How much of a spelling must be in a text. */
function leastOf({ length }: string): number {
  return Math.min(length, Math.max(MIN_CUT_LENGTH, Math.ceil(length / 2)));
}

/** Where the halves begin, of which one must be in a text. */
function halvesOf(spelling: string): readonly number[] {
  const last = spelling.length - leastOf(spelling);
  return last === 0 ? [0] : [0, last];
}

/** Of many spellings, those of which four characters that begin a half are in the text. */
function mayBeIn(text: string, spellings: readonly string[]): readonly string[] {
  if (spellings.length < MANY) return spellings;
  const pieces = new Set<string>();
  for (let at = 0; at < text.length; at += 1) pieces.add(text.slice(at, at + MIN_READ_LENGTH));
  return spellings.filter((spelling) =>
    halvesOf(spelling).some((offset) => pieces.has(spelling.slice(offset, offset + MIN_READ_LENGTH))),
  );
}

/** Finds a complete spelling, and a half of it or more. */
function findSpelling(text: string, spelling: string, found: Found): void {
  const least = leastOf(spelling);
  for (const offset of halvesOf(spelling)) {
    const half = spelling.slice(offset, offset + least);
    for (let at = text.indexOf(half); at >= 0;) {
      const origin = at - offset;
      let [start, end] = [at, at + least];
      while (end < text.length && text[end] === spelling[end - origin]) end += 1;
      while (start > 0 && text[start - 1] === spelling[start - 1 - origin]) start -= 1;
      found(start, end);
      at = text.indexOf(half, at + (end - start === spelling.length ? least : 1));
    }
  }
}

/** Finds the beginning of a spelling at the end of the text, where the rest was cut off. */
function findAtEnd(text: string, spelling: string, leastAtEnd: number, found: Found): void {
  const last = text.slice(-1);
  let size = Math.min(spelling.length - 1, text.length);
  while ((size = spelling.lastIndexOf(last, size - 1) + 1) >= Math.max(1, leastAtEnd)) {
    if (text.endsWith(spelling.slice(0, size))) return found(text.length - size, text.length);
    size -= 1;
  }
}

const MASKS = /[*•●█#]{2,}|…|\.{3,}|x{4,}|_{4,}|-{4,}|\[(?:…|\.{3}|[a-z\d ]{1,16})\]/g;
const MAX_PART = 64;
/** A table or a drawing is no list of keys. */
const MAX_MASKS = 256;

/** Finds masked spellings: "0123****cdef". Two characters on either side could match anything, four hardly. */
function findMasked(text: string, spellings: readonly string[], found: Found): void {
  let previous = 0;
  let count = 0;
  for (const { 0: mask, index } of text.matchAll(MASKS)) {
    const end = index + mask.length;
    // The words around the mask, and the parts of them that may be the beginning or the end of a spelling.
    const [before = ''] = /[^\s"'`,;*•●█…#]*$/.exec(text.slice(Math.max(previous, index - MAX_PART), index)) ?? [];
    const [after = ''] = /^[^\s"'`,;*•●█…#]*/.exec(text.slice(end, end + MAX_PART)) ?? [];
    previous = end;
    if (before.length + after.length < 4) continue;
    if ((count += 1) > MAX_MASKS) return;
    const heads = Array.from(before.matchAll(/(?<![a-z\d])/g), (start) => before.slice(start.index));
    const tails = Array.from(after.matchAll(/(?![a-z\d])/g), (stop) => after.slice(0, stop.index)).reverse();
    for (const spelling of spellings) {
      const head = heads.find((part) => spelling.startsWith(part));
      if (head === undefined) continue;
      const tail = tails.find((part) => spelling.endsWith(part));
      if (tail !== undefined && head.length + tail.length >= 4) found(index - head.length, end + tail.length);
    }
  }
}

/** The parts of a request that may hold secrets. */
interface RequestSecrets {
  readonly url?: string | undefined;
  /** In any form that `fetch` accepts. Values that are not strings are left out. */
  readonly headers?: Iterable<Pair> | Readonly<Record<string, unknown>> | undefined;
}

type Pair = readonly [name: string, value: unknown];

/**
 * The values of a request that may be secret, for {@link redact}: header values, query values and userinfo, each
 * complete and in its parts (without the scheme, each cookie, both halves of `id:secret`, the parameters of Digest and
 * SigV4, the strings in JSON). Leaves out ordinary headers and parameters.
 */
export function secretsOf({ url = '', headers }: RequestSecrets): readonly string[] {
  return secretsIn([url, ...headerParts(Object(headers))]);
}

const secretsIn = /* @__PURE__ */ keepingLast(([url = '', ...parts]) => {
  const inHeaders = parts.flatMap((value, at) => (at % 2 === 0 ? [] : valueSecrets(parts[at - 1] ?? '', value)));
  const secrets = new Set([...inHeaders, ...urlSecrets(url)]);
  secrets.delete('');
  return [...secrets];
});

const SECRETS = /* @__PURE__ */ Symbol('secrets');

/** Stores the secrets that a transport adds to its requests, which are not in the arguments of a call. */
export function rememberSecrets(owner: object, secrets: readonly string[]): void {
  // A function, which shows nothing when the transport is printed.
  if (secrets.length > 0) hide(owner, SECRETS, () => secrets);
}

/** The secrets that a transport adds to its requests; none for any other object. */
export function secretsBehind(owner: object): readonly string[] {
  const secrets: (() => readonly string[]) | undefined = Reflect.get(owner, SECRETS);
  return secrets?.() ?? [];
}

const isIterable = (headers: object): headers is Iterable<Pair> => Symbol.iterator in headers;

/** The name and the value of each header that may hold a secret. The inner transport refuses invalid ones. */
function headerParts(headers: object): readonly string[] {
  const pairs = isIterable(headers) ? [...headers] : Object.entries(headers);
  return pairs.flatMap((pair) => {
    if (!Array.isArray(pair) || typeof pair[0] !== 'string') return [];
    const name = pair[0].toLowerCase();
    const values = isOrdinaryHeader(name) ? [] : [pair[1]].flat();
    return values.flatMap((value) => (typeof value === 'string' ? [name, value.trim()] : []));
  });
}

function valueSecrets(name: string, value: string): readonly string[] {
  const [, scheme = '', credentials = ''] = /^([\w-]+)\s+(\S.*)$/.exec(value) ?? [];
  const decodedText = fromBase64(credentials || value);
  if (/^basic$/i.test(scheme)) return [value, credentials, ...withHalves(decodedText)];
  // `ApiKey` of Elasticsearch, and keys without a scheme.
  const halves = /^[!-~]+:[!-~]+$/.test(decodedText) ? withHalves(decodedText) : [];
  return [value, credentials, ...halves, ...partsOf(name, credentials || value)];
}

/** The decoded text; '' if it is not Base64. */
export function fromBase64(token: string): string {
  // Most tokens are not, and an error costs ten times as much as all else here.
  if (!/^[A-Za-z\d+/]+={0,2}$/.test(token)) return '';
  try {
    const bytes = Uint8Array.from(atob(token), (character) => character.charCodeAt(0));
    return new TextDecoder().decode(bytes);
  } catch {
    return '';
  }
}

/** Parameters of Digest, SigV4, shared access signatures and others that are not secret. */
const ORDINARY_PARTS = /^(?:algorithm|charset|error|nc|qop|realm|scope|se|signedheaders|skn|sr|uri|version)$/i;

const SCHEMES = /^(?:basic|bearer|digest)$/i;

/**
 * A part of a value: behind the name of a parameter, a string, or a word. A string before a colon is the name of a member of
 * JSON; escapes are decoded by {@link redact}. The padding of Base64 is no assignment.
 */
const PART = /(?:([\w-]+)=\s*)?(?:"((?:[^"\\]|\\.)*)"?(\s*:\s*[\w.+-]*)?|([^\s,;&"={}[\]][^\s,;&"{}[\]]*))/g;
/** A cookie, whose value may contain any character. */
const COOKIE = /([^\s;=][^;=]*)(?:=\s*(?:"([^"]*)"()|([^;]*)))?/g;

/** The parts of a value that a server may quote alone: `Signature=…`, `id:secret`, a cookie, one of a list. */
function partsOf(name: string, value: string): readonly string[] {
  const isCookie = name === 'cookie';
  const parts: string[] = [];
  for (const [bare, key = '', quoted, colon = '', plain = bare] of value.matchAll(isCookie ? COOKIE : PART)) {
    const part = (quoted ?? plain).trim();
    const isWord = key === '' && quoted === undefined;
    const isOrdinary = isWord ? !isCredentialHeader(name) && !/\d/.test(part) : ORDINARY_PARTS.test(key);
    if (colon === '' && !isOrdinary && !SCHEMES.test(part))
      parts.push(...withHalves(part), decoded(part), ...identityIn(key, part));
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
  const inPath = Array.from(rest.replace(/[?#].*/s, '').matchAll(/;([^=;/]*)=([^;/]*)/g), ([, name = '', value = '']) =>
    isCredentialParameter(name) ? value : '',
  );
  const values = query.split('&').flatMap((parameter) => {
    // A parameter without a value may itself be the secret.
    const [, name = '', value = ''] = /^(?:([^=]*)=)?(.*)$/s.exec(parameter) ?? [];
    // Azure's version is a date that its messages repeat; `alt` is `sse` or `json`.
    return /^(?:api-version|alt|beta)$/.test(name) ? [] : [value, ...identityIn(name, value)];
  });
  // A plus is a space only in a query.
  return [...withHalves(userinfo), ...inPath, ...values].flatMap((written) => [
    written,
    decoded(written),
    decoded(written.replaceAll('+', ' ')),
  ]);
}

/**
 * Splits the credentials from a URL. Parsers accept spellings that a pattern cannot recognise (one slash, a backslash,
 * a line break in between). A password with a slash makes the URL invalid; everything up to the last `@` then counts as
 * the password.
 */
function splitUserinfo(url: string): { readonly userinfo: string; readonly rest: string } {
  if (!url.includes('@')) return { userinfo: '', rest: url };
  if (!canParseUrl(url)) {
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
  if (!written.includes('%')) return written;
  try {
    return decodeURIComponent(written);
  } catch {
    return '';
  }
}

/** Masking shortens a text, so more is searched than is kept. */
const EXCERPT_FACTOR = 4;

const PART_OF_ESCAPE = /[\\%&][^\\%&;\s]{0,8}$/;
/** The first bytes of a character, percent-encoded, also more than once. */
const PART_OF_CHARACTER = /(?:%(?:25){0,4}[89a-f][\da-f]){1,4}$/i;

/** The first `length` characters, without half an escape at the end, behind which a secret would not be found. */
export function cutText(text: string, length: number): string {
  return text.length > length ? text.slice(0, length).replace(PART_OF_ESCAPE, '').replace(PART_OF_CHARACTER, '') : text;
}

/**
 * The beginning of a long text, without direction marks, and with secrets masked before it is cut to `length`. At the end of the searched part, a
 * text that may be the beginning of a secret or an escape is dropped.
 */
export function excerpt(text: string, length: number, secrets: readonly string[] = []): string {
  const searched = length * EXCERPT_FACTOR;
  if (text.length <= searched) return redact(withoutDirectionMarks(text), secrets).slice(0, length);
  return scrub(withoutDirectionMarks(cutText(text, searched)), secrets, 1).slice(0, length);
}

/** The URL without query, fragment and credentials, and with secrets and keys in its path masked. */
export function publicUrl(url: string, secrets: readonly string[] = []): string {
  return redact(splitUserinfo(url).rest.replace(/[?#].*/s, ''), secrets);
}
