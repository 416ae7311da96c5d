import { fc, test } from '@fast-check/vitest';
import { describe, expect } from 'vitest';
import { createKeyOf, sharedKeyOf } from '../../src/gate/key.ts';
import { createGate } from '../../src/route/create-gate.ts';

const URL_OF_OPENAI = 'https://api.openai.com/v1/responses';
const SECRET = 'sk-proj-0123456789abcdefghij';

describe('the key of a request', () => {
  test('is its origin and a hash that does not change between processes', () => {
    const keyOf = createKeyOf();
    expect(keyOf({ url: URL_OF_OPENAI, headers: { authorization: `Bearer ${SECRET}` } })).toBe(
      'https://api.openai.com#2bb4ce72e9c5220e',
    );
    expect(keyOf({ url: URL_OF_OPENAI })).toBe('https://api.openai.com');
  });

  test.prop([
    fc.string({
      minLength: 12,
      maxLength: 60,
      unit: fc.constantFrom(...'abcdefghijklmnopqrstuvwxyzABCDEF0123456789-_'.split('')),
    }),
  ])('never shows any part of the credential', (secret) => {
    const key = createKeyOf()({
      url: `https://user:${secret}@x.example/v1?key=${secret}`,
      headers: { 'x-api-key': secret },
    });
    for (let i = 0; i + 8 <= secret.length; i += 1) expect(key).not.toContain(secret.slice(i, i + 8));
  });

  test.each([
    ['a record', { Authorization: `Bearer ${SECRET}` }],
    ['a record in lower case', { authorization: `Bearer ${SECRET}` }],
    ['a record in no usual case', { 'content-type': 'text/plain', AUTHORIZATION: `Bearer ${SECRET}` }],
    [
      'pairs',
      [
        ['content-type', 'text/plain'],
        ['AuthoriZation', `Bearer ${SECRET}`],
      ],
    ],
    ['a record with a header that is called "get"', { get: 'x', AUTHORIZATION: `Bearer ${SECRET}` }],
    ['Headers', new Headers({ authorization: `Bearer ${SECRET}` })],
  ] as [string, HeadersInit][])('is the same for %s', (_, headers) => {
    const key = createKeyOf()({ url: URL_OF_OPENAI, headers });
    expect(key).toBe(createKeyOf()({ url: URL_OF_OPENAI, headers: { authorization: `Bearer ${SECRET}` } }));
  });

  test.each([
    ...['authorization', 'x-api-key', 'api-key', 'x-goog-api-key', 'cookie', 'x-portkey-api-key', 'x-auth-token'],
    ...['ocp-apim-subscription-key', 'proxy-authorization', 'openai-project', 'openai-organization'],
    ...['x-goog-user-project', 'x-portkey-provider', 'x-ms-tenant-id'],
  ])('tells two credentials, or two owners of one, in %s apart, and shows neither', (name) => {
    const keyOf = createKeyOf();
    const [one, again, two] = [{ [name]: 'tenant-1' }, new Headers({ [name]: 'tenant-1' }), { [name]: 'tenant-2' }].map(
      (headers) => keyOf({ url: URL_OF_OPENAI, headers }),
    );
    expect([again === one, two === one]).toEqual([true, false]);
    expect(one).toMatch(/^https:\/\/api\.openai\.com#[0-9a-f]{16}$/);
  });

  test('distinguishes keys in the query and passwords in the URL', () => {
    const keyOf = createKeyOf();
    const urls = [
      'https://g.example/v1?key=a',
      'https://g.example/v1?key=b',
      'https://u:a@g.example/v1',
      'https://u:b@g.example/',
      'https://ua@g.example/',
    ];
    const keys = urls.map((url) => keyOf({ url, headers: { accept: 'application/json' } }));
    expect(new Set(keys).size).toBe(5);
    for (const key of keys) expect(key).toMatch(/^https:\/\/g\.example#[0-9a-f]{16}$/);
  });

  test('shares one limit between the paths of an origin', () => {
    const keyOf = createKeyOf();
    const headers = { authorization: SECRET };
    expect(keyOf({ url: `${URL_OF_OPENAI}?a=1`, headers })).toBe(
      keyOf({ url: 'https://api.openai.com/v1/embeddings#x', headers }),
    );
  });

  test('is anonymous without headers, with empty ones and with others', () => {
    const keyOf = createKeyOf();
    for (const headers of [undefined, {}, [], new Headers(), { accept: '*/*' }]) {
      expect(keyOf({ url: URL_OF_OPENAI, headers })).toBe('https://api.openai.com');
    }
    for (const headers of [JSON.parse('null'), JSON.parse('[[]]'), { AUTHORIZATION: undefined }, { 'api-key': '' }]) {
      expect(keyOf({ url: URL_OF_OPENAI, headers })).toBe('https://api.openai.com');
    }
  });

  test('treats a URL without an origin as one of the page itself', () => {
    expect(createKeyOf()({ url: '/api/chat' })).toBe('');
    expect(createKeyOf()({ url: '/api/chat?key=one' })).toBe('');
  });

  test.each([
    ['the text of a body', '/gpt-5', { body: '{"model":"gpt-5","input":"hi"}' }],
    ['a body that is still an object', '/gpt-5', { body: { model: 'gpt-5' } }],
    ['the path', '/gemini-3', { url: 'https://api.openai.com/v1beta/models/gemini-3:generateContent' }],
    ['a deployment', '/prod', { url: 'https://api.openai.com/openai/deployments/prod/chat/completions' }],
    ['nothing, where none is named', '', { body: new Uint8Array(3) }],
    ['nothing, where a text names none', '', { body: '{}' }],
    ['nothing, where there is no body', '', { body: null }],
    ['the end of a long text', '/gpt-5', { body: `{"input":"${'x'.repeat(5_000)}","model":"gpt-5"}` }],
    ['bytes', '/gpt-5', { body: new TextEncoder().encode('{"model":"gpt-5"}') }],
    ['an ArrayBuffer', '/gpt-5', { body: new TextEncoder().encode('{"model":"gpt-5"}').buffer }],
    ['nothing, where it is no text', '', { body: { model: 5 } }],
  ])('contains the model if the option says so, from %s', (_, model, target) => {
    expect(createKeyOf('model')({ url: URL_OF_OPENAI, ...target })).toBe(`https://api.openai.com${model}`);
    expect(createKeyOf('credential')({ url: URL_OF_OPENAI, ...target })).toBe('https://api.openai.com');
  });

  test('is the result of a function', () => {
    expect(createKeyOf(({ url }) => url.slice(0, 5))({ url: URL_OF_OPENAI })).toBe('https');
  });

  test('is remembered, and the memory is bounded', () => {
    const keyOf = createKeyOf();
    const first = keyOf({ url: URL_OF_OPENAI, headers: { authorization: 'a' } });
    for (let i = 0; i < 600; i += 1) keyOf({ url: `https://h${i}.example/`, headers: { authorization: `k${i}` } });
    expect(keyOf({ url: URL_OF_OPENAI, headers: { authorization: 'a' } })).toBe(first);
  });

  test('refuses an unknown kind of key, and lists the known ones', () => {
    expect(() => createGate({ key: 'user' as 'model' })).toThrow(
      'Expected `key` to be "credential", "model" or a function, got "user".',
    );
  });

  test('is the same for all requests that are signed with one access key', () => {
    const keyOf = createKeyOf();
    const signed = (date: string, signature: string): string =>
      keyOf({
        url: 'https://bedrock-runtime.us-east-1.amazonaws.com/model/m/converse',
        headers: {
          authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/${date}/us-east-1/bedrock/aws4_request, SignedHeaders=host, Signature=${signature}`,
        },
      });
    expect(signed('20261122', 'aaaa')).toBe(signed('20261123', 'bbbb'));
  });

  test.each([
    ['access key', 'AWS4-HMAC-SHA256 Credential=AKIDONE/1/2/3', 'AWS4-HMAC-SHA256 Credential=AKIDTWO/1/2/3'],
    ['user', 'Digest username="one", nonce="a"', 'Digest username="two", nonce="a"'],
    ['text, where it names no user', 'Digest realm="one"', 'Digest realm="two"'],
    ['scheme', 'Digest id=one', 'Hawk id=one'],
  ])('tells two signed credentials apart by their %s', (_what, ...values) => {
    const keyOf = createKeyOf();
    const keys = values.map((authorization) => keyOf({ url: URL_OF_OPENAI, headers: { authorization } }));
    expect(new Set(keys).size).toBe(2);
  });

  test('is the same every day for a URL that is signed with one access key', () => {
    const keyOf = createKeyOf();
    const signed = (scope: string): string => keyOf({ url: `https://b.example/m?X-Amz-Credential=${scope}` });
    expect(signed('AKIDONE%2F20261122%2Fus')).toBe(signed('AKIDONE%2F20261123%2Fus'));
    expect(signed('AKIDONE%2F20261122%2Fus')).not.toBe(signed('AKIDTWO%2F20261122%2Fus'));
  });

  test('is the same in whatever order the headers are', () => {
    const keyOf = createKeyOf();
    const headers = { cookie: 'session=1', authorization: 'Bearer one' };
    const sorted = new Headers(headers);
    expect(keyOf({ url: URL_OF_OPENAI, headers })).toBe(keyOf({ url: URL_OF_OPENAI, headers: sorted }));
  });

  test('tells apart in which header two secrets are sent', () => {
    const keyOf = createKeyOf();
    const keys = [
      { 'x-tenant-token': 'one' },
      { 'x-other-token': 'one' },
      { 'x-tenant-token': 'one', 'x-other-token': 'two' },
      { 'x-tenant-token': 'two', 'x-other-token': 'one' },
      { authorization: 'onetwo' },
      { authorization: 'one', 'api-key': 'two' },
    ].map((headers) => keyOf({ url: URL_OF_OPENAI, headers }));
    expect(new Set(keys).size).toBe(6);
  });

  test('does not change between versions, so that processes of two of them share a store', () => {
    const keyOf = createKeyOf();
    expect([
      keyOf({ url: URL_OF_OPENAI, headers: { 'X-Tenant-Token': 'one', 'X-Other-Token': 'two' } }),
      keyOf({ url: 'https://user:secret@g.example/v1?key=three', headers: { authorization: 'one' } }),
    ]).toEqual(['https://api.openai.com#c65911e05b18a8e7', 'https://g.example#2dcec8eb84aa38ac']);
  });

  test('ignores headers that change with every request', () => {
    const keyOf = createKeyOf();
    const url = URL_OF_OPENAI;
    for (const name of ['idempotency-key', 'x-csrf-token', 'x-auth-nonce'])
      expect(keyOf({ url, headers: { [name]: 'one' } })).toBe(keyOf({ url, headers: { [name]: 'two' } }));
  });

  test('is the origin if a function of the caller throws', () => {
    const keyOf = createKeyOf(() => {
      throw new Error('no key today');
    });
    expect(keyOf({ url: URL_OF_OPENAI })).toBe('https://api.openai.com');
  });
});

describe('the model of a request', () => {
  const keyOf = createKeyOf();
  const url = 'https://api.example.com/v1/messages';

  test('has a key of its own by default, and none where no model is named', () => {
    expect(keyOf({ url, body: '{"model":"gpt-9"}' })).toBe('https://api.example.com/gpt-9');
    expect(keyOf({ url, body: '{}' })).toBe('https://api.example.com');
  });

  test.each(['two words', 'line\nbreak', '\u0007', 'x'.repeat(65)])('is shown as a hash if it is %j', (model) => {
    expect(keyOf({ url, body: { model } })).toMatch(/^https:\/\/api\.example\.com\/#[\da-f]{16}$/);
  });

  test('leaves the process only as a hash', () => {
    const key = keyOf({ url, headers: { authorization: 'Bearer secret' }, body: { model: 'gpt-9' } });
    expect(sharedKeyOf(key)).toMatch(/^https:\/\/api\.example\.com#[\da-f]{16}\/#[\da-f]{16}$/);
    expect(sharedKeyOf(key)).toBe(sharedKeyOf(key));
    expect(sharedKeyOf('https://api.example.com#0123456789abcdef')).toBe('https://api.example.com#0123456789abcdef');
    expect(sharedKeyOf('my own key')).toBe('my own key');
  });
});
