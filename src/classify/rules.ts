/**
 * Combines the tables of all providers into one rulebook, and searches them in order. The provider is neither
 * configured nor guessed first: names and wording are distinct enough to search all tables together, and shared ones
 * mean the same everywhere. Built at the first failure, so that a program without failures does not pay for it.
 */

import { FAILURES, type FailureType, failureTypes } from '../failure/failure.ts';
import { COMMON, isAboveLimit, isShortWindow, MISPLACED, NEVER, NEVER_ADMITTED } from './common.ts';
import { type Evidence, type Family, LONGEST_WAIT_MS, type Reading, type Row } from './family.ts';
import { PROVIDERS } from './providers/index.ts';
import { isRetryableStatusCode, typeOfStatus } from './status.ts';

/** A reading and its basis: the body and the headers, or only the status. */
export interface Judged extends Reading {
  readonly basis: 'status' | 'evidence';
}

const LONG_WINDOW =
  /(day|week|month|year)(?<=(per|\/|(?<!far)a)(day|week|month|year)|byday)|(dai|week|month)ly[a-z]{0,12}(limit|quota|cap|alloc|budget|credit)|pdratelimit(?<=[rt]pdratelimit)|limitrpd\//;
/** The wait for a rolling window, shorter than a day: daily limits of Groq and OpenAI free up a little all the time. */
const ROLLING = /(tryagain|retry)(in|after)[\d.]{1,32}(?![\d.]|d|week|month)/;

/** A time of the clock or a date: what renews then is a quota, unless it is soon. */
const RENEWS = /resets?(at|on)?([a-z]{3,9}\.?\d\d?,?(at)?)?\d\d?(:\d\d){0,2}([ap]m|\(?(utc|gmt)\b)/;

/** One kind of rows of all providers, as patterns. */
export interface Layer {
  /** All names of the layer, one group for each type of {@link FAILURES}. */
  readonly names: RegExp;
  readonly texts: readonly (readonly [type: FailureType, pattern: RegExp])[];
  /** All texts in one: most messages have none of them. */
  readonly anyText: RegExp;
}

type LayerName = 'decisive' | 'anyStatus' | 'permanent' | 'usual' | 'vague';

interface Rulebook extends Readonly<Record<LayerName, Layer>> {
  readonly rules: readonly NonNullable<Family['rule']>[];
  /** The members of a body that hold a name, most specific first. */
  readonly codeMembers: readonly string[];
  /** The members that hold a wait, beside the general ones, separated by spaces. */
  readonly waitMembers: string;
  readonly keepers: readonly NonNullable<Family['keep']>[];
}

let rulebook: Rulebook | undefined;

/** Reads the evidence of a response. `waitMs`: the wait that the server asked for. */
export function readEvidenceType(evidence: Evidence, waitMs: number): Judged {
  const { status, refusal } = evidence;
  if (refusal > 0) return { ...readEvidenceType(asRefusal(evidence), waitMs), basis: 'evidence' };
  const found = findReading(evidence, waitMs);
  if (found !== undefined) return { ...found, retryable: evidence.retryable ?? found.retryable, basis: 'evidence' };
  if (status === 0) return { type: 'server_error', retryable: evidence.retryable, basis: 'evidence' };
  const isSaid = evidence.isInBand || evidence.retryable !== undefined;
  const retryable = evidence.retryable ?? isRetryableStatusCode(status);
  const basis = isSaid ? 'evidence' : 'status';
  // The body names no model, so a wrong path is the likelier mistake.
  if (status === 404) return { type: 'invalid_request', retryable, basis, action: MISPLACED };
  return { type: typeOfStatus(status), retryable, basis };
}

/** A gateway answers with its own 5xx for a refusal of the server behind it: the refusal counts. */
function asRefusal(evidence: Evidence): Evidence {
  const { status, refusal, names } = evidence;
  return { ...evidence, status: refusal, refusal: 0, names: names.replaceAll(`@${status}|`, `@${refusal}|`) };
}

/** The result of names and wording; undefined if none is known. */
export function findReading(evidence: Evidence, waitMs: number): Reading | undefined {
  const { status, names, text, retryable } = evidence;
  const { decisive, anyStatus, permanent, usual, vague, rules } = rulesOfAll();

  const named = byName(decisive, names);
  for (const rule of rules) {
    const reading = rule(evidence, waitMs, named);
    if (reading !== undefined) return reading;
  }
  // Most providers report a withdrawn model as a missing one.
  if (named === 'model_not_found')
    return { type: byText(decisive, text, (type) => type === 'model_deprecated') ?? named };
  if (named !== undefined) return { type: named };

  const usualName = byName(usual, names);
  // Without a status, the name decides whether a retry can help.
  const isTransient =
    isRetryableStatusCode(status) || (status === 0 && usualName !== undefined && FAILURES[usualName].strategy !== null);
  const worded =
    byText(anyStatus, text, (type) => type !== 'quota_exhausted' || !isShortWindow(text)) ??
    limitOf(status, text, waitMs) ??
    (status === 0 || status >= 500 ? byText(permanent, text) : undefined) ??
    // The other refusals of a failing server do not count, except about a key, its own or the caller's, and about the
    // input on which it failed.
    (!isTransient || status >= 500
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
    // A page instead of an API's answer: a proxy in front of the API has no answer to pass on.
    (evidence.isPage && status === 503 ? 'provider_unavailable' : byName(vague, names));
  if (found === undefined) return undefined;
  // `not_found` is also used for paths and files.
  if (found === 'model_not_found' && status === 404 && retryable === undefined && !/model|deployment|engine/.test(text))
    return { type: 'invalid_request', action: MISPLACED };
  return { type: found };
}

/** Limits with the same names as rate limits; a gateway may wrap them into a 500. */
export function limitOf(status: number, text: string, waitMs = 0): FailureType | undefined {
  if (![0, 403, 429, 500, 502, 503].includes(status)) return undefined;
  const isLong = LONG_WINDOW.test(text) && !isShortWindow(text) && !ROLLING.test(text);
  const isQuota = isLong || NEVER.test(text) || (waitMs > LONGEST_WAIT_MS && RENEWS.test(text));
  return isQuota ? 'quota_exhausted' : undefined;
}

/** The type of the first name that the layer contains. */
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
    permanent: layer('permanent'),
    usual: layer('usual'),
    vague: layer('vague'),
    rules: families.flatMap(({ rule }) => rule ?? []),
    codeMembers: families.flatMap((family) => family.codeMembers?.split(' ') ?? []),
    waitMembers: families.flatMap((family) => family.waitMembers ?? []).join(' '),
    keepers: families.flatMap(({ keep }) => keep ?? []),
  };
}

/** Builds the patterns of rows. */
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

/** The rows omit `?:` in their groups. */
const GROUP = /\((?!\?)/g;

/** Builds the pattern of a name, in normalised form and with its status after it. */
function sourceOfName(name: string): string {
  const [word = '', status = '\\d+'] = name.toLowerCase().replaceAll('_', '').split('@');
  return `${word}@(${status})`.replace(GROUP, '(?:');
}
