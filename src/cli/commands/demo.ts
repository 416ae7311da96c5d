/** `demo`: plays an outage of a provider in a few seconds, and the retries that get an answer. Needs no network. */

import { completions, replayFetch } from '../../../mocks/index.ts';
import { createLLM } from '../../llm/index.ts';
import { expectNoMore, readArguments, readShown, SHOWN_OPTIONS, UsageError } from '../arguments.ts';
import type { CliCommand } from '../command.ts';
import { runSession, type SessionContext } from '../display/session.ts';

/** Lines are short, so that no terminal breaks a word. */
const ANSWER = `An overloaded server asks for one
thing: time. So the request waited, a
little longer after each failure, and
was sent again when it had a chance.
No key was pressed, no one was paged,
and the answer came only once.
`;

const OPTIONS = { speed: { type: 'string' }, ...SHOWN_OPTIONS } as const;

export const demoCommand: CliCommand = {
  name: 'demo',
  summary: 'see it work: an overloaded provider, in a few seconds',
  help: `Replays recorded answers of an overloaded server: a 429, a 502, a reset of the
connection, an overload inside a stream, and the answer.

Usage: retry-transport demo [options]

  --speed <factor>      2 is twice as fast, 0.5 half as fast
  --json                one event a line on standard output; the answer goes to
                        standard error
  --no-color            no colours; NO_COLOR does the same
  -h, --help            this text

Keys during a wait: enter retries now, esc and ctrl-c cancel, g gives up and
prints the last response.

Exit codes: 0 answered, 1 given up, 2 bad arguments, 130 cancelled.

Examples:
  retry-transport demo
  retry-transport demo --speed 4 --json
`,
  async run(argv, terminal) {
    const { values, positionals } = readArguments(argv, OPTIONS);
    expectNoMore(positionals);
    const speed = Number(values.speed ?? 1);
    if (!(speed > 0 && Number.isFinite(speed)))
      throw new UsageError(
        `Expected --speed to be a number above 0, such as 2 for twice as fast, got ${JSON.stringify(values.speed)}.`,
      );
    return runSession(terminal, readShown(values), terminal.output, (context) => play(context, speed));
  },
};

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
