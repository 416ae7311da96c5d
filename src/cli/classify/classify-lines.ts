/** Explains a response in lines for a person: what happened, whether and when to retry, and what to do. */

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

/** A failure. `shouldRetry` is the header `x-should-retry`, in lower case. */
export function failureLines(failure: Failure, shouldRetry: string, look: Look): string[] {
  const { headline, explanation } = describeFailure(failure);
  const tone = failure.retryable ? 'waiting' : 'bad';
  const lines = layOut(`${failure.retryable ? '⚠' : '✗'} ${headline}`, tone, look);
  lines.push(...layOut(explanation, 'plain', look, INDENT), '');
  lines.push(...row('type', typeOf(failure), look));
  lines.push(...row('retry', retryOf(failure, shouldRetry), look));
  lines.push(...row('when', whenOf(failure), look));
  for (const [index, step] of stepsFor(failure, shouldRetry).entries())
    lines.push(...row(index === 0 ? 'do' : '', step, look));
  return lines;
}

export function successLines(status: number, look: Look): string[] {
  return layOut(`✓ HTTP ${status}: no failure, nothing to retry`, 'good', look);
}

function row(label: string, text: string, look: Look): string[] {
  const lines = layOut(text, 'plain', { columns: look.columns - LABEL_WIDTH, colour: false });
  return lines.map((line, index) => {
    const head = paint(
      (index === 0 ? label : '').padEnd(LABEL_WIDTH),
      'quiet',
      look.colour && index === 0 && label !== '',
    );
    return `${INDENT}${head}${line.trim()}`;
  });
}

function typeOf({ type, provider, code }: Failure): string {
  const parts: string[] = [type];
  if (provider !== undefined) parts.push(`from ${provider}`);
  if (code !== undefined) parts.push(`code ${code}`);
  return parts.join(', ');
}

/** The failure would have been retried before the first content. */
const isAfterContent = ({ retryable, phase, category }: Failure): boolean =>
  !retryable && phase === 'stream' && category === 'retryable';

function retryOf(failure: Failure, shouldRetry: string): string {
  if (failure.retryable) return 'yes';
  if (shouldRetry === 'false') return 'no: the server says so (x-should-retry: false)';
  if (isAfterContent(failure)) return 'no: part of the answer had already been sent';
  return 'no: a retry cannot help';
}

function whenOf({ type, retryable, retryAfterMs, hintSource }: Failure): string {
  const wait = formatDelay(retryAfterMs ?? 0);
  const said = hintSource === undefined ? '' : ` (${SAID_IN[hintSource]})`;
  if (!retryable && type === 'quota_exhausted')
    return retryAfterMs === undefined
      ? 'when the quota is raised or renews; the server does not say when'
      : `in ${wait}${said}, when the quota renews: waitForQuotaReset waits until then`;
  if (!retryable)
    return retryAfterMs === undefined ? 'not by itself' : `not by itself; the server names ${wait}${said}`;
  if (retryAfterMs === undefined) return 'the server names no wait; by default a growing backoff';
  if (retryAfterMs <= DEFAULT_RETRY_CONFIG.maxDelayMs) return `in ${wait}${said}`;
  const accepted = formatDelay(DEFAULT_RETRY_CONFIG.maxDelayMs);
  const patient = retryAfterMs <= (presets.patient.maxRetryAfterMs ?? 0) ? ', as the preset patient does' : '';
  return `in ${wait}${said}; by default no more than ${accepted} is accepted: set maxRetryAfterMs${patient}`;
}

function stepsFor(failure: Failure, shouldRetry: string): readonly string[] {
  const { actions } = describeFailure(failure);
  if (actions.length > 0) return actions;
  // Programs obey the header, but this kind of failure is temporary.
  if (!failure.retryable && shouldRetry === 'false' && failure.category === 'retryable')
    return ['retry later, by hand: this failure is temporary'];
  if (failure.retryable) return ['nothing: wait, then retry'];
  return isAfterContent(failure)
    ? ['send the request again yourself, and drop the part that came']
    : ['no remedy is known'];
}
