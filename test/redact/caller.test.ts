import { describe, expect, it } from 'vitest';
import { createCallerOf } from '../../src/redact/caller.ts';
import { sha256 } from '../../src/runtime/sha256.ts';

const url = 'https://llm.example/v1/x';
const key = { 'x-api-key': 'k1' };
const callerOf = createCallerOf();
/** Whether the header, beside a key, makes two requests those of two callers. */
const areTwo = (name: string): boolean =>
  callerOf({ url, headers: { ...key, [name]: 'one' } }) !== callerOf({ url, headers: { ...key, [name]: 'two' } });

describe('the caller of a request', () => {
  it('is empty without a credential and an owner', () => {
    expect(callerOf({ url })).toBe('');
    expect(callerOf({ url, headers: null })).toBe('');
    expect(callerOf({ url, headers: { accept: '*/*', 'x-request-id': '1' } })).toBe('');
    expect(callerOf({ url: `${url}?q=1` })).toBe('');
  });

  it('is a hash that is the same in every process', () => {
    expect(callerOf({ url, headers: key })).toBe(sha256('retry-transport gate\nk1\n'));
    expect(callerOf({ url: `${url}?key=k2`, headers: key })).toBe(sha256('retry-transport gate\nk1\nk2'));
    expect(callerOf({ url, headers: { ...key, cookie: 'a=1' } })).toBe(
      sha256('retry-transport gate\ncookie x-api-key\na=1\nk1'),
    );
  });

  it('does not depend on the order, the shape or the case of headers', () => {
    const caller = callerOf({ url, headers: { ...key, 'openai-project': 'p' } });
    expect(callerOf({ url, headers: new Headers({ 'OpenAI-Project': 'p', 'X-Api-Key': 'k1' }) })).toBe(caller);
    const pairs: [string, string][] = [
      ['OpenAI-Project', 'p'],
      ['X-API-KEY', 'k1'],
    ];
    expect(callerOf({ url, headers: pairs })).toBe(caller);
    expect(callerOf({ url, headers: pairs.toReversed() })).toBe(caller);
  });

  it.each([
    ...['authorization', 'api-key', 'apikey', 'x-goog-api-key', 'my_token', 'token_of_mine', 'x-sec-key', 'cookie'],
    ...['openai-organization', 'OpenAI-Project', 'x-goog-user-project', 'x-portkey-provider', 'x-portkey-virtual-key'],
    ...['x-portkey-config', 'x-portkey-custom-host', 'helicone-auth', 'helicone-target-url', 'anthropic-workspace-id'],
    ...['anthropic-organization-id', 'chatgpt-account-id', 'x-ms-tenant-id', 'x-ms-subscription-id'],
    ...['x-ms-client-principal-id', 'ocp-apim-subscription-key', 'x-amz-security-token', 'x-amz-account-id'],
    ...['x-databricks-org-id', 'x-litellm-team-id', 'x-orgid', 'x-tenant', 'cf-access-client-id'],
  ])('is another one for another value of %s', (name) => {
    expect(areTwo(name)).toBe(true);
  });

  it.each([
    ...['monkey', 'x-keyboard', 'idempotency-key', 'x-csrf-token', 'x-nonce-key', 'sec-key', 'x-signature-key'],
    ...['x-request-id', 'x-ms-client-request-id', 'x-portkey-trace-id', 'x-portkey-span-id', 'x-portkey-metadata'],
    ...['x-account-request-id', 'x-projector', 'x-amz-date', 'x-stainless-retry-count', 'user-agent', 'traceparent'],
  ])('is the same for another value of %s', (name) => {
    expect(areTwo(name)).toBe(false);
  });

  it.each([
    ['a key', '?key=1', '?key=2'],
    ['a key of Azure', '?subscription-key=1', '?subscription-key=2'],
    ['an access key of AWS', '?X-Amz-Credential=AKIA1/2026/eu', '?X-Amz-Credential=AKIA2/2026/eu'],
    ['an organisation', '?organization=1', '?organization=2'],
    ['a project of Vertex', '/projects/a/locations/eu/x', '/projects/b/locations/eu/x'],
    ['an account of Cloudflare', '/client/v4/accounts/a/ai/run', '/client/v4/accounts/b/ai/run'],
    [
      'an ARN of another account',
      '/model/arn%3Aaws%3Ab%3Aeu%3A111111111111%3Ap',
      '/model/arn%3Aaws%3Ab%3Aeu%3A222222222222%3Ap',
    ],
  ])('is another one for %s in the URL', (_what, one, two) => {
    const [first, second] = [one, two].map((rest) => callerOf({ url: `https://llm.example${rest}`, headers: key }));
    expect(first).not.toBe(second);
  });

  it.each(['apikey', 'api_key', 'API-Key', 'access_token'])('is named by the parameter %s', (name) => {
    expect(callerOf({ url: `${url}?${name}=k1` })).toBe(sha256('retry-transport gate\n\nk1'));
  });

  it.each(['page_token', 'tokens', 'monkey', 'alt'])('is not named by the parameter %s', (name) => {
    expect(callerOf({ url: `${url}?${name}=k1` })).toBe('');
  });

  it('is in the user and the password of a URL, and not in what is no URL', () => {
    expect(callerOf({ url: 'https://user:one@llm.example/' })).not.toBe(
      callerOf({ url: 'https://user:two@llm.example/' }),
    );
    expect(callerOf({ url: 'no url ?key=k1' })).toBe('');
    expect(callerOf({ url: '/projects/a/x' })).toBe('');
  });

  it('is none for a header without a value', () => {
    expect(callerOf({ url, headers: { 'x-api-key': '' } })).toBe('');
    expect(callerOf({ url, headers: [['openai-project', '']] })).toBe('');
  });

  it.each([
    ['of SigV4', (n: string) => `AWS4-HMAC-SHA256 Credential=AKIA1/2026/eu/bedrock/aws4_request, Signature=${n}`],
    ['of Digest', (n: string) => `Digest realm="llm", username="ann", nonce="${n}"`],
    ['of Hawk', (n: string) => `Hawk ts="${n}", id="dh37"`],
  ])('is the same for two signatures %s', (_scheme, signed) => {
    const [one, two] = ['1', '2'].map((n) => callerOf({ url, headers: { authorization: signed(n) } }));
    expect(one).toBe(two);
    expect(one).not.toBe(callerOf({ url, headers: { authorization: signed('1').replace(/AKIA1|ann|dh37/, 'x') } }));
  });

  it('is the whole value if the request is not signed, or does not name its user', () => {
    for (const value of ['Bearer Digest username=ann', 'Digest realm="llm"', 'x AWS4-HMAC-SHA256 Credential=AKIA1/2'])
      expect(callerOf({ url, headers: { authorization: value } })).toBe(sha256(`retry-transport gate\n${value}\n`));
  });
});
