import { describe, expect, test } from 'vitest';
import { normalise, readEvidence } from '../../src/classify/envelope.ts';
import type { Evidence } from '../../src/classify/family.ts';
import { readFailure } from '../../src/classify/read-failure.ts';

const read = (value: unknown, status = 400): Evidence => readEvidence(status, value, JSON.stringify(value), null);

const namesAfter = (exception: string): string => readEvidence(429, { message: 'm', code: 'x' }, '', exception).names;
const page = (html: string): Evidence => readEvidence(502, undefined, html, null);

describe('normalise', () => {
  test.each([
    ['InsufficientQuota', 'insufficientquota'],
    ['insufficient_quota', 'insufficientquota'],
    ['Insufficient  quota', 'insufficientquota'],
    ['INSUFFICIENT\u00A0-\nQUOTA', 'insufficientquota'],
    ['doesn’t "exist"', 'doesntexist'],
  ])('%j is %s', (text, form) => {
    expect(normalise(text)).toBe(form);
  });

  test('reads only the first 8 KiB of a text', () => {
    expect(normalise('x'.repeat(9_000))).toHaveLength(8_192);
  });
});

describe('envelopes', () => {
  test.each<[what: string, value: unknown, code: string | undefined, message: string]>([
    [
      'Anthropic',
      { type: 'error', error: { type: 'overloaded_error', message: 'Full' }, request_id: 'req_1' },
      'overloaded_error',
      'Full',
    ],
    [
      'Anthropic with details',
      { type: 'error', error: { type: 'a', message: 'm', details: { error_code: 'b' } } },
      'b',
      'm',
    ],
    [
      'OpenAI',
      { error: { message: 'm', type: 'tokens', param: null, code: 'rate_limit_exceeded' } },
      'rate_limit_exceeded',
      'm',
    ],
    ['OpenAI without a code', { error: { message: 'm', type: 'server_error', code: null } }, 'server_error', 'm'],
    ['Azure', { error: { code: '429', message: 'm' } }, '429', 'm'],
    ['a name beside digits', { error: { code: '9', type: 't', message: 'm' } }, 't', 'm'],
    ['a name that begins with a digit', { error: { code: '5xx_error', type: 't', message: 'm' } }, '5xx_error', 'm'],
    ['a name of a hundred letters', { error: { code: 'c'.repeat(100), message: 'm' } }, 'c'.repeat(100), 'm'],
    ['a name that is longer', { error: { code: 'c'.repeat(101), message: 'm' } }, undefined, 'm'],
    ['names of the envelope', { type: 'error', error: { type: 'failed', message: 'm' } }, undefined, 'm'],
    ['a response that failed', { type: 'response.failed', message: 'm' }, undefined, 'm'],
    ['a response with an error', { type: 'response.error', message: 'm' }, undefined, 'm'],
    ['JSON in a message, with room', { error: { message: '{ \n "code": "inner", "message": "m" }' } }, 'inner', 'm'],
    [
      'a list in a message, with room',
      { error: { message: '[ \n {"code": "inner", "message": "m"} ]' } },
      'inner',
      'm',
    ],
    [
      'a problem’s error_description',
      { error: 'invalid_grant', error_description: 'd' },
      undefined,
      'invalid_grant: d',
    ],
    ['an inner error', { error: { code: 'a', message: 'm', innererror: { code: 'b' } } }, 'b', 'm'],
    ['a violation', { error: { message: 'm', details: [{ violations: [{ reason: 'v' }] }] } }, 'v', 'm'],
    ['a raw answer', { error: { message: 'm', metadata: { raw: '{"error":{"code":"r"}}' } } }, 'r', 'm'],
    ['an AWS type', { __type: 'a', message: 'm' }, 'a', 'm'],
    ['an error name', { error_name: 'n', message: 'm' }, 'n', 'm'],
    [
      'Google',
      { error: { code: 429, message: 'm', status: 'RESOURCE_EXHAUSTED', details: [{ '@type': 'x', reason: 'R' }] } },
      'R',
      'm',
    ],
    ['Google in a list', [{ error: { code: 503, message: 'm', status: 'UNAVAILABLE' } }], 'UNAVAILABLE', 'm'],
    ['OpenRouter', { error: { code: 402, message: 'm', metadata: { limit_source: 's', reason: 'r' } } }, 'r', 'm'],
    [
      'OpenRouter’s availability',
      { error: { message: 'm', error_type: 'not_found', availability: { code: 'c' } } },
      'c',
      'm',
    ],
    [
      'OpenRouter on the Responses skin',
      { response: { error: { code: 'server_error', message: 'm' }, error_type: 'timeout' } },
      'timeout',
      'm',
    ],
    ['a choice', { choices: [{ error: { code: 502, message: 'm', metadata: { error_type: 't' } } }] }, 't', 'm'],
    ['Mistral', { object: 'error', message: 'm', type: 'rate_limited', code: '1300' }, 'rate_limited', 'm'],
    ['a message alone', { message: 'm' }, undefined, 'm'],
    ['xAI, whose code is a sentence', { code: 'No such thing', error: 'm' }, undefined, 'm'],
    ['a text', { error: 'm' }, undefined, 'm'],
    ['FastAPI', { detail: 'm' }, undefined, 'm'],
    ['FastAPI’s list', { detail: [{ type: 'missing', loc: [], msg: 'm' }] }, 'missing', 'm'],
    ['problem JSON', { type: 'about:blank', title: 't', detail: 'd' }, undefined, 't: d'],
    ['a list of errors', { errors: [{ message: 'm', code: 'c' }] }, 'c', 'm'],
    ['a bare text', 'm', undefined, 'm'],
    ['JSON in a message', { error: { message: '{"error":{"message":"m","code":"inner"}}' } }, 'inner', 'm'],
    [
      'a code in JSON in a message, beside one outside',
      { error: { code: 'outer', message: '{"error":{"message":"m","code":"inner"}}' } },
      'inner',
      'm',
    ],
    ['JSON after words', { error: { message: 'Wrapped: {"message":"m"}' } }, undefined, 'm: Wrapped: {"message":"m"}'],
    [
      'JSON in a list after words',
      { message: 'Wrapped: [{"message":"m"}] ' },
      undefined,
      'm: Wrapped: [{"message":"m"}] ',
    ],
    ['words after JSON', { message: '{"message":"m"} there' }, undefined, '{"message":"m"} there'],
    ['a message that only ends like JSON', { error: { message: 'Use [x] {y}' } }, undefined, 'Use [x] {y}'],
    ['an envelope that is none', { message: 'm', request: { code: 'c', message: 'no' } }, undefined, 'm'],
    ['nothing that is known', { foo: 1 }, undefined, '{"foo":1}'],
    ['a link for a type', { type: 'https://example.com/e', title: 't' }, undefined, 't'],
    ['the same message twice', { message: 'm', error: { message: 'm' } }, undefined, 'm'],
  ])('of %s have their code and message read', (_what, value, code, message) => {
    expect(read(value)).toMatchObject({ code, message });
  });

  test('names are compared without regard to the case of the keys', () => {
    expect(read({ ERROR: { CODE: 'INSUFFICIENT_QUOTA' } }).names).toBe('|insufficientquota@400|');
  });

  test('an exception that the text names first is read without the text around it', () => {
    expect(namesAfter('ThrottlingException:http://internal.amazon.com/')).toBe('|throttlingexception@429|x@429|');
    expect(namesAfter('com.amazon.coral#ThrottlingException')).toBe('|throttlingexception@429|x@429|');
  });

  test('the status inside a success comes from the body', () => {
    expect(read({ error: { code: 524 } }, 200)).toMatchObject({ status: 524, isInBand: true, code: '524' });
    expect(read({ error: { http_status: 404 } }, 200).status).toBe(404);
    expect(read({ error: { code: '429' } }, 200).status).toBe(429);
    expect(read({ error: { code: 1_300, message: 'm' } }, 200)).toMatchObject({ status: 0, code: '1300' });
    expect([399, 400, 599, 600, 400.5].map((code) => read({ error: { code } }, 200).status)).toEqual([
      0, 400, 599, 0, 0,
    ]);
    for (const name of ['status', 'statusCode', 'error_code', 'code', 'http_status']) {
      expect(read({ error: { [name]: 503 } }, 200).status).toBe(503);
    }
    expect(read({ error: { code: 524, metadata: { code: 429 } } }, 200).status).toBe(524);
    expect(read({ error: { code: true, status: 429 } }, 200).status).toBe(429);
    expect(read({ error: { code: [503] } }, 200).status).toBe(0);
    expect(read({ error: { code: 524 } }, 502)).toMatchObject({ status: 502, isInBand: false });
  });

  test('only trusted fields decide whether to retry', () => {
    expect(read({ error: { availability: { retryable: true } } }).retryable).toBe(true);
    expect(read({ cloudflare_error: true, retryable: false }).retryable).toBe(false);
    expect(read({ error: { retryable: true } }).retryable).toBeUndefined();
    expect(read({ error: { availability: { retryable: 'yes' } } }).retryable).toBeUndefined();
  });

  test('the provider of an envelope is recognised by names that no other provider uses', () => {
    const providerOf = (fields: object): string | undefined => read({ error: { message: 'm', ...fields } }).provider;
    expect(providerOf({})).toBeUndefined();
    expect(providerOf({ '@type': 'x' })).toBe('google');
    expect(providerOf({ status: 'RESOURCE_EXHAUSTED' })).toBe('google');
    expect(providerOf({ status: 'NOT_RESOURCE_EXHAUSTED' })).toBeUndefined();
    expect(providerOf({ status: 'UNAVAILABLE_NOW' })).toBeUndefined();
    expect(providerOf({ message: 'See https://generativelanguage.googleapis.com' })).toBe('google');
    expect(providerOf({ request_id: 'req_1' })).toBe('anthropic');
    expect(providerOf({ request_id: 'x-req_1' })).toBeUndefined();
    expect(providerOf({ metadata: { limit_source: 's' } })).toBe('openrouter');
    expect(providerOf({ metadata: { provider_name: 'OpenAI' } })).toBe('openrouter');
    expect(providerOf({ availability: {} })).toBe('openrouter');
    expect(read({ cloudflare_error: true, message: 'm' }).provider).toBe('cloudflare');
    expect(readEvidence(429, { message: 'm' }, '', 'ThrottlingException').provider).toBe('bedrock');
    expect(readEvidence(429, { error: { '@type': 'x' } }, '', 'ThrottlingException').provider).toBe('google');
  });

  test('the quotas of Google are read by their names, and no others', () => {
    const violations = [
      { quotaId: 'PerDay', quotaValue: '0' },
      { quota_limit: 'a', quota_limit_value: 'b', quota: 'c' },
    ];
    expect(read({ error: { message: 'm', details: [{ violations }] } }).quotas).toBe(
      'quotaid:PerDay;quotavalue:0;quota_limit:a;quota_limit_value:b;',
    );
    expect(read({ message: 'm' }).quotas).toBe('');
  });

  test('the fields that name a wait are read, even those of JSON inside a text', () => {
    const waitsIn = (value: unknown): unknown =>
      [...read(value).words.waits].flatMap(([name, values]) => (values.length === 0 ? [] : [[name, values]]));
    expect(waitsIn({ error: { message: 'Wrapped: {"retry_after":5}' } })).toEqual([['retryafter', ['5']]]);
    expect(waitsIn({ error: '{"retry_after":5}' })).toEqual([['retryafter', ['5']]]);
    expect(waitsIn({ message: 'of [{"retry_after":5}]' })).toEqual([['retryafter', ['5']]]);
    expect(waitsIn({ message: 'plain', 'retry-after': '5' })).toEqual([['retryafter', ['5']]]);
    expect(waitsIn({ message: 'm', request: { retry_after: 5 } })).toEqual([]);
    expect(waitsIn({})).toEqual([]);
    expect(readEvidence(400, undefined, 'text', null).words.text).toBe('text');
  });

  test('an unknown envelope is searched for quoted names, because a body may have been cut', () => {
    const text = '{"error":{"code":"insufficient_quota","quotaId":\'PerDay';
    const evidence = readEvidence(429, undefined, text, null);
    expect(evidence.names).toBe(
      '|{@429|error@429|:{@429|code@429|:@429|insufficientquota@429|,@429|quotaid@429|:@429|perday@429|',
    );
    expect(evidence).toMatchObject({ quotas: text, message: text, code: undefined });
    expect(readEvidence(400, undefined, 'x'.repeat(9_000), null).message).toHaveLength(8_192);
    expect(read({ message: 'no "insufficient_quota"' })).toMatchObject({ names: '|', quotas: '' });
    expect(read({ code: 'c' }).names).toBe('|c@400|');
    expect(page('<p class="insufficient_quota">')).toMatchObject({ names: '|', quotas: '' });
  });

  test.each([
    ['a URL', (key: string) => encodeURIComponent(key)],
    ['HTML', (key: string) => key.replace(/\W/g, (sign) => `&#${sign.charCodeAt(0)};`)],
  ])('a title that is cut in an escape of %s shows no part of a key', (_form, escaped) => {
    const secret = 'Zq7/vB+k2=Lm9"xY+uW/abc/def/ghi';
    for (let before = 250; before < 300; before += 1) {
      const body = `<title>${'='.repeat(before)} ${escaped(secret)}</title>`;
      const verdict = readFailure(
        { status: 502, nowMs: 0, secrets: [secret] },
        { value: undefined, text: body, exception: null },
        'response',
      );
      // A beginning of up to five characters is not recognised as a part of the key.
      expect(verdict.failure.message).not.toContain(escaped(secret.slice(0, 6)));
    }
  });

  test('a page is read by its title, or its first words', () => {
    expect(page('\n <html><title>502</title>')).toMatchObject({ isPage: true, message: '502' });
    expect(readEvidence(502, undefined, 'See <title>', null).isPage).toBe(false);
    expect(page('<title>Access <b>denied</b>\n by policy</title><h1>403</h1>').message).toBe('Access denied by policy');
    expect(page(`<title>${'x'.repeat(400)}`).message).toHaveLength(300);
    expect(page(`<p>${'x'.repeat(400)}</p>`).message).toHaveLength(300);
    expect(page(`<p>${' '.repeat(9_000)}nginx`)).toMatchObject({ message: '', provider: undefined });
    expect(page('<html><title>502 Bad\n Gateway</title><hr>nginx')).toMatchObject({
      message: '502 Bad Gateway',
      provider: 'nginx',
      isPage: true,
    });
    expect(page('<html><body><h1>503 Service Unavailable</h1></body></html>')).toMatchObject({
      message: '503 Service Unavailable',
      provider: undefined,
    });
    expect(page('<p>502</p><p>Bad</p>').message).toBe('502 Bad');
    expect(page('<title>x</title><link href="/cdn-cgi/styles/main.css">').provider).toBe('cloudflare');
  });

  test('only the start of a body with thousands of names is read', () => {
    const errors = Array.from({ length: 5_000 }, (_error, index) => ({ code: `c${index}`, message: 'm' }));
    expect(read({ errors }).names.split('|')).toHaveLength(34);
  });

  test('nesting is read down to a limit', () => {
    let value: unknown = 'm';
    for (let depth = 0; depth < 5_000; depth += 1) value = { error: value };
    expect(readEvidence(400, value, '', null).message).toBe('');
    const nested = (depth: number): unknown =>
      depth === 0 ? { code: 'c', message: 'm' } : { error: nested(depth - 1) };
    expect([8, 9].map((depth) => read(nested(depth)).code)).toEqual(['c', undefined]);
  });
});

describe('the word of a body on retrying', () => {
  test.each([
    ['its top', { message: 'm', retryable: false }],
    ['the error', { error: { message: 'm', retryable: false } }],
    ['its metadata', { error: { message: 'm', metadata: { reason: 'attachment_failed', retryable: false } } }],
  ])('`retryable: false` in %s makes a failure final', (_, body) => {
    expect(
      readFailure({ status: 502, nowMs: 0 }, { value: body, text: '', exception: null, message: '' }, 'response')
        .failure.retryable,
    ).toBe(false);
  });

  test.each([
    ['true', true],
    ['a text', 'false'],
  ])('%s says nothing', (_, retryable) => {
    expect(read({ error: { message: 'm', retryable } }, 502).retryable).toBeUndefined();
  });

  test('a model that is available again counts more', () => {
    const body = { error: { message: 'm', retryable: false, availability: { retryable: true } } };
    expect(read(body, 503).retryable).toBe(true);
  });
});
