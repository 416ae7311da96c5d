/** `demo`: plays an outage of a provider in a few seconds, and the retries that get an answer. Needs no network. */

import { completions, replayFetch } from '../../../mocks/index.ts';
import { createLLM } from '../../llm/index.ts';
import { type CliCommand, defineCommand, option } from '../command.ts';
import { runSession, type SessionContext } from '../display/session.ts';
import { expected } from '../values.ts';

/** Lines are short, so that no terminal breaks a word. */
const ANSWER = `An overloaded server asks for one
thing: time. So the request waited, a
little longer after each failure, and
was sent again when it had a chance.
No key was pressed, no one was paged,
and the answer came only once.
`;

export const demoCommand: CliCommand = defineCommand({
  name: 'demo',
  summary: 'see it work: an overloaded provider, in a few seconds',
  about: `Replays recorded answers of an overloaded server: a 429, a 502, a reset of the
connection, an overload inside a stream, and the answer.`,
  usage: '',
  takes: 0,
  options: { speed: option('--speed <factor>', '2 is twice as fast, 0.5 half as fast', readSpeed) },
  json: 'one event a line on standard output; the answer goes to standard error',
  notes: `Keys during a wait: enter retries now, esc and ctrl-c cancel, g gives up and
prints the last response.

Exit codes: 0 answered, 1 given up, 2 bad arguments, 130 cancelled.

Examples:
  retry-transport demo
  retry-transport demo --speed 4 --json`,
  run: ({ values: { speed = 1 }, shown, terminal }) =>
    runSession(terminal, shown, terminal.output, (context) => play(context, speed)),
});

function readSpeed(text: string, name: string): number {
  const speed = Number(text);
  if (speed > 0 && Number.isFinite(speed)) return speed;
  return expected(name, 'a number above 0, such as 2 for twice as fast', text);
}

async function play({ controller, signal, answer }: SessionContext, speed: number): Promise<void> {
  const fetch = replayFetch(
    'anthropic-429-overloaded-bare',
    'anthropic-502-overloaded-bare',
    () => Promise.reject(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })),
    // A 200 whose first event is the error: the stream fails before its first token.
    'anthropic-stream-first-event-overloaded',
    { recording: completions.anthropicStream(ANSWER), chunkDelayMs: 15 / speed },
  );
  // Without jitter, so that the waits are the same in each run.
  const retry = {
    maxRetries: 4,
    baseDelayMs: 800 / speed,
    maxDelayMs: Infinity,
    backoffMultiplier: 1.5,
    jitter: 'none',
    controller,
  } as const;
  const messages = [{ role: 'user', content: 'What does a good client do when the server is overloaded?' }] as const;
  const request = { model: 'demonstration', messages, signal };
  for await (const event of createLLM('anthropic', { fetch, retry }).streamCompletion(request)) {
    if (event.type === 'text') await answer(event.text);
    if (event.type === 'error') throw event.error;
  }
}
