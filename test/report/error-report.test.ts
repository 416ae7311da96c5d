import { fc, test } from '@fast-check/vitest';
import { describe, expect, it } from 'vitest';
import { createRetryFetch, type RetryEvent } from '../../src/index.ts';
import { storedReport, createErrorReport } from '../../src/report/error-report.ts';
import { cut, scrub } from '../../src/report/stored-values.ts';
import { AT, attempt, failedEvent, failure, report, retryEvent, SECRET, untyped } from './samples.ts';

describe('an error report', () => {
  it('holds the beginning of the body of the failed response', async () => {
    const events: RetryEvent[] = [];
    const answer = Response.json({ error: { code: 'insufficient_quota', message: 'Spent.' } }, { status: 429 });
    const fetch = createRetryFetch({ fetch: async () => answer, onEvent: (event) => void events.push(event) });
    await fetch('https://api.example.com/v1/messages', { headers: { authorization: 'Bearer abcdefgh' } });
    const [event] = events;
    expect(event?.type === 'failed' && createErrorReport(event).body).toBe(
      '{"error":{"code":"insufficient_quota","message":"Spent."}}',
    );
  });

  it('says what went wrong, what the program was doing, what was tried and what to do', () => {
    const quota = failure('quota_exhausted', {
      retryable: false,
      category: 'non-retryable',
      status: 429,
      code: 'insufficient_quota',
      provider: 'openai',
      message: 'You exceeded your current quota.',
    });
    const history = [attempt(1, { failure: quota, delayMs: null, because: null })];
    const event = failedEvent({ failure: quota, because: 'not-retryable', attempts: 1, history });
    const made = createErrorReport(event, { plan: 'p-7', phase: 'build' });
    expect(made).toMatchObject({
      version: 1,
      at: AT,
      callId: 'request-1',
      method: 'POST',
      url: 'https://api.example.com/v1/messages',
      rootCause: quota,
      context: { plan: 'p-7', phase: 'build' },
      recovery: {
        because: 'not-retryable',
        tried: 'quota exhausted (HTTP 429): failed after 1 attempt in 1.2s, a retry cannot help',
      },
      attempts: 1,
      elapsedMs: 1_200,
      history,
    });
    expect(made.headline).toMatch(/quota/i);
    expect(made.recovery.actions[0]).toMatch(/credits/i);
    expect(made).not.toHaveProperty('resolvedAt');
  });

  it('has its own id, is frozen and survives JSON', () => {
    const made = report();
    expect(made.id).not.toBe(report().id);
    expect(JSON.parse(JSON.stringify(made))).toEqual(made);
    for (const part of [
      made,
      made.rootCause,
      made.context,
      made.recovery,
      made.recovery.actions,
      made.history,
      made.history[0],
    ]) {
      expect(Object.isFrozen(part)).toBe(true);
    }
  });

  it('says when the server would accept the request again', () => {
    const { recovery } = report('r', { because: 'retry-after-too-long', possibleAt: AT + 3_600_000 });
    expect(recovery.possibleAt).toBe(AT + 3_600_000);
    expect(recovery.actions).toEqual(['Send the request again later.']);
  });

  it('always has an action', () => {
    const unknown = failure('unknown', { retryable: false, category: 'non-retryable' });
    expect(report('r', { failure: unknown, because: 'not-retryable' }).recovery.actions).toHaveLength(1);
    expect(report('r', { because: 'server-said-no' }).recovery.actions).toHaveLength(1);
  });

  it('holds no secret in any field', () => {
    const leaky = failure('auth_invalid', { message: `Bad key ${SECRET}`, code: SECRET, action: `Rotate ${SECRET}` });
    const made = createErrorReport(
      failedEvent({
        callId: SECRET,
        url: `https://api.example.com/${SECRET}`,
        failure: leaky,
        history: [attempt(1, { failure: leaky, target: SECRET })],
        body: `{"key":"${SECRET}"}`,
      }),
      { [SECRET]: SECRET },
    );
    expect(JSON.stringify(made)).not.toContain(SECRET.slice(0, 12));
  });

  it('cuts a secret at the edge of the body before it cuts the body', () => {
    const { body = '' } = report('r', { body: `${'x'.repeat(2_040)} ${SECRET}` });
    expect(body).not.toContain('sk-');
    expect(body).toHaveLength(2_048);
  });

  test.prop([fc.string({ unit: 'grapheme', maxLength: 4_000 })])(
    'keeps at most 2 KiB of body, in whole characters',
    (text) => {
      const { body = '' } = report('r', { body: text.repeat(3) });
      expect(Buffer.byteLength(body)).toBeLessThanOrEqual(2_048);
      expect(body.isWellFormed()).toBe(text.isWellFormed());
    },
  );

  it('leaves out fields that a program has added to a failure, and values that are not strings', () => {
    const extended = { ...failure(), headers: { authorization: 'x' } };
    const made = createErrorReport(failedEvent({ failure: extended }), untyped({ plan: 'p', count: 3 }));
    expect(made.rootCause).toEqual(failure());
    expect(made.context).toEqual({ plan: 'p' });
  });

  it('keeps the newest hundred attempts, and is small enough to keep', () => {
    const history = Array.from({ length: 500 }, (_, index) =>
      attempt(index + 1, { failure: failure('overloaded', { message: '\u0000'.repeat(5_000) }) }),
    );
    const context = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`${index}`.padEnd(90, '\u0001'), '\u0001'.repeat(900)]),
    );
    const text = '\u0001'.repeat(9_000);
    const event = failedEvent({
      attempts: 500,
      history,
      body: text,
      url: text,
      failure: failure('overloaded', { message: text }),
    });
    const made = createErrorReport(event, context);
    expect(made.history.at(-1)?.attempt).toBe(500);
    expect(made.history).toHaveLength(100);
    expect(Buffer.byteLength(JSON.stringify(made))).toBeLessThan(1_048_576);
    expect(storedReport(JSON.parse(JSON.stringify(made)), cut)).toEqual(made);
  });

  it('refuses an invalid event', () => {
    expect(() => createErrorReport({ ...failedEvent(), at: Number.NaN })).toThrow(/Expected a `failed` event/);
    expect(() => createErrorReport(untyped(retryEvent(1)))).toThrow(/Expected a `failed` event/);
  });
});

