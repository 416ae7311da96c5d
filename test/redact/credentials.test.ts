import { describe, expect, it } from 'vitest';
import {
  accountOf,
  isCredentialHeader,
  isCredentialParameter,
  isOrdinaryHeader,
} from '../../src/redact/credentials.ts';

describe('a credential', () => {
  it.each([
    ['x-api-key', true],
    ['Authorization', true],
    ['idempotency-key', false],
    ['X-Idempotency-Key', false],
    ['my-idempotency-key', true],
    ['idempotency-key-secret', true],
    ['accept', false],
    ['cf-access-jwt-assertion', true],
    ['x-goog-iap-jwt-assertion', true],
    ['dpop', true],
    ['x-jwt', true],
    ['x-otp', true],
    ['otp-code', true],
    ['x-hotpink', false],
  ])('is named by the header %s: %j', (name, is) => {
    expect(isCredentialHeader(name)).toBe(is);
  });

  it.each([
    ['api_key', true],
    ['access_token', true],
    ['SIG', true],
    ['code', true],
    ['sas', true],
    ['zipcode', false],
    ['codec', false],
    ['q', false],
  ])('is named by the parameter %s: %j', (name, is) => {
    expect(isCredentialParameter(name)).toBe(is);
  });
});

describe('an ordinary header', () => {
  it('recognises ordinary headers by name, and others by their beginning', () => {
    expect(['accept', 'x-stainless-os', 'sec-fetch-mode', 'sec-ch-ua'].map(isOrdinaryHeader)).toEqual(
      Array(4).fill(true),
    );
    expect(['x-api-key', 'my-sec-ch-ua', 'x-x-stainless-os', 'host-key'].map(isOrdinaryHeader)).toEqual(
      Array(4).fill(false),
    );
  });
});

describe('the account of a request', () => {
  const url = 'https://llm.example/v1/x';
  const signed = (signature: string): string =>
    `AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE12345/20261123/us-east-1/bedrock/aws4_request, Signature=${signature}`;

  it('is empty without a credential', () => {
    expect(accountOf({ url, headers: { accept: '*/*', 'x-request-id': '1' } })).toBe('');
    expect(accountOf({ url: `${url}?q=1` })).toBe('');
  });

  it('is the same for two signatures of one key', () => {
    const account = accountOf({ url, headers: { authorization: signed('aa') } });
    expect(account).toBe(accountOf({ url, headers: { Authorization: signed('bb') } }));
    expect(account).toContain('AKIAEXAMPLE12345');
  });

  it('does not depend on the order, the shape or the case of headers', () => {
    const account = accountOf({ url, headers: { 'x-api-key': 'k1', cookie: 'a=1' } });
    expect(accountOf({ url, headers: new Headers({ cookie: 'a=1', 'X-Api-Key': 'k1' }) })).toBe(account);
    expect(
      accountOf({
        url,
        headers: [
          ['Cookie', 'a=1'],
          ['X-API-KEY', 'k1'],
        ],
      }),
    ).toBe(account);
    const twice = [
      ['x-api-key', 'k1'],
      ['x-api-key', 'k2'],
    ] satisfies HeadersInit;
    expect(accountOf({ url, headers: twice.toReversed() })).toBe(accountOf({ url, headers: twice }));
  });

  it('is a whole token that only mentions a signature', () => {
    const token = `Bearer ${signed('aa')}`;
    expect(accountOf({ url, headers: { authorization: token } })).toBe(`authorization
${token}`);
  });

  it('leaves out what changes with every request', () => {
    const headers = { 'x-api-key': 'k1' };
    const changing = { 'x-csrf-token': '1', 'idempotency-key': '2', 'x-nonce-key': '3', 'sec-key': '4' };
    expect(accountOf({ url, headers: { ...headers, ...changing } })).toBe(accountOf({ url, headers }));
  });

  it('is the names of the credential headers in one line, and each credential in a line', () => {
    expect(accountOf({ url, headers: { 'X-Api-Key': 'k1', cookie: 'a=1', accept: '*/*' } })).toBe(
      'cookie x-api-key\na=1\nk1',
    );
    expect(accountOf({ url, headers: { cookie: 'a=1', 'x-api-key': 'k1' } })).toBe('cookie x-api-key\na=1\nk1');
    expect(accountOf({ url: `${url}?key=k2`, headers: { 'x-api-key': 'k1' } })).toBe('x-api-key\nk1\nk2');
    expect(accountOf({ url: `${url}?key=k2` })).toBe('\n\nk2');
    expect(accountOf({ url: `${url}?key=k2`, headers: null })).toBe('\n\nk2');
  });

  it.each([
    ['api-key', true],
    ['apikey', true],
    ['x-goog-api-key', true],
    ['my_token', true],
    ['token_of_mine', true],
    ['x-sec-key', true],
    ['monkey', false],
    ['x-keyboard', false],
    ['x-signature-key', false],
  ])('counts by the header %s: %j', (name, counts) => {
    expect(accountOf({ url, headers: { [name]: 'k1' } })).toBe(counts ? `${name}\nk1` : '');
  });

  it.each([
    ['apikey', true],
    ['api_key', true],
    ['API-Key', true],
    ['access_token', true],
    ['page_token', false],
    ['tokens', false],
    ['monkey', false],
  ])('counts by the parameter %s: %j', (name, counts) => {
    expect(accountOf({ url: `${url}?${name}=k1` })).toBe(counts ? '\n\nk1' : '');
  });

  it('is none for a header without a value', () => {
    expect(accountOf({ url, headers: { 'x-api-key': '' } })).toBe('');
    expect(accountOf({ url, headers: [['x-api-key', '']] })).toBe('');
  });

  it('of a signed request is the constant part of its credential', () => {
    const digest = (nonce: string): string => `Digest realm="llm", username="ann", nonce="${nonce}"`;
    expect(accountOf({ url, headers: { authorization: digest('1') } })).toBe('authorization\nDigest ann');
    expect(accountOf({ url, headers: { authorization: 'Hawk ts="1", id="dh37"' } })).toBe('authorization\nHawk dh37');
    expect(accountOf({ url: `${url}?X-Amz-Credential=AKIA1/20261123/eu/x` })).toBe('\n\nAKIA1');
  });

  it('is the whole value if the request is not signed, or does not name its user', () => {
    for (const value of ['Bearer Digest username=ann', 'Digest realm="llm"', 'x AWS4-HMAC-SHA256 Credential=AKIA1/2'])
      expect(accountOf({ url, headers: { authorization: value } })).toBe(`authorization\n${value}`);
  });

  it('is also in the URL', () => {
    expect(accountOf({ url: `${url}?key=k1&alt=sse` })).not.toBe(accountOf({ url: `${url}?key=k2` }));
    expect(accountOf({ url: 'https://user:pw@llm.example/' })).toContain('user:pw');
    expect(accountOf({ url: 'no url ?key=k1' })).toBe('');
  });
});
