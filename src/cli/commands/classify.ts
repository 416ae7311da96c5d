/** `classify`: explains which failure a response is, whether and when to retry, and what to do about it. */

import {
  classify,
  DEFAULT_RETRY_CONFIG,
  describeFailure,
  type Failure,
  formatDelay,
  type HintSource,
  presets,
} from '../../index.ts';
import { jsonLine } from '../../report/json-line.ts';
import { type CliCommand, defineCommand, flag, option, UsageError } from '../command.ts';
import { ANSWERED, GIVEN_UP, PERMANENT } from '../exit-code.ts';
import { INDENT, layOut, type Look, paint } from '../display/layout.ts';
import { lookOf } from '../display/terminal.ts';
import { expected } from '../values.ts';
import { MOST_BYTES, type PastedResponse, readInput } from './classify-input.ts';

export const classifyCommand: CliCommand = defineCommand({
  name: 'classify',
  summary: 'explain a failed response, and what to do about it',
  about: `Explains a response: which failure it is, whether and when to retry, and what to
do about it. Nothing is sent.`,
  usage: ' [<file> | <recording>]',
  takes: 1,
  options: {
    status: option('--status <code>', 'the status, for a body alone', readStatus),
    exitCode: flag('--exit-code', 'the exit code is the answer: 0 no failure, 1 retry, 3 a retry cannot help'),
  },
  json: 'the failure as JSON; null for none',
  notes: `Reads a response as curl -i or curl -v prints it, from a file or standard
input: status line, headers, blank line, body. Responses before the last one,
such as 100 Continue or a redirect, are skipped. A body alone works too, and so
does the text of an error, such as a line of a log. A recording of the project
(mocks/recordings) is read by its file or its name. At most 1 MiB is read.

Exit codes: 0 read, 2 bad arguments; with --exit-code also 1 and 3.

Examples:
  curl -is https://api.openai.com/v1/models | retry-transport classify
  retry-transport classify response.txt --json
  retry-transport classify gemini-429-quota-zero`,
  run: async ({ argument: name = '-', values, shown, terminal }) => {
    const { input, output, errors, environment } = terminal;
    if (name === '-' && input.isTTY === true) {
      const hint = 'Paste the response as curl -i prints it, then press ctrl-d in a line of its own.';
      errors.write(`${layOut(hint, 'plain', lookOf(errors, environment, shown.colour)).join('\n')}\n`);
    }
    const { response, cut } = await readInput(name, input);
    if (cut) errors.write(`Only the first ${MOST_BYTES / 1024 / 1024} MiB was read.\n`);
    const status = statusOf(response, values.status);
    const failure = failureOf(response, status, terminal.now());
    const look = lookOf(output, environment, shown.colour);
    const shouldRetry = response.headers.get('x-should-retry')?.toLowerCase();
    const lines =
      failure === null
        ? layOut(`✓ HTTP ${status}: no failure, nothing to retry`, 'good', look)
        : failureLines(failure, shouldRetry, look);
    output.write(`${shown.json ? jsonLine(failure) : lines.join('\n')}\n`);
    if (values.exitCode !== true || failure === null) return ANSWERED;
    return failure.retryable ? GIVEN_UP : PERMANENT;
  },
});

function readStatus(text: string, name: string): number {
  return /^[2-5]\d\d$/.test(text) ? Number(text) : expected(name, 'a status from 200 to 599', text);
}

function statusOf({ status }: PastedResponse, said: number | undefined): number | undefined {
  if (status === undefined) return said;
  if (said !== undefined) throw new UsageError(`The response has a status, ${status}; leave out --status.`);
  if (status < 200) throw new UsageError(`The input ends with HTTP ${status}; paste the response that follows it too.`);
  return status;
}

