/**
 * Names the limit of a request: its origin and its credential, or its model too. The name is shown in events and kept
 * in stores, so it never contains the credential itself, but 64 bits of its SHA-256. These are the same in every
 * process of a fleet, and no random key can be computed from them. (As with any hash without a secret, a guess of a
 * weak password can be confirmed with them; a `key` function avoids that.)
 */

import type { GateRequest } from './gate.ts';
import { sha256 } from './sha256.ts';

/** `credential`: origin and credential. `model`: also the model, if each model has its own limit. */
export type GateKey = 'credential' | 'model' | ((request: GateRequest) => string);

/** Names of headers that carry credentials. Cookies are a credential too. */
const CREDENTIAL_HEADER =
  /(?:^|[-_])(?:api-?key|key|apikey|token|auth|authorization|secret|password|cookie)(?:$|[-_])/i;
/** Headers with a new value in every request. */
const CHANGING_HEADER = /idempotency|csrf|xsrf|^sec-|signature|nonce/i;
const CREDENTIAL_PARAMETER = /^(?:key|api[-_]?key|access_token|token|x-amz-credential)$/i;
/** The constant part of credentials that sign each request: the access key id of SigV4, the user of Digest. */
const SIGNED_CREDENTIAL =
  /^(AWS4-HMAC-SHA256|AWS4-ECDSA-P256-SHA256|Digest|Hawk)\b[^]*?\b(?:Credential|username|id)="?([^/",\s]+)/i;
/** If such a header is the only one, it is hashed without its name. */
const USUAL_HEADERS: readonly string[] = ['', 'authorization', 'x-api-key', 'api-key', 'x-goog-api-key'];
const MAY_BE_SIGNED = /^(?:AWS4|Digest|Hawk)/i;
/** Gemini and Vertex, Azure, Bedrock name the model in the path. */
const MODEL_IN_PATH = /\/(?:models|deployments|model)\/([^/:?#]+)/;
const MODEL_IN_JSON = /"model"\s*:\s*"([^"\\]{1,128})"/;
/** The model is searched for at the beginning and the end of a body: the messages are in between. */
const SEARCHED_CHARACTERS = 4_096;
/** An origin as `URL` prints it: without user and port. */
const PLAIN_ORIGIN = /^https?:\/\/[a-z\d.-]+(?=[/?#]|$)/;

/** Returns a function that names keys. It caches its results, so that a name costs only a look-up. */
export function createKeyOf(key: GateKey = 'credential'): (request: GateRequest) => string {
  const keyOf = remember((identity) => {
    const [origin = '', names = '', ...secrets] = identity.split('\n');
    return `${origin}#${hashOf([...(USUAL_HEADERS.includes(names) ? [] : [names]), ...secrets].join('\n'))}`;
  });
  const credentialKey = ({ url, headers }: GateRequest): string => {
    const origin = originOf(url);
    const inHeaders = headers === undefined || headers === null ? '\n' : credentialIn(headers);
    const inUrl = url.includes('?') || url.includes('@') ? credentialInUrl(url) : '';
    if (inUrl === '' && inHeaders === '\n') return origin;
    return keyOf(`${origin}\n${inHeaders}${inUrl === '' ? '' : `\n${inUrl}`}`);
  };
  if (key === 'credential') return credentialKey;
  if (key === 'model') {
    return (request) => {
      const model = modelOf(request);
      return model === undefined ? credentialKey(request) : `${credentialKey(request)}/${model}`;
    };
  }
  return (request) => {
    try {
      return key(request);
    } catch {
      // A call must not fail because its key cannot be named.
      return originOf(request.url);
    }
  };
}

function originOf(url: string): string {
  const plain = PLAIN_ORIGIN.exec(url)?.[0];
  if (plain !== undefined) return plain;
  return URL.canParse(url) ? new URL(url).origin : '';
}

/** The same in all processes; no credential can be computed from it. */
const hashOf = (secret: string): string =>
  sha256(`retry-transport gate\n${secret.includes('\n') ? secret : `${secret}\n`}`).slice(0, 16);

function credentialInUrl(url: string): string {
  if (!URL.canParse(url)) return '';
  const { username, password, searchParams } = new URL(url);
  const parts = [username, password];
  for (const [name, value] of searchParams) {
    if (CREDENTIAL_PARAMETER.test(name)) parts.push(value.split('/', 1)[0] ?? '');
  }
  return parts.filter(Boolean).join(':');
}

/**
 * The names of the headers with credentials in one line, and each credential in another; sorted by name. Of a signature
 * only the part that is the same in every request.
 */
export function credentialIn(headers: HeadersInit): string {
  const found: (readonly [name: string, credential: string])[] = [];
  const add = (name: string, value: string | undefined): void => {
    if (value !== undefined && value !== '' && isCredential(name)) found.push([name.toLowerCase(), stablePart(value)]);
  };
  if (Symbol.iterator in headers) for (const [name = '', value] of headers) add(name, value);
  else for (const name in headers) add(name, headers[name]);
  if (found.length > 1) found.sort(([one], [other]) => (one < other ? -1 : Number(one > other)));
  return `${found.map(([name]) => name).join(' ')}\n${found.map(([, credential]) => credential).join('\n')}`;
}

const isCredential = /* @__PURE__ */ remember(
  (name: string) => CREDENTIAL_HEADER.test(name) && !CHANGING_HEADER.test(name),
);

function stablePart(value: string): string {
  if (!MAY_BE_SIGNED.test(value)) return value;
  const [, scheme, identity] = SIGNED_CREDENTIAL.exec(value.slice(0, 1_000)) ?? [];
  return identity === undefined ? value : `${scheme} ${identity}`;
}

/** The model that a request names, in its body or in its path. */
export function modelOf({ url, body }: Pick<GateRequest, 'url' | 'body'>): string | undefined {
  return modelIn(body) ?? MODEL_IN_PATH.exec(url)?.[1];
}

function modelIn(body: unknown): string | undefined {
  if (typeof body === 'object' && body !== null && 'model' in body)
    return typeof body.model === 'string' ? body.model : undefined;
  const text = typeof body === 'string' ? body : bytesOf(body);
  if (text === undefined) return undefined;
  const part = (from: number, to?: number): string =>
    typeof text === 'string' ? text.slice(from, to) : new TextDecoder().decode(text.subarray(from, to));
  const [, model] =
    MODEL_IN_JSON.exec(part(0, SEARCHED_CHARACTERS)) ?? MODEL_IN_JSON.exec(part(-SEARCHED_CHARACTERS)) ?? [];
  return model;
}

function bytesOf(body: unknown): Uint8Array | undefined {
  if (body instanceof ArrayBuffer) return new Uint8Array(body);
  return ArrayBuffer.isView(body) ? new Uint8Array(body.buffer, body.byteOffset, body.byteLength) : undefined;
}

const REMEMBERED = 200_000;

/** Caches the results of `make`. */
function remember<T>(make: (text: string) => T): (text: string) => T {
  const made = new Map<string, T>();
  return (text) => {
    let value = made.get(text);
    if (value === undefined) {
      value = make(text);
      if (made.size >= REMEMBERED) made.clear();
      made.set(text, value);
    }
    return value;
  };
}
