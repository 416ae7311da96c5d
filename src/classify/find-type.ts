/**
 * Searches the tables of all providers in order. The provider is neither configured nor guessed first: names and wording
 * are distinct enough to search all tables together, and shared ones mean the same everywhere.
 */

import { type FailureType, TYPES } from '../failure/failure.ts';
import type { Evidence, Reading, Sources } from './family.ts';
import { overruled } from './overrules.ts';
import { isAboveLimit, isShortWindow, limitOf, NEVER_ADMITTED } from './limits.ts';
import { CODES, PASSING, TEXTS } from './generated-rulebook.ts';
import { readByRule } from './provider-rules.ts';
import { Phrases, phrasesIn } from './phrases.ts';
import { isRetryableStatusCode, typeOfStatus } from './status.ts';

/** A reading and its basis: the body and the headers, or only the status. */
export interface Judged extends Reading {
  readonly basis: 'status' | 'evidence';
}

type Table = Phrases<FailureType>;

interface Tables {
  readonly codes: Readonly<Record<keyof typeof CODES, Table>>;
  readonly texts: Readonly<Record<keyof typeof TEXTS, Table>>;
}

let tables: Tables | undefined;
const passing = /* @__PURE__ */ phrasesIn(PASSING);

/** Reads the evidence of a response. `waitMs`: the wait that the server asked for. */
export function readEvidenceType(evidence: Evidence, waitMs: number): Judged {
  return overruled(evidence, judged(evidence, waitMs), waitMs);
}

function judged(evidence: Evidence, waitMs: number): Judged {
  const { status, refusal } = evidence;
  // With a wait, the gateway only rests its account: `[403]: HTTP 403 (reset after 1m 29s)`.
  if (refusal > 0 && waitMs === 0) return { ...readEvidenceType(asRefusal(evidence), waitMs), basis: 'evidence' };
  const found = findReading(evidence, waitMs);
  if (found !== undefined) return { ...found, retryable: evidence.retryable ?? found.retryable, basis: 'evidence' };
  if (status === 0) return { type: 'server_error', retryable: evidence.retryable, basis: 'evidence' };
  const isSaid = evidence.isInBand || evidence.retryable !== undefined;
  const retryable = evidence.retryable ?? isRetryableStatusCode(status);
  const basis = isSaid ? 'evidence' : 'status';
  // The body names no model, so a wrong path is the likelier mistake.
  if (status === 404) return { type: 'invalid_request', retryable, basis, action: MISPLACED };
  return { type: typeOfStatus(status), retryable, basis, action: status === 405 ? OTHER_METHOD : undefined };
}

/** A gateway answers with its own 5xx for a refusal of the server behind it: the refusal counts. */
function asRefusal(evidence: Evidence): Evidence {
  const { status, refusal, names } = evidence;
  return { ...evidence, status: refusal, refusal: 0, names: names.replaceAll(`@${status}|`, `@${refusal}|`) };
}

/** The result of names and wording; undefined if none is known. */
export function findReading(
  evidence: Evidence,
  waitMs: number,
  usual: Table = allTables().texts.usual,
): Reading | undefined {
  const { status, names, text, retryable } = evidence;
  const { codes, texts } = allTables();

  const named = codes.decisive.findFirst(names);
  const ruled = readByRule(evidence, waitMs, named);
  if (ruled !== undefined) return ruled;
  // Most providers report a withdrawn model as a missing one.
  if (named === 'model_not_found')
    return { type: texts.decisive.find(text, (type) => type === 'model_deprecated') ?? named };
  if (named !== undefined) return { type: named };

  const usualName = codes.usual.findFirst(names);
  // Without a status, the name decides whether a retry can help.
  const isTransient =
    isRetryableStatusCode(status) || (status === 0 && usualName !== undefined && TYPES[usualName].isRetried);
  const worded =
    texts.anyStatus.find(text, (type) => type !== 'quota_exhausted' || !isShortWindow(text)) ??
    limitOf(status, text, waitMs) ??
    (status === 0 || status >= 500 ? texts.permanent.find(text) : undefined) ??
    texts.decisive.find(text, (type) => !isTransient || isStable(type, status));
  if (worded === 'context_too_long' || worded === undefined)
    if (isAboveLimit(text)) return { type: 'context_too_long', action: NEVER_ADMITTED };
  if (worded !== undefined) return { type: worded };

  const found =
    usualName ??
    (isTransient || status === 0 ? usual.find(text) : undefined) ??
    // A page instead of an API's answer: a proxy in front of the API has no answer to pass on.
    (evidence.isPage && status === 503
      ? 'provider_unavailable'
      : (generalRefusal(status, text, names) ?? codes.vague.findFirst(names)));
  if (found === undefined) return undefined;
  // `not_found` is also used for paths and files.
  if (found === 'model_not_found' && status === 404 && retryable === undefined && !/model|deployment|engine/.test(text))
    return { type: 'invalid_request', action: MISPLACED };
  return { type: found };
}

/**
 * Whether a failing server is right about such a refusal: one of the key, of the plan, or of the input on which it
 * failed. Models and filters may be away themselves; with 503, so may a feature.
 */
function isStable(type: FailureType, status: number): boolean {
  return status >= 500 && (STABLE.includes(type) || (type === 'unsupported_feature' && status !== 503));
}

/** A refusal in general words by a server that fails; undefined if the failure may pass. */
function generalRefusal(status: number, text: string, names: string): FailureType | undefined {
  const { texts } = allTables();
  if (status < 500 || status > 503) return undefined;
  const found = (words: string): FailureType | undefined =>
    passing().isIn(words) ? undefined : texts.general.find(words);
  // A name may say what the message does not: `missing_api_key`.
  const type = found(text) ?? found(names);
  return type && (texts.decisive.find(text) ?? type);
}

/** Read at the first failure, so that a program without failures does not pay for it. */
export function allTables(): Tables {
  return (tables ??= { codes: eachOf(CODES, namesIn), texts: eachOf(TEXTS, textsIn) });
}

function eachOf<Name extends string>(sources: Readonly<Record<Name, Sources>>, read: (given: Sources) => Table) {
  const entries = Object.entries<Sources>(sources).map(([name, given]) => [name, read(given)]);
  return Object.fromEntries(entries) as Readonly<Record<Name, Table>>;
}

/** Parts of names, or with `@` complete names, in the form that `withStatus` gives them. The first in a response counts. */
const namesIn = (sources: Sources): Table =>
  new Phrases(sources, '', (name) =>
    name.includes('@') ? `\\|${name}${name.endsWith('@') ? '' : '\\|'}` : `\\|[\\w.]*?(?:${name})[\\w.]*@`,
  );

/** Wording. The first type in the order of {@link FAILURES} counts. */
export const textsIn = (sources: Sources): Table => new Phrases(sources);

const STABLE: readonly FailureType[] = ['auth_invalid', 'permission_denied', 'context_too_long'];

/** The advice for a method that the URL does not take. A redirect from http to https may turn a POST into a GET. */
export const OTHER_METHOD =
  'Check the URL: it may not take this method. A redirect, such as from http:// to https://, may turn a POST into a GET.';
/** The advice for a 404 that names no model. */
export const MISPLACED = 'Check the URL, which may lack /v1, and the name of the model.';
