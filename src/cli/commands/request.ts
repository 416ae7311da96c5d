/** `request`: sends one request to any address, with retries. The answer is passed on byte for byte as it arrives. */

import { readFile } from 'node:fs/promises';
import { createRetryFetch, type HttpHeaders, type RetryConfig } from '../../index.ts';
import { isCredentialHeader } from '../../redact/credentials.ts';
import { parseJson } from '../../runtime/values.ts';
import { type CliCommand, defineCommand, option, UsageError } from '../command.ts';
import { runSession, type SessionContext } from '../display/session.ts';
import { codeOf, readBytes, type TerminalInput } from '../display/terminal.ts';
import { LIMITS, policyOf, PRESET_HELP, PRESETS } from '../policy.ts';
import { expected, word } from '../values.ts';

type Bytes = Uint8Array<ArrayBuffer>;

export const requestCommand: CliCommand = defineCommand({
  name: 'request',
  summary: 'send a request as curl does, with retries',
  about: `Sends a request as curl does, and retries it if it fails and a later attempt may
succeed. The answer goes to standard output byte for byte as it arrives, even if
the call was given up; the waits go to standard error.`,
  usage: ' <url>',
  takes: 1,
  options: {
    method: option('-X, --method <name>', 'GET, or POST when there is --data; any that fetch sends', readMethod),
    headers: { usage: '-H, --header <k: v>', help: 'a header; may be repeated', read: readHeaders },
    data: {
      usage: '-d, --data <data>',
      help: `the body: text, @file, or - for standard input; JSON is sent as application/json unless a header says
      otherwise`,
      read: readOnce,
    },
    preset: option('--preset <name>', PRESET_HELP, word(PRESETS)),
    ...LIMITS,
  },
  json: 'one event a line on standard output; the answer goes to standard error',
  notes: `Keys during a wait: enter retries now, esc and ctrl-c cancel, g gives up and
prints the last response.

A request with a header that looks like a key (x-api-key, a cookie, ...) follows
no redirect: fetch would send the key to the other server too.

Exit codes:
  0    answered
  1    given up, or the answer broke off; a later try may succeed
  2    bad arguments; nothing was sent
  3    a retry cannot help: the key, the quota or the request is wrong
  130  cancelled; another signal gives 128 and its number

Examples:
  retry-transport request https://api.openai.com/v1/models \\
    -H "authorization: Bearer $OPENAI_API_KEY"
  retry-transport request https://api.anthropic.com/v1/messages \\
    -H "x-api-key: $ANTHROPIC_API_KEY" -H 'anthropic-version: 2023-06-01' \\
    -d @request.json --preset patient --deadline 2h > answer.json`,
  run: async ({ argument, values, shown, terminal }) => {
    const { method, headers = {}, data, preset, ...limits } = values;
    if (argument === undefined)
      throw new UsageError('request needs a URL, as in: request https://api.example.com/v1/messages.');
    const request = {
      url: readUrl(argument),
      method: method ?? (data === undefined ? 'GET' : 'POST'),
      headers,
      policy: policyOf(preset, limits),
    };
    if (/^(?:GET|HEAD)$/.test(request.method) && data !== undefined)
      throw new UsageError(`${request.method} sends no --data; leave out --method, or say --method POST.`);
    const body = data === undefined ? undefined : await readData(data, terminal.input);
    // Standard output is for the answer alone, as in any program for pipes.
    return runSession(terminal, shown, terminal.errors, (context) => sendRequest(request, body, context));
  },
});

/** A request, and the policy for its retries. */
interface SentRequest {
  readonly url: string;
  /** In upper case. */
  readonly method: string;
  /** With names in lower case. */
  readonly headers: HttpHeaders;
  readonly policy: RetryConfig;
}

async function sendRequest(
  { method, url, headers, policy }: SentRequest,
  body: Bytes | undefined,
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

/** A complete URL with http or https, without credentials. @throws UsageError */
function readUrl(value: string): string {
  const example = 'such as https://api.example.com/v1/messages';
  if (!URL.canParse(value)) return expected('<url>', `a whole URL ${example}`, value);
  const { protocol, username, password } = new URL(value);
  if (protocol !== 'http:' && protocol !== 'https:')
    throw new UsageError(`Expected <url> to begin with http:// or https://, ${example}; it begins with "${protocol}".`);
  if (username !== '' || password !== '')
    throw new UsageError(`Expected <url> without a user and password; send them as --header 'authorization: Basic …'.`);
  return value;
}

/** fetch refuses these methods. */
const REFUSED: readonly string[] = ['CONNECT', 'TRACE', 'TRACK'];

function readMethod(text: string, name: string): string {
  const method = text.toUpperCase();
  if (/^[A-Z]+$/.test(method) && !REFUSED.includes(method)) return method;
  return expected(name, 'one that fetch can send, such as GET, POST, PUT, PATCH or DELETE', text);
}

/** fetch sets these from the URL and the body, and sends a wrong request, or none, if they differ. */
const SET_BY_FETCH: readonly string[] = ['content-length', 'expect', 'host', 'transfer-encoding'];

/** Headers as `name: value`; the values of a repeated header are joined. No message repeats a value, which may be a key. */
function readHeaders(texts: readonly string[]): HttpHeaders {
  const headers = new Headers();
  for (const text of texts) {
    const [, name = '', value = ''] = /^([^:]+):([^]*)$/.exec(text) ?? [];
    if (name === '')
      throw new UsageError(
        "Expected --header to be 'name: value', such as 'x-api-key: …'; one has no name before a colon.",
      );
    const shown = JSON.stringify(name.trim());
    if (SET_BY_FETCH.includes(name.trim().toLowerCase()))
      throw new UsageError(`Expected no --header ${shown}; leave it out, because fetch sets it itself.`);
    try {
      headers.append(name.trim(), value.trim());
    } catch {
      throw new UsageError(
        `Expected --header ${shown} to be a header: a name without spaces, a value in one line of Latin-1.`,
      );
    }
  }
  return Object.fromEntries(headers);
}

function readOnce([text = '', ...more]: readonly string[]): string {
  if (more.length === 0) return text;
  throw new UsageError('Expected one --data; put all of the body into it, or into a file for --data @file.');
}

/** The body that `--data` describes. @throws UsageError if its file cannot be read */
async function readData(data: string, input: TerminalInput): Promise<Bytes> {
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
