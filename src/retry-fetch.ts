/** `createRetryFetch`: the loop in the shape of `fetch`, for every SDK that takes one. */

import type { RetryConfig } from './policy/config.ts';
import { mergeConfig, type Policy, resolveConfig } from './policy/policy.ts';
import type { AttemptChanges, Exchange } from './loop/exchange.ts';
import type { Target } from './fallback/fallback.ts';
import { isBodyInit } from './fallback/request-parts.ts';
import { changeInit, copyRequest, isRequest, plainInit, type RequestCopy } from './loop/request-copy.ts';
import { recordOf, withHeader } from './fallback/request-parts.ts';
import { isSignal, reasonOf } from './loop/abort.ts';
import { run } from './loop/retry-loop.ts';
import { sendSafely } from './loop/send.ts';
import { startTimer } from './runtime.ts';
import { discard } from './stream/response-body.ts';
import type { Fetch } from './transport.ts';

/** A `fetch` that asks again when asking again can help. */
export type RetryFetch = Fetch & {
  /**
   * The same with other options, for one call or one conversation; what is not said stays as it is. Shares the gate and
   * the fallback chain.
   */
  with(overrides: RetryConfig): RetryFetch;
};

/**
 * Wraps a `fetch`. The answer is the very `Response` that the inner fetch gave; a call that is given up gives its last
 * one, unread. Rejects with what the inner fetch threw last, or with the reason of an abort.
 *
 * @param inner @default `globalThis.fetch`, looked up at each call
 * @throws TypeError if an option is invalid; the message names it
 */
export function createRetryFetch(inner?: Fetch, config?: RetryConfig): RetryFetch;
export function createRetryFetch(config: RetryConfig): RetryFetch;
export function createRetryFetch(inner?: Fetch | RetryConfig, config: RetryConfig = {}): RetryFetch {
  if (typeof inner === 'object' && inner !== null) return createRetryFetch(undefined, inner);
  if (inner !== undefined && typeof inner !== 'function') {
    throw new TypeError(
      'Expected `inner` to be a fetch function, or undefined for the global one: createRetryFetch(fetch, { … }).',
    );
  }
  const policy = resolveConfig(config);
  const innerFetch = inner === undefined ? globalFetch() : () => inner;
  const fetch: Fetch = (input, init) => callOnce(policy, innerFetch(), input, init);
  // It says of itself what the fetch that it stands for says; a runtime may have none at this moment.
  const { name, length } = named(inner ?? globalThis.fetch);
  Object.defineProperties(fetch, { name: { value: name }, length: { value: length } });
  if (inner === undefined) overGlobalFetch.add(fetch);
  return Object.assign(fetch, {
    with: (overrides: RetryConfig) => createRetryFetch(inner, mergeConfig(policy.config, overrides)),
  });
}

function named(fetch: Fetch | undefined): { readonly name: string; readonly length: number } {
  return fetch ?? { name: 'fetch', length: 1 };
}

/** The wrappers of the global fetch. One of them may become the global fetch itself, and must not call itself then. */
const overGlobalFetch = /* @__PURE__ */ new WeakSet<Fetch>();

/** Looks the global fetch up at each call. Where it is a wrapper of ours, what it was before. */
function globalFetch(): () => Fetch {
  let known = globalThis.fetch;
  return () => {
    const current = globalThis.fetch;
    if (!overGlobalFetch.has(current)) known = current;
    return known;
  };
}

function callOnce(
  policy: Policy,
  inner: Fetch,
  input: Parameters<Fetch>[0],
  init: RequestInit | undefined,
): Promise<Response> {
  let exchange: FetchExchange;
  try {
    exchange = new FetchExchange(inner, policy, input, init);
  } catch {
    // Arguments that cannot be copied are for fetch to refuse, in its own words.
    return init === undefined ? inner(input) : inner(input, init);
  }
  return exchange.signal?.aborted === true ? refuse(policy, exchange) : run(policy, exchange);
}

/**
 * A call that is aborted already. Its side effects (a cancelled body, `bodyUsed`) and the words in which invalid arguments
 * are refused are those of the inner fetch; one that ignores the signal is not waited for.
 */
async function refuse(policy: Policy, exchange: FetchExchange): Promise<Response> {
  const refused = sendSafely(exchange, 1, true, undefined).then(discard, (error: unknown) => {
    if (error instanceof TypeError) throw error;
  });
  await Promise.race([refused, new Promise<void>((resolve) => startTimer(0, resolve))]);
  return run(policy, exchange);
}

/** One is made for every call: plain fields, for those with a # take twice as long to set. */
class FetchExchange implements Exchange<Response> {
  readonly signal: AbortSignal | undefined;
  readonly wording = undefined;
  private readonly inner: Fetch;
  private readonly input: Parameters<Fetch>[0];
  private readonly init: RequestInit | undefined;
  private copy: RequestCopy | undefined;
  private isDeferred = false;

