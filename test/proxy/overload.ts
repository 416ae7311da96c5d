/** What a client meets behind the proxy: a 429, a 502, a reset, an overload inside a stream, and the answer. */

import { completions } from '../../mocks/index.ts';
import type { RetryConfig } from '../../src/index.ts';
import type { SocketSteps } from '../serve.ts';

const ANSWER = `An overloaded server asks for one
thing: time. So the request waited, a
little longer after each failure, and
was sent again when it had a chance.
No key was pressed, no one was paged,
and the answer came only once.
`;

export const overload: SocketSteps = [
  'anthropic-429-overloaded-bare',
  'anthropic-502-overloaded-bare',
  'network-error',
  'anthropic-stream-first-event-overloaded',
  { recording: completions.anthropicStream(ANSWER), chunkDelayMs: 1 },
];

export const quickRetries: RetryConfig = { maxRetries: 4, baseDelayMs: 2, backoffMultiplier: 1.5, jitter: 'none' };
