import { describe, expect, it } from 'vitest';
import { isCredentialHeader, isCredentialParameter, isOrdinaryHeader } from '../../src/redact/credentials.ts';

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
