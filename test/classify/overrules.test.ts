import { expect, test } from 'vitest';
import { classify } from '../../src/classify/classify.ts';

const read = (status: number, message: string, name?: string) =>
  classify({ status, body: JSON.stringify({ error: { message, status: name } }) });

test.each([
  [400, 'Service agents are being provisioned. So please try again in a few minutes.', 'FAILED_PRECONDITION'],
  [400, 'The File x1 is not in an ACTIVE state and usage is not allowed.', 'FAILED_PRECONDITION'],
  [400, "Can't add messages to thread_1 while a run run_1 is active.", undefined],
  [400, 'The file is still being indexed. Please retry in a few minutes.', undefined],
  [409, 'The resource is locked, please retry', undefined],
  [423, 'Locked. Please try again.', undefined],
])('a %i that the server itself calls temporary is retried: %s', (status, message, name) => {
  expect(read(status, message, name)).toMatchObject({ retryable: true });
});

test('the wait of such a refusal counts', () => {
  expect(read(400, 'Try again in 20 seconds')).toMatchObject({ retryable: true, retryAfterMs: 20_000 });
});

test.each([
  [400, 'User location is not supported for the API use.', 'FAILED_PRECONDITION'],
  [400, 'Precondition check failed.', 'FAILED_PRECONDITION'],
  [404, 'The API deployment for this resource does not exist. Please wait a moment and try again.', undefined],
  [400, 'Please try again with a shorter prompt.', undefined],
  [409, 'The name already exists', undefined],
])('another %i is not retried: %s', (status, message, name) => {
  expect(read(status, message, name)?.retryable).toBe(false);
});

test.each([
  () => read(429, 'Received message larger than max (14245240 vs. 4194304)', 'RESOURCE_EXHAUSTED'),
  () => classify({ error: new Error('8 RESOURCE_EXHAUSTED: Received message larger than max (14245240 vs. 4194304)') }),
  () => classify({ error: new Error('RESOURCE_EXHAUSTED: gRPC message exceeds maximum size 4194304: 6000000') }),
  () => classify({ status: 413, body: 'Request Entity Too Large' }),
])('a request that is too large in bytes stays so, and the advice speaks of bytes', (failure) => {
  expect(failure()).toMatchObject({
    type: 'context_too_long',
    retryable: false,
    action: expect.stringContaining('bytes'),
  });
});

test.each(['OAuth token revoked · Please run /login', 'invalid_grant: Token has been expired or revoked.'])(
  'a login that has ended needs a person: %s',
  (text) => {
    expect(classify({ error: new Error(text) })).toMatchObject({
      type: 'auth_invalid',
      retryable: false,
      action: expect.stringContaining('Log in again'),
    });
  },
);

test('a wrong clock is retried only where the next call is signed anew', () => {
  const headers = { 'x-amzn-errortype': 'InvalidSignatureException' };
  const message = 'Signature expired: 20260101T000000Z is now earlier than 20260101T010000Z';
  expect(classify({ status: 403, headers, body: JSON.stringify({ message }) })).toMatchObject({
    type: 'auth_invalid',
    retryable: false,
  });
  const error = (clockSkewCorrected?: boolean) =>
    Object.assign(new Error(message), {
      name: 'InvalidSignatureException',
      $fault: 'client',
      $metadata: { httpStatusCode: 403, clockSkewCorrected },
    });
  expect(classify({ error: error(true) })?.retryable).toBe(true);
  expect(classify({ error: error() })?.retryable).toBe(false);
});

test('a 405 names the redirect that may have changed the method', () => {
  expect(classify({ status: 405, body: '{"error":{"message":"Method not allowed"}}' })?.action).toContain('redirect');
});
