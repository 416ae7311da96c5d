/**
 * Reads all error envelopes into one record of evidence. Every provider wraps its errors in its own way, and gateways
 * wrap them again, as objects, as lists or as JSON inside a text. Inside are always the same few members. So the known
 * envelopes are opened and the known members are read at any position. Other members are ignored, because bodies quote
 * requests.
 */

import { cutText } from '../redact/redact.ts';
import { keepWait, MAX_DEPTH, type Member, waitMembers, type Waits, walkBody } from '../hints/body.ts';
import { detached, parseJson } from '../runtime/values.ts';
import type { Details, Evidence } from './family.ts';
import { refusalIn } from './quoted-status.ts';
import { keepDetails } from './provider-rules.ts';

const MESSAGE =
  /^(message|error|details?|description|title|raw|msg|error_description|status_msg|error_msg|error_message)$/;
/** The members with the name of a failure, most specific first. */
const CODES = 'error_code reason limit_source error_type code type __type status error_name status_code'.split(' ');
const STATUS = /^(http_status|code|status|statuscode|status_code|error_code)$/;

/** The beginning of an object or a list; other brackets, as in `[429 Too Many Requests]`, do not count. */
const JSON_WITHIN = /\{\s*["}]|\[\s*[[{"\]]/;

const MAX_NAMES = 32;
/** No provider has a longer name, and the patterns for names search no more. */
const MAX_NAME = 128;
const MAX_SEARCHED = 8_192;
/** Not a name of the envelope itself, the `type` of a thrown `Response`, a sentence (xAI) or a link. */
const CODE =
  /^(?!(error|failed|response\.failed|response\.error|about:blank|None|default|basic|cors)$)[\w.:#-]{1,100}$/;
/** After this, Ollama and llama.cpp quote the output of the model, which can contain anything. */
const QUOTED = /(error parsing tool call: raw=|failed to parse input at pos \d{1,9}:)[\s\S]*/i;

/** Ignores case, white space and quotes in wording, and the style of names (`camelCase`, `snake_case`). */
export const normalise = (text: string): string => bare(text.slice(0, MAX_SEARCHED));

const bare = (text: string): string => text.toLowerCase().replace(/[\s_\-'"`’\\]+/g, '');

/** Everything that a body says about its failure, of all the envelopes in it. */
interface Findings extends Details {
  /** The first failed status in a member. */
  status: number;
  /** All failed statuses in members. */
  readonly statuses: Set<number>;
  /** By rank: the more specific member, and the deeper body, first. */
  readonly names: [rank: number, name: string][];
  readonly messages: Set<string>;
  readonly waits: Waits;
}

/** Reads a body, parsed or as text; `exception` is the name in a header or a frame. */
export function readEvidence(httpStatus: number, value: unknown, text: string, exception: string | null): Evidence {
  const isInBand = httpStatus < 400;
  const found = findingsIn(value);
  const { messages, waits } = found;
  if (exception !== null) found.names.unshift([-99, exceptionName(exception)]);
  const status = isInBand ? found.status : httpStatus;
  const head = text.slice(0, MAX_SEARCHED);
  const isPage = text.trimStart().startsWith('<');
  const known = found.names.sort(([one], [other]) => one - other).map(([, name]) => name);
  const codes = known.filter((name) => CODE.test(name));
  // An unknown envelope is read as text: anything in quotes may be a name.
  const isUnknown = messages.size === 0 && known.length === 0 && !isPage;
  const message = messages.size > 0 ? [...messages].join(': ') : detached(isPage ? titleOf(head) : head);
  const words = message !== '' && (isInBand || httpStatus === 500) ? message.replace(QUOTED, '$1') : message;
  const searched = normalise(words);
  const isGoogle = found.isGoogle || /googleapis|ai\.google\.dev/.test(searched);
  return {
    status,
    isInBand,
    refusal: status >= 500 && !isPage ? refusalIn(words.slice(0, MAX_SEARCHED), found.statuses, status) : 0,
    names: withStatus(isUnknown ? head.split(/["']/) : known, status),
    code: codes.find((name) => /\D/.test(name)) ?? codes[0] ?? (isInBand && status > 0 ? `${status}` : undefined),
    message,
    text: searched,
    quotas: isUnknown ? head : found.quotas,
    retryable: found.retryable,
    isPage,
    isGoogle,
    provider: isPage
      ? pageProvider(head)
      : (found.provider ?? (isGoogle ? 'google' : exception === null ? undefined : 'bedrock')),
    words: { waits: words === message ? waits : new Map(), text: value === undefined ? text : words },
  };
}

/** Opens a body and the bodies in its messages. */
function findingsIn(value: unknown): Findings {
  const found: Findings = {
    status: 0,
    statuses: new Set(),
    names: [],
    messages: new Set(),
    waits: waitMembers(),
    quotas: '',
    isGoogle: false,
    retryable: undefined,
    provider: undefined,
  };

  /** Reads one body: that of the response, or one inside a message. A deeper body is more specific. */
  const read = (body: unknown, depth: number): void =>
    typeof body === 'string' ? say(body, depth) : walkBody(body, note, '', depth);

  /** Keeps a message. If it is JSON or ends in JSON, reads the error in it. */
  const say = (words: string, depth: number): void => {
    const end = words.trimEnd().at(-1);
    // Skips a text that cannot be JSON: a failed parse costs as much as everything else.
    const start = end === '}' || end === ']' ? words.search(JSON_WITHIN) : -1;
    const inner = start === -1 || depth > MAX_DEPTH ? undefined : parseJson(words.slice(start));
    if (inner !== undefined) read(inner, depth + 1);
    if (inner === undefined || start > 0) found.messages.add(words);
  };

  const note = (member: Member): void => {
    keepName(found, member, CODES.indexOf(member.key));
    keepWait(found.waits, member);
    keepDetails(found, member);
    if (typeof member.value === 'string' && member.value !== '' && MESSAGE.test(member.key))
      say(member.value, member.depth);
  };

  read(value, 0);
  return found;
}

/** Keeps a member that holds a name or a failed status. `rank`: how specific the name is; -1 if it is none. */
function keepName(found: Findings, { key, value, envelope, depth }: Member, rank: number): void {
  const words = typeof value === 'string' ? value : '';
  const name = rank === -1 ? '' : key === '__type' ? exceptionName(words) : words.slice(0, MAX_NAME) || nameOf(value);
  if (name !== '' && found.names.length < MAX_NAMES)
    found.names.push([envelope === 'availability' ? -98 : rank * 9 - depth, name]);
  const status = STATUS.test(key) ? failedStatus(value) : 0;
  if (status === 0) return;
  found.status ||= status;
  found.statuses.add(status);
}

function pageProvider(head: string): string | undefined {
  return /cloudflare|cdn-cgi/i.test(head) ? 'cloudflare' : /nginx/i.test(head) ? 'nginx' : undefined;
}

/** Formats names as the rulebook expects them. */
export function withStatus(names: readonly string[], status: number): string {
  const words = names.map((name) => name.slice(0, MAX_NAME)).filter((name) => !/\s/.test(name));
  return `|${words.map((name) => `${bare(name)}@${status}|`).join('')}`;
}

/** Removes a namespace and a link: `aws.protocol#ThrottlingException:http://…`. */
function exceptionName(text: string): string {
  const name = text.slice(0, MAX_NAME).split(':')[0] ?? '';
  return name.slice(name.lastIndexOf('#') + 1);
}

/** A number that is not a status is a name; 0 means success. */
function nameOf(value: unknown): string {
  return typeof value === 'number' && value !== 0 && failedStatus(value) === 0 ? `${value}` : '';
}

/** A failed status, as a number or in digits; 0 for any other value. */
export function failedStatus(value: unknown): number {
  const digits = typeof value === 'number' || typeof value === 'string' ? `${value}` : '';
  return /^[45]\d\d$/.test(digits) ? Number(digits) : 0;
}

/** The code of a page in place of an answer. */
export const PAGE_CODE = 'HTML_PAGE';

/** What a person can do about a page in place of an answer. */
export const PAGE_ADVICE =
  'A proxy, a firewall, a VPN or a login page of your network answered, or the URL is that of a website: open it in a browser.';

/** What is shown of a page: that it is one, and its topic without markup. */
export function wordsOfPage(html: string): string {
  return `A page of HTML answered: ${titleOf(html)}`.replace(/: $/, '');
}

/** The topic of a page: its title, or its first words. */
function titleOf(html: string): string {
  const title = html.split(/<title[^<>]{0,200}>/i, 2)[1]?.split(/<\/title/i, 1)[0] || html;
  return cutText(
    title
      .replace(/(?:<[^<>]{0,500}>|\s)+/g, ' ')
      .replace(CHARACTER, characterOf)
      .trim(),
    300,
  );
}

/** A character that HTML writes by its name or its number. */
const CHARACTER = /&(?:(amp|lt|gt|quot|apos|nbsp)|#(\d{1,5}|x[\da-f]{1,4}));/gi;

function characterOf(_all: string, name?: string, number = ''): string {
  if (name === undefined) return String.fromCharCode(Number(number.replace(/^x/i, '0x')));
  return { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }[name.toLowerCase()] ?? ' ';
}
