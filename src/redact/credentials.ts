/** Which headers and query parameters carry a credential, by their names: for redaction and for redirects. */

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
