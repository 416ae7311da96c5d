/**
 * `node --import retry-transport/debug program.js`: prints a line to stderr for each event of each call. Changes nothing
 * else, and exports nothing.
 */

import { describeEvent } from './events/describe-event.ts';
import type { RetryEvent } from './events/events.ts';
import { oneLine } from './failure/failure-label.ts';
import { changeProcessWide } from './runtime/process-wide.ts';

changeProcessWide({ onEvent: (event) => process.stderr.write(`${lineOf(event as RetryEvent)}\n`) });

/** The server's message is last, because it may be long. */
function lineOf(event: RetryEvent): string {
  const { at, callId, method, url } = event;
  const message = 'failure' in event && event.failure.message !== '' ? `: ${event.failure.message}` : '';
  const line = `retry-transport ${callId} ${method} ${url}: ${describeEvent(event)}${message}`;
  return `${new Date(at).toISOString()} ${oneLine(line, Number.POSITIVE_INFINITY)}`;
}
