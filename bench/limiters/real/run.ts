// Real limiters, and imitations of those of providers, called with the gate and without:
// `node bench/limiters/real/run.ts --quick`. `--help` lists the options.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { CALLERS, type CallerName, isHere, type Library } from './callers.ts';
import { judge } from './judge.ts';
import { loadSubjects, SEEDS } from './matrix.ts';
import { legend, rowText } from './table.ts';

const HELP = `node bench/limiters/real/run.ts [options]

  --only <text>      only limiters whose name has it
  --load <text>      only this load: 0.5, 0.7, 0.9, 1.2, 1.6, burst, batch, on and off, tenants, models, beside
  --callers <list>   only these, with commas: ${CALLERS.join(', ')}
  --seeds <list>     with commas (default ${SEEDS.join(',')})
  --quick            one seed, and only plain, gate and stated
  --clock <name>     simulated: packages and imitations; real: programs in processes of their own
  --library <file>   the index.ts of another checkout
  --misses           only rows where the gate misses a bar`;

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    load: { type: 'string', default: '' },
    callers: { type: 'string' },
    seeds: { type: 'string' },
    quick: { type: 'boolean', default: false },
    clock: { type: 'string' },
    library: { type: 'string' },
    misses: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});

function chosenCallers(): readonly CallerName[] {
  const named = values.callers?.split(',') ?? (values.quick ? ['plain', 'gate', 'stated'] : [...CALLERS]);
  // The bars compare these two.
  return CALLERS.filter((name) => isHere(name) && (named.includes(name) || name === 'plain' || name === 'gate'));
}

async function main(): Promise<void> {
  const file = values.library === undefined ? undefined : pathToFileURL(resolve(values.library)).href;
  const library: Library = await import(file ?? new URL('../../../src/index.ts', import.meta.url).href);
  const subjects = (await loadSubjects((line) => console.warn(line))).filter(
    ({ name, clock }) => name.includes(values.only) && (values.clock ?? clock) === clock,
  );
  const seeds = values.seeds?.split(',').map(Number) ?? (values.quick ? SEEDS.slice(0, 1) : SEEDS);
  const callers = chosenCallers();
  console.log(legend(callers));
  const rows = await judge({ subjects, load: values.load, callers, seeds, library }, (row) => {
    if (!values.misses || row.missed.length > 0) console.log(rowText(row, callers));
  });
  const judged = rows.filter(({ compared }) => compared !== 'shown');
  const missing = judged.filter(({ missed }) => missed.length > 0);
  console.log(`${judged.length - missing.length} of ${judged.length} within the bars`);
}

if (values.help) console.log(HELP);
else {
  // So that no limiter in a process of its own is left behind.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  await main();
  // Packages leave timers and sockets behind.
  process.exit(0);
}
