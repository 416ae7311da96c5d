import { describe, expect, it } from 'vitest';
import { classify, createRetryFetch, describeFailure, outcomeOf } from '../../src/index.ts';
import { fakeRuntime, respond, script, URL_OF_TEST } from '../script.ts';

const ID = 'req_011CQ-x.7';
const BODY = '{"error":{"type":"api_error","message":"no"}}';
const idIn = (headers: Record<string, string>, body?: string): string | undefined =>
  classify({ status: 500, headers, ...(body !== undefined && { body }) })?.requestId;

describe("the server's own id of the request", () => {
  it.each(['x-request-id', 'request-id', 'x-amzn-requestid', 'apim-request-id', 'cf-ray'])(
    'is read from %s',
    (name) => {
      expect([idIn({ [name]: ID }), idIn({ [name]: ID }, BODY)]).toEqual([ID, ID]);
    },
  );

  it('is that of the API where a proxy has one too', () => {
    expect(idIn({ 'cf-ray': '8f-FRA', 'x-request-id': ID })).toBe(ID);
  });

  it.each(['', 'two words', '<b>', 'x'.repeat(129), 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789'])(
    'is left out if it is %s, which is no plain id or may be a key',
    (id) => {
      expect(idIn({ 'x-request-id': id }, BODY)).toBeUndefined();
    },
  );

  it('is in the events, the history, the end of the call and the words for a person', async () => {
    const runtime = fakeRuntime();
    const failed = (): Response => respond(503, { 'x-request-id': ID }, BODY);
    const ids: unknown[] = [];
    const fetch = createRetryFetch({
      fetch: script(runtime, failed),
      runtime,
      maxRetries: 1,
      onEvent: (event) => void ('failure' in event && ids.push(event.failure.requestId)),
    });
    const end = outcomeOf(await fetch(URL_OF_TEST));
    expect(ids).toEqual([ID, ID]);
    expect(end?.history.map(({ failure }) => failure?.requestId)).toEqual([ID, ID]);
    const failure = end?.type === 'failed' ? end.failure : undefined;
    expect(failure && describeFailure(failure).explanation).toContain(ID);
  });
});