describe('a report that was read from a file', () => {
  const stored = JSON.parse(JSON.stringify(report('r', { possibleAt: AT, body: 'b' }, { plan: 'p' })));

  it('equals the written one', () => {
    expect(storedReport(stored, cut)).toEqual(stored);
    expect(storedReport({ ...stored, resolvedAt: AT }, scrub)).toEqual({ ...stored, resolvedAt: AT });
  });

  it.each([
    null,
    'text',
    [stored],
    {},
    ...Object.keys(stored)
      .filter((name) => !['body', 'resolvedAt'].includes(name))
      .map((name) => ({ ...stored, [name]: ['x'] })),
    ...['because', 'tried', 'actions'].map((name) => ({ ...stored, recovery: { ...stored.recovery, [name]: [1] } })),
    { ...stored, rootCause: { ...stored.rootCause, type: 'toString' } },
    { ...stored, rootCause: { ...stored.rootCause, retryable: 'yes' } },
    { ...stored, recovery: { ...stored.recovery, because: 'whim' } },
    ...['failure', 'delayMs', 'because', 'startedAt'].map((name) => ({
      ...stored,
      history: [{ ...stored.history[0], [name]: 'x' }],
    })),
    { ...stored, history: Array.from({ length: 101 }, () => stored.history[0]) },
  ])('is refused if a field is invalid (%#)', (value) => {
    expect(storedReport(value, cut)).toBeUndefined();
  });

  it('has no unknown members, and long texts are cut', () => {
    const hostile = JSON.parse(
      JSON.stringify({ ...stored, extra: 1, callId: 'r'.repeat(1_000), body: 'b'.repeat(10_000) }).replace(
        '"context":{',
        '"context":{"__proto__":"polluted",',
      ),
    );
    const copy = storedReport(hostile, cut);
    expect(copy).not.toHaveProperty('extra');
    expect(copy?.callId).toHaveLength(200);
    expect(copy?.body).toHaveLength(2_048);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(Object.getPrototypeOf(copy?.context)).toBe(Object.prototype);
  });

  it('has no inherited fields', () => {
    expect(storedReport(Object.create(stored), cut)).toBeUndefined();
  });
});
