/**
 * A chain of other models and providers: a larger context window for input that is too long, another model for other
 * failures, and another provider last.
 */

import { canParseUrl } from '../runtime/values.ts';
import {
  type Check,
  checkOptions,
  row,
  expectHeaders,
  expectObject,
  expectText,
  isFunction,
  mismatch,
  number,
  oneOf,
} from '../runtime/expect.ts';
import { type FailureType, isFailureType, TOO_MANY_BYTES, TYPES } from '../failure/failure.ts';
import { isCredentialParameter } from '../redact/credentials.ts';
import { publicUrl, redact, secretsOf } from '../redact/redact.ts';
import { HttpTarget } from './fetch-target.ts';
import {
  forElsewhere,
  isBodyInit,
  isReplayable,
  isSameOrigin,
  ordinaryHeaders,
  recordOf,
  RELATIVE,
} from './request-parts.ts';
import type { Fetch, HttpHeaders, InnerFetch } from '../transport.ts';
import { Moments } from '../moments/moments.ts';
import { ChainRoute } from '../route/chain-route.ts';
import { expectRests, restsOver, TARGET_REST_MS } from '../route/rests.ts';
import { withRoute } from '../route/open-route.ts';
import type { Chain, FallbackChain, FallbackRequest, Target } from '../route/route.ts';

/** `context`: a larger context window. `error`: another model. `provider`: another provider, used last. */
export type FallbackKind = 'context' | 'error' | 'provider';

/** Another model or provider. */
export interface FallbackTarget {
  /** Shown in events and in the history. */
  readonly name: string;
  /** @default 'error' */
  readonly kind?: FallbackKind | undefined;
  /**
   * The failures that this target helps with. @default those with `fallback` in their strategy, or else in `FAILURES`:
   * `context_too_long` for the kind `context`, but not of a request that is too large in bytes; the others for the other kinds
   */
  readonly covers?: readonly FailureType[] | undefined;
  /** Replaces the URL of the request. */
  readonly url?: string | undefined;
  /**
   * Merged over the headers of the request. A target at another origin gets only headers that carry no secret, such as
   * `content-type`, from the request and from a `FetchTransport`. Name the target's own keys here.
   */
  readonly headers?: HttpHeaders | undefined;
  /** Replaces `model` in a JSON body or a form. */
  readonly model?: string | undefined;
  /**
   * Sends the requests of this target, in place of the inner fetch or transport. Needed if the inner fetch adds a key
   * to every request: this library cannot keep such a key from another origin. @default the inner fetch or transport
   */
  readonly fetch?: InnerFetch | undefined;
  /**
   * Changes the whole request, for a provider with another API. If the new URL has another origin, the credentials of
   * the request in headers, query and userinfo are removed.
   */
  readonly rewrite?: ((request: FallbackRequest) => FallbackRequest | Promise<FallbackRequest>) | undefined;
}

/** The options of `createFallback`. */
export interface FallbackOptions {
  /** The name of the request's own target, for events. @default 'primary' */
  readonly primary?: string | undefined;
  /** In the order in which they are used; those of the kind `provider` last. */
  readonly targets: readonly FallbackTarget[];
  /**
   * Retries on the first target before the next one is used; a failure that no retry can help moves on at once.
   *
   * @default 3
   */
  readonly maxRetriesBeforeFallback?: number | undefined;
  /** Retries on each further target. @default 1 */
  readonly additionalRetries?: number | undefined;
  /**
   * How long a target rests after a failure of a type, if the failure names no time. A target that rests is passed over,
   * by every call, as long as another one is free.
   *
   * @default a minute after a rate limit; half an hour after a used-up quota, a billing error, or a refused key or account
   */
  readonly restMs?: Readonly<Partial<Record<FailureType, number>>> | undefined;
}

/**
 * A chain for the option `fallback`. Create it once, and share it among calls.
 *
 * @throws TypeError if an option is invalid; the message names it
 */
