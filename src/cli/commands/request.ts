/** `request`: one request to any address, asked again while that can help. */

import {
  expectNoMore,
  readArguments,
  readHeaders,
  readShown,
  readUrl,
  readWord,
  SHOWN_OPTIONS,
  UsageError,
} from '../arguments.ts';
import { chooseDisplay } from '../choose-display.ts';
import type { CliCommand } from '../command.ts';
import { PRESET_NAMES } from '../presets.ts';
import { readData, sendRequest } from '../request.ts';
import { runSession } from '../session.ts';

const OPTIONS = {
  url: { type: 'string' },
  method: { type: 'string', short: 'X' },
  data: { type: 'string', short: 'd' },
  header: { type: 'string', short: 'H', multiple: true },
  preset: { type: 'string' },
  ...SHOWN_OPTIONS,
} as const;

/** The spellings of the options that only a request has. */
export const REQUEST_OPTIONS: readonly string[] = ['--method', '-X', '--data', '-d', '--header', '-H', '--preset'];

export const requestCommand: CliCommand = {
  name: 'request',
  summary: 'send a request, and again while asking again can help',
  help: `Sends a request as curl does, and again while asking again can help. The answer
goes to standard output byte for byte as it arrives, the waits to standard error.

Usage: retry-transport request <url> [options]

  -X, --method <name>   GET or POST; POST when there is --data
  -H, --header <k: v>   may be repeated
  -d, --data <data>     the body: text, @file, or - for standard input
  --preset <name>       standard, patient, background, agent or taxonomy
  --json                one event a line on standard output, nothing else there;
                        the answer goes to standard error
  --no-color            no colours; NO_COLOR does the same
  -h, --help            this text

Keys during a wait: enter retries now, esc cancels, g gives up and hands back
the last response, ctrl-c cancels.

Exit codes: 0 answered, 1 given up, 2 bad arguments, 3 asking again cannot help,
130 cancelled.

Examples:
  retry-transport request https://api.anthropic.com/v1/messages \\
    --header "x-api-key: $ANTHROPIC_API_KEY" \\
    --header 'anthropic-version: 2023-06-01' \\
    --data @request.json --preset patient
`,
  async run(argv, terminal) {
    const { values, positionals } = readArguments(argv, OPTIONS);
    const [url, more] = values.url === undefined ? [positionals[0], positionals.slice(1)] : [values.url, positionals];
    expectNoMore(more);
    if (url === undefined)
      throw new UsageError('request needs a URL, as in: request https://api.example.com/v1/messages.');
    const request = {
      url: readUrl(url, values.url === undefined ? '<url>' : '--url'),
      method: readMethod(values.method, values.data),
      headers: readHeaders(values.header ?? []),
      preset: readWord('preset', values.preset ?? 'standard', PRESET_NAMES),
    };
    const body = await readData(values.data, terminal.input);
    // As with any program in a pipe, standard output is for the answer alone.
    const { display, keys } = chooseDisplay(readShown(values), terminal, terminal.errors);
    return runSession(terminal, display, { keys }, (context) => sendRequest(request, body, context));
  },
};

function readMethod(value: string | undefined, data: string | undefined): 'GET' | 'POST' {
  const method = value?.toUpperCase() ?? (data === undefined ? 'GET' : 'POST');
  if (method === 'GET' && data !== undefined)
    throw new UsageError('GET sends no --data; leave out --method, or say --method POST.');
  if (method === 'GET' || method === 'POST') return method;
  throw new UsageError(`Expected --method to be GET or POST, got ${JSON.stringify(value)}.`);
}
