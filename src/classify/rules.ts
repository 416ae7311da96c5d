/**
 * The families' tables as one rulebook, and the order in which it is asked. Families are not chosen by the caller and
 * not guessed first: their names and wording are distinct enough to be asked all together, and what many share means
 * the same everywhere. Built at the first failure, so that a program in which nothing fails does not pay for it.
 */

import type { FailureType } from '../failure/failure.ts';
import { ALIBABA, isTokenThrottle } from './alibaba.ts';
import { ANTHROPIC } from './anthropic.ts';
import { AZURE, isNeverAdmitted, NEVER_ADMITTED } from './azure.ts';
import { BAIDU } from './baidu.ts';
import { BEDROCK } from './bedrock.ts';
import { COHERE } from './cohere.ts';
import { COMMON } from './common.ts';
import { DEEPSEEK } from './deepseek.ts';
import type { Evidence } from './envelope.ts';
import type { Family } from './family.ts';
import { CLOUDFLARE, ENVOY, LITELLM, OPENCODE } from './gateways.ts';
import { GOOGLE, googleLimit, NEVER } from './google.ts';
import { GROQ } from './groq.ts';
import { MINIMAX } from './minimax.ts';
import { MISTRAL } from './mistral.ts';
import { MOONSHOT } from './moonshot.ts';
import { OLLAMA } from './ollama.ts';
import { OPENAI } from './openai.ts';
import { OPENROUTER } from './openrouter.ts';
import { isRetryableStatusCode, typeOfStatus } from './status.ts';
import { TENCENT } from './tencent.ts';
import { TOGETHER } from './together.ts';
import { VLLM } from './vllm.ts';
import { VOLCENGINE } from './volcengine.ts';
import { XAI } from './xai.ts';
import { ZHIPU } from './zhipu.ts';

/** What a failed response is, before the server's own word on retrying. */
export interface Reading {
  readonly type: FailureType;
  /** Set where the answer differs from the rule of the type. */
  readonly retryable?: boolean | undefined;
  readonly basis: 'status' | 'evidence';
  /** Set where the advice of the type does not help. */
  readonly action?: string;
}

/** Azure stands before OpenAI, whose headers it sends as well. */
export const FAMILIES: readonly Family[] = [
  ANTHROPIC,
  AZURE,
  OPENAI,
  GOOGLE,
  BEDROCK,
  OPENROUTER,
  GROQ,
  MISTRAL,
  XAI,
  COHERE,
  TOGETHER,
  DEEPSEEK,
  MOONSHOT,
  ZHIPU,
  ALIBABA,
  MINIMAX,
  VOLCENGINE,
  BAIDU,
  TENCENT,
  OLLAMA,
  VLLM,
  CLOUDFLARE,
  ENVOY,
  OPENCODE,
  LITELLM,
  COMMON,
];

/** Where several types are found in one layer, the first is meant. */
const ORDER: readonly FailureType[] = [
  'account_suspended',
  'billing_error',
  'quota_exhausted',
  'auth_invalid',
  'permission_denied',
  'content_policy',
  'context_too_long',
  'model_deprecated',
  'model_not_found',
  'unsupported_feature',
  'overloaded',
  'rate_limit',
  'provider_unavailable',
  'timeout',
  'server_error',
  'invalid_request',
];

const LONG_WINDOW =
  /(?:day|week|month|year)(?<=(?:per|\/|a)(?:day|week|month|year)|byday)|(?:dai|week|month)ly[a-z]{0,12}(?:limit|quota|cap|alloc|budget)|pdratelimit(?<=[rt]pdratelimit)|limitrpd\//;
/** A limit per minute is a rate, whatever else is said about quotas and plans; so is Fireworks' on what runs at once. */
const SHORT_WINDOW = /(?:per|\/)(?:min(?!i)|sec(?![urt]))|[rt]pm|explorededicatedcapacity/;
/** The wait of a rolling window, in less than days: Groq's and OpenAI's daily limits clear a little all the time. */
const ROLLING = /(?:tryagain|retry)(?:in|after)[\d.]+(?![\d.]|d|week|month)/;

interface Layer {
  /** All names of the layer, one group for each type of {@link ORDER}. */
  readonly names: RegExp;
  readonly texts: readonly (readonly [type: FailureType, pattern: RegExp])[];
  /** All texts in one: most messages have none of them. */
  readonly anyText: RegExp;
}

type LayerName = 'decisive' | 'anyStatus' | 'usual' | 'vague';

let rulebook: Readonly<Record<LayerName, Layer>> | undefined;

