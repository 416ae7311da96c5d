/**
 * `node --import retry-transport/debug program.js`: prints a line to stderr for each event of each call. Changes nothing
 * else, and exports nothing.
 */

import { describeEvent } from './events/describe-event.ts';
import type { RetryEvent } from './events/events.ts';
import { oneLine } from './failure/failure-label.ts';
import { changeProcessWide } from './runtime/process-wide.ts';

/** Whose requests `retryOnly` has left out. */
const leftOut = new Set<string>();
const MOST_ORIGINS = 100;

changeProcessWide({
  onEvent: (event) => print((event as RetryEvent).at, lineOf(event as RetryEvent)),
  // Without the path: that of a webhook is a secret.
  onLeftOut: ({ method, url }) => {
    const origin = url.replace(/^(\w+:\/\/)?(?:[^/?#]*@)?([^/?#]*).*$/s, '$1$2');
    if (method !== 'POST' || leftOut.has(origin) || leftOut.size >= MOST_ORIGINS) return;
    leftOut.add(origin);
    print(Date.now(), `POST ${origin}: left alone, because \`retryOnly\` does not choose it (printed once per origin)`);
  },
});

function print(at: number, line: string): void {
  process.stderr.write(`${new Date(at).toISOString()} ${oneLine(`retry-transport ${line}`, Infinity)}\n`);
}

/** The server's message is last, because it may be long. */
function lineOf(event: RetryEvent): string {
  const { callId, method, url } = event;
  const message = 'failure' in event && event.failure.message !== '' ? `: ${event.failure.message}` : '';
  return `${callId} ${method} ${url}: ${describeEvent(event)}${message}`;
}
