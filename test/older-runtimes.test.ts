import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/** What Safari 16.4, Chrome 110 or React Native 0.76 does not have, as it would be written. */
const NEWER: Readonly<Record<string, RegExp>> = {
  'Promise.withResolvers': /\bPromise\.(?:withResolvers|try)\b/,
  'URL.canParse': /\bURL\.(?:canParse|parse)\b/,
  'AbortSignal.timeout': /\bAbortSignal\.timeout\b/,
  'signal.throwIfAborted': /\.throwIfAborted\(/,
  'copying array methods': /\.(?:toReversed|toSorted|toSpliced|findLast|findLastIndex)\(/,
  groupBy: /\b(?:Object|Map)\.groupBy\b/,
  'Array.fromAsync': /\bArray\.fromAsync\b/,
  'Set methods': /\.(?:isSubsetOf|isSupersetOf|isDisjointFrom|symmetricDifference)\(/,
  'iterator helpers':
    /\.(?:values|keys|entries)\(\)\.(?:map|filter|some|every|find|toArray|forEach|reduce|take|drop)\(/,
  'RegExp.escape': /\bRegExp\.escape\b/,
  'base64 of bytes': /\.(?:toBase64|toHex|fromBase64|fromHex)\(/,
  'well-formed texts': /\.(?:isWellFormed|toWellFormed)\(/,
  'ReadableStream.from': /\bReadableStream\.from\b/,
  'Response.json': /\bResponse\.json\b/,
  structuredClone: /\bstructuredClone\b/,
  'a disposal': /\b(?:await )?using \w+ =/,
  'the flag v of patterns': /\/[dgimsuy]*v[dgimsuy]*(?=[.,;)])/,
  DOMException: /(?<!typeof )\bDOMException\((?!message, name\))/,
};

/** Entries that run in Node only. */
const NODE_ONLY = /^(?:cli|proxy|report)\/|^undici\.ts$/;

const root = fileURLToPath(new URL('../src', import.meta.url));
const files = readdirSync(root, { withFileTypes: true, recursive: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));

test.each(Object.entries(NEWER))('no source that runs in a browser or in React Native uses %s', (_name, pattern) => {
  const users = files.filter((file) => {
    if (NODE_ONLY.test(file)) return false;
    const code = readFileSync(join(root, file), 'utf8').replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '');
    return pattern.test(code);
  });
  expect(users).toEqual([]);
});
