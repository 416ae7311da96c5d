/**
 * All error envelopes read into one record of evidence. Every provider wraps its errors in its own way and gateways wrap
 * other people's wrappings, as objects, as lists or as JSON within a text; what is inside has the same few members, so
 * the known envelopes are opened wherever they are and the known members taken wherever they stand. Everything else in a
 * body is left alone: bodies echo requests.
 */

import { isObject, parseJson } from './json.ts';

/** What a failed response says about itself. */
export interface Evidence {
  /** The HTTP status; inside a success, the status that the body names instead, or 0. */
  readonly status: number;
  readonly isInBand: boolean;
  /** All names in comparable form ({@link squash}), most specific first, and the status: `|name|name|@429`. */
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
  /** The body as parsed, with what was found as JSON within its texts. */
  readonly values: readonly unknown[];
}

type Draft = { -readonly [K in keyof Evidence]: Evidence[K] } & {
  found: [rank: number, name: string][];
  messages: Set<string>;
  values: unknown[];
};

const INSIDE: ReadonlySet<string> = /* @__PURE__ */ new Set(
  /* @__PURE__ */ 'error response choices errors detail details metadata availability innererror violations'.split(' '),
);
const MESSAGES: ReadonlySet<string> = /* @__PURE__ */ new Set(
  /* @__PURE__ */ 'message error detail title raw msg error_description'.split(' '),
);
const STATUSES: ReadonlySet<string> = /* @__PURE__ */ new Set(/* @__PURE__ */ 'http_status code status statusCode error_code'.split(' '));
/** Where names stand, most specific first. */
const NAMES: readonly string[] = /* @__PURE__ */ 'error_code reason limit_source error_type code type __type status error_name provider_code'.split(' ');

const MAX_DEPTH = 8;
const MAX_SEARCHED = 8_192;
/** Names of the envelope itself, links, and sentences (xAI) are no codes. */
const NO_CODE = /^(?:error|failed|response\.(?:failed|error))$|:\/\/|[^\w.:/#-]|.{101}/i;

/** Re-cased, re-spaced and re-quoted wording is the same wording; so are `camelCase` and `snake_case` names. */
export function squash(text: string): string {
  return text.slice(0, MAX_SEARCHED).toLowerCase().replace(/[\s_\-'"`’\\]+/g, '');
}

/** Reads a body that is parsed, or is no JSON; `exception` is the name that a header or a frame gives. */
export function readEvidence(httpStatus: number, value: unknown, text: string, exception: string | null): Evidence {
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
    provider: isPage ? /cloudflare|cdn-cgi|nginx/i.exec(text.slice(0, MAX_SEARCHED))?.[0].toLowerCase().replace('cdn-cgi', 'cloudflare') : undefined,
    values: value === undefined ? [text] : [value],
    found: exception === null ? [] : [[-99, exception.replace(/^.*#|:.*$/g, '')]],
    messages: new Set(),
  };
  walk(value, '', draft, 0);
  const { found, messages } = draft;
  const names = found.sort(([one], [other]) => one - other).map(([, name]) => name);
  const codes = names.filter((name) => !NO_CODE.test(name));
  if (!draft.isInBand) draft.status = httpStatus;
  else if (draft.status > 0) codes.push(`${draft.status}`);
  draft.code = codes.find((name) => !/^\d+$/.test(name)) ?? codes[0];
  draft.names = `|${names.map(squash).join('|')}|@${draft.status}`;
  // An envelope that nobody knows is read as the text that it is.
  draft.message = messages.size > 0 ? [...messages].join(': ') : isPage ? titleOf(text) : text;
  draft.text = squash(draft.message);
  draft.isGoogle ||= draft.text.includes('googleapis');
  if (draft.isGoogle) draft.provider ??= 'google';
  return draft;
}

/** Opens one level; what is deeper is the more specific. */
function walk(value: unknown, envelope: string, draft: Draft, depth: number): void {
  if (typeof value === 'string') return say(value, draft, depth);
  if (depth > MAX_DEPTH) return;
  if (Array.isArray(value)) return value.forEach((item) => isObject(item) && walk(item, envelope, draft, depth));
  if (!isObject(value)) return;
  for (const key of Object.keys(value)) {
    const inner = value[key];
    if (typeof inner === 'string') {
      const rank = NAMES.indexOf(key);
      if (rank !== -1 && inner !== '') draft.found.push([envelope === 'availability' ? -98 : rank * 9 - depth, inner]);
      if (MESSAGES.has(key)) say(inner, draft, depth);
    }
    switch (key) {
      case '@type':
        draft.isGoogle = true;
        break;
      case 'quotaId':
      case 'quotaValue':
      case 'quota_limit':
      case 'quota_limit_value':
        draft.quotas += `${key}:${String(inner)};`;
        break;
      case 'request_id':
        if (String(inner).startsWith('req_')) draft.provider ??= 'anthropic';
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
        if (typeof inner === 'boolean' && (envelope === 'availability' || 'cloudflare_error' in value)) draft.retryable = inner;
        break;
      case 'status':
        if (/^[A-Z_]{5,}$/.test(String(inner))) draft.isGoogle = true;
    }
    if (STATUSES.has(key) && !(draft.status > 0)) draft.status = statusOf(inner);
    if (INSIDE.has(key) && typeof inner === 'object') walk(inner, key, draft, depth + 1);
  }
}

/** Keeps a message. Where it is JSON, or ends in it, an error stands within the error. */
function say(text: string, draft: Draft, depth: number): void {
  const start = text.search(/[{[]/);
  const inner = start === -1 || !/[}\]]\s*$/.test(text) ? undefined : parseJson(text.slice(start));
  if (inner !== undefined) {
    draft.values.push(inner);
    walk(inner, '', draft, depth + 1);
  }
  if (text !== '' && (inner === undefined || start > 0)) draft.messages.add(text);
}

/** A failed status, as a number or in digits; else 0. */
function statusOf(value: unknown): number {
  const status = Number(value);
  return Number.isInteger(status) && status >= 400 && status < 600 ? status : 0;
}

/** What a page is about: its title, or the words at its beginning. */
function titleOf(html: string): string {
  const head = html.slice(0, MAX_SEARCHED);
  const title = /<title>([^<]{1,300})/i.exec(head)?.[1] ?? head.replace(/<[^>]{0,500}>/g, ' ');
  return title.replace(/\s+/g, ' ').trim().slice(0, 300);
}
