/** The demonstration: one request through a bad minute of a provider, over real sockets, to its answer. */

import { recordings, type RecordingName } from '../../mocks/recordings.ts';
import { FetchTransport, type RetryConfig, RetryTransport } from '../index.ts';
import { completionText } from './completion-text.ts';
import { type DemoStep, startDemoServer } from './demo-server.ts';
import type { SessionContext } from './session.ts';

const FIRST_WAIT_MS = 800;
const TOKEN_INTERVAL_MS = 40;

/** Short lines, so that no terminal has to break a word. */
const ANSWER = `An overloaded server asks for one
thing: time. So the request waited, a
little longer after each failure, and
was sent again when it had a chance.
No key was pressed, nobody was paged,
and the answer came only once.
`;

const REQUEST = {
  model: 'demonstration',
  max_tokens: 256,
  stream: true,
  messages: [{ role: 'user', content: 'What does a good client do when the server is overloaded?' }],
};

/** The retries of the demonstration. No jitter: whoever changes the speed can do the sum. */
export function demoConfig(speed: number): RetryConfig {
  return {
    maxRetries: 3,
    baseDelayMs: Math.round(FIRST_WAIT_MS / speed),
    backoffMultiplier: 1.5,
    maxDelayMs: Number.POSITIVE_INFINITY,
    jitter: 'none',
  };
}

function demoSteps(): [DemoStep, ...DemoStep[]] {
  return [
    recorded('anthropic-429-overloaded-bare'),
    recorded('anthropic-502-overloaded-bare'),
    { kind: 'reset' },
    { kind: 'completion', text: ANSWER },
  ];
}

function recorded(name: RecordingName): DemoStep {
  const { status, headers, body } = recordings[name].response;
  return { kind: 'response', status, headers, body };
}

/** Plays the demonstration. `speed`: 2 is twice as fast. */
export async function playDemo(speed: number, { controller, signal, display }: SessionContext): Promise<void> {
  const server = await startDemoServer(demoSteps(), { tokenIntervalMs: TOKEN_INTERVAL_MS / speed });
  try {
    const transport = new RetryTransport(new FetchTransport(), { ...demoConfig(speed), controller });
    const headers = { 'anthropic-version': '2023-06-01', 'content-type': 'application/json' };
    const response = await transport.post(server.url, REQUEST, headers, signal);
    if (!response.ok || response.body === null) return;
    for await (const text of completionText(response.body)) await display.answer(text, signal);
  } finally {
    await server.close();
  }
}
