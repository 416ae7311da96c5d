import { describe, expect, it } from 'vitest';
import { createFallback, createRetryFetch, FAILURES, type RetryConfig, outcomeOf } from '../../src/index.ts';
import { ErrorRegistry, readJournal, renderReport, RunJournal, summary } from '../../src/report/index.ts';
import { fakeRuntime, respond, respondError, script, type Step } from '../script.ts';
import { contentsOf, SECRET, temporaryDirectory } from './samples.ts';

/** A call whose events go into a registry and a journal. */
async function call(steps: readonly [Step, ...Step[]], config: RetryConfig = {}) {
  const directory = temporaryDirectory();
  const registry = new ErrorRegistry(`${directory}/errors.ndjson`, { context: { plan: 'p-1' } });
  const journal = new RunJournal(`${directory}/run.ndjson`);
  const runtime = fakeRuntime();
  const onEvent: RetryConfig['onEvent'] = (event) => {
    registry.listener(event);
    journal.listener(event);
  };
  const fetch = createRetryFetch({ fetch: script(runtime, ...steps), runtime, jitter: 'none', ...config, onEvent });
  const response = await fetch('https://api.openai.com/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${SECRET}` },
    body: JSON.stringify({ model: 'gpt-5' }),
  });
  return { response, registry, journal: readJournal(`${directory}/run.ndjson`), directory };
}

const PERMANENT = [
  'auth_invalid',
  'permission_denied',
  'context_too_long',
  'invalid_request',
  'content_policy',
  'quota_exhausted',
  'model_not_found',
  'model_deprecated',
  'unsupported_feature',
  'account_suspended',
] as const;

const quota = respondError(429, {
  code: 'insufficient_quota',
  type: 'insufficient_quota',
  message: `You exceeded your current quota. Key: ${SECRET}`,
});

describe('the records of a call', () => {
  it('attempt history, summary, report, registry', async () => {
    const { response, registry } = await call([503, respond(429, { 'retry-after': '2' }), 503], { maxRetries: 2 });
    const [report] = registry.list();
    expect(registry.list()).toHaveLength(1);
    expect(report).toMatchObject({
      rootCause: { type: 'overloaded', status: 503, category: 'retryable' },
      context: { plan: 'p-1' },
      recovery: {
        because: 'retries-exhausted',
        tried:
          'overloaded (HTTP 503): failed after 3 attempts in 3s (2 × overloaded, rate limit, waited 3s), no retries are left',
      },
    });
    expect(report?.history).toEqual(outcomeOf(response)?.history ?? []);
    expect(report?.recovery.tried).toContain(summary(outcomeOf(response)?.history ?? []));
  });

  it('journal of attempts (JSON lines)', async () => {
    const { journal } = await call([503, respond(429, { 'retry-after': '2' }), 200]);
    expect(
      journal.entries.map((entry) =>
        entry.kind === 'attempt' ? [entry.attempt, entry.failure?.type, entry.delayMs] : entry.kind,
      ),
    ).toEqual([[1, 'overloaded', 1_000], [2, 'rate_limit', 2_000], [3, undefined, null], 'outcome']);
    expect(journal.runs[0]?.outcome).toMatchObject({
      outcome: 'succeeded',
      attempts: 3,
      summary: 'succeeded after 3 attempts in 3s (overloaded, rate limit, waited 3s)',
    });
  });

  it.each(PERMANENT)('user action text per non-retryable type: %s', async (type) => {
    const fallen = {
      type: 'unknown',
      retryable: false,
      category: 'non-retryable',
      message: 'no',
      phase: 'response',
    } as const;
    const { registry } = await call([400], { classify: () => ({ ...fallen, type }) });
    const [report] = registry.list();
    const { action } = FAILURES[type];
    expect(report?.recovery.actions).toContain(action);
    expect(report && renderReport(report, { width: 300 })).toContain(`1. ${action}`);
  });

  it('a spent quota becomes a box with the required actions, and no file holds the key', async () => {
    const { registry, directory } = await call([quota]);
    const [report] = registry.list({ type: 'quota_exhausted', resolved: false });
    const text = report === undefined ? '' : renderReport(report);
    expect(text).toMatch(
      /WHAT HAPPENED[^]*You exceeded your current quota[^]*REQUIRED ACTIONS\s+│\n│\s+1\. Add credits/,
    );
    for (const contents of Object.values(contentsOf(directory)))
      expect(contents.includes(SECRET.slice(0, 12))).toBe(false);
  });

  it('a call that fell back names the targets', async () => {
    const fallback = createFallback({ targets: [{ name: 'claude-haiku' }], maxRetriesBeforeFallback: 1 });
    const { response, journal } = await call([503, 503, 200], { fallback });
    expect(summary(outcomeOf(response)?.history ?? [])).toMatch(
      /^succeeded after 3 attempts in .* \(2 × overloaded, .*fell back to claude-haiku\)$/,
    );
    expect(journal.entries.find(({ kind }) => kind === 'fallback')).toMatchObject({
      from: 'primary',
      to: 'claude-haiku',
    });
    expect(journal.runs[0]?.outcome?.timings.map(({ target }) => target)).toEqual([
      'primary',
      'primary',
      'claude-haiku',
    ]);
  });

  it('a call that succeeds at the first attempt leaves no record', async () => {
    const { directory } = await call([200]);
    expect(contentsOf(directory)).toEqual({});
  });
});
