/**
 * Which headers and query parameters carry a credential, by their names, and who a request comes from. One reader for
 * redaction, redirects, the limits of a gate and the calls of the proxy, which must agree on this.
 */

import { canParseUrl } from '../runtime/values.ts';
import { remember } from '../runtime/remember.ts';

/** Headers whose values are not secret and would leave holes in messages. Any other header may hold a secret. */
const ORDINARY_HEADER =
  /^(?:(?:accept(?:-charset|-encoding|-language)?|anthropic-(?:beta|dangerous-direct-browser-access|version)|cache-control|connection|content-(?:encoding|language|length|type)|date|expect|host|openai-beta|origin|pragma|te|transfer-encoding|user-agent|x-title)$|x-stainless-|sec-(?:fetch|ch)-)/;

/** Whether a header is known to hold no secret. `name` in lower case. */
export function isOrdinaryHeader(name: string): boolean {
  return ORDINARY_HEADER.test(name);
}

/** Keys and tokens, and the assertions that proxies with a login add: Cloudflare Access, Google IAP, AWS, DPoP. */
const CREDENTIAL_NAME =
  /key|token|auth|secret|signature|password|session|cookie|credential|jwt|assertion|saml|oidc|dpop|(?:^|[-_])otp(?:$|[-_])/i;

/** Whether the name of a header suggests a credential. */
export function isCredentialHeader(name: string): boolean {
  return CREDENTIAL_NAME.test(name) && !/^(?:x-)?idempotency-key$/i.test(name);
}

/** Whether the name of a query parameter suggests a credential. */
export function isCredentialParameter(name: string): boolean {
  return CREDENTIAL_NAME.test(name) || /^(?:sig|code|pass|pwd|sas)$/i.test(name);
}

/** Headers that say for whose account a request counts: fewer than may be secret. Cookies are a credential too. */
const ACCOUNT_HEADER = /(?:^|[-_])(?:key|apikey|token|auth|authorization|secret|password|cookie)(?:$|[-_])/i;
/** Headers with a new value in every request. */
const CHANGING_HEADER = /idempotency|csrf|xsrf|^sec-|signature|nonce/i;
const ACCOUNT_PARAMETER = /^(?:key|api[-_]?key|access_token|token|x-amz-credential)$/i;
/** The constant part of credentials that sign each request: the access key id of SigV4, the user of Digest. */
const SIGNED_CREDENTIAL =
  /^(AWS4-HMAC-SHA256|AWS4-ECDSA-P256-SHA256|Digest|Hawk)\b[^]*?\b(?:Credential|username|id)="?([^/",\s]+)/i;

/** A request whose account is to be known. */
export interface AccountRequest {
  readonly url: string;
  readonly headers?: HeadersInit | null | undefined;
}

/**
 * The account that a request counts for: the names of its credential headers in one line, in lower case and sorted, then
 * each credential in a line. '' if it carries none. Equal for two requests with the same credentials, also if each is
 * signed anew. It contains the credentials, so it may only be kept as a hash.
 */
export function accountOf({ url, headers }: AccountRequest): string {
  const inHeaders = headers === undefined || headers === null ? '\n' : accountIn(headers);
  const inUrl = url.includes('?') || url.includes('@') ? accountInUrl(url) : '';
  if (inUrl === '') return inHeaders === '\n' ? '' : inHeaders;
  return `${inHeaders}\n${inUrl}`;
}

function accountIn(headers: HeadersInit): string {
  const found: (readonly [name: string, credential: string])[] = [];
  const add = (name: string, value: string | undefined): void => {
    if (value !== undefined && value !== '' && isAccountHeader(name))
      found.push([name.toLowerCase(), stablePart(value)]);
  };
  if (Symbol.iterator in headers) for (const [name = '', value] of headers) add(name, value);
  else for (const name in headers) add(name, headers[name]);
  if (found.length > 1) found.sort((one, other) => (one.join() < other.join() ? -1 : 1));
  return `${found.map(([name]) => name).join(' ')}\n${found.map(([, credential]) => credential).join('\n')}`;
}

function accountInUrl(url: string): string {
  if (!canParseUrl(url)) return '';
  const { username, password, searchParams } = new URL(url);
  const parts = [username, password];
  for (const [name, value] of searchParams) {
    if (ACCOUNT_PARAMETER.test(name)) parts.push(value.split('/', 1)[0] ?? '');
  }
  return parts.filter(Boolean).join(':');
}

/** Asked for each header of every request, and a program has few names of headers. */
const isAccountHeader = /* @__PURE__ */ remember(
  (name: string) => ACCOUNT_HEADER.test(name) && !CHANGING_HEADER.test(name),
);

function stablePart(value: string): string {
  const [, scheme, identity] = SIGNED_CREDENTIAL.exec(value) ?? [];
  return identity === undefined ? value : `${scheme} ${identity}`;
}