  constructor(inner: Fetch, policy: Policy, input: Parameters<Fetch>[0], init: RequestInit | undefined) {
    this.inner = inner;
    this.input = input;
    this.init = init;
    // `signal: null` takes a request's own signal away; what is no signal is for fetch to refuse.
    const signal = init?.signal === undefined ? requestOf(input)?.signal : init.signal;
    this.signal = signal && isSignal(signal) ? signal : undefined;
    this.copy = policy.repeats ? copyRequest(input, init) : undefined;
  }

  get method(): string {
    const method = this.init?.method ?? requestOf(this.input)?.method ?? 'GET';
    // Asked of every success, most of which are written so.
    return method === 'POST' ? method : method.toUpperCase();
  }

  get url(): string {
    return this.copy?.url ?? urlOf(this.input);
  }

  get headers(): HeadersInit | undefined {
    return this.copy === undefined ? (this.init?.headers ?? requestOf(this.input)?.headers) : this.copy.headers;
  }

  get body(): unknown {
    return this.init?.body;
  }

  get replayable(): boolean {
    return this.copy?.replayable ?? true;
  }

  send(attempt: number, last: boolean, changes: AttemptChanges | undefined): Promise<Response> {
    const inner = this.inner;
    const isOwn = attempt === 1 && !this.isDeferred;
    if (isOwn && changes === undefined) {
      return this.init === undefined ? inner(this.input) : inner(this.input, this.init);
    }
    const [input, init] = isOwn || this.copy === undefined ? [this.input, this.init] : this.copy.next(last);
    if (changes === undefined) return init === undefined ? inner(input) : inner(input, init);
    if (changes.target !== undefined) return this.#sendTo(changes.target, input, init ?? {}, changes);
    const changed: RequestInit = {};
    if (changes.signal !== undefined) changed.signal = changes.signal;
    for (const [name, value] of Object.entries(changes.headers)) {
      changed.headers = withHeader(changed.headers ?? init?.headers ?? requestOf(input)?.headers, name, value);
    }
    return inner(input, changeInit(init ?? {}, changed));
  }

  defer(): void {
    this.copy ??= copyRequest(this.input, this.init);
    this.isDeferred = true;
  }

  release(): void {
    this.copy?.release();
  }

  /** A target gets the request in pieces that it can rewrite: its body as text, where it is one. */
  async #sendTo(
    target: Target,
    input: Parameters<Fetch>[0],
    init: RequestInit,
    changes: AttemptChanges,
  ): Promise<Response> {
    const request = requestOf(input);
    const given = init.body ?? (request?.body ? await readBody(request) : undefined);
    const headers = recordOf(init.headers ?? request?.headers);
    const answer = target.requestFor({ url: this.url, headers, body: given });
    // Awaited only where it has to be: a key may be marked by another call in the meantime.
    const rewritten = answer instanceof Promise ? await answer : answer;
    const signal = changes.signal ?? this.signal;
    if (signal?.aborted === true) throw reasonOf(signal);
    const [body, isJson] = bodyInitOf(rewritten.body, given);
    let sent = isJson ? withHeader(rewritten.headers, 'content-type', 'application/json') : rewritten.headers;
    for (const [name, value] of Object.entries(changes.headers)) sent = withHeader(sent, name, value);
    const inner = target.fetch ?? this.inner;
    const settings = request === undefined ? init : { ...settingsOf(request), ...plainInit(init) };
    return inner(
      rewritten.url,
      changeInit(settings, {
        method: this.method,
        headers: sent,
        ...(body !== undefined && { body }),
        ...(changes.signal !== undefined && { signal: changes.signal }),
      }),
    );
  }
}

/** As text, where it is one: that is what a target can rewrite. */
async function readBody(request: Request): Promise<string | ArrayBuffer> {
  const bytes = await request.arrayBuffer();
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return bytes;
  }
}

/** What a target did not touch is sent as it is; what it made, and is no body, as JSON. */
function bodyInitOf(
  body: unknown,
  given: BodyInit | undefined,
): readonly [body: BodyInit | null | undefined, isJson: boolean] {
  if (body === given) return [given, false];
  if (body === undefined || isBodyInit(body)) return [body, false];
  return [JSON.stringify(body), true];
}

/** What a `Request` says beside its url, headers, body and signal. */
function settingsOf({ redirect, credentials, cache, keepalive, referrerPolicy }: Request): RequestInit {
  const settings = { redirect, credentials, cache, keepalive, referrerPolicy };
  // Some runtimes know only a few of them.
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}

const requestOf = (input: Parameters<Fetch>[0]): Request | undefined => (isRequest(input) ? input : undefined);

const urlOf = (input: Parameters<Fetch>[0]): string => (isRequest(input) ? input.url : `${input}`);
