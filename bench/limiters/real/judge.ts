/** Runs the matrix, and compares the gate with the same schedule without it. */

import { missed } from './bars.ts';
import type { CallerName, Library } from './callers.ts';
import { type DaemonSubject, type SimulatedSubject, type Subject } from './limiter.ts';
import type { Compared, Load } from './loads.ts';
import { loadsFor, secondsFor } from './matrix.ts';
import { measure, type Result, toDaemon, toLimiter } from './measure.ts';
import { inSimulatedTime, realTime } from './time.ts';
import { startUpstream } from './upstream.ts';

/** Runs in real time at once: few enough that their own load does not delay them. */
const AT_A_TIME = 16;

export interface Row {
  readonly limiter: string;
  readonly load: string;
  readonly group: string;
  readonly seed: number;
  readonly compared: Compared;
  readonly results: Readonly<Partial<Record<CallerName, Result>>>;
  /** The bars that the gate misses, where it is compared with the plain schedule. */
  readonly missed: readonly string[];
}

export interface Plan {
  readonly subjects: readonly Subject[];
  /** Only loads whose name has it. */
  readonly load: string;
  readonly callers: readonly CallerName[];
  readonly seeds: readonly number[];
  readonly library: Library;
}

/** One load on one limiter with one seed, in every way to call it. */
interface Cell {
  readonly load: Load;
  readonly seed: number;
  readonly callers: readonly CallerName[];
}

type Measured = readonly (readonly [CallerName, readonly Result[]])[];

export async function judge(plan: Plan, onRow: (row: Row) => void): Promise<readonly Row[]> {
  const rows: Row[] = [];
  const report = (subject: Subject, cell: Cell, measured: Measured): void => {
    for (const row of rowsOf(subject, cell, measured)) {
      rows.push(row);
      onRow(row);
    }
  };
  for (const subject of plan.subjects) {
    if (subject.clock === 'real') continue;
    for (const cell of cellsOf(plan, subject)) {
      const measured: (readonly [CallerName, readonly Result[]])[] = [];
      for (const caller of cell.callers) measured.push([caller, await simulated(subject, cell, caller, plan.library)]);
      report(subject, cell, measured);
    }
  }
  const turns = createTurns(AT_A_TIME);
  const daemons = plan.subjects.flatMap((subject) => {
    const cells = cellsOf(plan, subject);
    return subject.clock === 'real' && cells.length > 0 ? [{ subject, cells }] : [];
  });
  const loud = daemons.flatMap(({ cells }) => cells.flatMap(({ callers }) => callers.filter((name) => !isQuiet(name))));
  const calm = createCalm(loud.length);
  await Promise.all(
    daemons.map(({ subject, cells }) => runDaemon(subject, cells, { library: plan.library, turns, calm, report })),
  );
  return rows;
}

/** It sends at its own pace. Its times are measured when no run retries hundreds of calls at once in the same process. */
const isQuiet = (caller: CallerName): boolean => caller === 'stated';

function cellsOf({ load: wanted, callers, seeds }: Plan, subject: Subject): readonly Cell[] {
  return loadsFor(subject)
    .filter(({ name }) => name.includes(wanted))
    .flatMap((load) =>
      seeds.map((seed) => ({
        load,
        seed,
        callers: load.compared === 'models' ? [...callers, 'gate per model' as const] : callers,
      })),
    );
}

function simulated(
  subject: SimulatedSubject,
  { load, seed }: Cell,
  caller: CallerName,
  library: Library,
): Promise<readonly Result[]> {
  return inSimulatedTime(async (time) => {
    const limiter = await time.standStill(subject.open());
    try {
      const run = { subject, load, caller, seed, seconds: secondsFor(subject), library };
      return await measure(run, time, toLimiter(limiter, time));
    } finally {
      await limiter.close();
    }
  });
}

interface Course {
  readonly library: Library;
  readonly turns: InTurn;
  readonly calm: Calm;
  readonly report: (subject: Subject, cell: Cell, measured: Measured) => void;
}

/** Many runs at the same time, because their seconds are real ones; the limiter keeps them apart. */
async function runDaemon(
  subject: DaemonSubject,
  cells: readonly Cell[],
  { library, turns, calm, report }: Course,
): Promise<void> {
  const upstream = await startUpstream();
  const runs = cells.reduce((sum, { callers }) => sum + callers.length, 0);
  const daemon = await subject.start(upstream.port, runs);
  try {
    let next = 0;
    await Promise.all(
      cells.map(async (cell) => {
        const results = await Promise.all(
          cell.callers.map(async (caller) => {
            const run = { ...cell, subject, caller, seconds: secondsFor(subject), library };
            const send = toDaemon(daemon, (next += 1));
            if (isQuiet(caller)) await calm.begun;
            const groups = await turns(() => measure(run, realTime, send));
            if (!isQuiet(caller)) calm.ended();
            return [caller, groups] as const;
          }),
        );
        report(subject, cell, results);
      }),
    );
  } finally {
    await daemon.stop();
    await upstream.close();
  }
}

/** Begins when all runs that disturb others have ended. */
interface Calm {
  readonly begun: Promise<void>;
  readonly ended: () => void;
}

function createCalm(runs: number): Calm {
  const { promise, resolve } = Promise.withResolvers<void>();
  let running = runs;
  const ended = (): void => {
    running -= 1;
    if (running === 0) resolve();
  };
  return { begun: promise, ended };
}

type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

function createTurns(atATime: number): InTurn {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (running === atATime) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}

function rowsOf(subject: Subject, { load, seed }: Cell, measured: Measured): readonly Row[] {
  return load.groups.flatMap((group, index) => {
    if (group.program === 'other') return [];
    const results: Partial<Record<CallerName, Result>> = Object.fromEntries(
      measured.map(([caller, groups]) => [caller, groups[index]]),
    );
    const { plain, gate } = results;
    if (gate === undefined) throw new Error('The gate was not measured.');
    const row = { limiter: subject.name, load: load.name, group: group.name, seed, compared: load.compared, results };
    if (plain === undefined) return [{ ...row, missed: [] }];
    const judged = { plain, gate, stated: results.stated, alone: results['gate per model'] };
    return [{ ...row, missed: missed({ subject, compared: load.compared, load: group.load }, judged) }];
  });
}
