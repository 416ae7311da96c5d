/**
 * Whose limit a request falls under: its origin and its credential, or its model too. The key is shown in events and
 * kept in stores, so the credential itself is never in it: in its place stand 64 bits of its SHA-256, which are the same
 * in every process of a fleet and lead back to no key that was made at random. (A password that can be guessed can be
 * confirmed by them, as by any hash without a secret; who has such a thing gives a `key` function.)
 */

import type { GateRequest } from './gate.ts';
import { sha256 } from './sha256.ts';


/** `credential`: origin and credential. `model`: and the model, where the limits are the models' own. */
export type GateKey = 'credential' | 'model' | ((target: GateRequest) => string);

interface UrlParts {
  readonly origin: string;
  /** User and password, or a key in the query. */
  readonly credential: string;
  readonly model: string | undefined;
}

/** What a header is spelt like by those who give plain records; others are searched for. */
const CREDENTIAL_HEADERS = [
  ['authorization', 'Authorization'],
  ['x-api-key', 'X-Api-Key'],
  ['api-key', 'Api-Key'],
  ['x-goog-api-key', 'X-Goog-Api-Key'],
] as const;
const CREDENTIAL_PARAMETERS = ['key', 'api_key', 'api-key', 'access_token'] as const;
/** Gemini and Vertex, Azure, Bedrock name the model in the path. */
const MODEL_IN_PATH = /\/(?:models|deployments|model)\/([^/:]+)/;
const MODEL_IN_JSON = /"model"\s*:\s*"([^"\\]{1,128})"/;
/** How much of a body is searched for its model. */
const SEARCHED_CHARACTERS = 4_096;
const MAX_REMEMBERED = 500;

/** Makes the function that names keys. It remembers what it has made, so that a name costs a look-up. */
export function createKeyOf(key: GateKey = 'credential'): (target: GateRequest) => string {
  if (typeof key === 'function') return (target) => key(target);
  if (key !== 'credential' && key !== 'model') {
    throw new TypeError(`Expected \`key\` to be "credential", "model" or a function, got ${JSON.stringify(key)}.`);
  }
  const urls = new Map<string, UrlParts>();
  const names = new Map<string, Map<string, string>>();
  let last: { readonly url: string; readonly credential: string; readonly name: string } | undefined;

  const nameOf = (url: string, credential: string): string => {
    if (last !== undefined && last.url === url && last.credential === credential) return last.name;
    const parts = remembered(urls, url, partsOf);
    const ofOrigin = remembered(names, parts.origin, () => new Map<string, string>());
    const name = remembered(ofOrigin, `${credential}\n${parts.credential}`, (secret) => nameFor(parts.origin, secret));
    last = { url, credential, name };
    return name;
  };

  return (target) => {
    const { url, headers } = target;
    const name = nameOf(url, headers === undefined || headers === null ? '' : credentialOf(headers));
    if (key === 'credential') return name;
    const model = modelOf(target.body) ?? remembered(urls, url, partsOf).model;
    return model === undefined ? name : `${name}/${model}`;
  };
}

function nameFor(origin: string, secret: string): string {
  return secret === '\n' ? origin : `${origin}#${sha256(`retry-transport gate\n${secret}`).slice(0, 16)}`;
}

function credentialOf(headers: HeadersInit): string {
  if (isHeaders(headers)) {
    for (const [name] of CREDENTIAL_HEADERS) {
      const value = headers.get(name);
      if (value !== null) return value;
    }
    return '';
  }
  if (!(Symbol.iterator in headers)) {
    for (const [name, usual] of CREDENTIAL_HEADERS) {
      const value = headers[name] ?? headers[usual];
      if (value !== undefined) return value;
    }
  }
  const entries = Symbol.iterator in headers ? [...headers] : Object.entries(headers);
  for (const [wanted] of CREDENTIAL_HEADERS) {
    for (const [name, value] of entries) if (name?.toLowerCase() === wanted) return value ?? '';
  }
  return '';
}

function isHeaders(headers: HeadersInit): headers is Headers {
  return 'get' in headers && typeof headers.get === 'function';
}

function partsOf(url: string): UrlParts {
  if (!URL.canParse(url)) return { origin: '', credential: '', model: undefined };
  const { origin, username, password, searchParams, pathname } = new URL(url);
  const parameter = CREDENTIAL_PARAMETERS.find((name) => searchParams.has(name));
  return {
    origin,
    credential: [username, password, parameter && searchParams.get(parameter)].filter(Boolean).join(':'),
    model: MODEL_IN_PATH.exec(pathname)?.[1],
  };
}

function modelOf(body: unknown): string | undefined {
  if (typeof body === 'string') return MODEL_IN_JSON.exec(body.slice(0, SEARCHED_CHARACTERS))?.[1];
  if (typeof body !== 'object' || body === null || !('model' in body)) return undefined;
  return typeof body.model === 'string' ? body.model : undefined;
}

/** Looks up or makes. Full, it forgets everything: what is in use is made again in microseconds. */
function remembered<T>(known: Map<string, T>, key: string, make: (key: string) => T): T {
  let value = known.get(key);
  if (value === undefined) {
    value = make(key);
    if (known.size >= MAX_REMEMBERED) known.clear();
    known.set(key, value);
  }
  return value;
}
