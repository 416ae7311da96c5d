/**
 * Who a request comes from: its credential, and the project, organisation or account that it counts for. The limits of a
 * gate, the memory of the proxy and the continuation of a call that was given up are kept apart by it, so that no tenant
 * gets what belongs to another.
 */

import { remember } from '../runtime/remember.ts';
import { sha256 } from '../runtime/sha256.ts';
import { canParseUrl } from '../runtime/values.ts';

/** A request whose caller is to be known. */
export interface CallerRequest {
  readonly url: string;
  readonly headers?: HeadersInit | null | undefined;
}

/** Headers with a credential: fewer than may be secret. Cookies are a credential too. */
const CREDENTIAL_HEADER = /(?:^|[-_])(?:key|apikey|token|auth|authorization|secret|password|cookie)(?:$|[-_])/i;
/** Headers with a new value in every request. */
const CHANGING_HEADER = /idempotency|csrf|xsrf|^sec-|signature|nonce/i;

const OWNER =
  '(?:project|org|organi[sz]ation|account|workspace|tenant|subscription|team|customer|consumer|billing|quota|provider)';
/** Headers that name a tenant of the credential, or what a gateway such as Portkey sends its requests to. */
const OWNER_HEADER = new RegExp(
  `(?:^|[-_])(?:${OWNER}|principal|client[-_]?(?=id))(?:[-_]?(?:id|name))?(?:$|[-_])|^x-portkey-|^helicone-target-`,
  'i',
);
const CHANGING_OWNER_HEADER =
  /(?:^|[-_])(?:trace|span|request|session|correlation|metadata|cache|debug|timeout|retry)(?:$|[-_])/i;

const CREDENTIAL_PARAMETER =
  /^(?:(?:subscription[-_]?)?key|api[-_]?key|access_token|token|code|x-(?:amz|goog)-credential)$/i;
const OWNER_PARAMETER = new RegExp(`^${OWNER}(?:[-_]?(?:id|name|user))?$`, 'i');
/** Vertex, Cloudflare, GitHub Models and Azure name the owner in the path; the ARNs of AWS contain the account. */
const OWNER_IN_PATH =
  /\/(?:projects|orgs|organi[sz]ations|accounts|subscriptions|workspaces|tenants|teams)\/[^/?#]+|(?:%3a|:)\d{12}(?=%3a|:)/gi;
/** The constant part of credentials that sign each request: the access key id of SigV4, the user of Digest. */
const SIGNED_CREDENTIAL =
  /^(AWS4-HMAC-SHA256|AWS4-ECDSA-P256-SHA256|Digest|Hawk)\b[^]*?\b(?:Credential|username|id)="?([^/",\s]+)/i;
/** If such a header is the only one, it is hashed without its name. */
const USUAL_HEADERS: readonly string[] = ['', 'authorization', 'x-api-key', 'api-key', 'x-goog-api-key'];

/**
 * Returns a function that names the caller of a request as 64 hexadecimal digits; '' if nothing says who it is. Equal for
 * two requests with the same credential and owner, also if each is signed anew, and in every process. No random
 * credential can be computed from it. The function caches its results, so that a name costs only a look-up.
 */
export function createCallerOf(): (request: CallerRequest) => string {
  const hashed = remember((identity) => {
    const [names = '', ...values] = identity.split('\n');
    const text = [...(USUAL_HEADERS.includes(names) ? [] : [names]), ...values].join('\n');
    return sha256(`retry-transport gate\n${text.includes('\n') ? text : `${text}\n`}`);
  });
  return (request) => {
    const identity = identityOf(request);
    return identity === '' ? '' : hashed(identity);
  };
}

/**
 * The names of the headers that say who a request comes from, in one line, in lower case and sorted, then each value in a
 * line. It contains the credentials, so it leaves this module only as a hash.
 */
function identityOf({ url, headers }: CallerRequest): string {
  const inHeaders = headers === undefined || headers === null ? '\n' : identityInHeaders(headers);
  const inUrl = identityInUrl(url);
  if (inUrl === '') return inHeaders === '\n' ? '' : inHeaders;
  return `${inHeaders}\n${inUrl}`;
}

function identityInHeaders(headers: HeadersInit): string {
  const found: (readonly [name: string, value: string])[] = [];
  const add = (name: string, value: string | undefined): void => {
    if (value !== undefined && value !== '' && isIdentityHeader(name))
      found.push([name.toLowerCase(), stablePart(value)]);
  };
  if (Symbol.iterator in headers) for (const [name = '', value] of headers) add(name, value);
  else for (const name in headers) add(name, headers[name]);
  if (found.length > 1) found.sort((one, other) => (one.join() < other.join() ? -1 : 1));
  return `${found.map(([name]) => name).join(' ')}\n${found.map(([, value]) => value).join('\n')}`;
}

function identityInUrl(url: string): string {
  const owners = url.match(OWNER_IN_PATH) ?? [];
  const hasMore = url.includes('?') || url.includes('@');
  if ((owners.length === 0 && !hasMore) || !canParseUrl(url)) return '';
  if (!hasMore) return owners.join('');
  const { username, password, searchParams } = new URL(url);
  const parts = [username, password];
  for (const [name, value] of searchParams) {
    if (CREDENTIAL_PARAMETER.test(name)) parts.push(value.split('/', 1)[0] ?? '');
    else if (OWNER_PARAMETER.test(name)) parts.push(`${name}=${value}`);
  }
  return [...parts.filter(Boolean), ...owners].join(':');
}

/** Asked for each header of every request, and a program has few names of headers. */
const isIdentityHeader = /* @__PURE__ */ remember(
  (name: string) =>
    (CREDENTIAL_HEADER.test(name) && !CHANGING_HEADER.test(name)) ||
    (OWNER_HEADER.test(name) && !CHANGING_OWNER_HEADER.test(name) && !CHANGING_HEADER.test(name)),
);

function stablePart(value: string): string {
  const [, scheme, identity] = SIGNED_CREDENTIAL.exec(value) ?? [];
  return identity === undefined ? value : `${scheme} ${identity}`;
}
