/**
 * Runs before each test file. The random cases, and what the library draws where a test hands in no random numbers, are
 * the same in each run, so that a change fails only by what it does. `RANDOM_SEED=4711` draws others.
 */

import { fc } from '@fast-check/vitest';
import { createDice } from '../bench/dice.ts';

const seed = Number(process.env['RANDOM_SEED'] ?? 1);
fc.configureGlobal({ seed });
Math.random = createDice(seed);
