/** Explains a failure in lines for a person: what happened, whether and when to retry, and what to do. */

import {
  DEFAULT_RETRY_CONFIG,
  describeFailure,
  type Failure,
  formatDelay,
  type HintSource,
  presets,
} from '../../index.ts';
import { INDENT, layOut, type Look, paint } from '../display/layout.ts';

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
