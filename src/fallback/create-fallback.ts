/**
 * A chain of other models and providers: a larger window for an input that is too long, another model for other failures,
 * another provider last.
 */

import { expectNumber } from '../expect.ts';
import { FAILURES, type FailureType } from '../failure.ts';
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
  /** The failures that it helps with. @default those whose row in `FAILURES` says `fallback`, by kind */
  readonly covers?: readonly FailureType[] | undefined;
  /** In place of the caller's. */
  readonly url?: string | undefined;
  /** Over the caller's. Another origin never gets the caller's keys: name the target's own here. */
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
    next: ({ type }: { readonly type: FailureType }, asked: readonly Target[]) => {
      const left = links.filter((link) => !asked.includes(link) && link.covers(type));
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

  covers(type: FailureType): boolean {
    if (this.#target.covers !== undefined) return this.#target.covers.includes(type);
    return this.kind === 'context'
      ? type === 'context_too_long'
      : FAILURES[type].fallback && type !== 'context_too_long';
  }

  requestFor(request: FallbackRequest): FallbackRequest | Promise<FallbackRequest> {
    const { url = request.url, headers = {}, model, rewrite } = this.#target;
    const kept = originOf(url) === originOf(request.url) ? request.headers : withoutKeys(request.headers);
    const own: HttpHeaders = {};
    for (const [name, value] of Object.entries(headers)) own[name.toLowerCase()] = value;
    const rewritten: FallbackRequest = {
      url,
      headers: { ...kept, ...own },
      body: model === undefined ? request.body : withModel(request.body, model),
    };
    return rewrite === undefined ? rewritten : rewrite(rewritten);
  }
}

const KEYS: readonly string[] = [
  'authorization',
  'x-api-key',
  'api-key',
  'x-goog-api-key',
  'cookie',
  'proxy-authorization',
];

function withoutKeys(headers: HttpHeaders): HttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !KEYS.includes(name)));
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : '';
}

/** A body that is no JSON has no model to replace. */
function withModel(body: unknown, model: string): unknown {
  if (typeof body === 'object' && body !== null) return { ...body, model };
  if (typeof body !== 'string') return body;
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null ? JSON.stringify({ ...parsed, model }) : body;
  } catch {
    return body;
  }
}
