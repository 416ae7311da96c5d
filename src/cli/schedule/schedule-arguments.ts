/** Reads which schedule to show: a preset, steps, or growing waits. Refuses options that contradict each other. */

import {
  FAILURES,
  type FailureType,
  formatDelay,
  type Jitter,
  presets,
  type RetryConfig,
  stepped,
} from '../../index.ts';
import { readCount, readWord, UsageError } from '../arguments.ts';
import { parseDuration, readDuration } from '../duration.ts';
import { PRESET_NAMES } from '../presets.ts';
import {
  MOST_RETRIES,
  plannedRetries,
  type PlannedRetry,
  type ScheduleSource,
  sourceFor,
  sourceOf,
} from './schedule.ts';

/** The options that choose the schedule. */
export const SCHEDULE_OPTIONS: Readonly<Record<ScheduleOption, { readonly type: 'string' }>> = {
  preset: { type: 'string' },
  failure: { type: 'string' },
  tail: { type: 'string' },
  budget: { type: 'string' },
  base: { type: 'string' },
  max: { type: 'string' },
  multiplier: { type: 'string' },
  jitter: { type: 'string' },
  'jitter-factor': { type: 'string' },
  'max-retries': { type: 'string' },
};

type ScheduleOption =
  | 'preset'
  | 'failure'
  | 'tail'
  | 'budget'
  | 'base'
  | 'max'
  | 'multiplier'
  | 'jitter'
  | 'jitter-factor'
  | 'max-retries';

export type ScheduleValues = { readonly [K in ScheduleOption]?: string };

/** A schedule and its name. */
export interface NamedSchedule {
  readonly title: string;
  readonly retries: readonly PlannedRetry[];
}

/** Includes `fleet`: its waits can be shown, although the gate of that preset has no effect on a single request. */
const NAMED = [...PRESET_NAMES, 'fleet'] as const;
const JITTERS: readonly Jitter[] = ['none', 'symmetric', 'full', 'down'];
const FAILURE_TYPES: readonly FailureType[] = Object.keys(FAILURES).filter((type): type is FailureType =>
  Object.hasOwn(FAILURES, type),
);

/** The schedule that the arguments describe, with all its waits. @throws UsageError */
export function readSchedule(steps: string | undefined, values: ScheduleValues): NamedSchedule {
  const { title, source } = meant(steps, values);
  const retries = plannedRetries(source);
  if (retries.length <= MOST_RETRIES) return { title, retries };
  throw new UsageError(
    `This schedule has more than ${MOST_RETRIES} retries; end it with --max-retries 10 or --budget 8h${steps === undefined ? '' : ', or with --tail none'}.`,
  );
}

interface Meant {
  readonly title: string;
  readonly source: ScheduleSource;
}

function meant(steps: string | undefined, values: ScheduleValues): Meant {
  if (values.preset !== undefined) {
    if (steps !== undefined) throw new UsageError('A preset has waits of its own; leave out --preset or the steps.');
    return ofPreset(values.preset, values);
  }
  if (values.failure !== undefined)
    throw new UsageError('--failure is for a preset that tells failures apart; add --preset taxonomy.');
  return steps === undefined ? growing(values) : ofSteps(steps, values);
}

function ofPreset(value: string, values: ScheduleValues): Meant {
  refuse(
    values,
    ['tail', 'base', 'max', 'multiplier', 'jitter', 'jitter-factor'],
    'a schedule of your own; leave out --preset',
  );
  const name = readWord('preset', value, NAMED);
  const config: RetryConfig = { ...(name === 'fleet' ? presets.fleet() : presets[name]), ...limits(values) };
  if (config.strategies === undefined) {
    refuse(values, ['failure'], 'a preset that tells failures apart, which is taxonomy');
    return { title: name, source: sourceOf(config) };
  }
  const types = FAILURE_TYPES.filter((type) => config.strategies?.[type] !== undefined);
  const type = readWord('failure', values.failure ?? 'rate_limit', types);
  return { title: `${name}, ${type}`, source: sourceFor(config, type) };
}

function ofSteps(steps: string, values: ScheduleValues): Meant {
  refuse(values, ['base', 'max', 'multiplier'], 'waits that grow; leave out the steps');
  const delaysMs = steps.split(',').map((step) => {
    const delayMs = parseDuration(step);
    if (delayMs !== null) return delayMs;
    if (NAMED.some((name) => name === steps))
      throw new UsageError(`A preset is named by an option, as in: schedule --preset ${steps}.`);
    throw new UsageError(
      `Expected the steps to be durations with commas between them, such as 5s,10s,30s, got ${JSON.stringify(step)}.`,
    );
  });
  const tailMs =
    values.tail === undefined ? undefined : values.tail === 'none' ? null : readDuration('--tail', values.tail);
  const { maxTotalDelayMs, ...rest } = limits(values);
  const backoff = stepped(delaysMs, { ...readJitter(values), tailMs, budgetMs: maxTotalDelayMs });
  const then = tailMs === null ? '' : `, then every ${formatDelay(tailMs ?? delaysMs.at(-1) ?? 0)}`;
  return { title: `${delaysMs.map(formatDelay).join(', ')}${then}`, source: sourceOf({ backoff, ...rest }) };
}

function growing(values: ScheduleValues): Meant {
  refuse(values, ['tail'], 'steps; name them, as in: schedule 5s,10s,30s --tail 30m');
  const { base = '1s', max = '1m', multiplier = '2' } = values;
  const [baseDelayMs, maxDelayMs] = [readDuration('--base', base), readDuration('--max', max)];
  const backoffMultiplier = readNumber('multiplier', multiplier, 1, Number.MAX_VALUE);
  const config = { baseDelayMs, maxDelayMs, backoffMultiplier, ...readJitter(values), ...limits(values) };
  const title = `${formatDelay(baseDelayMs)} × ${backoffMultiplier}, at most ${formatDelay(maxDelayMs)}`;
  return { title, source: sourceOf(config) };
}

function limits(values: ScheduleValues): Pick<RetryConfig, 'maxRetries' | 'maxTotalDelayMs'> {
  const { budget, 'max-retries': maxRetries } = values;
  return {
    ...(maxRetries !== undefined && { maxRetries: readCount('max-retries', maxRetries) }),
    ...(budget !== undefined && { maxTotalDelayMs: readDuration('--budget', budget) }),
  };
}

function readJitter(values: ScheduleValues): { readonly jitter?: Jitter; readonly jitterFactor?: number } {
  const { jitter, 'jitter-factor': factor } = values;
  return {
    ...(jitter !== undefined && { jitter: readWord('jitter', jitter, JITTERS) }),
    ...(factor !== undefined && { jitterFactor: readNumber('jitter-factor', factor, 0, 1) }),
  };
}

function readNumber(option: string, value: string, least: number, most: number): number {
  const number = /^\d{1,15}(?:\.\d{1,15})?$/.test(value) ? Number(value) : Number.NaN;
  if (number >= least && number <= most) return number;
  const range = most === Number.MAX_VALUE ? `of at least ${least}` : `from ${least} to ${most}`;
  throw new UsageError(`Expected --${option} to be a number ${range}, got ${JSON.stringify(value)}.`);
}

function refuse(values: ScheduleValues, options: readonly ScheduleOption[], purpose: string): void {
  const option = options.find((name) => values[name] !== undefined);
  if (option !== undefined) throw new UsageError(`--${option} is for ${purpose}.`);
}