/** What the evidence says. `waitMs`: the wait that the server asked for, which tells Google's quotas from its rates. */
export function judge(evidence: Evidence, waitMs: number): Reading {
  const { status, names, text } = evidence;
  const { decisive, anyStatus, usual, vague } = (rulebook ??= writeRulebook());
  const said = (type: FailureType, retryable?: boolean): Reading => ({
    type: type === 'quota_exhausted' && isTokenThrottle(evidence) ? 'rate_limit' : type,
    retryable: evidence.retryable ?? retryable,
    basis: 'evidence',
  });

  const named = byName(decisive, names);
  // A model that has been withdrawn is, to most, a model that is not there.
  if (named === 'model_not_found') return said(byText(decisive, text, (type) => type === 'model_deprecated') ?? named);
  if (named !== undefined) return said(named);
  if (isNeverAdmitted(evidence)) return { ...said('rate_limit', false), action: NEVER_ADMITTED };

  const isTransient = isRetryableStatusCode(status);
  const found =
    googleLimit(evidence, waitMs) ??
    byText(anyStatus, text, (type) => type !== 'quota_exhausted' || !SHORT_WINDOW.test(text)) ??
    limitOf(status, text) ??
    // A server that fails is not believed about what it refuses, but for the one thing that it learns by failing.
    (!isTransient || status === 500
      ? byText(decisive, text, (type) => !isTransient || type === 'context_too_long')
      : undefined) ??
    byName(usual, names) ??
    (isTransient || status === 0 ? byText(usual, text) : undefined) ??
    // A page instead of an answer: something in front of the API has none to pass on.
    (evidence.isPage && status === 503 ? 'provider_unavailable' : byName(vague, names));
  if (found !== undefined) return said(found);

  if (status === 0) return said('server_error');
  const isSaid = evidence.isInBand || evidence.retryable !== undefined;
  const retryable = evidence.retryable ?? isTransient;
  return { type: typeOfStatus(status), retryable, basis: isSaid ? 'evidence' : 'status' };
}

/** Limits that no provider's name tells from a rate limit; a gateway may wrap them into a 500. */
function limitOf(status: number, text: string): FailureType | undefined {
  if (![0, 403, 429, 500, 502, 503].includes(status)) return undefined;
  const isLong = LONG_WINDOW.test(text) && !SHORT_WINDOW.test(text) && !ROLLING.test(text);
  return isLong || NEVER.test(text) ? 'quota_exhausted' : undefined;
}

/** The first name that the layer knows. */
function byName(layer: Layer, names: string): FailureType | undefined {
  const groups = layer.names.exec(names);
  return groups === null ? undefined : ORDER[groups.findIndex((group, index) => index > 0 && group !== undefined) - 1];
}

function byText(
  layer: Layer,
  text: string,
  counts: (type: FailureType) => boolean = () => true,
): FailureType | undefined {
  if (!layer.anyText.test(text)) return undefined;
  return layer.texts.find(([type, pattern]) => counts(type) && pattern.test(text))?.[0];
}

function writeRulebook(): Readonly<Record<LayerName, Layer>> {
  const layer = (name: LayerName): Layer => {
    const rows = FAMILIES.flatMap((family) => family[name] ?? []);
    const groups = ORDER.map((type) => {
      const codes = rows.flatMap((row) => (row[0] === type && row[1] !== '' ? row[1].split(' ') : []));
      return `(${codes.map(sourceOfName).join('|') || '(?!)'})`;
    });
    const texts = ORDER.flatMap((type): [FailureType, RegExp][] => {
      const sources = rows.flatMap((row) =>
        row[0] === type && row[2] !== undefined ? row[2].replaceAll(' ', '').replace(GROUP, '(?:') : [],
      );
      return sources.length === 0 ? [] : [[type, new RegExp(sources.join('|'))]];
    });
    const anyText = new RegExp(texts.map(([, { source }]) => source).join('|') || '(?!)');
    return { names: new RegExp(`\\|(?:${groups.join('|')})\\|`), texts, anyText };
  };
  return { decisive: layer('decisive'), anyStatus: layer('anyStatus'), usual: layer('usual'), vague: layer('vague') };
}

/** Groups are written without the sign that they capture nothing. */
const GROUP = /\((?!\?)/g;

/** A name in the form of what is searched; its status stands at the end of that. */
function sourceOfName(name: string): string {
  return name.toLowerCase().replaceAll('_', '').replace(/@(.*)/, '(?=.*@(?:$1)$)').replace(GROUP, '(?:');
}
