/**
 * The client of OpenAI with its own retries. It also builds the URL, the headers and a time limit of each request, so
 * its cost is not that of its retries alone. Its waits cannot be set, but it obeys `retry-after-ms`.
 */

import OpenAI from 'openai';
import type { Fetch } from '../../../src/transport.ts';
import type { Call, Subject } from '../../../bench/peers/subject.ts';
import { installedVersion } from '../../../bench/peers/subjects.ts';

function callOf(inner: Fetch, maxRetries: number): Call {
  const client = new OpenAI({
    apiKey: 'none',
    baseURL: 'http://127.0.0.1:9',
    fetch: inner,
    maxRetries,
    logLevel: 'off',
  });
  return (url, { body, signal }) => client.post(url, { body: objectOf(body), ...(signal && { signal }) }).asResponse();
}

let text: unknown;
let object: unknown;

/** The client takes objects. The scenarios always send the same text, so parsing it each time would be extra work. */
function objectOf(body: RequestInit['body']): unknown {
  if (body !== text) {
    text = body;
    object = JSON.parse(String(body));
  }
  return object;
}

export const subject: Subject = {
  name: 'openai',
  version: installedVersion('openai'),
  retries: true,
  wrap: (inner, { retries }) => callOf(inner, retries),
  byDefault: (inner) => callOf(inner, 2),
  bundle: `export { default } from 'openai';`,
  entry: 'openai',
};
