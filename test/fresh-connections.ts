/**
 * Node's own fetch starts its timers by the global `setTimeout`. A response that ends after its test file would start one
 * under the fake timers of the next file, which counts it among its own.
 */

interface Dispatcher {
  close(): Promise<void>;
}

/** Where Node keeps the connections of its fetch: the newer place, and the older one that wraps it. */
const [NEWER, OLDER] = [2, 1].map((version) => Symbol.for(`undici.globalDispatcher.${version}`)) as [symbol, symbol];

/** Gives Node's fetch new connections. The old ones are closed: at once if they are idle, else after their response. */
export function freshenConnections(): void {
  const newer = dispatcherAt(NEWER);
  const older = dispatcherAt(OLDER);
  if (newer === undefined && older === undefined) return;
  const fresh = newer === undefined ? like(older) : like(newer);
  if (newer !== undefined) Reflect.set(globalThis, NEWER, fresh);
  if (older !== undefined) Reflect.set(globalThis, OLDER, newer === undefined ? fresh : like(older, fresh));
  void (newer ?? older)?.close().catch(() => {});
}

/** undefined until fetch was used. */
function dispatcherAt(place: symbol): Dispatcher | undefined {
  return Reflect.get(globalThis, place) as Dispatcher | undefined;
}

function like(dispatcher: Dispatcher | undefined, ...args: readonly unknown[]): unknown {
  return dispatcher && Reflect.construct(dispatcher.constructor, args);
}
