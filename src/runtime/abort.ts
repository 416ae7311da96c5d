/**
 * Abort signals of every kind: of another realm, of an older runtime, or of a package without `reason`. An abort ends
 * the wait at once, even if the other side ignores it.
 */

import { doNothing, isNode22 } from './runtime.ts';
import { get, hasMethod, isObject } from './values.ts';

/** The reason of an abort; for a signal without one, an `AbortError` as fetch would throw. */
export function reasonOf(signal: AbortSignal): unknown {
  return signal.reason === undefined ? abortError('This operation was aborted', 'AbortError') : signal.reason;
}

/** React Native has no `DOMException`. */
export function abortError(message: string, name: 'AbortError' | 'TimeoutError'): Error {
  return typeof DOMException === 'function'
    ? new DOMException(message, name)
    : Object.assign(new Error(message), { name });
}

/** @throws the reason of an abort */
export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted === true) throw reasonOf(signal);
}

/** Whether it is usable as a signal; fetch itself refuses anything else. */
export function isSignal(value: unknown): value is AbortSignal {
  return hasMethod(value, 'addEventListener') && hasMethod(value, 'removeEventListener');
}

/**
 * A signal that aborts when either of two does, or has: always an `AbortSignal` of this realm; undefined if there is
 * none. `release` removes the listener.
 */
export function eitherSignal(
  given: AbortSignal | undefined,
  own?: AbortController,
): { readonly signal: AbortSignal | undefined; readonly release: () => void } {
  if (given === undefined) return { signal: own?.signal, release: doNothing };
  const isOfThisRealm: boolean = given instanceof AbortSignal;
  if (isOfThisRealm && own === undefined) return { signal: given, release: doNothing };
  // `AbortSignal.any` accepts only those of this realm.
  if (isOfThisRealm && own !== undefined && hasSoundAny())
    return { signal: AbortSignal.any([given, own.signal]), release: doNothing };
  const controller = own ?? new AbortController();
  return { signal: controller.signal, release: abortWith(given, controller) };
}

/** Aborts the controller when a signal aborts, or has; the returned function removes the listener. */
export function abortWith(given: AbortSignal | undefined, controller: AbortController): () => void {
  if (given === undefined) return doNothing;
  const onAbort = (): void => controller.abort(reasonOf(given));
  given.addEventListener('abort', onAbort, { once: true });
  if (given.aborted) onAbort();
  return () => given.removeEventListener('abort', onAbort);
}

/**
 * Safari 16.4 and React Native have no `AbortSignal.any`. In Node 22 it keeps memory for as long as the older signal
 * exists.
 */
function hasSoundAny(): boolean {
  return typeof AbortSignal.any === 'function' && !isNode22();
}

let collected: FinalizationRegistry<() => void> | undefined;

/**
 * Releases a signal of {@link eitherSignal} that the body of a response still needs: after the body has been collected,
 * and never where the runtime does not tell.
 */
export function releaseAfter(response: unknown, release: () => void): void {
  if (release === doNothing) return;
  const body = get(response, 'body');
  const owner = isObject(body) ? body : response;
  if (!isObject(owner)) return release();
  if (typeof FinalizationRegistry !== 'function') return;
  collected ??= new FinalizationRegistry((held) => held());
  collected.register(owner, release);
}

/**
 * Settles as `promise` does, or rejects with the signal's reason as soon as the signal aborts. After that, a value is
 * passed to `late`, and a rejection is ignored. Leaves no listener behind.
 *
 * @param abort calls `end` at once, or later: until then the promise may still settle
 */
export function raceAbort<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
  late: (value: T) => void = doNothing,
  abort: (end: () => void) => void = atOnce,
): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    let isOpen = true;
    const close = (): boolean => {
      const wasOpen = isOpen;
      isOpen = false;
      if (wasOpen) signal.removeEventListener('abort', onAbort);
      return wasOpen;
    };
    const end = (): void => {
      if (close()) reject(reasonOf(signal));
    };
    const onAbort = (): void => abort(end);
    promise.then(
      (value) => (close() ? resolve(value) : late(value)),
      (error: unknown) => {
        if (close()) reject(error);
      },
    );
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort);
  });
}

const atOnce = (end: () => void): void => end();
