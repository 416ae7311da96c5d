import { describe, expect, test } from 'vitest';
import { type AttemptRecord, type Failure, GateRefusedError } from '../../src/index.ts';
import { errorOfThrown, LLMError, type LLMErrorDetails } from '../../src/llm/llm-error.ts';

const failure: Failure = {
  type: 'overloaded',
  retryable: true,
  category: 'retryable',
  status: 529,
  message: 'Overloaded',
  phase: 'response',
};
const attempt: AttemptRecord = { attempt: 1, startedAt: 0, durationMs: 1, failure, delayMs: null, because: null };

describe('LLMError', () => {
  test.each<[string, Omit<Failure, 'status'> & { readonly status?: number | undefined }, LLMErrorDetails, string]>([
    ['what the server said, the status and the type', failure, {}, 'Overloaded (HTTP 529, overloaded)'],
    [
      'the number of attempts',
      failure,
      { history: [attempt, attempt] },
      'Overloaded (HTTP 529, overloaded, after 2 attempts)',
    ],
    ['no number after one attempt', failure, { history: [attempt] }, 'Overloaded (HTTP 529, overloaded)'],
    ['no status where there was none', { ...failure, status: undefined }, {}, 'Overloaded (overloaded)'],
    [
      'one full stop after a message that ends in one',
      { ...failure, message: 'Overloaded.', action: 'Wait.' },
      {},
      'Overloaded (HTTP 529, overloaded). Wait.',
    ],
    ['that there was no message', { ...failure, message: '' }, {}, 'no reason was given (HTTP 529, overloaded)'],
    ['what to do', { ...failure, action: 'Check the key.' }, {}, 'Overloaded (HTTP 529, overloaded). Check the key.'],
    [
      'that it broke off',
      failure,
      { isPartial: true },
      'The answer broke off after output had begun and was not retried: Overloaded (HTTP 529, overloaded)',
    ],
    [
      'why it was given up, and when it is possible again',
      { ...failure, action: 'Check the limits.' },
      { because: 'retry-after-too-long', possibleAt: 3_600_000 },
      'Overloaded (HTTP 529, overloaded). The server asks for a longer wait than is allowed. Possible again at 1970-01-01T01:00:00.000Z. Check the limits.',
    ],
    [
      'the last instant of a calendar for a hint beyond it',
      failure,
      { possibleAt: 1e300 },
      'Overloaded (HTTP 529, overloaded). Possible again at +275760-09-13T00:00:00.000Z.',
    ],
  ])('its message says %s', (_, { status, ...rest }, details, message) => {
    expect(new LLMError({ ...rest, ...(status !== undefined && { status }) }, details).message).toBe(message);
  });

  test('has the failure, the attempts and the cause', () => {
    const cause = new Error('The reason.');
    const error = new LLMError(failure, { history: [attempt], cause });
    expect(error).toMatchObject({ name: 'LLMError', failure, history: [attempt], isPartial: false, cause });
    expect(new LLMError(failure)).toMatchObject({
      history: [],
      isPartial: false,
      because: undefined,
      possibleAt: undefined,
    });
    expect(new LLMError(failure)).not.toHaveProperty('cause');
  });
});

describe('errorOfThrown', () => {
  test.each([['a text'], [undefined], [null], [{ message: 'an object' }]])('%j is an unknown failure', (thrown) => {
    expect(errorOfThrown(thrown, [])).toMatchObject({ name: 'LLMError', failure: { type: 'unknown' } });
  });

  test('says why a gate refused the call, and when it may be sent', () => {
    const refused = new GateRefusedError('https://api.example.com', 'circuit-open', 4_000, 1_000, 'Wait.');
    expect(errorOfThrown(refused, [])).toMatchObject({ because: 'circuit-open', possibleAt: 5_000, cause: refused });
  });

  test('masks the key', () => {
    const error = errorOfThrown(new Error('no route for my-own-key'), ['my-own-key']);
    expect(error).toHaveProperty('message', 'no route for [redacted] (unknown)');
  });

  test('returns an abort and an LLMError unchanged', () => {
    const abort = new DOMException('Enough.', 'AbortError');
    const own = new LLMError(failure);
    expect(errorOfThrown(abort, [])).toBe(abort);
    expect(errorOfThrown(own, [])).toBe(own);
  });
});
