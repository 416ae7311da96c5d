/**
 * `node --import retry-transport/debug program.js`: prints a line to stderr for each event of each call. Changes nothing
 * else, and exports nothing.
 */

import { describeFailure } from './failure/describe-failure.ts';
import type { Failure } from './failure/failure.ts';
import { formatDelay } from './failure/format-delay.ts';
import type { RetryEvent } from './events/events.ts';
import { changeProcessWide } from './runtime/process-wide.ts';

changeProcessWide({ onEvent: (event) => process.stderr.write(`${lineOf(event as RetryEvent)}\n`) });

function lineOf(event: RetryEvent): string {
  const time = new Date(event.at).toISOString();
  const line = `${time} retry-transport ${event.requestId} ${event.method} ${event.url}: ${detailsOf(event)}`;
  // A key, a URL or a message must not begin a line of its own, or change how the line reads.
  return line.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').replaceAll(/\p{Cf}+/gu, '');
}

function detailsOf(event: RetryEvent): string {
  switch (event.type) {
    case 'retry': {
      const { attempt, maxRetries, delayMs, because, failure } = event;
      const count = maxRetries === null ? `${attempt}` : `${attempt} of ${maxRetries}`;
      return `retry ${count} in ${formatDelay(delayMs)} (${because}): ${wordsOf(failure)}`;
    }
    case 'delayed':
      return `attempt ${event.attempt} waits ${formatDelay(event.delayMs)} (${event.because})`;
    case 'attempt':
      return `attempt ${event.attempt} is sent${event.target === undefined ? '' : ` to ${event.target}`}`;
    case 'fallback':
      return `goes from ${event.from} to ${event.to}: ${wordsOf(event.failure)}`;
    case 'recovered':
      return `recovered after ${spentOn(event)}`;
    case 'failed': {
      const possible =
        event.possibleAt === undefined ? '' : `, possible at ${new Date(event.possibleAt).toISOString()}`;
      return `failed after ${spentOn(event)} (${event.because}${possible}): ${wordsOf(event.failure)}`;
    }
    case 'broken':
      return `the stream broke ${formatDelay(event.afterMs)} after it was handed over (${event.because}): ${wordsOf(event.failure)}`;
    case 'cancelled':
      return `cancelled after ${spentOn(event)}`;
  }
}

function spentOn({ attempts, elapsedMs }: { readonly attempts: number; readonly elapsedMs: number }): string {
  return `${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}, ${formatDelay(elapsedMs)}`;
}

const wordsOf = (failure: Failure): string => `${describeFailure(failure).headline}: ${failure.message}`;
