/** `request`: sends one request to any address, with retries. */

import {
  expectNoMore,
  readArguments,
  readHeaders,
  readShown,
  readUrl,
  SHOWN_OPTIONS,
  UsageError,
} from '../arguments.ts';
import type { CliCommand } from '../command.ts';
import { POLICY_HELP, POLICY_OPTIONS, readPolicy } from '../policy.ts';
import { readData, sendRequest } from '../request.ts';
import { runSession } from '../display/session.ts';

const OPTIONS = {
  method: { type: 'string', short: 'X' },
  header: { type: 'string', short: 'H', multiple: true },
  data: { type: 'string', short: 'd', multiple: true },
  ...POLICY_OPTIONS,
  ...SHOWN_OPTIONS,
} as const;

export const requestCommand: CliCommand = {
  name: 'request',
  summary: 'send a request as curl does, with retries',
  help: `Sends a request as curl does, and retries it if it fails and a later attempt may
succeed. The answer goes to standard output byte for byte as it arrives, even if
the call was given up; the waits go to standard error.

Usage: retry-transport request <url> [options]

  -X, --method <name>   GET, or POST when there is --data; any that fetch sends
  -H, --header <k: v>   a header; may be repeated
  -d, --data <data>     the body: text, @file, or - for standard input; JSON is
                        sent as application/json unless a header says otherwise
${POLICY_HELP}
  --json                one event a line on standard output; the answer goes to
                        standard error
  --no-color            no colours; NO_COLOR does the same
  -h, --help            this text

Keys during a wait: enter retries now, esc and ctrl-c cancel, g gives up and
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
    -d @request.json --preset patient --deadline 2h > answer.json
`,
  async run(argv, terminal) {
    const { values, positionals } = readArguments(argv, OPTIONS);
    const [url, ...more] = positionals;
    expectNoMore(more);
    if (url === undefined)
      throw new UsageError('request needs a URL, as in: request https://api.example.com/v1/messages.');
    const data = readOnce(values.data);
    const request = {
      url: readUrl(url),
      method: readMethod(values.method, data),
      headers: readHeaders(values.header ?? []),
      policy: readPolicy(values),
    };
    const body = await readData(data, terminal.input);
    // Standard output is for the answer alone, as in any program for pipes.
    return runSession(terminal, readShown(values), terminal.errors, (context) => sendRequest(request, body, context));
  },
};

const WITHOUT_BODY: readonly string[] = ['GET', 'HEAD'];
/** fetch refuses these methods. */
const REFUSED: readonly string[] = ['CONNECT', 'TRACE', 'TRACK'];

function readMethod(value: string | undefined, data: string | undefined): string {
  const method = value?.toUpperCase() ?? (data === undefined ? 'GET' : 'POST');
  if (!/^[A-Z]+$/.test(method) || REFUSED.includes(method)) {
    throw new UsageError(
      `Expected --method to be one that fetch can send, such as GET, POST, PUT, PATCH or DELETE, got ${JSON.stringify(value)}.`,
    );
  }
  if (WITHOUT_BODY.includes(method) && data !== undefined)
    throw new UsageError(`${method} sends no --data; leave out --method, or say --method POST.`);
  return method;
}

function readOnce(values: readonly string[] = []): string | undefined {
  if (values.length < 2) return values[0];
  throw new UsageError('Expected one --data; put all of the body into it, or into a file for --data @file.');
}