/** null: the status is that of a success. @throws UsageError if there is neither a status nor a known failure */
function failureOf({ headers, body }: PastedResponse, status: number | undefined, nowMs: number): Failure | null {
  const given = { headers, body, nowMs: timeOf(headers) ?? nowMs };
  if (status !== undefined) return classify({ status, ...given });
  const text = new TextDecoder().decode(body);
  // An error body without a status counts as that of a failed response, or of a stream if it is one. Other text may be
  // that of an error, such as a line of a log.
  const inBody = classify({ status: 200, ...given });
  const failure = inBody ?? classify({ error: new Error(text.trim()) });
  if (failure === null || (inBody === null && failure.type === 'unknown'))
    throw new UsageError('The body alone does not show the failure; add --status 429, or give what curl -i prints.');
  if (!/^\s*[{[]/.test(text)) return failure;
  const { status: _unknown, ...rest } = failure;
  return { ...(inBody === null ? failure : rest), phase: 'response' };
}

/** When the response was made, so that a date in a response of last week is read relative to that day. */
function timeOf(headers: Headers): number | null {
  const dateMs = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(dateMs)) return null;
  const age = headers.get('age') ?? '';
  return dateMs + (/^\d{1,9}$/.test(age) ? Number(age) * 1_000 : 0);
}

const LABEL_WIDTH = 7;

const SAID_IN: Readonly<Record<HintSource, string>> = {
  'retry-after-ms': 'the retry-after-ms header',
  'retry-after': 'the Retry-After header',
  body: 'a field of the body',
  message: 'the text of the message',
  'reset-header': 'the header that says when a limit renews',
};

/** `shouldRetry` is the header `x-should-retry`, in lower case. */
export function failureLines(failure: Failure, shouldRetry: string | undefined, look: Look): string[] {
  const { type, provider, code, retryable } = failure;
  const { headline, explanation, actions } = describeFailure(failure);
  const [verdict, step] = verdictOn(failure, shouldRetry);
  const source = [type, ...(provider ? [`from ${provider}`] : []), ...(code ? [`code ${code}`] : [])];
  return [
    ...layOut(`${retryable ? '⚠' : '✗'} ${headline}`, retryable ? 'waiting' : 'bad', look),
    ...layOut(explanation, 'plain', look, INDENT),
    '',
    ...row('type', source.join(', '), look),
    ...row('retry', verdict, look),
    ...row('when', whenOf(failure), look),
    ...(actions.length > 0 ? actions : [step]).flatMap((text, index) => row(index === 0 ? 'do' : '', text, look)),
  ];
}

function row(label: string, text: string, { columns, colour }: Look): string[] {
  const lines = layOut(text, 'plain', { columns: columns - LABEL_WIDTH, colour: false });
  return lines.map((line, index) => {
    const shown = index === 0 ? label : '';
    return `${INDENT}${paint(shown.padEnd(LABEL_WIDTH), 'quiet', colour && shown !== '')}${line.trim()}`;
  });
}

/** Whether a retry helps, and what to do if nothing better is known. */
function verdictOn(
  { retryable, category, phase }: Failure,
  shouldRetry: string | undefined,
): readonly [string, string] {
  if (retryable) return ['yes', 'nothing: wait, then retry'];
  const isTemporary = category === 'retryable';
  if (shouldRetry === 'false')
    return [
      'no: the server says so (x-should-retry: false)',
      // Programs obey the header, but this kind of failure is temporary.
      isTemporary ? 'retry later, by hand: this failure is temporary' : 'no remedy is known',
    ];
  // It would have been retried before the first content.
  if (isTemporary && phase === 'stream')
    return [
      'no: part of the answer had already been sent',
      'send the request again yourself, and drop the part that came',
    ];
  return ['no: a retry cannot help', 'no remedy is known'];
}

function whenOf({ type, retryable, retryAfterMs, hintSource }: Failure): string {
  if (retryAfterMs === undefined) {
    if (retryable) return 'the server names no wait; by default a growing backoff';
    const isQuota = type === 'quota_exhausted';
    return isQuota ? 'when the quota is raised or renews; the server does not say when' : 'not by itself';
  }
  const said = formatDelay(retryAfterMs) + (hintSource === undefined ? '' : ` (${SAID_IN[hintSource]})`);
  if (!retryable && type === 'quota_exhausted')
    return `in ${said}, when the quota renews: waitForQuotaReset waits until then`;
  if (!retryable) return `not by itself; the server names ${said}`;
  if (retryAfterMs <= DEFAULT_RETRY_CONFIG.maxDelayMs) return `in ${said}`;
  const accepted = formatDelay(DEFAULT_RETRY_CONFIG.maxDelayMs);
  const patient = retryAfterMs <= (presets.patient.maxRetryAfterMs ?? 0) ? ', as the preset patient does' : '';
  return `in ${said}; by default no more than ${accepted} is accepted: set maxRetryAfterMs${patient}`;
}
