/** Sends a request to any address with retries. The answer is passed on byte for byte as it arrives. */

import { readFile } from 'node:fs/promises';
import { createRetryFetch, type HttpHeaders, type RetryConfig } from '../index.ts';
import { UsageError } from './arguments.ts';
import type { SessionContext } from './display/session.ts';
import type { TerminalInput } from './display/terminal.ts';

/** The request, and the policy for its retries. */
export interface SentRequest {
  readonly url: string;
  /** In upper case. */
  readonly method: string;
  /** With names in lower case. */
  readonly headers: HttpHeaders;
  readonly policy: RetryConfig;
}

/** fetch passes every header except `authorization` on to the target of a redirect. */
const LOOKS_SECRET = /key|token|secret|password|cookie|credential/;

/** The body that `--data` describes. @throws UsageError if its file cannot be read */
export async function readData(
  data: string | undefined,
  input: TerminalInput,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (data === undefined) return undefined;
  if (data === '-' || data === '@-') return readAll(input);
  if (!data.startsWith('@')) return new TextEncoder().encode(data);
  const path = data.slice(1);
  try {
    return await readFile(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    throw new UsageError(
      `Expected --data @file to name a file that can be read, got ${JSON.stringify(path)} (${code}).`,
    );
  }
}

/** Sends the request and writes the answer, even if the call was given up. */
export async function sendRequest(
  { method, url, headers, policy }: SentRequest,
  body: Uint8Array<ArrayBuffer> | undefined,
  { controller, signal, answer }: SessionContext,
): Promise<void> {
  const fetch = createRetryFetch({ ...policy, controller });
  const isSecret = Object.keys(headers).some((name) => LOOKS_SECRET.test(name));
  const response = await fetch(url, {
    method,
    headers: { ...contentType(body), ...headers },
    redirect: isSecret ? 'error' : 'follow',
    signal,
    ...(body && { body }),
  });
  for await (const piece of response.body ?? []) await answer(piece);
}

async function readAll(input: TerminalInput): Promise<Uint8Array<ArrayBuffer>> {
  const pieces: Uint8Array[] = [];
  for await (const piece of input) pieces.push(typeof piece === 'string' ? new TextEncoder().encode(piece) : piece);
  return Buffer.concat(pieces);
}

/** The content type of a JSON body; for any other body the caller has to set it. */
function contentType(body: Uint8Array | undefined): Record<string, string> {
  if (body === undefined) return {};
  try {
    JSON.parse(new TextDecoder().decode(body));
    return { 'content-type': 'application/json' };
  } catch {
    return {};
  }
}
