/**
 * A chain of other models and providers: a larger window for an input that is too long, another model for other failures,
 * another provider last.
 */

import { expectNumber } from '../failure/expect.ts';
import { FAILURES, type FailureType } from '../failure/failure.ts';
import { isBodyInit } from './request-parts.ts';
import { isOrdinaryHeader } from '../failure/redact.ts';
import { isReplayable, recordOf } from './request-parts.ts';
import type { HttpHeaders } from '../transport.ts';
import type { FallbackChain, FallbackRequest, Target } from './fallback.ts';

/** `context`: a larger window. `error`: another model. `provider`: another provider, asked last. */
export type FallbackKind = 'context' | 'error' | 'provider';

/** One more place to ask. */
export interface FallbackTarget {
  /** Shown in events and in the history. */
  readonly name: string;
  /** @default 'error' */
  readonly kind?: FallbackKind | undefined;
  /**
   * The failures that it helps with. @default those whose strategy, or else whose row in `FAILURES`, says `fallback`:
   * `context_too_long` for the kind `context`, the others for the other kinds
   */
  readonly covers?: readonly FailureType[] | undefined;
  /** In place of the caller's. */
  readonly url?: string | undefined;
  /**
   * Over the caller's. Another origin gets only those of the caller's that are known to carry no secret, such as
   * `content-type`: name the target's own keys here.
   */
  readonly headers?: HttpHeaders | undefined;
  /** In place of `model` in a JSON body. */
  readonly model?: string | undefined;
  /** The last word on the request: a provider's own envelope. */
  readonly rewrite?: ((request: FallbackRequest) => FallbackRequest | Promise<FallbackRequest>) | undefined;
}

export interface FallbackOptions {
  /** What the caller's own request is called. @default 'primary' */
  readonly primary?: string | undefined;
  readonly targets: readonly FallbackTarget[];
  /** Retries on a target before the next is tried; a failure that no retry can help falls back at once. @default 3 */
  readonly maxRetriesBeforeFallback?: number | undefined;
  /** Retries on each target after the first. @default 1 */
  readonly additionalRetries?: number | undefined;
}

/** @throws TypeError that names what is wrong */
export function createFallback(options: FallbackOptions): FallbackChain {
  const { primary = 'primary', targets, maxRetriesBeforeFallback = 3, additionalRetries = 1 } = options;
  if (!Array.isArray(targets) || targets.length === 0) {
    throw new TypeError(
      "Expected `targets` to name at least one target, such as [{ name: 'haiku', model: 'claude-haiku-5' }].",
    );
  }
  for (const { name } of targets) {
    if (typeof name !== 'string' || name === '') throw new TypeError('Expected every target to have a `name`.');
  }
  expectNumber('maxRetriesBeforeFallback', maxRetriesBeforeFallback, { min: 0, integer: true });
  expectNumber('additionalRetries', additionalRetries, { min: 0, integer: true });
  const links = targets.map((target) => new Link(target));
  return Object.freeze({
    primary,
    maxRetriesBeforeFallback,
    additionalRetries,
    next: (
      { type }: { readonly type: FailureType },
      asked: readonly Target[],
      _nowMs: number,
      fallsBack = FAILURES[type].fallback,
    ) => {
      const left = links.filter((link) => !asked.includes(link) && link.covers(type, fallsBack));
      const target = left.find(({ kind }) => kind !== 'provider') ?? left[0];
      return target && { target, waitMs: 0 };
    },
  });
}

class Link implements Target {
  readonly name: string;
  readonly kind: FallbackKind;
  readonly #target: FallbackTarget;

  constructor(target: FallbackTarget) {
    this.name = target.name;
    this.kind = target.kind ?? 'error';
    this.#target = target;
  }

  covers(type: FailureType, fallsBack: boolean): boolean {
    if (this.#target.covers !== undefined) return this.#target.covers.includes(type);
    return fallsBack && (this.kind === 'context') === (type === 'context_too_long');
  }

  offer(request: FallbackRequest): FallbackRequest {
    const { url = request.url, headers = {}, model } = this.#target;
    return {
      url,
      headers: { ...headersFor(url, request), ...recordOf(headers) },
      body: model === undefined ? request.body : withModel(request.body, model),
    };
  }

  requestFor(request: FallbackRequest): FallbackRequest | Promise<FallbackRequest> {
    const { rewrite } = this.#target;
    const offered = this.offer(request);
    return rewrite === undefined ? offered : this.#rewritten(request, offered, rewrite);
  }

  async #rewritten(given: FallbackRequest, offered: FallbackRequest, rewrite: Rewrite): Promise<FallbackRequest> {
    const rewritten = await rewrite(offered);
    if (typeof rewritten?.url !== 'string' || typeof rewritten.headers !== 'object') {
      throw new TypeError(`Expected \`rewrite\` of the target "${this.name}" to give { url, headers, body }.`);
    }
    const headers = recordOf(rewritten.headers);
    if (isSameOrigin(rewritten.url, offered.url)) return { ...rewritten, headers };
    // It has gone elsewhere with what it was offered; what the caller gave was not for there.
    const own = recordOf(this.#target.headers);
    const carried = headersFor(rewritten.url, given);
    const kept = Object.entries(headers).filter(
      ([name, value]) => value !== given.headers[name] || name in own || name in carried,
    );
    return { ...rewritten, headers: Object.fromEntries(kept) };
  }
}

type Rewrite = NonNullable<FallbackTarget['rewrite']>;

/** Those of the caller's headers that may be sent there. They are made anew where they speak of the body or the host. */
function headersFor(url: string, { url: own, headers }: FallbackRequest): HttpHeaders {
  const sameOrigin = isSameOrigin(url, own);
  const kept = Object.entries(headers).filter(([name]) => {
    if (name === 'content-length') return false;
    return sameOrigin || (name !== 'host' && name !== 'origin' && isOrdinaryHeader(name));
  });
  return Object.fromEntries(kept);
}

/** In doubt, no. */
function isSameOrigin(one: string, other: string): boolean {
  const [a, b] = [originOf(one), originOf(other)];
  return a === b && a !== 'null';
}

/** A URL without an origin has the page's, whatever that is. */
function originOf(url: string): string {
  return URL.canParse(url, RELATIVE) ? new URL(url, RELATIVE).origin : 'null';
}

const RELATIVE = 'https://relative.invalid';

/** A body that is no JSON has no model to replace, unless it is a form that names one. */
function withModel(body: unknown, model: string): unknown {
  if (typeof body === 'string') return withModelInText(body, model) ?? body;
  if (typeof body !== 'object' || body === null) return body;
  if (ArrayBuffer.isView(body)) {
    return (
      withModelInText(new TextDecoder().decode(new Uint8Array(body.buffer, body.byteOffset, body.byteLength)), model) ??
      body
    );
  }
  if (body instanceof ArrayBuffer) return withModelInText(new TextDecoder().decode(body), model) ?? body;
  if (body instanceof FormData && body.has('model')) return formWithModel(body, model);
  return isBodyInit(body) || Array.isArray(body) || !isReplayable(body) ? body : { ...body, model };
}

function withModelInText(text: string, model: string): string | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    const isObject = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed);
    return isObject ? JSON.stringify({ ...parsed, model }) : undefined;
  } catch {
    return undefined;
  }
}

function formWithModel(form: FormData, model: string): FormData {
  const copy = new FormData();
  for (const [name, value] of form) copy.append(name, value);
  copy.set('model', model);
  return copy;
}
