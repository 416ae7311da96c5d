/**
 * Runs in Node without what Safari 16.4, Chrome 110 or React Native 0.76 does not have:
 * `node old-globals.mjs <origin> <refused URL>`. It is hidden from the package and its dependencies only, because Node's
 * own fetch uses some of it.
 */

/** What is hidden, by the object that has it. */
const NEWER: readonly (readonly [owner: object | undefined, names: string])[] = [
  [globalThis, 'DOMException crypto structuredClone AsyncLocalStorage scheduler'],
  [Promise, 'withResolvers try'],
  [AbortSignal, 'any timeout'],
  [AbortSignal.prototype, 'throwIfAborted'],
  [URL, 'canParse parse'],
  [Array, 'fromAsync'],
  [Array.prototype, 'toReversed toSorted toSpliced with findLast findLastIndex'],
  [Object.getPrototypeOf(Uint8Array.prototype), 'toReversed toSorted with findLast findLastIndex'],
  [Uint8Array, 'fromBase64 fromHex'],
  [Uint8Array.prototype, 'toBase64 toHex'],
  [Object, 'groupBy'],
  [Map, 'groupBy'],
  [Set.prototype, 'union intersection difference symmetricDifference isSubsetOf isSupersetOf isDisjointFrom'],
  [
    Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]())),
    'map filter take drop flatMap reduce toArray forEach some every find',
  ],
  [String.prototype, 'isWellFormed toWellFormed'],
  [RegExp, 'escape'],
  [Response, 'json'],
  [ReadableStream, 'from'],
  [ReadableStream.prototype, 'values'],
];

const PACKAGES = /\/node_modules\/(?:retry-transport|p-retry|is-network-error)\//;

/** Whether code of the package reads a property: the line after that of the getter names its file. */
function isReadByPackage(): boolean {
  return PACKAGES.test(new Error('Who reads?').stack?.split('\n')[3] ?? '');
}

for (const [owner, names] of NEWER) {
  for (const name of names.split(' ')) {
    const value: unknown = owner && Reflect.get(owner, name);
    if (owner === undefined || value === undefined) continue;
    Object.defineProperty(owner, name, { configurable: true, get: () => (isReadByPackage() ? undefined : value) });
  }
}

// Not bundled: the package is imported after this.
const program = './node.mjs';
await import(program);
