/** `demo`: plays an outage of a provider in a few seconds, and the retries that get an answer. */

import { expectNoMore, readArguments, readShown, readWord, SHOWN_OPTIONS, UsageError } from '../arguments.ts';
import { chooseDisplay } from '../display/choose-display.ts';
import type { CliCommand } from '../command.ts';
import { playDemo } from '../demo/demo.ts';
import { SCENARIO_NAMES } from '../demo/scenarios.ts';
import { runSession } from '../display/session.ts';

const OPTIONS = { scenario: { type: 'string' }, speed: { type: 'string' }, ...SHOWN_OPTIONS } as const;

export const demoCommand: CliCommand = {
  name: 'demo',
  summary: 'see it work: an overloaded provider, in a few seconds',
  values: { '--scenario': SCENARIO_NAMES },
  help: `Calls a server inside this program; no network is needed. The server is
overloaded, then behind a bad gateway, then resets the connection, then reports
an overload inside a stream, then answers.

Usage: retry-transport demo [options]

In a clone, npm start -- [options]; npm start -- help lists the other commands.

  --scenario <name>     overload (the default), or one of these:
      quota             the quota is used up: one request, and what to do
      fallback          the overload outlasts the retries; another model answers
      context           the input is too long; a model with more room answers
      rotation          two of three keys have reached their limit, then all
      proxy             curl, which cannot retry this, gets its answer through
                        the proxy
      cut               a stream is reset after its first words: an error
      stall             a stream goes silent after its first words: an error
      truncated         a stream ends early, as if it were complete: an error
      hold              the stream is held until its end, so both are retried
  --speed <factor>      2 is twice as fast, 0.5 half as fast
  --json                one event a line on standard output; the answer goes to
                        standard error
  --no-color            no colours; NO_COLOR does the same
  -h, --help            this text

Keys during a wait: enter retries now, esc and ctrl-c cancel, g gives up and
prints the last response.

Exit codes: 0 answered, 1 given up, 2 bad arguments, 3 a retry cannot help,
130 cancelled.

Examples:
  retry-transport demo
  retry-transport demo --speed 4 --json
  retry-transport demo --scenario fallback
`,
  async run(argv, terminal) {
    const { values, positionals } = readArguments(argv, OPTIONS);
    expectNoMore(positionals);
    const scenario = readWord('scenario', values.scenario ?? 'overload', SCENARIO_NAMES);
    const speed = readSpeed(values.speed ?? '1');
    const { display, keys } = chooseDisplay(readShown(values), terminal, terminal.output);
    return runSession(terminal, display, { keys }, (context) => playDemo(scenario, speed, context));
  },
};

function readSpeed(value: string): number {
  const speed = /^\d*\.?\d+$/.test(value) ? Number(value) : Number.NaN;
  if (speed > 0 && Number.isFinite(speed)) return speed;
  throw new UsageError(
    `Expected --speed to be a number above 0, such as 2 for twice as fast, got ${JSON.stringify(value)}.`,
  );
}
