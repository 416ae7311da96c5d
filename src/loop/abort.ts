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
  return new Promise((resolve, reject) => {
    let open = false;
    const onAbort = (): void => {
      open = false;
      signal.removeEventListener('abort', onAbort);
      resolve(rejected(signal.reason));
    };
    promise.then(
      (value) => {
        if (open) {
          signal.removeEventListener('abort', onAbort);
          open = false;
          try {
            resolve(fulfilled(value));
          } catch (error) {
            reject(error);
          }
        } else late(value);
      },
      (error: unknown) => {
        if (!open) return;
        signal.removeEventListener('abort', onAbort);
        resolve(rejected(error));
      },
    );
    // Last, because it throws for what is no signal, and by then nothing may be left unhandled.
    if (signal.aborted) {
      resolve(rejected(signal.reason));
      return;
    }
    signal.addEventListener('abort', onAbort);
    open = true;
  });
}
