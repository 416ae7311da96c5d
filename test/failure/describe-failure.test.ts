import { describe, expect, test } from 'vitest';
import { classify } from '../../src/classify/classify.ts';
import { describeFailure } from '../../src/failure/describe-failure.ts';
import { FAILURES, type Failure, type FailureType } from '../../src/failure/failure.ts';

const failureOf = (type: FailureType, more: Partial<Failure> = {}): Failure => ({
  type,
  retryable: FAILURES[type].strategy !== null,
  category: FAILURES[type].category,
  message: '',
  phase: 'response',
  ...more,
});
const types = Object.keys(FAILURES).filter((name): name is FailureType => Object.hasOwn(FAILURES, name));

describe('describeFailure', () => {
  test.each<[FailureType, Partial<Failure>, string]>([
    ['overloaded', { status: 429 }, 'Service overloaded (HTTP 429)'],
    ['invalid_request', { status: 400 }, 'Request not accepted (HTTP 400)'],
    ['rate_limit', { status: 200, phase: 'stream' }, 'Rate limit reached (inside the answer)'],
    ['stream_interrupted', { phase: 'stream' }, 'Stream interrupted (inside the answer)'],
    ['connection_error', { phase: 'connect', code: 'ECONNRESET' }, 'Connection failed (ECONNRESET)'],
    ['unknown', { phase: 'connect' }, 'Unknown error'],
  ])('the headline says what and where: %s with %j', (type, more, headline) => {
    expect(describeFailure(failureOf(type, more)).headline).toBe(headline);
  });

  test('every type has its own headline and a meaning in one sentence', () => {
    const described = types.map((type) => describeFailure(failureOf(type)));
    expect(new Set(described.map(({ headline }) => headline)).size).toBe(types.length);
    for (const { explanation } of described) expect(explanation).toMatch(/^[A-Z].*\.$/);
  });

  test('a failure that waiting fixes needs no action, and any other has one', () => {
    for (const type of types) {
      const { actions } = describeFailure(failureOf(type));
      const isHelpless = FAILURES[type].strategy !== null || FAILURES[type].action === null;
      expect([type, actions.length > 0]).toEqual([type, !isHelpless]);
    }
  });

  test.each([
    ['anthropic', 'Anthropic: https://console.anthropic.com/settings/', ['keys', 'billing', 'limits']],
    [
      'openai',
      'OpenAI: https://platform.openai.com/',
      ['api-keys', 'settings/organization/billing', 'settings/organization/limits'],
    ],
    ['google', 'Google: https://aistudio.google.com/', ['apikey', 'usage', 'usage']],
    ['azure', 'Azure: https://portal.azure.com/', ['', '', '']],
    ['bedrock', 'Amazon Bedrock: https://console.aws.amazon.com/', ['iam', 'billing', 'servicequotas']],
    ['openrouter', 'OpenRouter: https://openrouter.ai/settings/', ['keys', 'credits', 'keys']],
    ['groq', 'Groq: https://console.groq.com/', ['keys', 'settings/billing', 'settings/limits']],
    ['mistral', 'Mistral: https://console.mistral.ai/', ['api-keys', 'billing', 'limits']],
    ['xai', 'xAI: https://console.x.ai/', ['', '', '']],
    ['cohere', 'Cohere: https://dashboard.cohere.com/', ['api-keys', 'billing', 'api-keys']],
    ['together', 'Together: https://api.together.ai/settings/', ['api-keys', 'billing', 'organization']],
    ['deepseek', 'DeepSeek: https://platform.deepseek.com/', ['api_keys', 'top_up', 'usage']],
  ])('the pages of %s for keys, billing and limits are named', (provider, site, pages) => {
    const named = (['auth_invalid', 'billing_error', 'quota_exhausted'] as const).map(
      (type) => describeFailure(failureOf(type, { provider })).actions[1],
    );
    expect(named).toEqual(pages.map((page) => site + page));
    const [keys] = named;
    expect(describeFailure(failureOf('permission_denied', { provider })).actions[1]).toBe(keys);
  });

  test('a wait is told only where the server asked for one', () => {
    expect(describeFailure(failureOf('rate_limit')).explanation).not.toContain('wait');
  });

  test('another failure of Ollama has no page and no command', () => {
    expect(describeFailure(failureOf('auth_invalid', { provider: 'ollama' })).actions).toHaveLength(1);
  });

  test.each([300, 301])('of a message of %d characters as much is quoted as fits', (length) => {
    const { explanation } = describeFailure(failureOf('server_error', { message: ` ${'x'.repeat(length)} ` }));
    const quoted = explanation.slice(explanation.indexOf('It said: ') + 9);
    expect(quoted).toBe(length > 300 ? `${'x'.repeat(299)}…` : 'x'.repeat(300));
  });

  test('the server is quoted on one line and at a bounded length, with its hint', () => {
    const message = `Too many\n  requests. ${'x'.repeat(4_000)}`;
    const { explanation } = describeFailure(failureOf('rate_limit', { message, retryAfterMs: 90_000, status: 429 }));
    expect(explanation).toContain('It asks to wait 1m 30s. It said: Too many requests. xxx');
    expect(explanation.endsWith('x…')).toBe(true);
    expect(explanation.length).toBeLessThan(500);
    expect(explanation).not.toContain('\n');
  });

  test('a failure without a response quotes no server', () => {
    const failure = classify({
      error: Object.assign(new Error('getaddrinfo ENOTFOUND api.example.com'), { code: 'ENOTFOUND' }),
    });
    expect(failure && describeFailure(failure).explanation).toMatch(
      /The error says: getaddrinfo ENOTFOUND api\.example\.com$/,
    );
  });

  test('the quote has no control characters', () => {
    const body = JSON.stringify({ error: { message: 'slow\u001b[2J\r\ndown\u202e now\u0007' } });
    const failure = classify({ status: 429, body });
    expect(failure && describeFailure(failure).explanation).toMatch(/It said: slow\[2J down now$/);
  });

  test('a code is shown without control characters, and no character is cut in half', () => {
    const failure = failureOf('connection_error', { code: 'E\u001b[2J\u202eX', message: '🎉'.repeat(400) });
    const { headline, explanation } = describeFailure(failure);
    expect(headline).toMatch(/\(E\[2JX\)$/);
    expect(explanation.isWellFormed()).toBe(true);
  });

  test('a message that is only the status is not quoted', () => {
    expect(describeFailure(failureOf('server_error', { status: 500, message: 'HTTP 500' })).explanation).not.toContain(
      'It said',
    );
  });

  test('the page of the provider is named if the provider is known', () => {
    const quota = classify({
      status: 429,
      headers: { 'openai-version': '1' },
      body: '{"error":{"code":"insufficient_quota","message":"No."}}',
    });
    expect(quota && describeFailure(quota).actions).toEqual([
      FAILURES.quota_exhausted.action,
      'OpenAI: https://platform.openai.com/settings/organization/limits',
    ]);
    expect(describeFailure(failureOf('model_not_found', { provider: 'openai' })).actions).toHaveLength(1);
    expect(describeFailure(failureOf('model_not_found', { provider: 'ollama' })).actions[1]).toContain('ollama pull');
  });

  test.each([
    [null, 'Expected `failure` to be a failure, such as the result of `classify`, got null.'],
    [new Error('It broke'), 'Expected `failure.type` to be a failure type, got undefined.'],
  ])('the value %o is refused with what is expected', (value, message) => {
    expect(() => Reflect.apply(describeFailure, undefined, [value])).toThrow(new TypeError(message));
  });

  test('an action of the failure itself comes first', () => {
    expect(describeFailure(failureOf('quota_exhausted', { action: 'Ask Ada.' })).actions).toEqual(['Ask Ada.']);
    expect(
      describeFailure(failureOf('rate_limit', { retryable: false, action: 'Send less at once.' })).actions,
    ).toEqual(['Send less at once.']);
    expect(describeFailure(failureOf('rate_limit', { retryable: false })).actions).toEqual([]);
  });
});

test.each([
  ['UND_ERR_HEADERS_TIMEOUT', 'headersTimeoutMs: 0'],
  ['UND_ERR_BODY_TIMEOUT', 'bodyTimeoutMs: 0'],
])('a time limit of Node (%s) is described with the option that removes it', (code, option) => {
  const failure = failureOf('timeout', { code, phase: 'connect' });
  expect(describeFailure(failure).actions.join()).toContain(option);
});
