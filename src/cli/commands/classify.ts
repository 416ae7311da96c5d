/** `classify`: explains which failure a response is, whether and when to retry, and what to do about it. */

import { classify, type Failure } from '../../index.ts';
import { expectNoMore, readArguments, readShown, SHOWN_OPTIONS, UsageError } from '../arguments.ts';
import { MOST_BYTES, readInput } from '../classify/classify-input.ts';
import { failureLines, successLines } from '../classify/classify-lines.ts';
import type { CliCommand } from '../command.ts';
import type { PastedResponse } from '../classify/curl-output.ts';
import { ANSWERED, GIVEN_UP, PERMANENT } from '../exit-code.ts';
import { jsonLine } from '../../report/json-line.ts';
import { layOut } from '../display/layout.ts';
import { lookOf } from '../display/terminal.ts';

const OPTIONS = { status: { type: 'string' }, 'exit-code': { type: 'boolean' }, ...SHOWN_OPTIONS } as const;

export const classifyCommand: CliCommand = {
  name: 'classify',
  summary: 'explain a failed response, and what to do about it',
  help: `Explains a response: which failure it is, whether and when to retry, and what to
do about it. Nothing is sent.

Usage: retry-transport classify [<file> | <recording>] [options]

Reads a response as curl -i or curl -v prints it, from a file or standard
input: status line, headers, blank line, body. Responses before the last one,
such as 100 Continue or a redirect, are skipped. A body alone works too, and so
does the text of an error, such as a line of a log. A recording of the project
(mocks/recordings) is read by its file or its name. At most 1 MiB is read.

  --status <code>       the status, for a body alone
  --exit-code           the exit code is the answer: 0 no failure, 1 retry,
                        3 a retry cannot help
  --json                the failure as JSON; null for none
  --no-color            no colours; NO_COLOR does the same
  -h, --help            this text

Exit codes: 0 read, 2 bad arguments; with --exit-code also 1 and 3.

Examples:
  curl -is https://api.openai.com/v1/models | retry-transport classify
  retry-transport classify response.txt --json
  retry-transport classify gemini-429-quota-zero
`,
  async run(argv, terminal) {
    const { values, positionals } = readArguments(argv, OPTIONS);
    const [name = '-', ...more] = positionals;
    expectNoMore(more);
    const { json, colour } = readShown(values);
    const said = readStatus(values.status);
    const { input, output, errors, environment } = terminal;
    if (name === '-' && input.isTTY === true) {
      const hint = 'Paste the response as curl -i prints it, then press ctrl-d in a line of its own.';
      errors.write(`${layOut(hint, 'plain', lookOf(errors, environment, colour)).join('\n')}\n`);
    }
    const { response, cut } = await readInput(name, input);
    if (cut) errors.write(`Only the first ${MOST_BYTES / 1024 / 1024} MiB was read.\n`);
    const outcome = outcomeOf(response, said, terminal.now());
    const failure = typeof outcome === 'number' ? null : outcome;
    if (json) output.write(`${jsonLine(failure)}\n`);
    else {
      const look = lookOf(output, environment, colour);
      const shouldRetry = (response.headers.get('x-should-retry') ?? '').toLowerCase();
      const lines =
        typeof outcome === 'number' ? successLines(outcome, look) : failureLines(outcome, shouldRetry, look);
      output.write(`${lines.join('\n')}\n`);
    }
    if (values['exit-code'] !== true || failure === null) return ANSWERED;
    return failure.retryable ? GIVEN_UP : PERMANENT;
  },
};

function readStatus(value: string | undefined): number | undefined {
  if (value === undefined || /^[2-5]\d\d$/.test(value)) return value === undefined ? undefined : Number(value);
  throw new UsageError(`Expected --status to be a status from 200 to 599, got ${JSON.stringify(value)}.`);
}

function finalStatus({ status }: PastedResponse, said: number | undefined): number | undefined {
  if (status === undefined) return said;
  if (said !== undefined) throw new UsageError(`The response has a status, ${status}; leave out --status.`);
  if (status < 200) throw new UsageError(`The input ends with HTTP ${status}; paste the response that follows it too.`);
  return status;
}

/** The failure, or the status of a success. @throws UsageError if the input shows neither */
function outcomeOf(response: PastedResponse, said: number | undefined, nowMs: number): Failure | number {
  const { headers, body } = response;
  const given = { headers, body, nowMs: timeOf(headers) ?? nowMs };
  const status = finalStatus(response, said);
  if (status !== undefined) return classify({ status, ...given }) ?? status;
  // An error body without a status counts as that of a failed response, or of a stream if it is one.
  const failure = classify({ status: 200, ...given });
  if (failure === null) return failureInText(body);
  const { status: _unknown, ...rest } = failure;
  return isJson(body) ? { ...rest, phase: 'response' } : failure;
}

/** The failure that a text describes, such as a line of a log. @throws UsageError if it describes none */
function failureInText(body: Uint8Array): Failure {
  const failure = classify({ error: new Error(new TextDecoder().decode(body).trim()) });
  if (failure === null || failure.type === 'unknown')
    throw new UsageError('The body alone does not show the failure; add --status 429, or give what curl -i prints.');
  return isJson(body) ? { ...failure, phase: 'response' } : failure;
}

/** When the response was made, so that a date in a response of last week is read relative to that day. */
function timeOf(headers: Headers): number | null {
  const dateMs = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(dateMs)) return null;
  const age = headers.get('age') ?? '';
  return dateMs + (/^\d{1,9}$/.test(age) ? Number(age) * 1_000 : 0);
}

const isJson = (body: Uint8Array): boolean => /^\s*[{[]/.test(new TextDecoder().decode(body.subarray(0, 64)));
