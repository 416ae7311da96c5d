/** `createRetryFetch`: a `fetch` with retries, for every SDK that takes one. */

import type { RetryFetchConfig } from './options/config.ts';
import type { Attempt, GaveUp } from './loop/face.ts';
import { FIRST, sendSafely } from './loop/sending.ts';
import { GivenUpCalls, type SentBefore } from './http/given-up.ts';
import { EQUAL_REQUESTS, HOLD_BUDGET, type HoldBudget } from './http/repeats.ts';
import { copyRequest, type RequestCopy } from './http/request-copy.ts';
import { isSignal } from './runtime/abort.ts';
import { inNextTask } from './runtime/runtime.ts';
import { type Wrap, wrapOver } from './http/global-fetch.ts';
import { run } from './loop/retry-loop.ts';
import { changeInit, isRequest, sendTo, withHeader } from './http/request-parts.ts';
import { HttpFace, runIfChosen } from './http/http-face.ts';
import { type HttpPolicy, resolveHttp, resolveHttpWith } from './http/http-policy.ts';
import type { SentRequest } from './http/model-request.ts';
import { wordsOf } from './http/request-words.ts';
import type { Target } from './route/route.ts';
import { discard } from './body/response-body.ts';
import type { Fetch, HttpHeaders } from './transport.ts';

type GlobalFetch = typeof globalThis.fetch;

/** With the members of the runtime's own `fetch`, such as Bun's `preconnect`; most runtimes have none. */
type FetchOfRuntime = [keyof GlobalFetch] extends [never] ? Fetch : Fetch & Pick<GlobalFetch, keyof GlobalFetch>;

/** A `fetch` with retries, which shows the properties of the inner fetch. */
export type RetryFetch = FetchOfRuntime & {
  /**
   * A copy with other options, for one call or one conversation; options that are not given are kept, and listeners are
   * added. It shares the gate, the fallback chain, and what it remembers of calls that were given up.
   */
  with(overrides: RetryFetchConfig): RetryFetch;
};

/**
 * Wraps a `fetch` with retries. Resolves with the same `Response` object that the inner fetch returned; a call that is
 * given up resolves with the last response, unread. Rejects with the last error of the inner fetch, or with the reason
 * of an abort.
 *
 * @throws TypeError if an option is invalid; the message names it
 */
export function createRetryFetch(config: RetryFetchConfig = {}): RetryFetch {
  // In JavaScript the second argument of other libraries would pass silently.
  if (arguments.length > 1) throw new TypeError('Expected one argument, such as createRetryFetch({ fetch }).');
  const policy = resolveHttp('createRetryFetch', config);
  const givenUp = new GivenUpCalls(policy.runtime, Reflect.get(config, EQUAL_REQUESTS));
  return retryFetchOver(wrapOver(policy.config.fetch), policy, givenUp);
}

function retryFetchOver(wrap: Wrap, policy: HttpPolicy, givenUp: GivenUpCalls): RetryFetch {
  const inner = policy.config.fetch;
  const fetch = wrap((current, input, init) => callOnce(policy, givenUp, current, input, init));
  // Has the name and length of the fetch that it wraps. The runtime may have no global fetch yet.
  const { name, length } = named((inner as Fetch | undefined) ?? globalThis.fetch);
  Object.defineProperties(fetch, { name: { value: name }, length: { value: length } });
  return Object.assign(fetch, {
    with: (overrides: RetryFetchConfig) => {
      const other = resolveHttpWith('createRetryFetch', policy, overrides);
      return retryFetchOver(other.config.fetch === inner ? wrap : wrapOver(other.config.fetch), other, givenUp);
    },
  });
}

function named(fetch: Fetch | undefined): { readonly name: string; readonly length: number } {
  return fetch ?? { name: 'fetch', length: 1 };
}

