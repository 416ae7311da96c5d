/**
 * The tables of all providers as one rulebook, and the order in which it is asked. Providers are not chosen by the
 * caller and not guessed first: their names and wording are distinct enough to be asked all together, and what many
 * share means the same everywhere. Built at the first failure, so that a program in which nothing fails does not pay.
 */

import { FAILURES, type FailureType, failureTypes } from '../failure/failure.ts';
import { COMMON, isAboveLimit, isShortWindow, MISPLACED, NEVER, NEVER_ADMITTED } from './common.ts';
import type { Evidence, Family, Reading, Row } from './family.ts';
import { PROVIDERS } from './providers/index.ts';
import { isRetryableStatusCode, typeOfStatus } from './status.ts';

/** A reading with where it comes from: the body and the headers, or nothing but the status. */
export interface Judged extends Reading {
  readonly basis: 'status' | 'evidence';
}

const LONG_WINDOW =
  /(day|week|month|year)(?<=(per|\/|(?<!far)a)(day|week|month|year)|byday)|(dai|week|month)ly[a-z]{0,12}(limit|quota|cap|alloc|budget|credit)|pdratelimit(?<=[rt]pdratelimit)|limitrpd\//;
/** The wait of a rolling window, in less than days: Groq's and OpenAI's daily limits clear a little all the time. */
const ROLLING = /(tryagain|retry)(in|after)[\d.]{1,32}(?![\d.]|d|week|month)/;

/** One list of rows of all providers, as patterns. */
export interface Layer {
  /** All names of the layer, one group for each type of {@link FAILURES}. */
  readonly names: RegExp;
  readonly texts: readonly (readonly [type: FailureType, pattern: RegExp])[];
  /** All texts in one: most messages have none of them. */
  readonly anyText: RegExp;
}

type LayerName = 'decisive' | 'anyStatus' | 'usual' | 'vague';

interface Rulebook extends Readonly<Record<LayerName, Layer>> {
  readonly rules: readonly NonNullable<Family['rule']>[];
}

let rulebook: Rulebook | undefined;

/** What the evidence of a response says. `waitMs`: the wait that the server asked for. */
export function readEvidenceType(evidence: Evidence, waitMs: number): Judged {
  const { status } = evidence;
  const found = findReading(evidence, waitMs);
  if (found !== undefined) return { ...found, retryable: evidence.retryable ?? found.retryable, basis: 'evidence' };
  if (status === 0) return { type: 'server_error', retryable: evidence.retryable, basis: 'evidence' };
  const isSaid = evidence.isInBand || evidence.retryable !== undefined;
  const retryable = evidence.retryable ?? isRetryableStatusCode(status);
  const basis = isSaid ? 'evidence' : 'status';
  // Without a word about a model, a path that does not exist is the likelier mistake.
  if (status === 404) return { type: 'invalid_request', retryable, basis, action: MISPLACED };
  return { type: typeOfStatus(status), retryable, basis };
}

