/**
 * What is wrong with the file of a recording, in words for its author. Types cannot see into JSON, and nothing but
 * this check and a reader stand between a pasted exchange and a published key.
 */

import { isObject, own, type JsonObject } from '../../src/runtime/values.ts';
import { FAILURES } from '../../src/failure/failure.ts';
import { redact } from '../../src/redact/redact.ts';

const FIDELITIES = ['verbatim', 'verbatim-body', 'reserialised', 'composed', 'abridged', 'redacted'];
const PHASES = ['response', 'before-content', 'after-content'];
const TYPES = Object.keys(FAILURES);

/** `[where, what it has to be, whether it is]`. */
type Rule = readonly [path: string, wanted: string, holds: (value: unknown, file: unknown) => boolean];

const isText = (value: unknown): value is string => typeof value === 'string';
const isFilled = (value: unknown): boolean => isText(value) && value.trim() !== '';
const isWhole = (value: unknown): value is number => Number.isInteger(value);
const isMs = (value: unknown): value is number => typeof value === 'number' && value >= 0;
const isOneOf = (words: readonly string[]) => (value: unknown) => isText(value) && words.includes(value);
const isOptional = (holds: (value: unknown) => boolean) => (value: unknown) => value === undefined || holds(value);
const oneOf = (words: readonly string[]): string => `one of ${words.join(', ')}`;

const RULES: readonly Rule[] = [
  ['', 'an object', isObject],
  ['provider', 'a name in lower case, such as "openai"', (value) => isText(value) && /^[a-z][a-z0-9-]*$/.test(value)],
  ['source', 'a place where a reader can check it', isFilled],
  ['fidelity', oneOf(FIDELITIES), isOneOf(FIDELITIES)],
  ['request.method', 'a method in capitals', (value) => isText(value) && /^[A-Z]+$/.test(value)],
  ['request.url', 'an absolute URL', (value) => isText(value) && URL.canParse(value)],
  ['response.status', 'a status from 200 to 599', (value) => isWhole(value) && value >= 200 && value <= 599],
  ['response.statusText', 'a string, empty if there is none', isText],
  ['response.headers', 'an object of strings', (value) => isObject(value) && Object.values(value).every(isText)],
  ['response.body', 'a string', isText],
  ['response.encoding', '"base64", or left out', isOptional((value) => value === 'base64')],
  ['expected.type', oneOf(TYPES), isOneOf(TYPES)],
  [
    'expected.alsoAcceptable',
    `a list, not empty, of ${oneOf(TYPES)}; or left out`,
    isOptional((value) => Array.isArray(value) && value.length > 0 && value.every(isOneOf(TYPES))),
  ],
  ['expected.retryable', 'true or false', (value) => typeof value === 'boolean'],
  ['expected.retryAfterMs', 'milliseconds, or null for no hint', (value) => value === null || isMs(value)],
  [
    'expected.retryAfterAtMostMs',
    'milliseconds above retryAfterMs, or left out',
    (value, file) => {
      const least = own(own(file, 'expected'), 'retryAfterMs');
      return value === undefined || (isMs(value) && isMs(least) && value > least);
    },
  ],
  ['expected.phase', oneOf(PHASES), isOneOf(PHASES)],
  ['expected.note', 'a sentence, or left out', isOptional(isFilled)],
];

/** Headers that say how the bytes travelled, which a replay has to say itself; and those that carry secrets. */
const FORBIDDEN_HEADERS = ['content-encoding', 'transfer-encoding', 'connection', 'set-cookie'];

const SECRETS_AND_PATHS = [
  [/(?<![\w.])\/(?:home|Users|root|tmp|var)\/\w|\b[A-Z]:\\\\/, 'the path of a machine'],
  [/\b[\w.+-]+@[\w-]+\.(?:com|org|net|io|ai|dev)\b/i, 'an address of a person'],
  [/-----BEGIN|\b(?:\d{1,3}\.){3}\d{1,3}\b(?<!127\.0\.0\.1)/, 'a certificate, or the address of a host'],
] as const;

/** Each thing that is wrong with the file `name`.json, in a sentence. */
export function problemsOf(name: string, text: string): readonly string[] {
  const file = parsed(text);
  if (file instanceof SyntaxError) return [`The file is not JSON: ${file.message}`];
  const broken = RULES.filter(([path, , holds]) => !holds(valueAt(file, path), file)).map(
    ([path, wanted]) => `\`${path || 'the file'}\` has to be ${wanted}; it is ${shown(valueAt(file, path))}.`,
  );
  const unknown = unknownFields(file).map((path) => `\`${path}\` is not known: a typing mistake?`);
  return [
    ...broken,
    ...unknown,
    ...(broken.length === 0 && isObject(file) ? contradictions(name, file) : []),
    ...leaks(text),
  ];
}

function contradictions(name: string, file: JsonObject): readonly string[] {
  const response = own(file, 'response');
  const status = own(response, 'status');
  const headers = Object.keys(own(response, 'headers') ?? {});
  const phase = valueAt(file, 'expected.phase');
  const kinds = phase === 'response' ? [String(status)] : ['stream', String(status)];
  const isFailedStatus = typeof status === 'number' && status >= 400;
  return [
    ...(/^[a-z0-9]+(?:-[a-z0-9]+)+$/.test(name)
      ? []
      : [`The name "${name}" has to be words in lower case with hyphens.`]),
    ...(kinds.some((kind) => name.split('-').includes(kind))
      ? []
      : [`The name "${name}" has to have "${kinds.join('" or "')}" in it.`]),
    ...(isFailedStatus === (phase === 'response')
      ? []
      : [`The status ${String(status)} does not go with the phase "${String(phase)}".`]),
    ...(phase === 'after-content' && valueAt(file, 'expected.retryable') === true
      ? ['After content nothing may be replayed: `expected.retryable` has to be false.']
      : []),
    ...headers
      .filter((header) => header !== header.toLowerCase())
      .map((header) => `Header "${header}" has to be in lower case.`),
    ...headers
      .filter((header) => FORBIDDEN_HEADERS.includes(header.toLowerCase()))
      .map((header) => `Header "${header}" has to be left out.`),
  ];
}

function leaks(text: string): readonly string[] {
  const lines = text.split('\n');
  return [
    ...lines
      .filter((line) => redact(line) !== line)
      .map((line) => `This looks like a secret; replace it with "[redacted]": ${redact(line).trim()}`),
    ...SECRETS_AND_PATHS.flatMap(([pattern, what]) =>
      lines.filter((line) => pattern.test(line)).map(() => `The file has ${what} in it.`),
    ),
  ];
}

const KNOWN = ['', ...new Set(RULES.flatMap(([path]) => [path, path.split('.')[0] ?? '']))];

function unknownFields(file: unknown): readonly string[] {
  const paths = Object.keys(file ?? {}).flatMap((key) => {
    const inner = own(file, key);
    return isObject(inner) ? [key, ...Object.keys(inner).map((field) => `${key}.${field}`)] : [key];
  });
  return paths.filter((path) => !KNOWN.includes(path));
}

function valueAt(file: unknown, path: string): unknown {
  return path === '' ? file : path.split('.').reduce(own, file);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    return error instanceof SyntaxError ? error : new SyntaxError(String(error));
  }
}

const shown = (value: unknown): string => (value === undefined ? 'missing' : JSON.stringify(value).slice(0, 60));