function callOnce(
  policy: HttpPolicy,
  givenUp: GivenUpCalls,
  inner: Fetch,
  input: Parameters<Fetch>[0],
  init: RequestInit | undefined,
): Promise<Response> {
  let chosen: boolean | undefined = true;
  if (policy.chooses !== undefined) {
    try {
      chosen = isChosen(policy.chooses, input, init);
    } catch (error) {
      return Promise.reject(error);
    }
    if (chosen === false) return sendTo(inner, input, init);
  }
  let face: FetchFace;
  try {
    face = new FetchFace(inner, policy, givenUp, input, init);
  } catch {
    // The inner fetch refuses arguments that cannot be copied, with its own error.
    return sendTo(inner, input, init);
  }
  if (face.signal?.aborted === true) return refuse(face);
  if (chosen === true) return begin(face);
  return beginIfChosen(face, init);
}

/** A function of its own, because a closure makes each call of the function that holds it slower. */
function beginIfChosen(face: FetchFace, init: RequestInit | undefined): Promise<Response> {
  // The caller may change an init after the call, but not a `Request`.
  if (init !== undefined) face.defer();
  return runIfChosen(face, () => begin(face));
}

/** A call, or the one that it repeats. */
function begin(face: FetchFace): Promise<Response> {
  return face.givenUp.isEmpty ? run(face.policy, face) : sendAfter(face);
}

/** A function of its own too. */
function sendAfter(face: FetchFace): Promise<Response> {
  const { policy, givenUp } = face;
  return givenUp.send(face.sent, policy.config.exhausted === 'throw', (before) => run(policy, face, before));
}

/** Arguments that cannot be read are left for the inner fetch to refuse. */
function isChosen(
  chooses: NonNullable<HttpPolicy['chooses']>,
  input: Parameters<Fetch>[0],
  init: RequestInit | undefined,
): boolean | undefined {
  let request: SentRequest;
  try {
    request = { method: methodOf(input, init), url: urlOf(input), words: wordsOf(sourceOf(input, init)) };
  } catch {
    return true;
  }
  return chooses(request);
}

/**
 * Handles a call whose signal is already aborted. It is passed to the inner fetch, so that its side effects (a
 * cancelled body, `bodyUsed`) and its errors for invalid arguments are the usual ones. The call rejects even if the
 * inner fetch ignores the signal.
 */
async function refuse(face: FetchFace): Promise<Response> {
  const refused = sendSafely(face, FIRST).then(discard, (error: unknown) => ({ error }));
  const refusal = await Promise.race([refused, new Promise<void>((resolve) => inNextTask(resolve))]);
  // Tells the listeners, and rejects with the reason.
  return run(face.policy, face).catch((reason: unknown) => {
    throw typeof refusal === 'object' ? refusal.error : reason;
  });
}

class FetchFace extends HttpFace<Response> {
  declare private readonly inner: Fetch;
  declare readonly givenUp: GivenUpCalls;
  declare private readonly input: Parameters<Fetch>[0];
  declare private readonly init: RequestInit | undefined;
  declare private copy: RequestCopy | undefined;

  constructor(
    inner: Fetch,
    policy: HttpPolicy,
    givenUp: GivenUpCalls,
    input: Parameters<Fetch>[0],
    init: RequestInit | undefined,
  ) {
    // `signal: null` removes the signal of a `Request`. fetch itself refuses a value that is not a signal.
    const signal = init?.signal === undefined ? requestOf(input)?.signal : init.signal;
    super(policy, signal && isSignal(signal) ? signal : undefined);
    this.inner = inner;
    this.givenUp = givenUp;
    this.input = input;
    this.init = init;
    this.copy = policy.repeats ? copyRequest(input, init) : undefined;
    if (this.copy?.usedUp === true) this.isDeferred = true;
  }

