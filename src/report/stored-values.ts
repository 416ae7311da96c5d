/**
 * Describes stored values as tables of their members. A table copies the known own members, cuts long text and refuses
 * wrong types, before a value is written and after it was read. So a file holds only the members listed here, and a
 * damaged or planted file cannot harm its reader.
 */

import { WAIT_REASONS } from '../failure/reasons.ts';
import { type Check, expectObject } from '../runtime/expect.ts';
import { isObject, own } from '../runtime/values.ts';
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

export const expectContext: Check = (name, value) => expectObject(name, value, "an object such as { phase: 'plan' }");

/** Changes each string that is copied. */
type TextRule = (text: string, maxLength: number) => string;

/** For reading: limits the length. */
export const cut: TextRule = (text, maxLength) => text.slice(0, maxLength);

/** For writing: scrubs first, so that no part of a secret is left at the cut. */
export const scrub: TextRule = (text, maxLength) => redact(text.slice(0, 65_536)).slice(0, maxLength);

/** A copy of a value; undefined if it is not one of this kind. */
export type Read<T> = (value: unknown, rule: TextRule) => T | undefined;

type Optional<T> = { [K in keyof T]-?: object extends Pick<T, K> ? K : never }[keyof T];

/** A frozen object with these members. An optional one that is missing or invalid is left out. */
export function object<T>(
  members: { readonly [K in Exclude<keyof T, Optional<T>>]: Read<T[K]> },
  optional: { readonly [K in Optional<T>]: Read<Exclude<T[K], undefined>> },
): Read<T> {
  const readers = Object.entries<Read<unknown>>({ ...members, ...optional });
  return (value, rule) => {
    if (!isObject(value)) return undefined;
    const copy: Record<string, unknown> = {};
    for (const [name, read] of readers) {
      const known = read(own(value, name), rule);
      if (known !== undefined) copy[name] = known;
      else if (Object.hasOwn(members, name)) return undefined;
    }
    return Object.freeze(copy) as T;
  };
}

export const text =
  (maxLength: number = 200): Read<string> =>
  (value, rule) =>
    typeof value === 'string' ? rule(value, maxLength) : undefined;

export const url: Read<string> = text(2_048);

export const amount: Read<number> = (value) =>
  typeof value === 'number' && value >= 0 && value <= Number.MAX_VALUE ? value : undefined;

export const count: Read<number> = (value) =>
  Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : undefined;

/** Milliseconds since the epoch, up to the last instant that a `Date` can hold. */
export const instant: Read<number> = (value) =>
  typeof value === 'number' && value >= 0 && value <= 8.64e15 ? value : undefined;

export const oneOf =
  <const T>(...known: readonly T[]): Read<T> =>
  (value) =>
    known.find((one) => one === value);

const keyOf =
  <K extends string>(table: Readonly<Record<K, unknown>>): Read<K> =>
  (value) =>
    typeof value === 'string' && Object.hasOwn(table, value) ? (value as K) : undefined;

export const orNull =
  <T>(read: Read<T>): Read<T | null> =>
  (value, rule) =>
    value === null ? null : read(value, rule);

/** Refuses a list that is longer than `most`, or that has an item which `read` refuses. */
export const list =
  <T>(read: Read<T>, most: number): Read<readonly T[]> =>
  (value, rule) => {
    if (!Array.isArray(value) || value.length > most) return undefined;
    const items = value.map((item: unknown) => read(item, rule));
    return items.every((item) => item !== undefined) ? Object.freeze(items) : undefined;
  };

const flag: Read<boolean> = (value) => (typeof value === 'boolean' ? value : undefined);

export const context: Read<StepContext> = (value, rule) => {
  if (!isObject(value)) return undefined;
  const entries = Object.entries(value)
    .slice(0, 32)
    .flatMap(([name, said]) => (typeof said === 'string' ? [[rule(name, 64), rule(said, 512)] as const] : []));
  return Object.freeze(Object.fromEntries(entries));
};

export const stopReason: Read<StopReason> = keyOf(STOP_REASONS);
export const failureType: Read<FailureType> = keyOf(FAILURES);
export const waitReason: Read<WaitReason | null> = orNull(keyOf(WAIT_REASONS));

const failureWith = (maxMessage: number): Read<Failure> =>
  object<Failure>(
    {
      type: failureType,
      retryable: flag,
      category: oneOf<FailureCategory>('retryable', 'non-retryable', 'conditional'),
      message: text(maxMessage),
      phase: oneOf<Failure['phase']>('connect', 'response', 'stream'),
    },
    {
      status: count,
      code: text(),
      provider: text(),
      retryAfterMs: amount,
      hintSource: oneOf<HintSource>('retry-after-ms', 'retry-after', 'body', 'message', 'reset-header'),
      action: text(2_048),
      requestId: text(),
    },
  );

export const failure: Read<Failure> = failureWith(2_048);

type StoredAttempt = Omit<AttemptRecord, 'error'>;

export const attempt: Read<StoredAttempt> = object<StoredAttempt>(
  {
    attempt: count,
    startedAt: instant,
    durationMs: amount,
    // The root cause keeps the whole message.
    failure: orNull(failureWith(512)),
    delayMs: orNull(amount),
    because: waitReason,
  },
  { target: text() },
);