/** What names and wording say; undefined where they say nothing that is known. */
export function findReading(evidence: Evidence, waitMs: number): Reading | undefined {
  const { status, names, text, retryable } = evidence;
  const { decisive, anyStatus, usual, vague, rules } = rulesOfAll();

  const named = byName(decisive, names);
  for (const rule of rules) {
    const reading = rule(evidence, waitMs, named);
    if (reading !== undefined) return reading;
  }
  // A model that has been withdrawn is, to most, a model that is not there.
  if (named === 'model_not_found')
    return { type: byText(decisive, text, (type) => type === 'model_deprecated') ?? named };
  if (named !== undefined) return { type: named };

  const usualName = byName(usual, names);
  // Without a status, the name says whether a retry can help.
  const isTransient =
    isRetryableStatusCode(status) || (status === 0 && usualName !== undefined && FAILURES[usualName].strategy !== null);
  const worded =
    byText(anyStatus, text, (type) => type !== 'quota_exhausted' || !isShortWindow(text)) ??
    limitOf(status, text) ??
    // A server that fails is not believed about what it refuses, but for the input that it has failed at, and for a
    // key, its own or the caller's, without which it cannot work.
    (!isTransient || status === 500 || status === 503
      ? byText(
          decisive,
          text,
          (type) => !isTransient || type === 'auth_invalid' || (type === 'context_too_long' && status === 500),
        )
      : undefined);
  if (worded === 'context_too_long' || worded === undefined)
    if (isAboveLimit(text)) return { type: 'context_too_long', action: NEVER_ADMITTED };
  if (worded !== undefined) return { type: worded };

  const found =
    usualName ??
    (isTransient || status === 0 ? byText(usual, text) : undefined) ??
    // A page instead of an answer: something in front of the API has none to pass on.
    (evidence.isPage && status === 503 ? 'provider_unavailable' : byName(vague, names));
  if (found === undefined) return undefined;
  // `not_found` is said of paths and files as well.
  if (found === 'model_not_found' && status === 404 && retryable === undefined && !/model|deployment|engine/.test(text))
    return { type: 'invalid_request', action: MISPLACED };
  return { type: found };
}

/** Limits that no provider's name tells from a rate limit; a gateway may wrap them into a 500. */
export function limitOf(status: number, text: string): FailureType | undefined {
  if (![0, 403, 429, 500, 502, 503].includes(status)) return undefined;
  const isLong = LONG_WINDOW.test(text) && !isShortWindow(text) && !ROLLING.test(text);
  return isLong || NEVER.test(text) ? 'quota_exhausted' : undefined;
}

/** The first name that the layer knows. */
export function byName(layer: Layer, names: string): FailureType | undefined {
  const groups = layer.names.exec(names);
  return groups === null
    ? undefined
    : failureTypes()[groups.findIndex((group, index) => index > 0 && group !== undefined) - 1];
}

/** The first type, in {@link FAILURES}, whose wording is in the text. */
export function byText(
  layer: Layer,
  text: string,
  counts: (type: FailureType) => boolean = () => true,
): FailureType | undefined {
  if (!layer.anyText.test(text)) return undefined;
  return layer.texts.find(([type, pattern]) => counts(type) && pattern.test(text))?.[0];
}

export function rulesOfAll(): Rulebook {
  return (rulebook ??= writeRulebook());
}

function writeRulebook(): Rulebook {
  const families: readonly Family[] = [...PROVIDERS, COMMON];
  const layer = (name: LayerName): Layer => writeLayer(families.flatMap((family) => family[name] ?? []));
  return {
    decisive: layer('decisive'),
    anyStatus: layer('anyStatus'),
    usual: layer('usual'),
    vague: layer('vague'),
    rules: families.flatMap(({ rule }) => rule ?? []),
  };
}

/** Rows as patterns. */
export function writeLayer(rows: readonly Row[]): Layer {
  const groups = failureTypes().map((type) => {
    const codes = rows.flatMap((row) => (row[0] === type && row[1] !== '' ? row[1].split(' ') : []));
    return `(${codes.map(sourceOfName).join('|') || '(?!)'})`;
  });
  const texts = failureTypes().flatMap((type): [FailureType, RegExp][] => {
    const sources = rows.flatMap((row) =>
      row[0] === type && row[2] !== undefined ? row[2].replaceAll(' ', '').replace(GROUP, '(?:') : [],
    );
    return sources.length === 0 ? [] : [[type, new RegExp(sources.join('|'))]];
  });
  const anyText = new RegExp(texts.map(([, { source }]) => source).join('|') || '(?!)');
  return { names: new RegExp(`\\|(?:${groups.join('|')})\\|`), texts, anyText };
}

/** Groups are written without the sign that they capture nothing. */
const GROUP = /\((?!\?)/g;

/** A name in the form of what is searched, where its status follows it. */
function sourceOfName(name: string): string {
  const [word = '', status = '\\d+'] = name.toLowerCase().replaceAll('_', '').split('@');
  return `${word}@(${status})`.replace(GROUP, '(?:');
}
