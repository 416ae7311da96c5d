/** When calls begin: the loads that each limiter gets. Part of the matrix, which was fixed before the gate was run on it. */

import { type Dice, exponentialTime } from '../../dice.ts';

/** Calls of one tenant for one model. */
export interface Group {
  readonly name: string;
  readonly tenant: string;
  readonly model: string;
  /** `other`: of a program without a gate, which nothing is judged by. */
  readonly program: 'judged' | 'other';
  /** The share of the limit, for the bars. */
  readonly load: number;
  /** The moments after the start. */
  readonly begin: (perSecond: number, seconds: number, dice: Dice) => readonly number[];
}

/** What the figures of a load are compared with. */
export type Compared = 'below' | 'above' | 'far above' | 'bursts' | 'batch' | 'models' | 'shown';

export interface Load {
  readonly name: string;
  readonly groups: readonly Group[];
  readonly compared: Compared;
}

const atRandom =
  (share: number): Group['begin'] =>
  (perSecond, seconds, dice) => {
    const moments: number[] = [];
    const nextMs = (): number => exponentialTime(1_000 / (share * perSecond), dice);
    for (let atMs = nextMs(); atMs < seconds * 1_000; atMs += nextMs()) moments.push(atMs);
    return moments;
  };

const steady = (share: number, of: Partial<Group> = {}): Group => ({
  name: '',
  tenant: 'first',
  model: 'small',
  program: 'judged',
  load: share,
  begin: atRandom(share),
  ...of,
});

const alone = (share: number, compared: Compared): Load => ({ name: String(share), groups: [steady(share)], compared });

const BURST = 200;
const BATCH = 500;
const atOnce =
  (calls: number): Group['begin'] =>
  () =>
    Array.from({ length: calls }, (_, index) => index / calls);
const PULSE_MS = 10_000;

export const LOADS: readonly Load[] = [
  alone(0.5, 'below'),
  alone(0.7, 'below'),
  alone(0.9, 'below'),
  alone(1.2, 'above'),
  alone(1.6, 'far above'),
  { name: 'burst of 200', groups: [steady(1, { begin: atOnce(BURST) })], compared: 'bursts' },
  { name: 'batch of 500', groups: [steady(1, { begin: atOnce(BATCH) })], compared: 'batch' },
  {
    name: 'on and off',
    // As much as the limit admits, but all of it in every other ten seconds.
    groups: [
      steady(1, {
        begin: (perSecond, seconds, dice) =>
          atRandom(1.8)(perSecond, seconds, dice).filter((atMs) => Math.floor(atMs / PULSE_MS) % 2 === 0),
      }),
    ],
    compared: 'bursts',
  },
  {
    name: 'three tenants',
    groups: [0.5, 0.9, 1.6].map((share) => steady(share, { name: `tenant at ${share}`, tenant: `tenant ${share}` })),
    compared: 'below',
  },
  {
    name: 'two models',
    groups: [steady(0.5, { name: 'model at 0.5' }), steady(1.6, { name: 'model at 1.6', model: 'large' })],
    compared: 'models',
  },
  {
    name: 'beside others',
    groups: [steady(0.7, { name: 'ours at 0.7' }), steady(0.5, { name: 'others at 0.5', program: 'other' })],
    compared: 'shown',
  },
];
