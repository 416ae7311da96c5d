/** Sends a request to any address with retries. The answer is passed on byte for byte as it arrives. */

import { readFile } from 'node:fs/promises';
import { createRetryFetch, type HttpHeaders, type RetryConfig } from '../index.ts';
import { isCredentialHeader } from '../redact/credentials.ts';
import { parseJson } from '../runtime/values.ts';
import { UsageError } from './arguments.ts';
import type { SessionContext } from './display/session.ts';
import { codeOf, readBytes, type TerminalInput } from './display/terminal.ts';

/** The request, and the policy for its retries. */
export interface SentRequest {
  readonly url: string;
  /** In upper case. */
  readonly method: string;
  /** With names in lower case. */
  readonly headers: HttpHeaders;
  readonly policy: RetryConfig;
}

/** The body that `--data` describes. @throws UsageError if its file cannot be read */
export async function readData(
  data: string | undefined,
  input: TerminalInput,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (data === undefined) return undefined;
  if (data === '-' || data === '@-') return (await readBytes(input)).bytes;
  if (!data.startsWith('@')) return new TextEncoder().encode(data);
  const path = data.slice(1);
  try {
    return await readFile(path);
  } catch (error) {
    const got = `${JSON.stringify(path)} (${codeOf(error)})`;
    throw new UsageError(`Expected --data @file to name a file that can be read, got ${got}.`);
  }
}

export async function sendRequest(
  { method, url, headers, policy }: SentRequest,
  body: Uint8Array<ArrayBuffer> | undefined,
  { controller, signal, answer }: SessionContext,
): Promise<void> {
  const fetch = createRetryFetch({ ...policy, controller });
  // fetch itself removes only `authorization` on the way to another origin, in every runtime.
  const isSecret = Object.keys(headers).some((name) => name !== 'authorization' && isCredentialHeader(name));
  const isJson = body !== undefined && parseJson(new TextDecoder().decode(body)) !== undefined;
  const response = await fetch(url, {
    method,
    headers: { ...(isJson && { 'content-type': 'application/json' }), ...headers },
    redirect: isSecret ? 'error' : 'follow',
    signal,
    ...(body && { body }),
  });
  for await (const piece of response.body ?? []) await answer(piece);
}
