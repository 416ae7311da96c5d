/**
 * All error envelopes read into one record of evidence. Every provider wraps its errors in its own way and gateways wrap
 * other people's wrappings, as objects, as lists or as JSON within a text; what is inside has the same few members, so
 * the known envelopes are opened wherever they are and the known members taken wherever they stand. Everything else in a
 * body is left alone: bodies echo requests.
 */

import { ENVELOPES, keepWait, type Member, walkBody, WAITS, type Words } from '../hints/body.ts';
import { parseJson } from '../hints/json.ts';
import { detached } from './make-failure.ts';

/** What a failed response says about itself. */
export interface Evidence {
  /** The HTTP status; inside a success, the status that the body names instead, or 0. */
  readonly status: number;
  readonly isInBand: boolean;
  /** All names in comparable form ({@link normalise}), most specific first, each with the status: `|name@429|name@429|`. */
  readonly names: string;
  /** The most specific name, as it was written. */
  readonly code: string | undefined;
  /** The message, as it was written. */
  readonly message: string;
  /** The message in comparable form, which is what wording is looked for in. */
  readonly text: string;
  /** Google's quotas: `quotaId:…;quotaValue:…;`. */
  readonly quotas: string;
  /** What the body itself says about asking again. */
  readonly retryable: boolean | undefined;
  /** A page, not an API's answer. */
  readonly isPage: boolean;
  readonly isGoogle: boolean;
  /** Whose envelope it is, where that is certain. */
  readonly provider: string | undefined;
  /** What names a wait: fields of the body, and its texts. */
  readonly words: Words;
}

/** What providers add to the envelopes and to the fields that name a wait. */
export interface Fields {
  readonly envelopes: ReadonlySet<string>;
  readonly waits: ReadonlySet<string>;
}

const GENERAL_FIELDS: Fields = { envelopes: ENVELOPES, waits: WAITS };

type Draft = { -readonly [K in keyof Evidence]: Evidence[K] } & {
  readonly found: [rank: number, name: string][];
  readonly messages: Set<string>;
  readonly waits: Map<string, string[]>;
};

const MESSAGES: ReadonlySet<string> = /* @__PURE__ */ new Set(
  /* @__PURE__ */ 'message error detail title raw msg error_description status_msg error_msg'.split(' '),
);
const STATUSES: ReadonlySet<string> = /* @__PURE__ */ new Set(
  /* @__PURE__ */ 'http_status code status statuscode status_code error_code'.split(' '),
);
/** Where names stand, most specific first. */
const NAMES: readonly string[] =
  /* @__PURE__ */ 'error_code reason limit_source error_type code type __type status error_name status_code'.split(' ');

/** How an object or a list begins; what is only in brackets, as `[429 Too Many Requests]`, is none. */
const JSON_WITHIN = /\{\s*["}]|\[\s*[[{"\]]/;

