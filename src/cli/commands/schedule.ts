/** `schedule`: shows the waits of a policy as a table and a plot. */

import { expectNoMore, readArguments, readShown, SHOWN_OPTIONS, UsageError } from '../arguments.ts';
import type { CliCommand } from '../command.ts';
import { ANSWERED } from '../exit-code.ts';
import { ALL_PRESETS } from '../presets.ts';
import { readSchedule, SCHEDULE_OPTIONS } from '../schedule/schedule-arguments.ts';
import { scheduleLines } from '../schedule/schedule-lines.ts';
import { scheduleSvg } from '../schedule/schedule-svg.ts';
import { jsonLine } from '../../report/json-line.ts';
import { lookOf } from '../display/terminal.ts';

const OPTIONS = { ...SCHEDULE_OPTIONS, svg: { type: 'boolean' }, ...SHOWN_OPTIONS } as const;

export const scheduleCommand: CliCommand = {
  name: 'schedule',
  summary: 'show the waits of a policy as a table and a plot',
  values: { '--preset': ALL_PRESETS, '--jitter': ['none', 'symmetric', 'full', 'down'] },
  help: `Shows how long a policy waits before each retry, and the total. The waits come
from the library itself; with jitter, the middle and the bounds are shown.

Usage: retry-transport schedule --preset <name>
       retry-transport schedule <steps> [--tail <time>] [options]
       retry-transport schedule [--base <time>] [options]

  --preset <name>       standard, patient, background, agent, taxonomy or fleet
  --failure <type>      the failure, for a preset with a schedule for each:
                        rate_limit (the default), overloaded, server_error, ...
  <steps>               the waits, one after the other, such as 5s,10s,30s
  --tail <time>         every wait after the last step; none stops there
                        (the default: the last step is repeated)
  --base <time>         without steps, the first wait (1s)
  --multiplier <n>      the factor from each wait to the next (2)
  --max <time>          the longest wait (1m)
  --jitter <kind>       none, symmetric, full or down
  --jitter-factor <n>   the share of a wait that jitter may change (0.2)
  --budget <time>       the limit for the total of all waits
  --max-retries <n>     the most retries
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
    if (json) output.write(`${jsonLine({ title, totalDelayMs: retries.at(-1)?.elapsedMs ?? 0, retries })}\n`);
    else if (values.svg === true) output.write(scheduleSvg(title, retries));
    else output.write(`${scheduleLines(title, retries, lookOf(output, environment, colour)).join('\n')}\n`);
    return ANSWERED;
  },
};
