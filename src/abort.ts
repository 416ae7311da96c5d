/** Racing a promise with a signal, so that an abort is felt at once even where the other side does not listen. */

/**
 * Settles as `promise` does, or rejects with `signal.reason` as soon as the signal aborts. A value that comes after
 * that is handed to `late`; a late rejection is swallowed. Leaves no listener behind.
 *
 * @param fulfilled what to make of the value, as in `then` but without the cost of another promise
 * @param rejected what to make of the rejection, the abort's included
 */
export function raceAbort<T>(promise: Promise<T>, signal: AbortSignal, late: (value: T) => void): Promise<T>;
export function raceAbort<T, R>(
  promise: Promise<T>,
  signal: AbortSignal,
  late: (value: T) => void,
  fulfilled: (value: T) => R | Promise<R>,
  rejected: (error: unknown) => Promise<R>,
): Promise<R>;
export function raceAbort<T>(
  promise: Promise<T>,
  signal: AbortSignal,
  late: (value: T) => void,
  fulfilled: (value: T) => T | Promise<T> = (value) => value,
  rejected: (error: unknown) => Promise<T> = (error) => Promise.reject(error),
): Promise<T> {
  return new Promise((resolve) => {
    let open = true;
    const onAbort = (): void => {
      open = false;
      signal.removeEventListener('abort', onAbort);
      resolve(rejected(signal.reason));
    };
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort);
    promise.then(
      (value) => {
        if (!open) {
          late(value);
          return;
        }
        signal.removeEventListener('abort', onAbort);
        resolve(fulfilled(value));
      },
      (error: unknown) => {
        if (!open) return;
        signal.removeEventListener('abort', onAbort);
        resolve(rejected(error));
      },
    );
  });
}
