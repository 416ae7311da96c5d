/**
 * What a request over `fetch` and one over a transport share: what it is, what an attempt changes in it, and what came
 * of it. Created for every call, so it has plain fields: private names (#) take twice as long to set.
 */

import type { GateRequest } from '../gate/gate.ts';
import type { Attempt, Face, GateFacts, GaveUp, Judged, Settled } from '../loop/face.ts';
import { DEFAULT_OPERATION, expectUndoable, type Operation, operationFrom } from '../options/operation.ts';
import { secretsOf } from '../redact/redact.ts';
import type { FallbackRequest, RouteRequest, Target } from '../route/route.ts';
import { createId } from '../runtime/runtime.ts';
import type { HttpHeaders } from '../transport.ts';
import type { HttpCall } from './http-call.ts';
import type { HttpPolicy } from './http-policy.ts';
import { isPlain, judge } from './judge.ts';
import { headersOf, isSuccess } from './response-like.ts';
import { recordOf } from './request-parts.ts';
import { readWords, type Words, wordsOf } from './request-words.ts';
import { discard } from '../body/response-body.ts';

export abstract class HttpFace<R> implements Face<R>, HttpCall, RouteRequest {
  declare readonly policy: HttpPolicy;
  declare readonly signal: AbortSignal | undefined;
  /** Whether the first attempt is sent later than the call. */
  declare protected isDeferred: boolean;
  /** Set only when they are needed. */
  declare private known?: readonly string[];
  declare private knownWords?: Words | undefined;
  /** By target; undefined is the caller's own request. */
  declare private keys?: Map<Target | undefined, string>;

  constructor(policy: HttpPolicy, signal: AbortSignal | undefined) {
    this.policy = policy;
    this.signal = signal;
    this.isDeferred = false;
  }

  abstract get method(): string;
  /** As the caller gave it. Never shown unscrubbed. */
  abstract get url(): string;
  abstract get headers(): HeadersInit | undefined;
  abstract get body(): unknown;
  /** What has the body: the body itself, or a `Request`. */
  protected abstract get source(): unknown;
  /** Whether it can be sent again. */
  abstract get replayable(): boolean;
  /** Secrets that the inner transport adds. */
  protected abstract get innerSecrets(): readonly string[];
  /** Sends the caller's own request. `isFirst`: with the caller's own arguments. */
  protected abstract sendOwn(
    isFirst: boolean,
    signal: AbortSignal | undefined,
    headers: HttpHeaders | undefined,
  ): Promise<R>;
  protected abstract sendTo(target: Target, attempt: Attempt<R>, headers: HttpHeaders): Promise<R>;
  abstract unsent(reason: unknown): void;
  abstract defer(): void;
  release?(): void;
  gaveUp?(end: GaveUp<R>): void;

  get request(): this {
    return this;
  }

  get secrets(): readonly string[] {
    return (this.known ??= [...secretsOf(this), ...this.innerSecrets]);
  }

  get words(): Words | undefined {
    return (this.knownWords ??= wordsOf(this.source));
  }

  async readWords(): Promise<void> {
    this.knownWords ??= await readWords(this.spareSource, this.signal);
  }

  /** The same, where the body of the caller's own was used up. */
  protected get spareSource(): unknown {
    return this.source;
  }

  /** Sends the request as a caller without retries would. */
  async sendUntouched(): Promise<R> {
    try {
      return await this.sendOwn(!this.isDeferred, undefined, undefined);
    } finally {
      this.release?.();
    }
  }

  get operation(): Operation {
    const { method, url, policy } = this;
    const { operation } = policy.config;
    if (typeof operation !== 'function')
      return operationFrom(operation, () => this.words?.operation ?? DEFAULT_OPERATION);
    const named = operationFrom(operation({ method, url }) ?? 'undefined', () => DEFAULT_OPERATION);
    expectUndoable('operation()', named);
    return named;
  }

  get remembersValues(): boolean {
    return true;
  }

  at(target: Target): GateRequest {
    const { url, headers, body } = this;
    return target.offer?.({ url, headers: recordOf(headers), body }) ?? this;
  }

  send(attempt: Attempt<R>): Promise<R> {
    const { target, number, signal } = attempt;
    const { keyHeader } = this.policy;
    const headers = keyHeader === undefined ? undefined : { [keyHeader]: this.keyFor(target) };
    if (target !== undefined) return this.sendTo(target, attempt, headers ?? {});
    return this.sendOwn(number === 1 && !this.isDeferred, signal, headers);
  }

  isPlain(value: R): boolean {
    return isPlain(this.policy, this, value);
  }

  judge(settled: Settled<R>, attempt: Attempt<R>): Judged<R> | Promise<Judged<R>> {
    return judge(this, settled, attempt);
  }

  gateFacts(value: R): GateFacts | undefined {
    return isSuccess(value) ? { headers: headersOf(value), response: value, signal: this.signal } : undefined;
  }

  late(value: R): void {
    discard(value);
  }

  /** The request that a target gets. Its secrets are known from then on. */
  protected rewritten(
    target: Target,
    attempt: Attempt<R>,
    given: FallbackRequest,
  ): FallbackRequest | Promise<FallbackRequest> {
    const learnt = (request: FallbackRequest): FallbackRequest => {
      this.known = [...new Set([...this.secrets, ...secretsOf(request)])];
      return request;
    };
    const name = (this.policy.keyHeader ?? 'idempotency-key').toLowerCase();
    // A server refuses a key that comes with another body, or returns the answer to the first one.
    const isKept = attempt.isOwnRequest || given.headers[name] === undefined;
    const headers = isKept ? given.headers : { ...given.headers, [name]: this.keyFor(target) };
    const rewritten = target.requestFor({ ...given, headers });
    return rewritten instanceof Promise ? rewritten.then(learnt) : learnt(rewritten);
  }

  /** One key per target: another target, or another body, is another request. */
  private keyFor(target: Target | undefined): string {
    const keys = (this.keys ??= new Map());
    const key = keys.get(target) ?? createId();
    keys.set(target, key);
    return key;
  }
}

/** Sends a request of which only its body says whether it is retried; one that is not is sent once, untouched. */
export async function runIfChosen<R>(face: HttpFace<R>, begin: () => Promise<R>): Promise<R> {
  await face.readWords();
  return face.policy.chooses?.(face) === true ? begin() : face.sendUntouched();
}