export function createFallback(options: FallbackOptions): FallbackChain {
  expectObject('options', options, "an object such as { targets: [{ name: 'haiku', model: 'claude-haiku-5' }] }");
  checkOptions('', { ...options, targets: options.targets ?? [] }, checksOfOptions());
  const { primary = 'primary', maxRetriesBeforeFallback = 3, additionalRetries = 1, targets, restMs } = options;
  const links = targets.map((target) => new Link(target)).sort((one, other) => one.place - other.place);
  const chain: Chain = {
    uses: CHANGES.filter((name) => targets.some((target) => target[name] !== undefined)),
    primary,
    maxRetriesBeforeFallback,
    additionalRetries,
    restMs: restsOver(TARGET_REST_MS, restMs),
    moments: new Moments(),
    left: ({ type, action }, asked, given = TYPES[type].fallback) => {
      // A model with a larger context admits no more bytes.
      const fallsBack = action !== TOO_MANY_BYTES && given;
      return links.filter((link) => !asked.includes(link) && link.covers(type, fallsBack));
    },
  };
  return withRoute(chain, (policy, request) => new ChainRoute(policy, request, chain));
}

/** What changes a request. */
const CHANGES = ['url', 'model', 'headers', 'fetch', 'rewrite'] as const;

const checksOfOptions = (): { readonly [K in keyof FallbackOptions]-?: Check } => ({
  targets: row(expectTargets, 'models fallbacks providers'),
  primary: expectText,
  maxRetriesBeforeFallback: row(number({ integer: true }), 'maxRetries retries'),
  additionalRetries: number({ integer: true }),
  restMs: row(expectRests, 'cooldown rest'),
});

const KINDS: readonly FallbackKind[] = ['context', 'error', 'provider'];

const checksOfTarget = (target: string): { readonly [K in keyof FallbackTarget]-?: Check } => {
  const functionOfTarget: Check = (name, value) => {
    if (!isFunction(value))
      throw new TypeError(`Expected \`${name}\` of the target "${target}" to be a function, got ${typeof value}.`);
  };
  return {
    name: expectText,
    kind: oneOf(KINDS),
    covers: row((name, value) => {
      const types: readonly unknown[] = Array.isArray(value) ? value : [value];
      const wrong = types.findIndex((type) => !Array.isArray(value) || !isFailureType(type));
      if (wrong === -1) return;
      const expected = `a list of failure types, such as 'rate_limit', in the target "${target}"`;
      throw new TypeError(mismatch(name, expected, types[wrong]));
    }, 'on when failures'),
    url: row(expectUrl, 'baseURL endpoint'),
    headers: row(expectHeaders, 'apiKey key auth', 'headers: { authorization }'),
    model: expectText,
    fetch: functionOfTarget,
    rewrite: row(functionOfTarget, 'transform transformRequest'),
  };
};

/** Otherwise a mistake in a target would be found only when the primary is down. */
function expectTargets(_name: string, targets: unknown): void {
  if (!Array.isArray(targets) || targets.length === 0) {
    throw new TypeError(
      "Expected `targets` to name at least one target, such as [{ name: 'haiku', model: 'claude-haiku-5' }].",
    );
  }
  const given: readonly (FallbackTarget | null | undefined)[] = targets;
  for (const target of given) {
    if (typeof target?.name !== 'string' || target.name === '')
      throw new TypeError('Expected every target to have a `name`.');
    checkOptions('', target, checksOfTarget(target.name));
  }
}

/** `localhost:8080/v1` parses too, as a URL with the scheme `localhost`. */
const HOST_AND_PORT = /^[\w.-]+:\d/;

function expectUrl(name: string, value: unknown): void {
  const isUrl = typeof value === 'string' && (/^[/.?]/.test(value) || canParseUrl(value)) && !HOST_AND_PORT.test(value);
  if (isUrl) return;
  const shown = typeof value === 'string' ? publicUrl(value, secretsOf({ url: value })) : value;
  throw new TypeError(
    mismatch(name, 'a URL such as "https://api.example.com/v1/messages" or a path such as "/v1"', shown),
  );
}

