/**
 * Checks stored values field by field, before they are written and after they are read. Each check copies the known own
 * properties, cuts long text and refuses wrong types. So a file holds only the fields listed here, and a damaged or
 * planted file cannot harm its reader.
 */

import { WAIT_REASONS } from '../failure/reasons.ts';
import { type Check, expectObject } from '../runtime/expect.ts';
import {
  type AttemptRecord,
  type Failure,
  FAILURES,
  type FailureCategory,
  type FailureType,
  type HintSource,
  redact,
  STOP_REASONS,
  type StopReason,
  type WaitReason,
} from '../index.ts';

/** What the program was doing: plan, phase, model, …. Up to 32 names of 64 characters, with values of 512. */
export type StepContext = Readonly<Record<string, string>>;

/** Refuses a context that is not an object. @throws TypeError */
export const expectContext: Check = (name, value) => expectObject(name, value, "an object such as { phase: 'plan' }");

/** Changes each string that is copied. */
export type TextRule = (text: string, maxLength: number) => string;

/** For reading: limits the length. */
export const cut: TextRule = (text, maxLength) => text.slice(0, maxLength);

/** For writing: scrubs first, so that no part of a secret is left at the cut. */
export const scrub: TextRule = (text, maxLength) => redact(text.slice(0, 65_536)).slice(0, maxLength);

const LONGEST = { name: 200, contextName: 64, contextValue: 512, url: 2_048, message: 2_048 } as const;
const MOST_CONTEXT = 32;
/** The last instant that a `Date` can hold. */
const LAST_INSTANT = 8.64e15;

const CATEGORY: Readonly<Record<FailureCategory, true>> = { retryable: true, 'non-retryable': true, conditional: true };
const PHASE: Readonly<Record<Failure['phase'], true>> = { connect: true, response: true, stream: true };
const HINT: Readonly<Record<HintSource, true>> = {
  'retry-after-ms': true,
  'retry-after': true,
  body: true,
  message: true,
  'reset-header': true,
};

/** The own fields of an object; undefined for any other value. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return { __proto__: null, ...value };
}

/** A text; undefined for any other value. */
export function textOf(value: unknown, rule: TextRule, maxLength: number = LONGEST.name): string | undefined {
  return typeof value === 'string' ? rule(value, maxLength) : undefined;
}

/** A URL as it may be stored. */
export function urlOf(value: unknown, rule: TextRule): string | undefined {
  return textOf(value, rule, LONGEST.url);
}

/** A finite number that is not negative. */
export function amountOf(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value <= Number.MAX_VALUE ? value : undefined;
}

/** A whole number that is not negative. */
export function countOf(value: unknown): number | undefined {
  return Number.isSafeInteger(value) ? amountOf(value) : undefined;
}

/** Milliseconds since the epoch. */
export function instantOf(value: unknown): number | undefined {
  const instant = amountOf(value);
  return instant !== undefined && instant <= LAST_INSTANT ? instant : undefined;
}

export function stopReasonOf(value: unknown): StopReason | undefined {
  return isKey(STOP_REASONS, value) ? value : undefined;
}

/** undefined: neither a reason nor null. */
export function waitReasonOf(value: unknown): WaitReason | null | undefined {
  return value === null || isKey(WAIT_REASONS, value) ? value : undefined;
}

/** undefined: not a failure. */
export function failureOf(value: unknown, rule: TextRule, maxMessage: number = LONGEST.message): Failure | undefined {
  const fields = fieldsOf(value);
  if (fields === undefined) return undefined;
  const { type, retryable, category, phase, hintSource } = fields;
  const message = textOf(fields.message, rule, maxMessage);
  if (!isKey<FailureType>(FAILURES, type) || !isKey(CATEGORY, category) || !isKey(PHASE, phase)) return undefined;
  if (typeof retryable !== 'boolean' || message === undefined) return undefined;
  const status = countOf(fields.status);
  const code = textOf(fields.code, rule);
  const provider = textOf(fields.provider, rule);
  const retryAfterMs = amountOf(fields.retryAfterMs);
  const action = textOf(fields.action, rule, LONGEST.message);
  return Object.freeze({
    type,
    retryable,
    category,
    ...(status !== undefined && { status }),
    ...(code !== undefined && { code }),
    ...(provider !== undefined && { provider }),
    message,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(isKey(HINT, hintSource) && { hintSource }),
    phase,
    ...(action !== undefined && { action }),
  });
}

/** undefined: not an attempt. */
export function attemptOf(value: unknown, rule: TextRule): AttemptRecord | undefined {
  const fields = fieldsOf(value);
  if (fields === undefined) return undefined;
  const attempt = countOf(fields.attempt);
  const startedAt = instantOf(fields.startedAt);
  const durationMs = amountOf(fields.durationMs);
  // The root cause keeps the whole message.
  const failure = fields.failure === null ? null : failureOf(fields.failure, rule, LONGEST.contextValue);
  const delayMs = fields.delayMs === null ? null : amountOf(fields.delayMs);
  const because = waitReasonOf(fields.because);
  if (attempt === undefined || startedAt === undefined || durationMs === undefined) return undefined;
  if (failure === undefined || delayMs === undefined || because === undefined) return undefined;
  const target = textOf(fields.target, rule);
  return Object.freeze({
    attempt,
    startedAt,
    durationMs,
    failure,
    delayMs,
    because,
    ...(target !== undefined && { target }),
  });
}

/** undefined: not an array, longer than `most`, or with an item that `read` refuses. */
export function listOf<T>(
  value: unknown,
  most: number,
  read: (item: unknown) => T | undefined,
): readonly T[] | undefined {
  if (!Array.isArray(value) || value.length > most) return undefined;
  const items: T[] = [];
  for (const item of value) {
    const known = read(item);
    if (known === undefined) return undefined;
    items.push(known);
  }
  return Object.freeze(items);
}

/** Leaves out values that are not strings; undefined: not an object. */
export function contextOf(value: unknown, rule: TextRule): StepContext | undefined {
  const fields = fieldsOf(value);
  if (fields === undefined) return undefined;
  const entries: [string, string][] = [];
  for (const [name, text] of Object.entries(fields).slice(0, MOST_CONTEXT)) {
    if (typeof text === 'string') entries.push([rule(name, LONGEST.contextName), rule(text, LONGEST.contextValue)]);
  }
  return Object.freeze(Object.fromEntries(entries));
}

/** Whether the value is one of the table's own keys. */
export function isKey<K extends string>(table: Readonly<Record<K, unknown>>, value: unknown): value is K {
  return typeof value === 'string' && Object.hasOwn(table, value);
}