const MAX_DEPTH = 8;
const MAX_NAMES = 32;
/** No provider has a longer name, and every pattern for names sees no more. */
const MAX_NAME = 128;
const MAX_SEARCHED = 8_192;
/** Sentences (xAI) and links are no codes. */
const CODE = /^[\w.:#-]{1,100}$/;
/** After this Ollama and llama.cpp quote what the model wrote, which speaks of anything. */
const QUOTED = /(error parsing tool call: raw=|failed to parse input at pos \d{1,9}:)[\s\S]*/i;
/** Names of the envelope itself. */
const GENERIC_NAMES: readonly string[] = [
  'error',
  'failed',
  'response.failed',
  'response.error',
  'about:blank',
  'None',
];

/** Whose page it is. */
const PAGES: readonly (readonly [provider: string, pattern: RegExp])[] = [
  ['cloudflare', /cloudflare|cdn-cgi/i],
  ['nginx', /nginx/i],
];
const GOOGLE_STATUS =
  /^(?:RESOURCE_EXHAUSTED|UNAVAILABLE|INTERNAL|DEADLINE_EXCEEDED|CANCELLED|INVALID_ARGUMENT|FAILED_PRECONDITION|NOT_FOUND|PERMISSION_DENIED|UNAUTHENTICATED)$/;

/** Re-cased, re-spaced and re-quoted wording is the same wording; so are `camelCase` and `snake_case` names. */
export function normalise(text: string): string {
  return bare(text.slice(0, MAX_SEARCHED));
}

const bare = (text: string): string => text.toLowerCase().replace(/[\s_\-'"`’\\]+/g, '');

/** Reads a body that is parsed, or is no JSON; `exception` is the name that a header or a frame gives. */
export function readEvidence(
  httpStatus: number,
  value: unknown,
  text: string,
  exception: string | null,
  fields: Fields = GENERAL_FIELDS,
): Evidence {
  const isPage = text.trimStart().startsWith('<');
  const draft: Draft = {
    status: 0,
    isInBand: httpStatus < 400,
    names: '',
    code: undefined,
    message: '',
    text: '',
    quotas: '',
    retryable: undefined,
    isPage,
    isGoogle: false,
    provider: undefined,
    words: { waits: new Map(), text },
    found: exception === null ? [] : [[-99, exceptionName(exception)]],
    messages: new Set(),
    waits: new Map(),
  };
  read(value, draft, fields, 0);
  const { found, messages, waits } = draft;
  if (found.length > 1) found.sort(([one], [other]) => one - other);
  let names = found.map(([, name]) => name);
  if (!draft.isInBand) draft.status = httpStatus;
  let digits: string | undefined;
  for (const name of names) {
    if (!CODE.test(name) || GENERIC_NAMES.includes(name)) continue;
    if (/\D/.test(name)) {
      draft.code = name;
      break;
    }
    digits ??= name;
  }
  draft.code ??= digits ?? (draft.isInBand && draft.status > 0 ? `${draft.status}` : undefined);
  // An unknown envelope is read as the text that it is: what stands in quotes may be a name.
  if (messages.size === 0 && names.length === 0 && !isPage) {
    draft.quotas = text.slice(0, MAX_SEARCHED);
    names = text.slice(0, MAX_SEARCHED).split(/["']/);
  }
  draft.names = withStatus(names, draft.status);
  draft.message =
    messages.size > 0 ? [...messages].join(': ') : detached(isPage ? titleOf(text) : text.slice(0, MAX_SEARCHED));
  const said = draft.isInBand || httpStatus === 500 ? draft.message.replace(QUOTED, '$1') : draft.message;
  draft.text = normalise(said);
  draft.isGoogle ||= /googleapis|ai\.google\.dev/.test(draft.text);
  if (value !== undefined)
    draft.words = said === draft.message ? { waits, text: said } : { waits: new Map(), text: said };
  if (isPage) draft.provider = PAGES.find(([, pattern]) => pattern.test(text.slice(0, MAX_SEARCHED)))?.[0];
  draft.provider ??= draft.isGoogle ? 'google' : exception === null ? undefined : 'bedrock';
  return draft;
}

/** Names in the form in which the rulebook looks for them. */
export function withStatus(names: readonly string[], status: number): string {
  return `|${names.map((name) => `${bare(name.slice(0, MAX_NAME))}@${status}|`).join('')}`;
}

/** What stands between a namespace and a link: `aws.protocol#ThrottlingException:http://…`. */
function exceptionName(text: string): string {
  const name = text.slice(0, MAX_NAME).split(':')[0] ?? '';
  return name.slice(name.lastIndexOf('#') + 1);
}

/** Reads one body: that of the response, or one that stands within a message. What is deeper is the more specific. */
function read(value: unknown, draft: Draft, fields: Fields, outerDepth: number): void {
  if (typeof value === 'string') return say(value, draft, fields, outerDepth);
  const visit = (member: Member): void => note(member, draft, fields);
  walkBody(value, visit, fields.envelopes, '', outerDepth);
}

function note(member: Member, draft: Draft, fields: Fields): void {
  const { key, value, envelope, depth, owner } = member;
  const text = typeof value === 'string' ? value : '';
  if (text !== '' || typeof value === 'number') {
    const rank = NAMES.indexOf(key);
    const name = rank === -1 ? '' : key === '__type' ? exceptionName(text) : text.slice(0, MAX_NAME) || nameOf(value);
    if (name !== '' && draft.found.length < MAX_NAMES)
      draft.found.push([envelope === 'availability' ? -98 : rank * 9 - depth, name]);
    keepWait(draft.waits, member, fields.waits);
  }
  if (text !== '' && MESSAGES.has(key)) say(text, draft, fields, depth);
  switch (key) {
    case '@type':
      draft.isGoogle = true;
      break;
    case 'quotaid':
    case 'quotavalue':
    case 'quota_limit':
    case 'quota_limit_value':
      draft.quotas += `${key}:${text.slice(0, MAX_NAME)};`;
      break;
    case 'request_id':
      if (text.startsWith('req_')) draft.provider ??= 'anthropic';
      break;
    case 'limit_source':
    case 'provider_name':
    case 'availability':
      draft.provider = 'openrouter';
      break;
    case 'cloudflare_error':
      draft.provider = 'cloudflare';
      break;
    case 'retryable':
      if (typeof value === 'boolean' && (envelope === 'availability' || Object.hasOwn(owner, 'cloudflare_error')))
        draft.retryable = value;
      break;
    case 'status':
      if (GOOGLE_STATUS.test(text)) draft.isGoogle = true;
  }
  if (STATUSES.has(key) && !(draft.status > 0)) draft.status = failedStatus(value);
}

/** A number that is no status is a name in digits; 0 says that all is well. */
function nameOf(value: unknown): string {
  return typeof value === 'number' && value !== 0 && failedStatus(value) === 0 ? `${value}` : '';
}

/** Keeps a message. Where it is JSON, or ends in it, an error stands within the error. */
function say(text: string, draft: Draft, fields: Fields, depth: number): void {
  const end = text.trimEnd().at(-1);
  // What cannot be JSON is not tried: a failed parse costs as much as all the rest.
  const start = end === '}' || end === ']' ? text.search(JSON_WITHIN) : -1;
  const inner = start === -1 || depth > MAX_DEPTH ? undefined : parseJson(text.slice(start));
  if (inner !== undefined) read(inner, draft, fields, depth + 1);
  if (inner === undefined || start > 0) draft.messages.add(text);
}

/** A failed status, as a number or in digits; else 0. */
export function failedStatus(value: unknown): number {
  const digits = typeof value === 'number' || typeof value === 'string' ? `${value}` : '';
  return /^[45]\d\d$/.test(digits) ? Number(digits) : 0;
}

/** What a page is about: its title, or the words at its beginning. */
function titleOf(html: string): string {
  const head = html.slice(0, MAX_SEARCHED);
  const title = /<title>([^<]{1,300})/i.exec(head)?.[1] ?? head.replace(/<[^<>]{0,500}>/g, ' ');
  return title.replace(/\s+/g, ' ').trim().slice(0, 300);
}
