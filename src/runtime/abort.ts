/**
 * Abort signals of every kind: of another realm, of an older runtime, or of a package without `reason`. An abort ends
 * the wait at once, even if the other side ignores it.
 */

import { hasMethods } from './expect.ts';

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
  return hasMethods('addEventListener', 'removeEventListener')(value);
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
  // `AbortSignal.any` accepts only those of this realm.
  const isOfThisRealm: boolean = given instanceof AbortSignal;
  if (isOfThisRealm)
    return { signal: own === undefined ? given : AbortSignal.any([given, own.signal]), release: doNothing };
  const controller = own ?? new AbortController();
  const onAbort = (): void => controller.abort(reasonOf(given));
  given.addEventListener('abort', onAbort);
  if (given.aborted) onAbort();
  return { signal: controller.signal, release: () => given.removeEventListener('abort', onAbort) };
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

/** Calls back in the next task of the event loop, after all that is settled already. Fake timers do not stop it. */
export function inNextTask(callback: () => void): void {
  if (typeof MessageChannel !== 'function') {
    setTimeout(callback, 0);
    return;
  }
  const { port1, port2 } = new MessageChannel();
  port1.onmessage = () => {
    port1.close();
    callback();
  };
  port2.postMessage(null);
}

function doNothing(): void {}