  get method(): string {
    return methodOf(this.input, this.init);
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

  protected get source(): unknown {
    return sourceOf(this.input, this.init);
  }

  /** The caller's own `Request` has been sent, or will be. */
  protected override get spareSource(): unknown {
    const { source } = this;
    return isRequest(source) ? (this.copy?.spare ?? source) : source;
  }

  get holdBudget(): HoldBudget | undefined {
    // An init may be no object where the runtime accepts that.
    return Reflect.get(Object(this.init), HOLD_BUDGET);
  }

  get replayable(): boolean {
    return this.copy?.replayable ?? true;
  }

  protected get innerSecrets(): readonly string[] {
    return [];
  }

  protected sendOwn(
    isFirst: boolean,
    signal: AbortSignal | undefined,
    headers: HttpHeaders | undefined,
  ): Promise<Response> {
    const isUnchanged = signal === undefined && headers === undefined;
    if (isFirst && isUnchanged) return sendTo(this.inner, this.input, this.init);
    return this.sendAgain(isFirst, signal, headers);
  }

  private sendAgain(
    isFirst: boolean,
    signal: AbortSignal | undefined,
    headers: HttpHeaders | undefined,
  ): Promise<Response> {
    const { inner } = this;
    const isUnchanged = signal === undefined && headers === undefined;
    const [input, init] = isFirst ? [this.input, this.init] : this.next();
    const isCacheable = !isFirst && /^(?:GET|HEAD)$/.test(this.method);
    if (isUnchanged && !isCacheable) return sendTo(inner, input, init);
    const changed: RequestInit = {};
    // A cache may answer a repeat with the failure that it has stored.
    if (isCacheable && init?.cache === undefined && takesCache()) changed.cache = 'no-store';
    if (signal !== undefined) changed.signal = signal;
    for (const [name, value] of Object.entries(headers ?? {}))
      changed.headers = withHeader(changed.headers ?? init?.headers ?? requestOf(input)?.headers, name, value);
    // React's server components answer a GET without a signal as they did before.
    const isMemorable = isCacheable && signal === undefined && !init?.signal;
    const own = isMemorable ? (this.signal ?? new AbortController().signal) : undefined;
    return inner(input, changeInit(init ?? {}, changed, own));
  }

  protected sendTo(target: Target, attempt: Attempt<Response>, headers: HttpHeaders): Promise<Response> {
    const { inner, method, url } = this;
    const [input, init] = attempt.number === 1 && !this.isDeferred ? [this.input, this.init] : this.next();
    const signal = attempt.signal ?? this.signal;
    return target.sendFetch({ inner, input, init, method, url, signal, headers }, (request) =>
      this.rewritten(target, attempt, request),
    );
  }

  private next(): readonly [Parameters<Fetch>[0], RequestInit | undefined] {
    return this.copy === undefined ? [this.input, this.init] : this.copy.next();
  }

  defer(): void {
    this.copy ??= copyRequest(this.input, this.init);
    this.isDeferred = true;
  }

  override release(): void {
    this.copy?.release();
  }

  unsent(reason: unknown): void {
    discard(isRequest(this.source) ? this.source : this.init, reason);
  }

  /** What tells this request from others. A `Request` with a body of its own is another one each time. */
  get sent(): SentBefore {
    const { method, url, headers, input, init } = this;
    const request = requestOf(input);
    return { method, url, headers, body: init?.body ?? (request?.body ? request : undefined) };
  }

  override gaveUp(end: GaveUp<Response>): void {
    // Without retries of our own there is only one layer.
    if (this.copy !== undefined) this.givenUp.remember(this.sent, end);
  }
}

/** Not every runtime has the option, and one of them refuses it. */
const takesCache = (): boolean => typeof Request === 'function' && 'cache' in Request.prototype;

const requestOf = (input: Parameters<Fetch>[0]): Request | undefined => (isRequest(input) ? input : undefined);

function methodOf(input: Parameters<Fetch>[0], init: RequestInit | undefined): string {
  // fetch accepts any value that has a text.
  const method: unknown = init?.method ?? requestOf(input)?.method ?? 'GET';
  // Read for every success, and most are in upper case.
  return method === 'POST' ? method : String(method).toUpperCase();
}

/** What has the body. */
const sourceOf = (input: Parameters<Fetch>[0], init: RequestInit | undefined): unknown =>
  init?.body ?? requestOf(input);

const urlOf = (input: Parameters<Fetch>[0]): string => (isRequest(input) ? input.url : `${input}`);