class Link extends HttpTarget implements Target {
  readonly name: string;
  override readonly fetch: Fetch | undefined;
  readonly #target: FallbackTarget;

  constructor(target: FallbackTarget) {
    super();
    this.name = target.name;
    this.fetch = target.fetch as Fetch | undefined;
    this.#target = target;
  }

  covers(type: FailureType, fallsBack: boolean): boolean {
    if (this.#target.covers !== undefined) return this.#target.covers.includes(type);
    return fallsBack && (this.#target.kind === 'context') === (type === 'context_too_long');
  }

  /** Another provider comes last. */
  get place(): number {
    return this.#target.kind === 'provider' ? 1 : 0;
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
    return rewrite === undefined ? marked(offered, request) : this.#rewritten(request, offered, rewrite);
  }

  async #rewritten(given: FallbackRequest, offered: FallbackRequest, rewrite: Rewrite): Promise<FallbackRequest> {
    const rewritten = await rewrite(offered);
    if (typeof rewritten?.url !== 'string' || typeof rewritten.headers !== 'object') {
      throw new TypeError(`Expected \`rewrite\` of the target "${this.name}" to give { url, headers, body }.`);
    }
    const headers = recordOf(rewritten.headers);
    if (isSameOrigin(rewritten.url, offered.url)) return marked({ ...rewritten, headers }, given);
    // `rewrite` changed the origin: drop the caller's credentials.
    const own = recordOf(this.#target.headers);
    const carried = headersFor(rewritten.url, given);
    const kept = Object.entries(headers).filter(
      ([name, value]) => value !== given.headers[name] || name in own || name in carried,
    );
    const url =
      this.#target.url === undefined && !isSameOrigin(rewritten.url, given.url)
        ? withoutCredentialsOf(given.url, rewritten.url)
        : rewritten.url;
    return marked({ ...rewritten, url, headers: Object.fromEntries(kept) }, given);
  }
}

type Rewrite = NonNullable<FallbackTarget['rewrite']>;

/** Marks a request to another origin, so that a `FetchTransport` does not add its own credentials. */
function marked(request: FallbackRequest, given: FallbackRequest): FallbackRequest {
  if (!isSameOrigin(request.url, given.url)) forElsewhere(request.headers);
  return request;
}

/** The headers of the request that may be sent to a URL. `content-length` is left out, because the body may change. */
function headersFor(url: string, { url: own, headers }: FallbackRequest): HttpHeaders {
  const { 'content-length': _length, ...kept } = headers;
  return isSameOrigin(url, own) ? kept : ordinaryHeaders(kept);
}

/** `url` without the credentials that it has from `given`. */
function withoutCredentialsOf(given: string, url: string): string {
  if (!canParseUrl(given, RELATIVE) || !canParseUrl(url, RELATIVE)) return url;
  const [from, to] = [new URL(given, RELATIVE), new URL(url, RELATIVE)];
  const carried = [...to.searchParams].filter(
    ([name, value]) =>
      from.searchParams.getAll(name).includes(value) && (isCredentialParameter(name) || redact(value) !== value),
  );
  const hasUserinfo = from.username + from.password !== '' && to.password === from.password;
  if (carried.length === 0 && !hasUserinfo) return url;
  for (const [name, value] of carried) to.searchParams.delete(name, value);
  if (hasUserinfo) {
    to.username = '';
    to.password = '';
  }
  return canParseUrl(url) ? to.href : to.pathname + to.search + to.hash;
}

/** Replaces the model in a JSON body or a form; any other body is returned unchanged. */
function withModel(body: unknown, model: string): unknown {
  if (typeof body === 'string') return withModelInText(body, model) ?? body;
  if (typeof body !== 'object' || body === null) return body;
  if (ArrayBuffer.isView(body) || body instanceof ArrayBuffer)
    return withModelInText(new TextDecoder().decode(body), model) ?? body;
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
