import { fc, test as property } from '@fast-check/vitest';
import { describe, expect, test } from 'vitest';
import { answerOf, bytesOf } from '../../mocks/recording.ts';
import { recordings } from '../../mocks/recordings.ts';
import { classify } from '../../src/classify/classify.ts';
import { FAILURES } from '../../src/failure/failure.ts';
import { NOW } from './cases.ts';

const all = Object.entries(recordings);
const permanent = all.filter(([, { expected }]) => !expected.retryable && expected.phase !== 'after-content');
const texts = all.filter(([, { response }]) => response.encoding === undefined);

/** What `classify` is given of a recording; dates in it count from the moment of its answer. */
const outcomeOf = ({ response }: (typeof all)[number][1], body: string | Uint8Array = bytesOf(response)) => {
  const { status, headers } = answerOf(response);
  return { status, headers: { ...headers }, body, nowMs: Date.parse(headers['date'] ?? '') || NOW };
};

describe('recordings', () => {
  test.each(all)('are classified as they expect: %s', (_name, recording) => {
    const { expected, response } = recording;
    const failure = classify(outcomeOf(recording));
    expect(failure).not.toBeNull();
    if (failure === null) return;
    expect([expected.type, ...(expected.alsoAcceptable ?? [])]).toContain(failure.type);
    expect(failure).toMatchObject({
      retryable: expected.retryable,
      status: response.status,
      phase: expected.phase === 'response' ? 'response' : 'stream',
      category: FAILURES[failure.type].category,
    });
    expect(failure.message).not.toBe('');
    const { retryAfterMs = -1 } = failure;
    const atLeastMs = expected.retryAfterMs ?? -1;
    expect(retryAfterMs).toBeGreaterThanOrEqual(atLeastMs);
    expect(retryAfterMs).toBeLessThanOrEqual(
      expected.retryAfterMs === null ? -1 : (expected.retryAfterAtMostMs ?? atLeastMs) + 1,
    );
  });

  test.each(all)('%s is classified the same as text, as bytes, and with headers of any shape', (_name, recording) => {
    const outcome = outcomeOf(recording);
    const headers = new Headers(outcome.headers);
    const wanted = classify(outcome);
    expect(classify({ ...outcome, headers })).toEqual(wanted);
    expect(classify({ ...outcome, headers: { get: (name) => headers.get(name) } })).toEqual(wanted);
    const capitals = Object.fromEntries(
      Object.entries(outcome.headers).map(([name, value]) => [name.toUpperCase(), value]),
    );
    expect(classify({ ...outcome, headers: capitals })).toEqual(wanted);
    const { body, encoding } = recording.response;
    expect(classify({ ...outcome, body: encoding === undefined ? body : outcome.body })).toEqual(wanted);
  });
});

/** Changes the texts of a JSON body and leaves its keys alone. */
const inStrings = (change: (text: string) => string) => (body: string) =>
  body.replace(/:(\s*)"((?:[^"\\]|\\.)*)"/g, (_all, space: string, text: string) => `:${space}"${change(text)}"`);

describe('properties', () => {
  const recased: readonly [string, (text: string) => string][] = [
    ['upper case', (text) => text.toUpperCase()],
    ['lower case', (text) => text.toLowerCase()],
    [
      'swapped case',
      (text) =>
        text.replace(/[a-z]/gi, (letter) =>
          letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
        ),
    ],
    ['double spaces', (text) => text.replaceAll(' ', '  ')],
    ['tabs', (text) => text.replaceAll(' ', '\t')],
    ['line ends', (text) => text.replaceAll(' ', '\r\n ')],
    ['no-break spaces', (text) => text.replaceAll(' ', '\u00A0')],
  ];

  test.each(
    permanent.flatMap(([name, recording]) => recased.map(([how, change]) => [name, how, recording, change] as const)),
  )('a permanent failure stays one: %s in %s', (_name, _how, recording, change) => {
    const { body, encoding } = recording.response;
    if (encoding !== undefined) return;
    for (const changed of [change(body), inStrings(change)(body)]) {
      expect(classify(outcomeOf(recording, changed))?.retryable ?? false).toBe(false);
    }
  });

  property.prop([
    fc.constantFrom(...all),
    fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 20 }),
    fc.integer({ min: 100, max: 599 }),
  ])('nothing throws, and every wait is valid', ([, recording], changes, status) => {
    const bytes = bytesOf(recording);
    for (const [at, byte] of changes) if (bytes.length > 0) bytes[at % bytes.length] = byte;
    for (const outcome of [outcomeOf(recording, bytes), { ...outcomeOf(recording, bytes), status }]) {
      const failure = classify(outcome);
      if (failure === null) continue;
      expect(Object.hasOwn(FAILURES, failure.type)).toBe(true);
      if (failure.retryAfterMs === undefined) continue;
      expect(Number.isFinite(failure.retryAfterMs) && failure.retryAfterMs >= 0).toBe(true);
    }
  });

  test.each(texts)('%s may be cut at any point', (_name, recording) => {
    const { body } = recording.response;
    const failures = Array.from({ length: body.length }, (_cut, at) =>
      classify(outcomeOf(recording, body.slice(0, at))),
    );
    const isSettled = recording.expected.phase === 'after-content';
    expect(failures.some((failure) => failure?.retryable === true && isSettled)).toBe(false);
  });
});
