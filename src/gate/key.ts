/**
 * Names the limit of a request: its origin, its caller, and its model where it has one. The name is shown in events and
 * kept in stores, so it never contains the credential itself, but 64 bits of the hash of the caller. These are the same in
 * every process of a fleet, and no random key can be computed from them. (As with any hash without a secret, a guess of a
 * weak password can be confirmed with them; a `key` function avoids that.)
 */

import { createCallerOf } from '../redact/caller.ts';
import { sha256 } from '../runtime/sha256.ts';
import { canParseUrl } from '../runtime/values.ts';
import type { GateRequest } from './gate.ts';

/** `model`: origin, credential with its project or organisation, and the model where the request has one. `credential`: all models together. */
export type GateKey = 'credential' | 'model' | ((request: GateRequest) => string);

/** Gemini and Vertex, Azure, Bedrock name the model in the path. */
const MODEL_IN_PATH = /\/(?:models|deployments|model)\/([^/:?#]+)/;
const MODEL_IN_JSON = /"model"\s*:\s*"([^"\\]{1,128})"/;
const USUAL_MODEL = /^[\w.:@+/-]{1,64}$/;
/** A key that ends in a model. */
const MODEL_KEY = /^(https?:\/\/[^/#]*(?:#[\da-f]{16})?)\/([^]+)$/;
/** The model is searched for at the beginning and the end of a body: the messages are in between. */
const SEARCHED_CHARACTERS = 4_096;
/** An origin as `URL` prints it: without user and port. */
const PLAIN_ORIGIN = /^https?:\/\/[a-z\d.-]+(?=[/?#]|$)/;

/** Returns a function that names keys. It caches its results, so that a name costs only a look-up. */
export function createKeyOf(key: GateKey = 'model'): (request: GateRequest) => string {
  const callerOf = createCallerOf();
  const credentialKey = (request: GateRequest): string => {
    const origin = originOf(request.url);
    const caller = callerOf(request);
    return caller === '' ? origin : `${origin}#${caller.slice(0, 16)}`;
  };
  if (key === 'credential') return credentialKey;
  if (key === 'model') {
    return (request) => {
      const model = modelOf(request);
      return model === undefined ? credentialKey(request) : `${credentialKey(request)}/${shownModel(model)}`;
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

/** The body may contain anything: what is no usual name is shown as a hash. */
function shownModel(model: string): string {
  return USUAL_MODEL.test(model) ? model : `#${hashOf(model)}`;
}

/** The key under which other processes share a limit. What comes from a body leaves this process only as a hash. */
export function sharedKeyOf(key: string): string {
  const [, owner, model] = MODEL_KEY.exec(key) ?? [];
  return owner === undefined || model === undefined ? key : `${owner}/#${hashOf(model)}`;
}

function originOf(url: string): string {
  const plain = PLAIN_ORIGIN.exec(url)?.[0];
  if (plain !== undefined) return plain;
  return canParseUrl(url) ? new URL(url).origin : '';
}

const hashOf = (model: string): string =>
  sha256(`retry-transport gate\n${model.includes('\n') ? model : `${model}\n`}`).slice(0, 16);

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
