/**
 * Removes the waits from a measurement: timers of about the length of the policy's wait fire as microtasks. All others
 * are real, such as the time limits that some subjects set for an attempt.
 */

/** A length that no subject uses for another purpose. */
export const WAIT_MS = 40;

/** Some subjects count a wait from the response on, so their timers are a little shorter. */
const SHORTEST_MS = 25;

export async function withoutWaits<T>(run: () => Promise<T>): Promise<T> {
  const { setTimeout: realSet, clearTimeout: realClear } = globalThis;
  const fired = { ref: () => fired, unref: () => fired, hasRef: () => true };
  const set = (task: (...args: unknown[]) => void, ms = 0, ...args: unknown[]): unknown => {
    if (ms < SHORTEST_MS || ms > WAIT_MS) return realSet(task, ms, ...args);
    queueMicrotask(() => task(...args));
    return fired;
  };
  const clear = (timer: Parameters<typeof realClear>[0]): void => {
    if (!Object.is(timer, fired)) realClear(timer);
  };
  Reflect.set(globalThis, 'setTimeout', set);
  Reflect.set(globalThis, 'clearTimeout', clear);
  try {
    return await run();
  } finally {
    Reflect.set(globalThis, 'setTimeout', realSet);
    Reflect.set(globalThis, 'clearTimeout', realClear);
  }
}
