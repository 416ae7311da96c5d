/**
 * All error envelopes read into one record of evidence. Every provider wraps its errors in its own way and gateways wrap
 * other people's wrappings, as objects, as lists or as JSON within a text; what is inside has the same few members, so
 * the known envelopes are opened wherever they are and the known members taken wherever they stand. Everything else in a
 * body is left alone: bodies echo requests.
 */

import { keepWait, MAX_DEPTH, type Member, walkBody } from '../hints/body.ts';
import { parseJson } from '../hints/json.ts';
import type { Evidence } from './family.ts';
import { detached } from './make-failure.ts';

const MESSAGE = /^(message|error|detail|description|title|raw|msg|error_description|status_msg|error_msg)$/;
const STATUS = /^(http_status|code|status|statuscode|status_code|error_code)$/;
/** Where names stand, most specific first. */
const NAMES: readonly string[] =
  /* @__PURE__ */ 'error_code reason limit_source error_type code type __type status error_name status_code'.split(' ');

/** How an object or a list begins; what is only in brackets, as `[429 Too Many Requests]`, is none. */
const JSON_WITHIN = /\{\s*["}]|\[\s*[[{"\]]/;

const MAX_NAMES = 32;
/** No provider has a longer name, and every pattern for names sees no more. */
const MAX_NAME = 128;
const MAX_SEARCHED = 8_192;
/** Neither a name of the envelope itself, nor a sentence (xAI), nor a link. */
const CODE = /^(?!(error|failed|response\.failed|response\.error|about:blank|None)$)[\w.:#-]{1,100}$/;
/** After this Ollama and llama.cpp quote what the model wrote, which speaks of anything. */
const QUOTED = /(error parsing tool call: raw=|failed to parse input at pos \d{1,9}:)[\s\S]*/i;
const GOOGLE_STATUS =
  /^(RESOURCE_EXHAUSTED|UNAVAILABLE|INTERNAL|DEADLINE_EXCEEDED|CANCELLED|INVALID_ARGUMENT|FAILED_PRECONDITION|NOT_FOUND|PERMISSION_DENIED|UNAUTHENTICATED)$/;

/** Re-cased, re-spaced and re-quoted wording is the same wording; so are `camelCase` and `snake_case` names. */
export const normalise = (text: string): string => bare(text.slice(0, MAX_SEARCHED));

const bare = (text: string): string => text.toLowerCase().replace(/[\s_\-'"`’\\]+/g, '');

/** Reads a body that is parsed, or is no JSON; `exception` is the name that a header or a frame gives. */
export function readEvidence(httpStatus: number, value: unknown, text: string, exception: string | null): Evidence {
  const isInBand = httpStatus < 400;
  let status = 0;
  let quotas = '';
  let isGoogle = false;
  let retryable: boolean | undefined;
  let provider: string | undefined;
  const found: [rank: number, name: string][] = exception === null ? [] : [[-99, exceptionName(exception)]];
  const messages = new Set<string>();
  const waits = new Map<string, string[]>();

  /** Reads one body: that of the response, or one that stands within a message. What is deeper is the more specific. */
  const read = (body: unknown, depth: number): void =>
    typeof body === 'string' ? say(body, depth) : walkBody(body, note, '', depth);

  /** Keeps a message. Where it is JSON, or ends in it, an error stands within the error. */
  const say = (words: string, depth: number): void => {
    const end = words.trimEnd().at(-1);
    // What cannot be JSON is not tried: a failed parse costs as much as all the rest.
    const start = end === '}' || end === ']' ? words.search(JSON_WITHIN) : -1;
    const inner = start === -1 || depth > MAX_DEPTH ? undefined : parseJson(words.slice(start));
    if (inner !== undefined) read(inner, depth + 1);
    if (inner === undefined || start > 0) messages.add(words);
  };

  const note = (member: Member): void => {
    const { key, value: said, envelope, depth, owner } = member;
    const words = typeof said === 'string' ? said : '';
    const rank = NAMES.indexOf(key);
    const name = rank === -1 ? '' : key === '__type' ? exceptionName(words) : words.slice(0, MAX_NAME) || nameOf(said);
    if (name !== '' && found.length < MAX_NAMES)
      found.push([envelope === 'availability' ? -98 : rank * 9 - depth, name]);
    keepWait(waits, member);
    if (words !== '' && MESSAGE.test(key)) say(words, depth);
    if (STATUS.test(key) && status === 0) status = failedStatus(said);
    switch (key) {
      case '@type':
        isGoogle = true;
        break;
      case 'status':
        isGoogle ||= GOOGLE_STATUS.test(words);
        break;
      case 'quotaid':
      case 'quotavalue':
      case 'quota_limit':
      case 'quota_limit_value':
        quotas += `${key}:${words.slice(0, MAX_NAME)};`;
        break;
      case 'request_id':
        if (words.startsWith('req_')) provider ??= 'anthropic';
        break;
      case 'limit_source':
      case 'provider_name':
      case 'availability':
        provider = 'openrouter';
        break;
      case 'cloudflare_error':
        provider = 'cloudflare';
        break;
      case 'retryable':
        if (typeof said === 'boolean' && (envelope === 'availability' || Object.hasOwn(owner, 'cloudflare_error')))
          retryable = said;
    }
  };

  read(value, 0);
  if (!isInBand) status = httpStatus;
  const head = text.slice(0, MAX_SEARCHED);
  const isPage = text.trimStart().startsWith('<');
  let names = found.sort(([one], [other]) => one - other).map(([, name]) => name);
  const codes = names.filter((name) => CODE.test(name));
  // An unknown envelope is read as the text that it is: what stands in quotes may be a name.
  if (messages.size === 0 && names.length === 0 && !isPage) {
    quotas = head;
    names = head.split(/["']/);
  }
  const message = messages.size > 0 ? [...messages].join(': ') : detached(isPage ? titleOf(head) : head);
  const words = isInBand || httpStatus === 500 ? message.replace(QUOTED, '$1') : message;
  const searched = normalise(words);
  isGoogle ||= /googleapis|ai\.google\.dev/.test(searched);
  if (isPage) provider = /cloudflare|cdn-cgi/i.test(head) ? 'cloudflare' : /nginx/i.test(head) ? 'nginx' : undefined;
  return {
    status,
    isInBand,
    names: withStatus(names, status),
    code: codes.find((name) => /\D/.test(name)) ?? codes[0] ?? (isInBand && status > 0 ? `${status}` : undefined),
    message,
    text: searched,
    quotas,
    retryable,
    isPage,
    isGoogle,
    provider: provider ?? (isGoogle ? 'google' : exception === null ? undefined : 'bedrock'),
    words: { waits: words === message ? waits : new Map(), text: value === undefined ? text : words },
  };
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

/** A number that is no status is a name in digits; 0 says that all is well. */
function nameOf(value: unknown): string {
  return typeof value === 'number' && value !== 0 && failedStatus(value) === 0 ? `${value}` : '';
}

/** A failed status, as a number or in digits; else 0. */
export function failedStatus(value: unknown): number {
  const digits = typeof value === 'number' || typeof value === 'string' ? `${value}` : '';
  return /^[45]\d\d$/.test(digits) ? Number(digits) : 0;
}

/** What a page is about: its title, or the words at its beginning. */
function titleOf(html: string): string {
  const title = /<title>([^<]{1,300})/i.exec(html)?.[1] ?? html.replace(/<[^<>]{0,500}>/g, ' ');
  return title.replace(/\s+/g, ' ').trim().slice(0, 300);
}
