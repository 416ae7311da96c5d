/** `schedule`: the waits of a policy before they happen. */

import { expectNoMore, readArguments, readShown, SHOWN_OPTIONS, UsageError } from '../arguments.ts';
import type { CliCommand } from '../command.ts';
import { ANSWERED } from '../exit-code.ts';
import { readSchedule, SCHEDULE_OPTIONS } from '../schedule/schedule-arguments.ts';
import { scheduleLines } from '../schedule/schedule-lines.ts';
import { scheduleSvg } from '../schedule/schedule-svg.ts';
import { jsonLine } from '../display/json-line.ts';
import { lookOf } from '../display/terminal.ts';

const OPTIONS = { ...SCHEDULE_OPTIONS, svg: { type: 'boolean' }, ...SHOWN_OPTIONS } as const;

export const scheduleCommand: CliCommand = {
  name: 'schedule',
  summary: 'show the waits of a policy as a table and a plot',
  help: `Shows how long a policy waits before each retry, and how long that is in all.
The waits are those of the library itself; with jitter, the middle and bounds.

Usage: retry-transport schedule --preset <name>
       retry-transport schedule <steps> [--tail <time>] [options]
       retry-transport schedule [--base <time>] [options]

  --preset <name>       standard, patient, background, agent, taxonomy or fleet
  --failure <type>      which failure, where the preset tells them apart:
                        rate_limit (the default), overloaded, server_error, ...
  <steps>               one wait after the other, such as 5s,10s,30s
  --tail <time>         after the last step, again and again; none stops there
                        (the default: the last step is repeated)
  --base <time>         without steps, the first wait (1s)
  --multiplier <n>      what each wait is multiplied by for the next (2)
  --max <time>          no wait is longer (1m)
  --jitter <kind>       none, symmetric, full or down
  --jitter-factor <n>   the share of a wait that jitter may change (0.2)
  --budget <time>       stops before all waits together are longer
  --max-retries <n>     at most so many retries
  --svg                 the plot as SVG on standard output
  --json                the waits in milliseconds, for a program
  --no-color            no colours; NO_COLOR does the same
  -h, --help            this text

A time is a number with its unit: 250ms, 30s, 2m, 1h30m.

Exit codes: 0 shown, 2 bad arguments.

Examples:
  retry-transport schedule --preset patient
  retry-transport schedule 5s,10s,30s --tail 30m --budget 8h
  retry-transport schedule --base 500ms --max 20s --jitter full --max-retries 6
  retry-transport schedule --preset agent --svg > waits.svg
`,
  async run(argv, terminal) {
    const { values, positionals } = readArguments(argv, OPTIONS);
    const [steps, ...more] = positionals;
    expectNoMore(more);
    const { json, colour } = readShown(values);
    if (json && values.svg === true) throw new UsageError('Expected --json or --svg, not both.');
    const { title, retries } = readSchedule(steps, values);
    const { output, environment } = terminal;
    if (json) output.write(jsonLine({ title, totalDelayMs: retries.at(-1)?.elapsedMs ?? 0, retries }));
    else if (values.svg === true) output.write(scheduleSvg(title, retries));
    else output.write(`${scheduleLines(title, retries, lookOf(output, environment, colour)).join('\n')}\n`);
    return ANSWERED;
  },
};
